"""Rows without a direction are near everybody by cosine and correlation, and this is told."""

import numpy as np
import pytest

from geoforest_cli.tables import find_neighbors


@pytest.mark.parametrize(
    ("method", "value", "told"),
    [("cosine", 0.0, True), ("cosine", 3.0, False), ("correlation", 0.0, True),
     ("correlation", 3.0, True), ("euclidean", 0.0, False)],
)  # fmt: skip
@pytest.mark.parametrize("count", [0, 1, 7])
def test_rows_without_a_direction_are_told(method, value, told, count):
    points = np.random.default_rng(0).poisson(1.0, (60, 12)).astype(float)
    points[:, 0] += 1
    points[:count] = value
    found = find_neighbors(points, 5, method, screen="none", scale="none")
    notes = [note for note in found.notes if "leave such rows out" in note]
    assert len(notes) == (told and count > 0)
    if notes:
        assert f"{method}: {count} of 60 rows" in notes[0]
        # the distance that the note names
        others = np.arange(count, 60)
        near = found.indices[others] < count
        np.testing.assert_allclose(found.distances[others][near], 1.0)
