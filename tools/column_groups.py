"""How well a screen finds groups of columns; prints the numbers of docs/screening.md.

``python -m tools.column_groups [TABLES] [ROWS] [METHOD]``: Rand index of groups on tables of a
helix, a circle, three blocks of four columns with a common cause and 20 noise columns, and how
often groups that are independent are joined, there and among blocks of other kinds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import rand_score

from geoforest_cli import ColumnScreen

__all__ = ["DRAWS", "Outcome", "five_groups", "judged"]

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Draw = Callable[[np.random.Generator, int], tuple[Floats, Numbers]]

_SEED = 20261124
_NOISE, _BLOCKS, _SIZE = 20, 10, 4


class Outcome(NamedTuple):
    """What a screen makes of one table.

    Attributes
    ----------
    rand : float
        Rand index of the columns' groups and the true ones; noise is one group, and so is what is
        dropped.
    kept : float
        Share of the columns of true groups that are kept.
    split : bool
        Kept columns of one true group are in several groups.
    joined : bool
        Columns of two true groups, or of one and noise, are in one group.
    false : bool
        A noise column is kept.
    """

    rand: float
    kept: float
    split: bool
    joined: bool
    false: bool


def five_groups(rng: np.random.Generator, n: int) -> tuple[Floats, Numbers]:
    """Return a table (n, 37) and the true group of each column, -1 for noise."""
    t, turn = rng.uniform(size=n), rng.uniform(0, 2 * np.pi, n)
    columns = [np.cos(6 * np.pi * t), np.sin(6 * np.pi * t), t, np.cos(turn), np.sin(turn)]
    truth = [1, 1, 1, 2, 2]
    for number in (3, 4, 5):
        cause = rng.normal(size=n)
        columns += [cause + rng.normal(size=n) for _ in range(_SIZE)]
        truth += [number] * _SIZE
    table = np.c_[np.array(columns).T, rng.normal(size=(n, _NOISE))]
    return table, np.array(truth + [-1] * _NOISE)


def _blocks(change: Callable[[Floats], Floats]) -> Draw:
    """Ten blocks of four columns with a common cause."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Floats, Numbers]:
        causes = np.repeat(rng.normal(size=(n, _BLOCKS)), _SIZE, axis=1)
        table = change(causes + 0.5 * rng.normal(size=causes.shape))
        return table, np.repeat(np.arange(_BLOCKS) + 1, _SIZE)

    return draw


DRAWS: Mapping[str, Draw] = {
    "helix, circle, three blocks": five_groups,
    "ten normal blocks": _blocks(lambda x: x),
    "ten lognormal blocks": _blocks(np.exp),
    "ten blocks of three values": _blocks(np.round),
    "ten blocks of zeros and few ones": _blocks(lambda x: (x > 2).astype(float)),
}


def judged(draw: Draw, seed: int, n: int, **options: Any) -> Outcome:
    """Draw a table, screen it and compare the groups with the true ones."""
    table, truth = draw(np.random.default_rng([_SEED, seed]), n)
    groups = ColumnScreen(**options).fit(table).groups_
    kept = groups > 0
    pairs = (groups[:, None] == groups) & kept & kept[:, None]
    same = (truth[:, None] == truth) & (truth > 0)
    split = same & ~pairs & kept & kept[:, None]
    np.fill_diagonal(pairs, val=False)
    return Outcome(
        float(rand_score(truth, groups)),
        float(kept[truth > 0].mean()),
        bool(split.any()),
        bool((pairs & ~same).any()),
        bool(kept[truth < 0].any()),
    )


def main(tables: int = 100, n: int = 1000, method: str = "auto") -> None:
    """Print one line per kind of table."""
    print(f"{method}, {tables} tables of {n} rows each")
    for name, draw in DRAWS.items():
        found = [judged(draw, seed, n, method=method, random_state=0) for seed in range(tables)]
        rand, kept, split, joined, false = np.array(found, np.float64).T
        print(
            f"{name}: Rand index 1 in {int((rand == 1).sum())}, least {rand.min():.3f}; "
            f"kept {kept.mean():.3f}; split {int(split.sum())}, joined {int(joined.sum())}, "
            f"noise kept {int(false.sum())}"
        )


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*(int(number) for number in given[:2]), *given[2:])  # type: ignore[arg-type]
