from types import SimpleNamespace

from geoforest_cli.study.engine.executors.schedule import Pending


def _job(name, point=0):
    setting = SimpleNamespace(point={"n": point})
    cell = SimpleNamespace(setting=setting, repetition=int(name[1]))
    return SimpleNamespace(key=name, use=name[0], cell=cell)


def _pending(text):
    return Pending([_job(name) for name in text.split()])


def _keys(pending, ran=(), others=frozenset(), count=1):
    return [pending.take(list(ran), others).key for _ in range(count)]


def test_a_worker_stays_with_its_method_within_a_repetition():
    pending = _pending("a0x b0x b0y a0y a1x")
    assert pending.suits(["a"])
    assert _keys(pending, ["b", "a"], count=2) == ["a0x", "a0y"]
    assert not pending.suits(["a"])
    assert _keys(pending, ["a"], count=3) == ["b0x", "b0y", "a1x"]
    assert not pending
    assert not pending.suits(["a"])


def test_a_new_worker_takes_the_first_method_that_nobody_is_on():
    pending = _pending("a0x a0y b0x")
    assert _keys(pending, others={"a"}) == ["b0x"]
    assert _keys(pending, others={"a"}) == ["a0x"]


def test_repetitions_come_in_the_order_given():
    pending = _pending("a2x b2x a0x b0x a2y")
    assert _keys(pending, ["b"], count=5) == ["b2x", "a2x", "a2y", "b0x", "a0x"]


def test_where_time_is_measured_methods_take_turns_at_each_point():
    jobs = [_job(f"{use}{n}", point) for use in "ab" for n in range(2) for point in (5, 2)]
    pending = Pending(jobs, in_turns=True)
    taken = [pending.take(["b"], set()) for _ in jobs]  # whatever the worker has compiled
    points = [job.cell.setting.point["n"] for job in taken]
    assert [job.key for job in taken] == ["a0", "b0", "a0", "b0", "a1", "b1", "a1", "b1"]
    assert points == [5, 5, 2, 2] * 2
