"""Cells that have fewer rows than lists are long: what is missing there is nobody's neighbour."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.identity import derive_seed
from geoforest_cli.estimators.forests import geodesic_forest
from geoforest_cli.tables.partitioned import steps
from geoforest_cli.tables.partitioned.parts import Parts
from geoforest_cli.tables.partitioned.steps import Cell, Search

N, K = 24, 3


class ByGaps:
    """Rows share the more trees the nearer their first values are."""

    seeds: ClassVar[list[int]] = []

    def __init__(self, *, random_state, n_jobs):
        self.seeds.append(random_state)

    def fit(self, points):
        self.values = points[:, 0]
        return self

    def kneighbors(self, n_neighbors):
        gaps = np.abs(self.values[:, None] - self.values)
        np.fill_diagonal(gaps, np.inf)
        near = np.argsort(gaps, axis=1, kind="stable")[:, :n_neighbors]
        return np.take_along_axis(gaps, near, axis=1), near


class ByLeaves:
    """Coarse trees that the second and third column tell."""

    def apply(self, points):
        return points[:, 1:].astype(int)


def merged(values, leaves, names):
    """Return the names of the neighbours of each row, and their shares, counted one by one."""
    near, found = [], []
    for row in range(N):
        sums = {}
        for tree in leaves.T:
            others = [one for one in range(N) if tree[one] == tree[row] and one != row]
            others.sort(key=lambda one: abs(values[one] - values[row]))
            for one in others[: 3 * K]:
                sums[one] = sums.get(one, 0.0) + np.float32(1 - abs(values[one] - values[row]))
        best = sorted(sums, key=lambda one: -sums[one])[:K]
        near.append([names[one] for one in best])
        found.append([sums[one] / 2 for one in best])
    return near, np.array(found)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("cells", [(5, 3), (4, 5), (1, 5)])
def test_lists_of_small_cells_are_merged_as_by_counting(tmp_path, monkeypatch, cells, named):
    monkeypatch.setattr(geodesic_forest, "GeodesicForest", ByGaps)
    monkeypatch.setattr(steps.joblib, "load", lambda _: ByLeaves())
    monkeypatch.setattr(steps, "_SLICE", 5)
    rng = np.random.default_rng(sum(cells))
    values = rng.permutation(N) / 30 + rng.random(N) / 100
    leaves = np.column_stack([rng.permutation(np.arange(N) % count) for count in cells])
    frame = pd.DataFrame(np.c_[values, leaves], columns=list("abc"))
    names = [f"r{i}" for i in range(N)] if named else list(range(N))
    frame = frame.assign(who=names)
    for part, rows in enumerate((frame[:9], frame[9:])):
        rows.to_parquet(tmp_path / f"{part}.parquet", index=False)
    paths = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    given = {"identifier": "who"} if named else {"exclude": ["who"]}
    table = Parts.open(paths, **given)
    search = Search(tmp_path, table.source, table.blocks, (0, 1, 2), K, 0, {})
    for number in range(len(table.blocks)):
        search.route(number)
    counts = steps.cell_counts(search)
    made = [
        Cell(tree, number, (leaf,), rows)
        for number, ((tree, leaf), rows) in enumerate(sorted(counts.items()))
    ]
    ByGaps.seeds.clear()
    for cell in made:
        search.search(cell)
    own = [derive_seed("cell", 0, cell.tree, cell.number) % 2**32 for cell in made]
    assert ByGaps.seeds == own
    for part in range(2):
        search.merge(part, made, tmp_path / f"out{part}.parquet")
    found = pd.concat(pd.read_parquet(tmp_path / f"out{part}.parquet") for part in range(2))
    near, shares = merged(values, leaves, names)
    assert found["id"].tolist() == [name for name in names for _ in range(K)]
    assert found["neighbor"].to_numpy().reshape(N, K).tolist() == near
    np.testing.assert_allclose(found["proximity"].to_numpy().reshape(N, K), shares, atol=1e-6)
