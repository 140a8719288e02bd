"""When a run ends and what it leaves to others: the time, Ctrl-C, the record of itself."""

import signal
import threading
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from geoforest_cli.study.engine import driver, provenance
from geoforest_cli.study.engine.driver import Hooks, run
from geoforest_cli.study.engine.progress import Progress
from tests.study.engine import toy


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"


class Slow(Progress):
    """A cell takes ten seconds of the driver's clock; what is told of the time left is kept."""

    def __init__(self, monkeypatch):
        self.clock, self.seconds_left = 0.0, []
        monkeypatch.setattr(driver.time, "monotonic", lambda: self.clock)

    def tick(self, left):
        self.seconds_left.append(left)

    def finished(self, job, outcome):
        self.clock += 10.0


@pytest.mark.parametrize(("until", "begun"), [(0.0, 0), (25.0, 3), (30.0, 3), (31.0, 4)])
def test_no_cell_is_begun_once_the_time_is_over(tmp_path, results, monkeypatch, until, begun):
    plan = toy.make_plan(tmp_path)
    early = run(plan, results, toy.Inline(), hooks=Hooks(Slow(monkeypatch), until=until))
    assert (early.ran, early.kept, early.total) == (begun, 0, 6)
    assert (early.out_of_time, early.interrupted) == (True, False)
    assert list(early.folder.iterdir()) == []
    assert len(early.frame) == begun
    rest = run(plan, results, toy.Inline())
    assert (rest.ran, rest.kept, rest.out_of_time) == (6 - begun, begun, False)
    assert (rest.folder / "rows.csv").exists()


def test_the_last_cell_may_end_after_the_time(tmp_path, results, monkeypatch):
    plan, slow = toy.make_plan(tmp_path), Slow(monkeypatch)
    whole = run(plan, results, toy.Inline(), hooks=Hooks(slow, until=55.0))
    assert slow.clock == 60.0
    assert (whole.ran, whole.out_of_time, whole.interrupted) == (6, False, False)
    again = run(plan, results, toy.Inline(), hooks=Hooks(slow, until=1.0))
    assert (again.ran, again.kept, again.out_of_time) == (0, 6, False)


def test_a_run_in_a_thread_leaves_signals_alone(tmp_path, results):
    plan, ended = toy.make_plan(tmp_path), []
    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=lambda: ended.append(run(plan, results, toy.Inline())))
    thread.start()
    thread.join()
    assert [result.ran for result in ended] == [6]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_run_is_recorded_from_its_start_to_its_end(tmp_path, monkeypatch):
    plan = toy.make_plan(tmp_path)
    dates = [datetime(2026, 1, 2, 3, 4, second, 567_000, tzinfo=UTC) for second in (5, 9)]
    monkeypatch.setattr(provenance, "datetime", SimpleNamespace(now=lambda _: dates[1]))
    last = provenance.last_run(plan, tmp_path, dates[0], 3, 2)
    assert (last["started"], last["ended"]) == (
        "2026-01-02T03:04:05+00:00", "2026-01-02T03:04:09+00:00",
    )  # fmt: skip
    assert last["wall_seconds"] == 4.0
    assert (last["cells"], last["at_once"]) == (2, 3)


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"METADATA": "Name: One\nVersion: 1\n", "PKG-INFO": "Name: Two\nVersion: 2\n"}, "one 1"),
        ({"METADATA": "", "PKG-INFO": "Name: Two\nVersion: 2\n"}, "two 2"),
        ({"METADATA": "Name: One\n"}, "bare 9"),
        ({"METADATA": "Version: 1\n"}, "bare 9"),
        ({"METADATA": "Metadata-Version: 2.1\nName:  A-b \nVersion: 1.0\n\nName: x\n"}, "a-b 1.0"),
    ],
)
def test_a_package_is_named_by_its_metadata_if_they_are_whole(files, named):
    package = SimpleNamespace(read_text=files.get, name="Bare", version="9")
    assert " ".join(provenance._name_and_version(package)) == named
