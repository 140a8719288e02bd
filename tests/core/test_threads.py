"""Work in threads."""

import threading

import pytest

from geoforest_cli.core.threads import mapped, n_threads


def test_n_jobs_are_those_of_scikit_learn(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(6)), raising=False)
    assert [n_threads(jobs) for jobs in (None, 1, 3)] == [1, 1, 3]
    assert [n_threads(jobs) for jobs in (-1, -2, -6, -9)] == [6, 5, 1, 1]


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_is_found_comes_in_order(jobs):
    assert list(mapped(lambda x: -x, range(100), jobs)) == [-x for x in range(100)]
    assert list(mapped(lambda x: -x, [], jobs)) == []


def test_two_items_are_worked_on_at_once_and_one_in_no_thread():
    meeting = threading.Barrier(2, timeout=60)
    list(mapped(lambda _: meeting.wait(), range(2), 2))
    here = threading.current_thread()
    assert list(mapped(lambda _: threading.current_thread(), [0], 2)) == [here]
    assert list(mapped(lambda _: threading.current_thread(), [0, 1], None)) == [here, here]


def test_an_error_in_a_thread_is_an_error_here():
    with pytest.raises(ZeroDivisionError):
        list(mapped(lambda x: 1 / x, range(5), 2))
