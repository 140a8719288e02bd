"""How long configs are expected to take: from the store, else from what is kept."""

import json

import pytest

from geoforest_cli.study.queue import read_queue
from tests.e2e.inside import geoforest


@pytest.fixture
def here(mine, monkeypatch):
    monkeypatch.chdir(mine)
    path = mine / "results" / "second" / "paper" / "provenance.json"
    record = json.loads(path.read_text())
    record["made"]["origins"][0]["seconds"] = 1200.0
    path.write_text(json.dumps(record))
    assert geoforest("reference", "write", cwd=mine).returncode == 0
    return mine


def test_what_is_done_takes_no_time(here):
    found = read_queue(["first", "second"], "paper", (), here / "results", jobs=2)
    assert [(one.cells, one.claims, one.seconds) for one in found] == [(0, 1, 0.0)] * 2


def test_what_was_never_run_here_is_known_from_the_outcome_that_is_kept(here):
    names = ["second", "first", "misspelt"]
    first, *_ = found = read_queue(names, "paper", (), here / "elsewhere", jobs=2)
    assert (first.cells, first.seconds) == (12, pytest.approx(600.0))
    assert [one.invalid for one in found] == [False, False, True]
    # a third of it, and another size, of which nothing is kept
    [part] = read_queue(["second"], "paper", ["repetitions=1"], here / "elsewhere", jobs=2)
    assert part.seconds == pytest.approx(200.0)
    [small] = read_queue(["second"], "smoke", (), here / "elsewhere", jobs=2)
    assert (small.cells, small.seconds) == (8, None)


def test_the_store_is_known_better_than_what_is_kept(here):
    [more] = read_queue(["second"], "paper", ["repetitions=6"], here / "results", jobs=2)
    assert more.cells == 12
    assert more.seconds < 300


def test_several_configs_say_how_long_they_take_before_they_run(here):
    call = ["run", "second", "first", "--order", "cheapest", "--results", "elsewhere"]
    done = geoforest(*call, "--jobs", 1, "--plan", cwd=here)
    assert done.returncode == 0, done.stderr
    told, *_ = done.stderr.splitlines()
    assert told.startswith("2 configs, 24 cells to run, about 20 min ")
    assert told.endswith(", the least time for each claim first")


def test_what_is_kept_of_another_size_or_damaged_says_nothing(here):
    kept = here / "results" / "reference" / "second" / "provenance.json"
    kept.write_text("{}")
    [one] = read_queue(["second"], "paper", (), here / "elsewhere", jobs=2)
    assert one.seconds is None


def test_no_config_begins_when_the_time_is_over(here):
    call = ["run", "second", "first", "--results", "elsewhere", "--jobs", 1]
    done = geoforest(*call, "--budget", 0, cwd=here)
    assert done.returncode == 0
    assert "The time of --budget is over. Not begun: second, first" in done.stderr
    assert not (here / "elsewhere").exists()
