"""Cells that have fewer rows than lists are long: what is missing there is nobody's neighbour."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.tables.partitioned import steps
from geoforest_cli.tables.partitioned.parts import Parts
from geoforest_cli.tables.partitioned.steps import PartSearch, SearchCell

N, K = 24, 3


class ByLeaves:
    """Coarse trees that the second and third column tell."""

    def apply(self, points):
        return points[:, 1:].astype(int)


def merged(values, leaves, names):
    """Return the names of the neighbours of each row, and their distances, one by one."""
    lists, lengths = [], []
    for row in range(N):
        gaps = {
            other: np.linalg.norm(values[other] - values[row])
            for other in range(N)
            if other != row and (leaves[other] == leaves[row]).any()
        }
        nearest = sorted(gaps, key=gaps.get)[:K]
        lists.append([names[other] for other in nearest])
        lengths.append([gaps[other] for other in nearest])
    return lists, np.array(lengths)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("cells", [(5, 3), (4, 5), (1, 5)])
def test_lists_of_small_cells_are_merged_as_one_by_one(tmp_path, monkeypatch, cells, named):
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
    search = PartSearch(tmp_path, table.source, table.blocks, (0, 1, 2), K, 0, {})
    for number in range(len(table.blocks)):
        search.route(number)
    counts = steps.cell_counts(search)
    made = [
        SearchCell(tree, number, (leaf,), rows)
        for number, ((tree, leaf), rows) in enumerate(sorted(counts.items()))
    ]
    for cell in made:
        search.search(cell)
    for part in range(2):
        search.merge(part, made, tmp_path / f"out{part}.parquet")
    result = pd.concat(pd.read_parquet(tmp_path / f"out{part}.parquet") for part in range(2))
    lists, distances = merged(frame[["a", "b", "c"]].to_numpy(), leaves, names)
    assert result["id"].tolist() == [name for name in names for _ in range(K)]
    assert result["neighbor"].to_numpy().reshape(N, K).tolist() == lists
    np.testing.assert_allclose(result["distance"].to_numpy().reshape(N, K), distances)
