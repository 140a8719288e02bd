"""Random numbers come from the seed that is given, and from nowhere else."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator

import numpy as np


@contextlib.contextmanager
def seeded_globally(seed: int) -> Iterator[None]:
    """Seed the generators that all share, and refuse what draws from them."""
    legacy = np.random.mtrand._rand
    kept, kept_of_python = legacy.get_state(legacy=False), random.getstate()
    try:
        legacy.seed(seed)
        random.seed(seed)
        before, before_of_python = repr(legacy.get_state(legacy=False)), random.getstate()
        yield
        drawn = repr(legacy.get_state(legacy=False)) != before
        assert not drawn, "it draws from numpy.random itself, not from its own generator"
        assert random.getstate() == before_of_python, "it draws from Python's shared generator"
    finally:
        legacy.set_state(kept)
        random.setstate(kept_of_python)


def same(first: object, second: object) -> bool:
    """Return whether two outcomes, arrays or lists and mappings of them, are equal to the bit."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[k], second[k]) for k in first)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    ours, theirs = np.asarray(first), np.asarray(second)
    alike = ours.shape == theirs.shape and ours.dtype == theirs.dtype
    return bool(alike and np.array_equal(ours, theirs, equal_nan=ours.dtype.kind in "fc"))
