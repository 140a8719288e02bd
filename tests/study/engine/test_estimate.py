from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoforest_cli.study.engine.estimate import Forecast
from geoforest_cli.study.engine.store import RecordSummary
from tests.study.engine import toy


@pytest.fixture
def job(tmp_path):
    def make(label, **params):
        return toy.job(tmp_path, label, use=params.pop("use", "euclidean"), **params)

    return make


def _mark(job, seconds, status="ok"):
    setting = job.cell.setting
    return RecordSummary(
        job.key, "{}", status, seconds, 1.0, None, setting.point_group, setting.method_group
    )


def test_repetitions_first_then_other_points_of_the_same_size(job, monkeypatch):
    marks = [_mark(job("a", number=1), 1.0), _mark(job("b", number=1), 3.0)]
    estimator = Forecast(marks)
    assert estimator.seconds(job("c", number=1)) == 2.0
    assert estimator.seconds(job("c", number=1, use="isomap")) is None
    # the number is no grid parameter here: another size
    assert estimator.seconds(job("c", number=5)) is None


def test_failures_say_nothing_and_timeouts_do(job):
    failed, late = _mark(job("a"), 0.1, "failed"), _mark(job("b"), 7.0, "timeout")
    assert Forecast([failed]).seconds(job("c")) is None
    assert Forecast([failed, late]).seconds(job("c")) == 7.0


def test_learning_cell_by_cell_equals_learning_at_once(tmp_path):
    jobs = list(toy.make_plan(tmp_path).jobs.values())
    step = Forecast()
    step.wait_for(jobs)
    for number, item in enumerate(jobs[:4]):
        step.wait_for([item], change=-1)
        step.learn(item, toy.outcome(item, seconds=float(number + 1)))
    once = Forecast([_mark(item, float(number + 1)) for number, item in enumerate(jobs[:4])])
    once.wait_for(jobs[4:])
    assert step.left({}, [], 1) == once.left({}, [], 1) == 5.0
    assert step.expected(jobs) == once.expected(jobs)


def _named(name):
    """A job whose method, and grid point of it, are letters of its name."""
    setting = SimpleNamespace(method_group=name[0], point_group=name[:2])
    return SimpleNamespace(key=name, cell=SimpleNamespace(setting=setting))


def _naive(ran, name):
    for start in (name[:2], name[0]):
        kin = [seconds for label, seconds in ran if label.startswith(start)]
        if kin:
            return sum(kin) / len(kin)
    return None


def _naive_left(ran, waiting, elapsed, slots):
    expected = {name: _naive(ran, name) for name in waiting}
    certain = [seconds for seconds in expected.values() if seconds is not None]
    if not waiting:
        return 0.0
    if not certain:
        return None
    mean = (sum(certain) + sum(s for _, s in ran)) / (len(certain) + len(ran))
    work = sum(certain) + mean * (len(waiting) - len(certain))
    rests = [0.0]
    for name, seconds in elapsed.items():
        if expected[name] is not None:
            work -= min(seconds, expected[name])
            rests.append(expected[name] - min(seconds, expected[name]))
    return max(work / slots, *rests)


NAMES = st.builds("".join, st.tuples(*map(st.sampled_from, ("ab", "xy", "0123"))))
SPANS = st.integers(0, 20).map(float)


@given(
    st.lists(st.tuples(NAMES, SPANS), max_size=6),
    st.dictionaries(NAMES, st.none() | SPANS, max_size=6),
    st.integers(1, 4),
)
def test_the_time_left_is_that_of_a_plain_sum(ran, waiting, slots):
    records = [
        RecordSummary(name, "{}", "ok", seconds, 1.0, None, name[:2], name[0])
        for name, seconds in ran
    ]
    estimator, jobs = Forecast(records), [_named(name) for name in waiting]
    estimator.wait_for(jobs)
    elapsed = {name: seconds for name, seconds in waiting.items() if seconds is not None}
    running = [item for item in jobs if item.key in elapsed]
    expected = {name: _naive(ran, name) for name in waiting}
    assert estimator.expected(jobs) == pytest.approx(
        {name: seconds for name, seconds in expected.items() if seconds is not None}
    )
    left = estimator.left(elapsed, running, slots)
    assert left == pytest.approx(_naive_left(ran, waiting, elapsed, slots))
    # one that has just begun has all its time before it
    begun = estimator.left({}, running, slots)
    assert begun == pytest.approx(_naive_left(ran, waiting, dict.fromkeys(elapsed, 0.0), slots))
