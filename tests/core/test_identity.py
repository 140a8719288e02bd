"""Text that is hashed for a value, and the seeds that come from it."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.core.identity import canonical, derive_seed, digest, same_numbers

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=4,
)


@settings(max_examples=25)
@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=5), st.randoms())
def test_the_order_of_keys_and_kind_of_sequence_do_not_matter(value, random):
    keys = list(value)
    random.shuffle(keys)
    other = {key: tuple(value[key]) if isinstance(value[key], list) else value[key] for key in keys}
    assert digest(other) == digest(value)
    assert canonical(other) == canonical(value)
    assert list(canonical(other)) == sorted(keys)


def test_a_digest_is_that_of_the_shortest_json():
    text = b'{"a":[2.5,null,true],"b":{"c":"x"}}'
    value = {"b": {"c": "x"}, "a": (2.5, None, True)}
    assert digest(value) == hashlib.sha256(text).hexdigest()
    assert digest({Path("a")}) == hashlib.sha256(b'["a"]').hexdigest()
    assert digest([2]) != digest([2.0])


@pytest.mark.parametrize("kind", [set, frozenset])
def test_sets_are_in_order_whatever_they_hold(kind):
    assert canonical(kind([3, 1, 2])) == [1, 2, 3]
    assert canonical(kind(["b", 1, (2, 1)])) == sorted(["b", 1, [2, 1]], key=repr)


def test_seeds_have_sixty_three_bits_all_of_which_are_used():
    seeds = [derive_seed("part", i) for i in range(300)]
    assert len(set(seeds)) == 300
    assert max(seeds) < 2**63
    counts = [sum(seed >> bit & 1 for seed in seeds) for bit in range(63)]
    assert min(counts) > 100
    assert max(counts) < 200
    assert derive_seed("part", 7) == int(digest(["part", 7])[:16], 16) // 2


@pytest.mark.parametrize(
    ("first", "other", "same"),
    [
        (70, 70.0, True),
        ([1, [2.0]], (1.0, (2,)), True),
        (True, 1, False),
        (False, 0.0, False),
        ("1", 1, False),
        (None, "None", False),
        ([1], [1, 1], False),
        ({"a": 1}, {"a": 1}, True),
        (1, ("number", 1.0), False),
    ],
)
def test_numbers_are_the_same_before_they_are_validated(first, other, same):
    assert (same_numbers(first) == same_numbers(other)) == same
