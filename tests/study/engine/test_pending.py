import itertools
import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geoforest_cli.study.engine.pending import plan_state
from geoforest_cli.study.engine.store import RecordSummary
from tests.study.engine import toy


def _mark(job, inner, status="ok"):
    return RecordSummary(job.key, inner, status, 1.0, job.timeout, job.memory, "", "")


@pytest.fixture
def job(tmp_path):
    return toy.job(tmp_path, "a", inner={"k": (1, 2, 3), "a": ("x", "y")})


@pytest.mark.parametrize(
    ("status", "limits", "again"),
    [
        ("timeout", {"timeout": 601.0}, True),
        ("timeout", {"timeout": 600.0}, False),
        ("timeout", {"memory": 10**12}, False),
        ("out_of_memory", {"memory": 10**10}, True),
        ("out_of_memory", {"memory": None}, True),
        ("out_of_memory", {"memory": 10**9}, False),
        ("out_of_memory", {"timeout": 10**6}, False),
        ("failed", {"timeout": 10**6, "memory": None}, False),
    ],
)
def test_a_raised_limit_makes_what_it_stopped_run_again(tmp_path, status, limits, again):
    job = toy.job(tmp_path, "a", timeout=600.0, memory=10**9)
    stopped = _mark(job, '{"k": [1, 2]}', status)
    setting = replace(job.cell.setting, **limits)
    now = replace(job, cell=replace(job.cell, setting=setting))
    assert now.key == job.key
    assert bool(plan_state([now], [stopped]).to_run) is again


def test_what_the_machine_could_not_hold_is_not_tried_again(tmp_path):
    """An allocation of terabytes fails under no bound; neither does one that is set later help."""
    job = toy.job(tmp_path, "a")
    stopped = _mark(job, '{"k": [1, 2]}', "out_of_memory")
    assert stopped.memory is None
    for memory in (None, 10**9, 10**15):
        setting = replace(job.cell.setting, memory=memory)
        now = replace(job, cell=replace(job.cell, setting=setting))
        assert plan_state([now], [stopped]).to_run == ()
        assert len(plan_state([now], [stopped], retry_failed=True).to_run) == 1


KS, AS = st.sets(st.integers(0, 3), min_size=1), st.sets(st.sampled_from("xyz"), min_size=1)
INNER = st.builds(lambda k, a: {"k": tuple(sorted(k)), "a": tuple(sorted(a))}, KS, AS)
RECORDS = st.lists(st.tuples(INNER, st.sampled_from(["ok", "ok", "failed", "crashed"])), max_size=4)


def _pairs(inner):
    return set(itertools.product(inner["k"], inner["a"]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=INNER, records=RECORDS)
def test_what_has_no_record_and_no_settled_failure_runs(job, wanted, records):
    job = replace(job, inner=wanted)
    marks = [_mark(job, json.dumps(inner), status) for inner, status in records]
    had = set().union(*(_pairs(inner) for inner, status in records if status == "ok"))
    lacking = _pairs(wanted) - had
    tried = [_pairs(inner) for inner, status in records if status != "ok"]
    # all values of a parameter that some lacking pair has
    missing = {
        "k": tuple(k for k in wanted["k"] if any(k == pair[0] for pair in lacking)),
        "a": tuple(a for a in wanted["a"] if any(a == pair[1] for pair in lacking)),
    }
    if not any(status == "ok" for _, status in records):
        missing = wanted
    settled = bool(lacking) and any(_pairs(missing) <= pairs for pairs in tried)
    state, again = plan_state([job], marks), plan_state([job], marks, retry_failed=True)
    assert [left.inner for left in state.to_run] == [missing] * (bool(lacking) and not settled)
    assert [left.inner for left in again.to_run] == [missing] * bool(lacking)
    assert state.done == again.done == ({job.key} if not lacking else set())
    assert state.failed == again.failed == ({job.key} if lacking and tried else set())
