import os
import signal
from dataclasses import replace

import pytest

from geoforest_cli.engine import preview, run
from geoforest_cli.engine.executor import Outcome, Started
from geoforest_cli.engine.progress import NoProgress
from geoforest_cli.engine.store import Store
from tests.engine import toy


class Inline:
    """An executor without processes: every cell is done at once, as its number says."""

    jobs = 1

    def __init__(self, status=lambda cell: "ok"):
        self.status = status
        self.ran = []

    def run(self, cells, expected):
        for cell in cells:
            yield Started(cell.key)
            yield None
            self.ran.append(cell.key)
            status = self.status(cell)
            found = [{"metric": "m", "value": cell.number, "k": 1}] if status == "ok" else []
            yield Outcome(cell.key, status, found, seconds=2.0, error="" if found else "bad luck")


@pytest.fixture
def cells(tmp_path):
    path = toy.write_protocol(tmp_path)
    return [toy.ToyCell(f"c{n}", path, number=n, point={"a": n}) for n in range(6)]


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"


def _ran(plan, results, status=lambda cell: "ok", **options):
    executor = Inline(status)
    return run(plan, results, executor=executor, **options), executor.ran


def test_a_run_leaves_rows_and_provenance(tmp_path, cells, results):
    result, ran = _ran(toy.make_plan(tmp_path, cells), results)
    assert len(ran) == result.ran == result.total == 6
    assert (result.kept, result.failed, result.interrupted) == (0, (), False)
    names = {path.name for path in (results / "toy").iterdir()}
    assert names == {".lock", "cells.sqlite", "rows.csv", "rows.parquet", "provenance.json"}
    assert list(result.frame["value"]) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_nothing_finished_runs_again_and_only_new_cells_do(tmp_path, cells, results):
    _ran(toy.make_plan(tmp_path, cells[:4]), results)
    first = (results / "toy" / "rows.csv").read_bytes()
    result, ran = _ran(toy.make_plan(tmp_path, cells), results)
    assert ran == ["c4", "c5"]
    assert (result.ran, result.kept) == (2, 4)
    result, ran = _ran(toy.make_plan(tmp_path, cells[:4]), results)
    assert ran == []
    assert (results / "toy" / "rows.csv").read_bytes() == first


def test_failed_cells_are_kept_until_they_are_asked_for(tmp_path, cells, results):
    plan = toy.make_plan(tmp_path, cells)
    result, _ = _ran(plan, results, lambda cell: "failed" if cell.key == "c2" else "ok")
    assert [(cell.key, one.error) for cell, one in result.failed] == [("c2", "bad luck")]
    result, ran = _ran(plan, results)
    assert ran == []
    assert len(result.failed) == 1
    assert list(result.frame["status"]).count("failed") == 1
    result, ran = _ran(plan, results, retry_failed=True)
    assert ran == ["c2"]
    assert result.failed == ()


def test_one_cell_under_two_names_runs_once(tmp_path, cells, results):
    twins = [cells[0], replace(cells[0], method="other")]
    result, ran = _ran(toy.make_plan(tmp_path, twins), results)
    assert ran == ["c0"]
    assert list(result.frame["method"]) == ["other", "toy"]


def test_ctrl_c_keeps_what_is_finished(tmp_path, cells, results):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt(cell):
        if cell.key == "c2":
            os.kill(os.getpid(), signal.SIGINT)
        return "ok"

    plan = toy.make_plan(tmp_path, cells)
    try:
        result, ran = _ran(plan, results, interrupt)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.interrupted
    assert 2 <= result.ran < 6
    assert not (results / "toy" / "rows.csv").exists()
    with Store(results / "toy" / "cells.sqlite") as store:
        assert len(store.all()) == result.ran
    again, ran = _ran(plan, results)
    assert again.ran == len(ran) == 6 - result.ran


def test_every_outcome_is_stored_before_it_is_told(tmp_path, cells, results):
    told = []

    class Checking(NoProgress):
        def finished(self, cell, outcome):
            with Store(results / "toy" / "cells.sqlite") as store:
                told.append(store.get([cell.key])[cell.key].status)

    _ran(toy.make_plan(tmp_path, cells), results, progress=Checking())
    assert told == ["ok"] * 6


def test_jobs_and_order_do_not_show_in_the_rows(tmp_path, results):
    path = toy.write_protocol(tmp_path)
    cells = [toy.ToyCell(f"c{n}", path, number=n, point={"a": n}) for n in range(5)]
    cells.append(toy.ToyCell("bad", path, action="broken", point={"a": 9}))
    texts = set()
    for jobs in (1, 2):
        folder = results / str(jobs)
        run(
            toy.make_plan(tmp_path, cells[::-1] if jobs == 2 else cells, name="x"),
            folder,
            jobs=jobs,
        )
        lines = (folder / "x" / "rows.csv").read_text().splitlines()
        texts.add("\n".join(sorted(lines)))
    assert len(texts) == 1


def test_preview_counts_and_estimates_but_runs_nothing(tmp_path, cells, results):
    plan = toy.make_plan(tmp_path, cells)
    seen = preview(plan, results, jobs=2)
    assert (seen.cells, seen.done, seen.to_run, seen.unknown, seen.seconds) == (6, 0, 6, 6, None)
    assert not results.exists()
    _ran(
        toy.make_plan(tmp_path, cells[:4]),
        results,
        lambda cell: "failed" if cell.key == "c1" else "ok",
    )
    seen = preview(plan, results, jobs=2)
    assert (seen.done, seen.failed, seen.to_run, seen.unknown, seen.seconds) == (3, 1, 2, 0, 2.0)
    assert preview(plan, results, jobs=1, retry_failed=True).to_run == 3
    groups = {group.point["a"]: group for group in seen.groups}
    assert (groups[0].done, groups[0].to_run, groups[0].seconds) == (1, 0, 0.0)
    assert (groups[5].cells, groups[5].to_run, groups[5].seconds) == (1, 1, 2.0)
