from types import SimpleNamespace

from geoforest_cli.study.engine.executors.schedule import Pending


def _cells(text):
    return [SimpleNamespace(key=name, use=name[0]) for name in text.split()]


def _keys(pending, ran=(), others=frozenset(), count=1):
    return [pending.take(list(ran), others).key for _ in range(count)]


def test_a_worker_stays_with_its_method():
    pending = Pending(_cells("a1 b1 b2 b3 a2"), {})
    assert _keys(pending, ["a"], count=2) == ["a1", "a2"]
    assert _keys(pending, ["a"]) == ["b1"]


def test_the_latest_method_comes_first():
    pending = Pending(_cells("a1 b1"), {})
    assert _keys(pending, ["a", "b"]) == ["b1"]


def test_a_new_worker_takes_the_largest_method_nobody_is_on():
    pending = Pending(_cells("a1 a2 a3 b1 c1 c2"), {})
    assert _keys(pending, others={"a"}) == ["c1"]
    assert _keys(pending) == ["a1"]


def test_a_worker_helps_when_every_method_is_taken():
    pending = Pending(_cells("a1 a2 b1"), {})
    assert _keys(pending, others={"a", "b"}) == ["a1"]


def test_unknown_cells_first_then_the_longest():
    pending = Pending(_cells("a1 a2 a3 a4"), {"a1": 1.0, "a3": 9.0})
    assert _keys(pending, count=4) == ["a2", "a4", "a3", "a1"]


def test_where_time_is_measured_methods_take_turns_at_each_point():
    def job(point, method, repetition):
        setting = SimpleNamespace(point={"n": point})
        cell = SimpleNamespace(setting=setting, repetition=repetition)
        return SimpleNamespace(key=f"{point}{method}{repetition}", use=method, cell=cell)

    jobs = [job(n, method, i) for n in (5, 2) for method in "ab" for i in range(2)]
    pending = Pending(jobs, {"2b1": 9.0}, in_turns=True)
    assert len(pending) == 8
    # whatever the worker has compiled
    assert " ".join(_keys(pending, ["b"], count=8)) == "5a0 5b0 5a1 5b1 2a0 2b0 2a1 2b1"
    assert not pending
