"""The tools of the suites: generators that all share, and outcomes that are the same."""

import random

import numpy as np
import pytest

from geoforest_cli.testing.chance import same, seeded_globally

SHARED = np.random.mtrand._rand


def test_shared_generators_are_seeded_and_left_as_they_were():
    SHARED.seed(11)
    random.seed(11)
    wanted = SHARED.uniform(), random.random()
    SHARED.seed(11)
    random.seed(11)
    with seeded_globally(3):
        states = SHARED.get_state()[1].copy(), random.getstate()
    assert np.array_equal(states[0], type(SHARED)(3).get_state()[1])
    assert states[1] == random.Random(3).getstate()
    assert (SHARED.uniform(), random.random()) == wanted


@pytest.mark.parametrize(
    ("draw", "words"),
    [(SHARED.uniform, "from numpy.random itself"), (random.random, "Python's shared")],
)
def test_what_draws_from_a_shared_generator_is_refused(draw, words):
    before = SHARED.get_state()[1].copy(), random.getstate()
    with pytest.raises(AssertionError, match=words), seeded_globally(3):
        draw()
    assert np.array_equal(before[0], SHARED.get_state()[1])
    assert before[1] == random.getstate()

    def fail():
        draw()
        raise KeyError  # an error of its own is the one that is seen

    with pytest.raises(KeyError), seeded_globally(3):
        fail()
    assert before[1] == random.getstate()


NESTED = {"a": [np.array([1.0, np.nan]), (1, "x")], "b": {"c": 2}}


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        (NESTED, {"a": [np.array([1.0, np.nan]), (1, "x")], "b": {"c": 2}}, True),
        (NESTED, {"a": [np.array([1.0, 2.0]), (1, "x")], "b": {"c": 2}}, False),
        (NESTED, {"a": [np.array([1.0, np.nan]), (1, "x")], "b": {"d": 2}}, False),
        (NESTED, {"a": [np.array([1.0, np.nan]), (1, "x")], "b": {"c": 3}}, False),
        ([1, 2], (1, 2), True),
        ([1, 2], [1], False),
        ([1], [1, 2], False),
        (np.ones(2), np.ones(2, np.float32), False),
        (np.ones(2), np.ones((2, 1)), False),
        (np.ones(2), np.ones(1), False),
        (np.array([np.nan]), np.array([np.nan]), True),
        (np.array([np.nan + 1j]), np.array([np.nan + 1j]), True),
        (np.array(["a"]), np.array(["b"]), False),
        (np.array(["a"]), np.array(["a"]), True),
        ({"a": 1}, [1], False),
    ],
)
def test_the_same_to_the_last_bit(first, second, alike):
    assert same(first, second) is alike
