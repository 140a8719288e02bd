"""Power transforms: chosen by likelihood, undone exactly, and never for want of evidence."""

import numpy as np
import pytest

from geoforest_cli.estimators.screening.power import nearly_normal

SHAPES = {
    "exp": np.exp,
    "cube": lambda x: x**3,
    "square of positive values": lambda x: np.abs(x + 9) ** 2,
    "mirrored exp": lambda x: -np.exp(x),
    "shifted exp": lambda x: 100 + np.exp(x),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("unit", [1.0, 1e-200, 1e200, -3.7])
def test_what_was_normal_is_nearly_so_again(shape, unit):
    x = np.random.default_rng(0).normal(size=(1, 500))
    (scores,) = nearly_normal(unit * SHAPES[shape](x))
    # a shift of the logarithm is known up to a tenth of the interquartile range
    assert abs(np.corrcoef(scores / np.abs(scores).max(), x[0])[0, 1]) > 0.98


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["normal", "uniform", "two clusters", "on a circle"])
def test_columns_without_skew_or_heavy_tails_stay_as_they_are(seed, kind):
    rng = np.random.default_rng(seed)
    x = {
        "normal": rng.normal(size=300),
        "uniform": rng.uniform(-1, 1, 300),
        "two clusters": rng.choice([-2, 2], 300) + rng.normal(size=300),
        "on a circle": np.cos(rng.uniform(0, 6, 300)),
    }[kind][None]
    assert np.array_equal(nearly_normal(x), x)


def test_each_column_is_transformed_by_itself():
    rng = np.random.default_rng(1)
    table = np.exp(rng.normal(size=(6, 200)))
    alone = np.concatenate([nearly_normal(row[None]) for row in table])
    assert np.array_equal(nearly_normal(table), alone)
    order = rng.permutation(200)
    # rows may come in any order, up to the rounding of sums
    np.testing.assert_allclose(nearly_normal(table[:, order]), alone[:, order], rtol=1e-9)


@pytest.mark.parametrize(("equal", "kept"), [(5, False), (6, True)])
def test_a_column_stays_where_more_than_one_in_twenty_is_equal(equal, kept):
    column = np.exp(np.random.default_rng(0).normal(size=100))
    column[:equal] = 2.0
    assert bool((nearly_normal(column[None])[0] == column).all()) == kept
