"""Points that a method is handed, and the neighbours that come back."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.tables import find_neighbors
from geoforest_cli.tables.nearest import ADAPTIVE, nearest_rows, unreached_note

GRID = np.array([[x, y] for x in range(4) for y in range(4)], float)
TWICE = np.r_[GRID[:6], GRID[:6], GRID[6:9]]


class Listing:
    """Lists the nearest rows; the first of equally near ones comes first."""

    def fit(self, table):
        self.table = table
        self.kept_ = np.array([0])
        return self

    def kneighbors(self, n_neighbors):
        points = np.asarray(self.table)
        far = np.linalg.norm(points[:, None] - points, axis=2)
        np.fill_diagonal(far, np.inf)
        nearest = np.argsort(far, axis=1, kind="stable")[:, :n_neighbors]
        return np.take_along_axis(far, nearest, axis=1), nearest


class Measuring:
    def fit(self, points):
        self.points = points
        return self

    def distances(self):
        return np.linalg.norm(self.points[:, None] - self.points, axis=2)


def find(method, points, k=3, seed=0, kind=Listing):
    fake = kind()
    return fake, *nearest_rows(fake, method, points, ["x", "y"], k, seed)


def test_what_a_method_lists_is_taken_as_it_is():
    for method in ("euclidean", ADAPTIVE):
        fake, distances, indices = find(method, TWICE)
        assert np.array_equal(np.asarray(fake.table), TWICE)
        assert isinstance(fake.table, pd.DataFrame) == (method == ADAPTIVE)
        expected = Listing().fit(TWICE).kneighbors(3)
        np.testing.assert_array_equal(distances, expected[0])
        np.testing.assert_array_equal(indices, expected[1])


def test_distances_alone_are_ranked_with_ties_in_a_random_order():
    lists = {find("isomap", GRID, 2, seed, Measuring)[2].tobytes() for seed in range(4)}
    assert len(lists) == 4
    _, distances, indices = find("isomap", GRID, 15, 0, Measuring)
    np.testing.assert_allclose(distances, np.linalg.norm(GRID[indices] - GRID[:, None], axis=2))
    assert (np.diff(distances, axis=1) >= 0).all()


def test_neighbours_at_an_infinite_distance_are_counted():
    distances = np.full((40, 50), 1.0)
    assert unreached_note(distances) == ""
    distances[3, 7] = np.inf
    assert unreached_note(distances).startswith("1 of 2,000 neighbours are infinitely far, ")
    distances[:30] = np.inf
    assert unreached_note(distances).startswith("1,500 of 2,000 neighbours are")


@pytest.mark.parametrize(
    ("method", "value", "noted"),
    [("cosine", 0.0, True), ("cosine", 3.0, False), ("correlation", 0.0, True),
     ("correlation", 3.0, True), ("euclidean", 0.0, False)],
)  # fmt: skip
@pytest.mark.parametrize("count", [0, 1, 7])
def test_rows_without_a_direction_are_told(method, value, noted, count):
    points = np.random.default_rng(0).poisson(1.0, (60, 12)).astype(float)
    points[:, 0] += 1
    points[:count] = value
    result = find_neighbors(points, 5, method, screen="none", scale="none")
    notes = [note for note in result.notes if "leave such rows out" in note]
    assert len(notes) == (noted and count > 0)
    if notes:
        assert notes[0].startswith(f"{method}: rows that are ")
        assert f", {count} of 60, have no direction" in notes[0]
        # the distance that the note names
        others = np.arange(count, 60)
        listed = result.indices[others] < count
        np.testing.assert_allclose(result.distances[others][listed], 1.0)
