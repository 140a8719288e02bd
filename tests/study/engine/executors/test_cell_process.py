import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.registry import Entry
from geoforest_cli.study.engine.executors import cell_process
from geoforest_cli.study.engine.executors.contract import Refused
from geoforest_cli.study.plan import experiments
from tests.study.engine import toy


def _run(job):
    events = []
    return cell_process.run_job(job, events.append), events


def test_a_job_becomes_an_outcome(tmp_path):
    job = toy.job(tmp_path, "a", number=3)
    outcome, events = _run(job)
    assert (outcome.key, outcome.status, outcome.error) == (job.key, "ok", "")
    assert [row["value"] for row in outcome.rows] == [1.0, 2.0]
    assert outcome.seconds >= 0
    assert outcome.peak_memory > 1_000_000
    assert events == ["started"]


@pytest.mark.parametrize(
    ("action", "status", "error"),
    [
        ("broken", "failed", "ValueError: no such luck"),
        ("absurd", "out_of_memory", "MemoryError: Unable to allocate 7 TB"),
        ("leave", "failed", "SystemExit: enough"),
    ],
)
def test_whatever_it_raises_is_caught(tmp_path, action, status, error):
    outcome, _ = _run(toy.job(tmp_path, "a", action=action))
    assert (outcome.status, outcome.error, outcome.rows) == (status, error, [])
    assert f"in _{action}" in outcome.traceback


def test_a_module_that_can_no_longer_be_used_is_refused(tmp_path):
    job = toy.job(tmp_path, "a")
    job.cell.setting.experiment.write_text("run_cell = ")
    with pytest.raises(Refused, match=r"toy_protocol\.py:1: the module cannot be imported"):
        _run(job)


def test_compilation_is_told_and_not_counted(tmp_path):
    outcome, events = _run(toy.job_with_numba(tmp_path, action="compiling", number=0.5))
    assert events == ["started", "compiling", "compiled"]
    assert outcome.seconds < 0.5


def test_what_was_edited_since_the_plan_is_refused(tmp_path, monkeypatch):
    job = toy.job(tmp_path, "a")
    path = job.cell.setting.experiment
    thing = Entry("tables flowers.csv", "math:sin", "")
    with monkeypatch.context() as patch:
        patch.setattr(type(experiments.load(path)), "uses", (thing,))
        with pytest.raises(Refused, match=r"flowers\.csv was edited since this run began: run it"):
            _run(job)
    cell_process._loaded.cache_clear()
    path.write_text(path.read_text().replace("/ 3", "/ 4"))
    with pytest.raises(Refused, match=r"toy_protocol\.py was edited since this run began: run it"):
        _run(job)


def test_libraries_are_held_to_one_thread_after_any_import(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(cell_process, "threadpool_limits", lambda *, limits: asked.append(limits))
    cell_process._limit_threads.cache_clear()
    for label in "ab":
        assert _run(toy.job(tmp_path, label))[0].status == "ok"
    before = len(asked)
    _run(toy.job(tmp_path, "c"))
    assert len(asked) == before
    monkeypatch.setitem(cell_process.sys.modules, "another_library", cell_process)
    _run(toy.job(tmp_path, "d"))
    assert asked == [1] * (before + 1)
    cell_process._limit_threads.cache_clear()


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (ValueError(), "ValueError"),
        (ValueError(" a\n  b "), "ValueError: a b"),
        (UserError("a\nb"), "a b"),
        (KeyError("half \udcff"), "KeyError: 'half \\udcff'"),
        (UserError("half \udcff"), "half \\udcff"),
        (UserError("x" * 1_000), "x" * 1_000),
        (UserError("x" * 1_001), "x" * 1_000 + " ... (1001 characters)"),
        (ValueError("x" * 70_000), "ValueError: " + "x" * 1_000 + " ... (70000 characters)"),
    ],
)
def test_a_problem_is_one_sentence_that_a_file_can_hold(problem, sentence):
    assert cell_process._sentence(problem) == sentence


@pytest.mark.parametrize(
    ("category", "line"),
    [(UserWarning, "Note: a b\n"), (RuntimeWarning, "RuntimeWarning: a b\n")],
)
def test_a_warning_of_a_cell_is_one_line(category, line):
    assert cell_process._in_one_line(" a\n b", category, "file.py", 7, line="x") == line
    assert cell_process._in_one_line(category("a\tb"), category) == line


@pytest.mark.parametrize("size", [0, 1, 19_999, 20_000, 20_001, 45_000])
def test_a_log_is_kept_up_to_its_longest(tmp_path, size):
    path = tmp_path / "log"
    text = "".join(chr(97 + number % 26) for number in range(size))
    path.write_text(text)
    with path.open() as file:
        assert cell_process.read_tail(file.fileno()) == text[-20_000:]
