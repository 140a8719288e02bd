"""When columns are brought to one scale."""

import numpy as np
import pytest

from geoforest_cli.tables.scaling import chosen_scale, scaled

# the spreads of the columns differ by these factors
ALIKE, TEN, UNLIKE, FAR = (np.array([[0.0, 0.0], [1.0, ratio]]) for ratio in (3, 10, 11, 99))


@pytest.mark.parametrize(
    ("method", "points", "scale", "chosen", "said"),
    [
        ("isomap", ALIKE, "auto", "none", ""),
        ("isomap", TEN, "auto", "none", ""),
        ("isomap", UNLIKE, "auto", "standardise", "each is divided by its own"),
        ("isomap", FAR, "auto", "standardise", "differ by a factor of 99"),
        ("isomap", UNLIKE, "none", "none", "the widest decide"),
        ("isomap", TEN, "none", "none", ""),
        ("isomap", UNLIKE, "min_max", "min_max", ""),
        ("knn", ALIKE, "auto", "standardise", ""),
        ("knn", UNLIKE, "none", "none", "the widest decide"),
        ("geodesic_forest", FAR, "auto", "none", ""),
        ("geodesic_forest", ALIKE, "standardise", "standardise", ""),
        ("rf", FAR, "min_max", "min_max", ""),
        ("rf", FAR, "none", "none", ""),
    ],
)
def test_the_scale_that_is_chosen(method, points, scale, chosen, said):
    found, note = chosen_scale(method, scale, points)
    assert found == chosen
    assert said in note
    assert bool(said) == bool(note)


def test_pixels_share_one_unit():
    assert chosen_scale("knn", "auto", FAR, images=True) == ("none", "")
    assert chosen_scale("knn", "min_max", FAR, images=True) == ("min_max", "")


def test_points_on_their_own_scale():
    points = np.array([[0.0, 10.0], [1.0, 30.0], [5.0, 20.0]])
    spread = points.std(axis=0)
    assert np.allclose(scaled(points, "standardise"), (points - points.mean(axis=0)) / spread)
    assert np.allclose(scaled(points, "min_max"), (points - points.min(axis=0)) / [5, 20])
