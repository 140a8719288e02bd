"""The screen that `neighbors` has by default: cautious, and said in a line."""

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import find_neighbors


def knot(n, rng):
    """Return points of a trefoil knot and the geodesic distances of all pairs."""
    fine = np.linspace(0, 2 * np.pi, 20_001)
    curve = np.column_stack(
        [
            np.sin(fine) + 2 * np.sin(2 * fine),
            np.cos(fine) - 2 * np.cos(2 * fine),
            -np.sin(3 * fine),
        ]
    )
    length = np.r_[0, np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))]
    where = rng.uniform(0, length[-1], n)
    points = np.column_stack([np.interp(where, length, column) for column in curve.T])
    away = np.abs(where[:, None] - where[None])
    return points, np.minimum(away, length[-1] - away)


NOISE = {
    "normal": lambda rng, size: rng.normal(size=size),
    "uniform": lambda rng, size: rng.uniform(size=size),
    "lognormal": lambda rng, size: rng.lognormal(size=size),
    "two normals": lambda rng, size: rng.normal(size=size) + 6 * rng.integers(0, 2, size),
}


@pytest.mark.parametrize("method", [None, "geodesic_forest"])
@pytest.mark.parametrize("kind", NOISE)
@pytest.mark.nightly
def test_neighbours_hold_among_noise_of_any_kind(kind, method):
    rng = np.random.default_rng(5)
    points, truth = knot(600, rng)
    X = np.column_stack([points, NOISE[kind](rng, (600, 30))])
    for table in (X, np.exp(X / 4)):
        params = {} if method is None else {"n_estimators": 60}
        result = find_neighbors(table, 50, method, params, seed=1)
        radius = np.sort(truth, axis=1)[:, 50]
        right = np.take_along_axis(truth, result.indices, axis=1) <= radius[:, None]
        assert right.mean() > (0.9 if method is None else 0.75)
        assert set(map(str, range(3, 33))) == set(result.dropped)
        assert result.columns == ("0", "1", "2")
        said = "kept 3 of 33 columns" if method is None else "keeps 3 of 33 columns; dropped: 3, 4"
        assert said in result.notes[0]
        assert ": 3, 4, 5, " in result.notes[0]


def test_all_columns_are_used_where_fewer_than_two_depend():
    X = np.random.default_rng(0).normal(size=(200, 6))
    result = find_neighbors(X, 3, "euclidean")
    assert len(result.columns) == 6
    assert result.dropped == ()
    assert result.notes == (
        (
            "No two columns were found to depend on each other (pairs and correlations, "
            "family-wise error 0.01): "
            "all 6 are used."
        ),
    )
    with pytest.raises(DataError, match="screen='pairs' keeps none"):
        find_neighbors(X, 3, "euclidean", screen="pairs")


@pytest.mark.parametrize(("signal", "dropped"), [(19, 0), (18, 2)])
def test_one_column_in_twenty_is_not_dropped(signal, dropped):
    rng = np.random.default_rng(2)
    angle = rng.uniform(0, 6, 300)
    X = np.column_stack(
        [np.cos(angle + i / 5) for i in range(signal)] + [rng.normal(size=300)] * (20 - signal)
    )
    X[:, signal:] = rng.normal(size=(300, 20 - signal))
    result = find_neighbors(X, 3, "euclidean")
    assert len(result.dropped) == dropped
    assert len(result.columns) == 20 - dropped
    if not dropped:
        assert result.notes[-1] == "No column is dropped: only 19 of 20 depends on no other."


@pytest.mark.parametrize(("rows", "columns"), [(9, 3), (60, 1)])
def test_tables_that_no_screen_can_judge_are_used_whole(rows, columns):
    X = np.random.default_rng(0).normal(size=(rows, columns))
    result = find_neighbors(X, 2, "euclidean")
    assert (len(result.columns), result.notes) == (columns, ())
