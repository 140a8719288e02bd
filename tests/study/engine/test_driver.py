import os
import signal

import pytest

from geoforest_cli.study.engine import driver
from geoforest_cli.study.engine.driver import run
from geoforest_cli.study.engine.executors.contract import Slots
from geoforest_cli.study.engine.preview import Group, preview
from geoforest_cli.study.engine.progress import Progress
from geoforest_cli.study.engine.store import Store
from tests.study.engine import toy


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"


def _ran(plan, results, status=lambda job: "ok", value=lambda job: 1.0, **options):
    executor = toy.Inline(status, value)
    return run(plan, results, executor=executor, **options), executor.ran


def _fails(a):
    return lambda job: "failed" if job.cell.setting.params["a"] == a else "ok"


def test_a_run_leaves_rows_and_provenance_in_the_folder_of_its_profile(tmp_path, results):
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


def test_a_new_inner_value_runs_alone_and_the_others_keep_their_rows(tmp_path, results):
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
    assert [(one.entry.point["a"], one.error) for one in result.failed] == [(2, "bad luck")]
    result, ran = _ran(plan, results)
    assert ran == []
    assert len(result.failed) == 1
    assert list(result.frame["status"]).count("failed") == 1
    result, ran = _ran(plan, results, retry_failed=True)
    assert len(ran) == 1
    assert result.failed == ()


def test_without_an_executor_processes_run_what_is_asked_for(tmp_path, results, monkeypatch):
    made = []

    class Processes(toy.Inline):
        def __init__(self, wished=None):
            super().__init__()
            self.wished, self.closed = wished, False
            made.append(self)

        def close(self):
            self.closed = True

    monkeypatch.setattr(driver, "LocalExecutor", Processes)
    plan = toy.make_plan(tmp_path)
    _ran(plan, results, _fails(3))
    assert run(plan, results, jobs=3).failed != ()
    assert run(plan, results, jobs=5, retry_failed=True).failed == ()
    assert [(one.wished, len(one.ran), one.closed) for one in made] == [(3, 0, True), (5, 1, True)]


def test_one_method_under_two_names_runs_once_and_is_whole(tmp_path, results):
    twice = ("methods:", "methods:\n  twin: {use: 'toy_method:Still', variants: {as_written: {}}}")
    plan = toy.make_plan(tmp_path, twice)
    result, ran = _ran(plan, results)
    assert len(ran) == result.total == 6
    assert result.frame["method"].value_counts().to_dict() == {"still": 6, "twin": 6}
    seen = preview(plan, results, jobs=1)
    assert (seen.cells, seen.done, seen.to_run) == (6, 6, 0)
    assert [(group.method, group.cells) for group in seen.groups] == [("twin", 1)] * 6


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
        done = run(plan, results / str(slots), jobs=slots)
        texts.add((done.folder / "rows.csv").read_text())
        assert len(done.failed) == 6
    assert len(texts) == 1


def test_a_group_of_which_one_cell_is_unknown_has_no_time(tmp_path, results):
    two = ("methods:", "repetitions: 2\nmethods:")
    _ran(toy.make_plan(tmp_path), results)
    seen = preview(toy.make_plan(tmp_path, two), results, jobs=1)
    assert {(group.cells, group.to_run, group.seconds) for group in seen.groups} == {(2, 1, 2.0)}
    strange = ("methods:", "methods:\n  isomap: {variants: {as_written: {}}}")
    seen = preview(toy.make_plan(tmp_path, strange), results, jobs=1)
    assert {(group.method, group.to_run, group.seconds) for group in seen.groups} == {
        ("still", 0, 0.0), ("isomap", 1, None),
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
    run(toy.make_plan(tmp_path), results, executor=Slow(), progress=progress)
    assert progress.notes == [note] * bool(note)


def test_a_preview_has_every_group_in_the_order_of_the_plan(tmp_path, results):
    _ran(toy.make_plan(tmp_path, ("4, 5", "4")), results, _fails(1))
    plan = toy.make_plan(tmp_path)
    seen = preview(plan, results, jobs=2)
    assert (seen.cells, seen.done, seen.failed, seen.to_run) == (6, 4, 1, 1)
    assert (seen.unknown, seen.seconds, seen.jobs) == (0, 2.0, 2)
    assert preview(plan, results, jobs=1, retry_failed=True).to_run == 2
    assert seen.groups == tuple(
        Group(
            "still", "as_written", {"a": a}, cells=1, done=int(a not in {1, 5}),
            failed=int(a == 1), to_run=int(a == 5), seconds=2.0 if a == 5 else 0.0,
        )
        for a in range(6)
    )  # fmt: skip
