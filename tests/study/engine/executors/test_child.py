"""The limits of a cell, looked at with a clock and a memory that the test turns."""

import contextlib
from dataclasses import replace
from multiprocessing import Pipe
from types import SimpleNamespace

import pytest

from geoforest_cli.study.engine.executors import cell_process, child, launcher
from geoforest_cli.study.engine.executors.contract import Outcome, Started
from tests.study.engine import toy

MB = 10**6


class World:
    """A child without a process: what it says, the time and its size are the test's."""

    def __init__(self, monkeypatch):
        self.clock, self.size, self.exit = 1000.0, 100 * MB, 0
        self.signals, self.killed = [], []
        monkeypatch.setattr(child.psutil, "Process", lambda _: self)
        self.groups = []
        starter = SimpleNamespace(start=self._start, kill_group=self.groups.append)
        # its own clock: that of the pipe goes on
        clock = SimpleNamespace(monotonic=lambda: self.clock, sleep=lambda _: None)
        monkeypatch.setattr(child, "time", clock)
        self.child = child.Child(starter)
        self.child.connection.close()
        self.child.connection, self.pipe = Pipe()

    def _start(self, _command, **options):
        self.options = options
        return SimpleNamespace(
            pid=77, poll=lambda: None, wait=lambda *_: self.exit, kill=lambda: self.killed.append(1)
        )

    def memory_info(self):
        return SimpleNamespace(rss=self.size)

    def send_signal(self, number):
        self.signals.append(number)

    def children(self, *, recursive):
        assert recursive
        return [SimpleNamespace(kill=lambda: self.killed.append(2))]

    def say(self, word):
        """Let the child say a word; return what follows from it."""
        self.pipe.send_bytes(b'"%s"' % word.encode())
        return list(self.child.events())

    def begin(self, job):
        """Hand out a job, which begins at once."""
        self.child.assign(job)
        assert self.say("started") == [Started(job.key)]

    def after(self, seconds, size=None):
        """Return what is found out some seconds later."""
        self.clock += seconds
        self.size = self.size if size is None else size
        return list(self.child.check_limits())


@pytest.fixture
def world(monkeypatch):
    made = World(monkeypatch)
    yield made
    made.child.kill()
    made.pipe.close()


def test_a_cell_may_take_its_timeout_and_no_more(world, tmp_path):
    world.begin(toy.job(tmp_path, "a", timeout=5.0))
    assert world.after(5.0) == []
    (outcome,) = world.after(0.25)
    assert (outcome.status, outcome.seconds, outcome.rows) == ("timeout", 5.25, [])
    assert outcome.error == "it took more than its 5 s"
    assert not world.child.alive
    assert world.child.job is None


def test_what_is_left_of_the_timeout_is_left_after_each_compilation(world, tmp_path):
    world.begin(toy.job(tmp_path, "a", timeout=5.0))
    for _ in range(2):
        assert world.after(2.0) == []
        assert world.say("compiling") == []
        assert world.after(child.LOADING) == []
        assert world.say("compiled") == []
    assert world.after(1.0) == []
    assert world.after(0.25)[0].error == "it took more than its 5 s"


def test_a_cell_may_hold_its_bound_and_no_more(world, tmp_path):
    world.begin(toy.job(tmp_path, "a", memory=300 * MB))
    assert world.after(1.0, 300 * MB) == []
    (outcome,) = world.after(1.0, 301 * MB)
    assert (outcome.status, outcome.peak_memory) == ("out_of_memory", 301 * MB)
    assert outcome.error == "it took 301 MB of memory, its bound is 300 MB"
    assert not world.child.alive


def test_the_peak_is_the_largest_size_of_this_cell(world, tmp_path):
    world.begin(toy.job(tmp_path, "a"))
    world.after(1.0, 900 * MB)
    world.pipe.send_bytes(b'{"key": "a", "status": "ok", "seconds": 1.0}')
    (fine,) = world.child.events()
    assert fine.status == "ok"
    world.size = 100 * MB
    world.begin(toy.job(tmp_path, "b", timeout=5.0))
    for size in (200, 400, 300):
        world.after(1.0, size * MB)
    (late,) = world.after(3.0)
    assert (late.status, late.peak_memory) == ("timeout", 400 * MB)


@pytest.mark.parametrize(("left", "fit"), [(150, True), (151, False)])
def test_a_process_that_kept_more_than_half_of_the_bound_is_not_used_again(
    world, tmp_path, left, fit
):
    tight = toy.job(tmp_path, "b", memory=300 * MB)
    assert world.child.is_fit_for(tight)
    world.begin(toy.job(tmp_path, "a"))
    world.size = (100 + left) * MB
    assert world.child.is_fit_for(tight) is fit
    assert world.child.is_fit_for(toy.job(tmp_path, "c"))


def test_what_measures_time_starts_anew_after_another_experiment(world, tmp_path):
    (tmp_path / "other").mkdir()
    mine, other = toy.job(tmp_path, "a"), toy.job(tmp_path / "other", "b")
    timed = replace(mine, cell=replace(mine.cell, setting=replace(mine.cell.setting, measured="x")))
    world.begin(mine)
    assert world.child.is_fit_for(timed)
    world.begin(other)
    assert world.child.is_fit_for(mine)
    assert not world.child.is_fit_for(timed)


def test_a_process_is_killed_once_with_its_group_and_all_that_it_has_started(world, tmp_path):
    world.begin(toy.job(tmp_path, "a"))
    for end in (world.child.kill, world.child.kill, world.child.dismiss):
        end()
        assert (world.killed, world.groups) == ([2, 1], [77])


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (3, "its process ended with exit status 3"),
        (-11, "its process died of SIGSEGV"),
        (-9, "its process died of SIGKILL (killed from outside: out of memory?)"),
    ],
)
def test_a_crash_says_how_the_process_died(world, tmp_path, code, words):
    job = toy.job(tmp_path, "a")
    world.begin(job)
    world.exit = code
    world.pipe.close()
    (outcome,) = world.child.events()
    assert isinstance(outcome, Outcome)
    assert (outcome.key, outcome.status, outcome.error) == (job.key, "crashed", words)
    assert world.signals == []


def test_a_process_has_one_thread_and_one_order_of_words(world):
    """The order of a set of words is that of their hashes."""
    found = world.options["env"]
    assert found["PYTHONHASHSEED"] == "0"
    for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
        assert found[f"{library}_NUM_THREADS"] == "1"


def test_nobody_else_is_ended(monkeypatch):
    ended = []
    monkeypatch.setattr(launcher.os, "killpg", lambda group, _: ended.append(group))
    for group in (-1, 0, 1, 2):
        launcher.Launcher().kill_group(group)
    assert ended == [2]


def test_a_process_may_die_while_what_it_has_started_holds_its_pipe(world, tmp_path):
    world.begin(toy.job(tmp_path, "a"))
    world.child._process.poll = lambda: 7
    world.exit = 7
    world.pipe.send_bytes(b'{"status": "ok"}')
    # what it has said before is heard first
    assert world.after(0.5) == []
    (fine,) = world.child.events()
    assert fine.status == "ok"
    world.child.job = toy.job(tmp_path, "b")
    (outcome,) = world.after(0.5)
    assert (outcome.status, outcome.error) == ("crashed", "its process ended with exit status 7")
    assert world.signals == []


@pytest.mark.parametrize("busy", [False, True])
def test_an_idle_process_may_tidy_up_and_a_busy_one_is_killed(world, tmp_path, busy):
    if busy:
        world.begin(toy.job(tmp_path, "a"))
        world.pipe.recv_bytes()
    world.child.dismiss()
    said = []
    with contextlib.suppress(EOFError):
        said.append(world.pipe.recv_bytes())
    assert said == ([] if busy else [cell_process.STOP])
    assert (world.killed, world.groups) == ([2, 1], [77])
