import contextlib
import os
import signal

import pytest

from geoforest_cli.study.engine import driver
from geoforest_cli.study.engine.driver import Hooks, run
from geoforest_cli.study.engine.executors.contract import Slots
from geoforest_cli.study.engine.executors.local import LocalExecutor
from geoforest_cli.study.engine.preview import Group, preview
from geoforest_cli.study.engine.progress import Progress
from geoforest_cli.study.engine.store import Store
from tests.study.engine import toy


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"


def _ran(plan, results, status=lambda job: "ok", value=lambda job: 1.0, **options):
    executor = toy.Inline(status, value)
    return run(plan, results, executor, **options), executor.ran


def _fails(a):
    return lambda job: "failed" if job.cell.setting.params["a"] == a else "ok"


def test_a_run_leaves_rows_and_provenance_in_its_profiles_folder(tmp_path, results):
    result, ran = _ran(toy.make_plan(tmp_path), results)
    assert len(ran) == result.ran == result.total == 6
    assert (result.kept, result.failed, result.interrupted) == (0, (), False)
    assert result.folder == results / "toy" / "paper"
    names = {path.name for path in result.folder.iterdir()}
    assert names == {"rows.csv", "rows.parquet"}
    assert (results / "toy" / "cells.sqlite").exists()


def test_a_smoke_run_touches_nothing_of_the_paper_run(tmp_path, results):
    result, _ = _ran(toy.make_plan(tmp_path), results)
    before = {path.name: path.read_bytes() for path in result.folder.iterdir()}
    smoke, ran = _ran(toy.make_plan(tmp_path, profile="smoke"), results)
    assert ran == []
    assert smoke.folder == results / "toy" / "smoke"
    assert {path.name: path.read_bytes() for path in result.folder.iterdir()} == before
    changed, _ = _ran(toy.make_plan(tmp_path, overrides=["grid.a=[0, 9]"]), results)
    assert changed.folder == results / "toy" / "paper-changed"
    assert {path.name: path.read_bytes() for path in result.folder.iterdir()} == before


def test_nothing_finished_runs_again_and_only_new_cells_do(tmp_path, results):
    first, _ = _ran(toy.make_plan(tmp_path, ("4, 5", "4")), results)
    before = (first.folder / "rows.csv").read_bytes()
    result, ran = _ran(toy.make_plan(tmp_path), results)
    assert [label for label, _ in ran] == ["still (as_written), a=5, repetition 0"]
    assert (result.ran, result.kept) == (1, 5)
    result, ran = _ran(toy.make_plan(tmp_path, ("4, 5", "4")), results)
    assert ran == []
    assert (result.folder / "rows.csv").read_bytes() == before


def test_a_new_inner_value_runs_alone_and_others_keep_their_rows(tmp_path, results):
    _ran(toy.make_plan(tmp_path), results, value=lambda job: 1.0)
    wider = toy.make_plan(tmp_path, ("k: [1]", "k: [3, 1]"))
    result, ran = _ran(wider, results, value=lambda job: 2.0)
    assert [inner for _, inner in ran] == [{"k": (3,)}] * 6
    assert (result.ran, result.kept) == (6, 0)
    assert result.frame.groupby("k")["value"].unique().to_dict() == {1: [1.0], 3: [2.0]}
    result, ran = _ran(wider, results)
    assert (ran, result.kept) == ([], 6)
    narrow, ran = _ran(toy.make_plan(tmp_path), results)
    assert ran == []
    assert set(narrow.frame["k"]) == {1}


def test_failed_cells_are_kept_until_they_are_asked_for(tmp_path, results):
    plan = toy.make_plan(tmp_path)
    result, _ = _ran(plan, results, _fails(2))
    assert [(cell.entry.point["a"], cell.error) for cell in result.failed] == [(2, "bad luck")]
    result, ran = _ran(plan, results)
    assert ran == []
    assert len(result.failed) == 1
    assert list(result.frame["status"]).count("failed") == 1
    result, ran = _ran(plan, results, retry_failed=True)
    assert len(ran) == 1
    assert result.failed == ()


def test_preliminary_figures_come_after_one_and_each_doubling(tmp_path, results, monkeypatch):
    monkeypatch.setattr(driver, "_MIN_SECONDS_LEFT", 0.0)
    plan = toy.make_plan(tmp_path, ("methods:", "repetitions: 5\nmethods:"))
    seen = []
    hooks = Hooks(preliminary=lambda part, rows, _: seen.append((part.caution, len(rows))))
    _, ran = _ran(plan, results, hooks=hooks)
    assert [label.rpartition(" ")[2] for label, _ in ran] == [n for n in "01234" for _ in range(6)]
    assert seen == [(f"preliminary, {n} of 5 repetitions", 6 * n) for n in (1, 2, 4)]


def test_with_little_time_left_there_is_no_preliminary_figure(tmp_path, results):
    plan = toy.make_plan(tmp_path, ("methods:", "repetitions: 5\nmethods:"))
    seen = []
    _ran(plan, results, hooks=Hooks(preliminary=lambda *part: seen.append(part)))
    assert seen == []


def test_the_cheapest_method_of_a_repetition_comes_first(tmp_path):
    both = (
        "repetitions: 2\nmethods:\n  quiet: {use: 'toy_method:Quiet', variants: {as_written: {}}}"
    )
    plan = toy.make_plan(tmp_path, ("methods:", both))
    jobs = list(plan.jobs.values())
    expected = {job.key: 1.0 if "Quiet" in job.use else 2.0 for job in jobs}
    ordered = driver._by_repetition(jobs, expected)
    names = [(job.cell.repetition, job.use.partition(":")[2]) for job in ordered]
    assert names == [(n, name) for n in (0, 1) for name in ("Quiet", "Still") for _ in range(6)]


def test_one_method_under_two_names_runs_once_and_is_whole(tmp_path, results):
    twice = ("methods:", "methods:\n  twin: {use: 'toy_method:Still', variants: {as_written: {}}}")
    plan = toy.make_plan(tmp_path, twice)
    result, ran = _ran(plan, results)
    assert len(ran) == result.total == 6
    assert result.frame["method"].value_counts().to_dict() == {"still": 6, "twin": 6}
    seen = preview(plan, results, jobs=1)
    assert (seen.cells, seen.done, seen.to_run) == (6, 6, 0)
    assert [(group.method, group.cells) for group in seen.groups] == [("twin", 6)]


def test_ctrl_c_keeps_what_is_finished(tmp_path, results):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    handlers = []

    def interrupt(job):
        if job.cell.setting.params["a"] == 2:
            for _ in range(2):
                handlers.append(signal.getsignal(signal.SIGINT))
                if len(handlers) == 1:
                    os.kill(os.getpid(), signal.SIGINT)
        return "ok"

    plan = toy.make_plan(tmp_path)
    try:
        result, ran = _ran(plan, results, interrupt)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    # the second one would mean it
    assert handlers[0] is not signal.default_int_handler
    assert handlers[1] is signal.default_int_handler
    assert result.interrupted
    assert 2 <= result.ran < 6
    assert (result.kept, result.total) == (0, 6)
    assert not (results / "toy" / "paper" / "rows.csv").exists()
    with Store(results / "toy" / "cells.sqlite") as store:
        assert len(store.summaries()) == result.ran
    again, ran = _ran(plan, results)
    assert again.ran == len(ran) == 6 - result.ran
    assert (again.kept, again.interrupted) == (result.ran, False)


def test_jobs_and_order_do_not_show_in_the_rows(tmp_path, results):
    texts = set()
    for slots in (1, 2):
        plan = toy.make_plan(tmp_path, ("k: [1]", "k: [1], action: [good, broken]"))
        with contextlib.closing(LocalExecutor(slots)) as executor:
            done = run(plan, results / str(slots), executor)
        texts.add((done.folder / "rows.csv").read_text())
        assert len(done.failed) == 6
    assert len(texts) == 1


def test_a_group_of_which_one_cell_is_unknown_has_no_time(tmp_path, results):
    two = ("methods:", "repetitions: 2\nmethods:")
    _ran(toy.make_plan(tmp_path), results)
    seen = preview(toy.make_plan(tmp_path, two), results, jobs=1)
    assert {(group.cells, group.to_run, group.seconds) for group in seen.groups} == {(12, 6, 12.0)}
    strange = ("methods:", "methods:\n  isomap: {variants: {as_written: {}}}")
    seen = preview(toy.make_plan(tmp_path, strange), results, jobs=1)
    assert {(group.method, group.to_run, group.seconds) for group in seen.groups} == {
        ("still", 0, 0.0), ("isomap", 6, None),
    }  # fmt: skip


def test_an_unwritable_folder_is_one_sentence(tmp_path, results):
    from geoforest_cli.core.errors import UserError

    results.write_text("in the way")
    with pytest.raises(UserError, match="cannot be made"):
        _ran(toy.make_plan(tmp_path), results)


@pytest.mark.parametrize("note", ["", "2 cells at once instead of 8"])
def test_what_the_executor_says_of_its_slots_is_passed_on(tmp_path, results, note):
    class Slow(toy.Inline):
        def slots(self, jobs):
            return Slots(1, note)

    class Noted(Progress):
        def __init__(self):
            self.notes = []

        def note(self, sentence):
            self.notes.append(sentence)

    progress = Noted()
    run(toy.make_plan(tmp_path), results, Slow(), hooks=Hooks(progress))
    assert progress.notes == [note] * bool(note)


def test_a_preview_has_a_line_for_each_method_and_the_axes(tmp_path, results):
    _ran(toy.make_plan(tmp_path, ("4, 5", "4")), results, _fails(1))
    plan = toy.make_plan(tmp_path)
    seen = preview(plan, results, jobs=2)
    assert (seen.cells, seen.done, seen.failed, seen.to_run) == (6, 4, 1, 1)
    assert (seen.unknown, seen.seconds, seen.jobs) == (0, 2.0, 2)
    assert preview(plan, results, jobs=1, retry_failed=True).to_run == 2
    group = Group("still", "as_written", cells=6, done=4, failed=1, to_run=1, seconds=2.0)
    assert seen.groups == (group,)
    assert seen.axes == {"a": [0, 1, 2, 3, 4, 5], "k": [1]}


def test_where_nothing_has_run_the_reference_says_the_time(tmp_path, results):
    plan = toy.make_plan(tmp_path)
    setting = plan.entries[0].cell.setting
    durations = {f"{setting.method_group} {setting.point_group}": (2, 6.0), "": (10, 10.0)}
    assert preview(plan, results, jobs=1, reference=durations).seconds == 3.0 + 5 * 1.0
