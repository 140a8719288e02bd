"""Promises of `DirectionScreen`."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli import DirectionScreen
from geoforest_cli.core.errors import DataError, InvalidParameterError

pytestmark = pytest.mark.compiled


# the checks transform tables of a few rows without structure
@pytest.mark.filterwarnings("ignore:.*rows per column:UserWarning")
@parametrize_with_checks([DirectionScreen(on_none="empty", random_state=0)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def circle(rng, n=500, noise=8):
    t = rng.uniform(0, 2 * np.pi, n)
    return np.c_[np.cos(t), np.sin(t), rng.normal(size=(n, noise))]


def correlations(first, second):
    """Canonical correlations of two tables."""
    a, b = (np.linalg.qr(block - block.mean(axis=0))[0] for block in (first, second))
    return np.linalg.svd(a.T @ b)[1]


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(0)
    clean = circle(rng)
    return clean, clean @ rng.normal(size=(10, 10)) + 7.0


def test_a_mixed_circle_is_found(mixed):
    clean, table = mixed
    screen = DirectionScreen(random_state=0).fit(table)
    assert screen.families_.tolist() == [1, 1]
    assert screen.families_.dtype == np.int64
    assert (screen.p_values_ < 1e-6).all()
    assert screen.components_.shape == (2, 10)
    assert correlations(screen.transform(table), clean[:, :2]).min() > 0.98
    assert screen.get_feature_names_out().tolist() == ["family1_1", "family1_2"]
    assert screen.rank_ == 10
    assert len(screen.dependent_) == 0
    again = pickle.loads(pickle.dumps(screen))
    np.testing.assert_array_equal(again.transform(table[:5]), screen.transform(table[:5]))
    np.testing.assert_array_equal(
        clone(screen).fit(table).components_, screen.components_
    )  # the seed is all that there is


@pytest.mark.nightly
def test_any_linear_map_of_the_columns_finds_the_same_span(mixed):
    _, table = mixed
    rng = np.random.default_rng(1)
    other = table @ rng.normal(size=(10, 10)) - 3.0
    first, second = (DirectionScreen(random_state=0).fit_transform(X) for X in (table, other))
    assert correlations(first, second).min() > 0.98
    units = table * 10.0 ** np.arange(-5, 5)
    in_units = DirectionScreen(random_state=0, standardise=True).fit(units)
    plain = DirectionScreen(random_state=0, standardise=True).fit(table)
    np.testing.assert_allclose(
        np.abs(in_units.transform(units)), np.abs(plain.transform(table)), rtol=1e-4, atol=1e-4
    )


@pytest.mark.nightly
def test_two_circles_are_two_families():
    rng = np.random.default_rng(3)
    clean = np.c_[circle(rng, 800, 0), circle(rng, 800, 5)]
    screen = DirectionScreen(random_state=0).fit(clean @ rng.normal(size=(9, 9)))
    assert screen.families_.tolist() == [1, 1, 2, 2]
    assert screen.get_feature_names_out().tolist() == [
        "family1_1", "family1_2", "family2_1", "family2_2",
    ]  # fmt: skip


def test_nothing_is_found_in_noise_and_transform_says_so():
    table = np.random.default_rng(0).normal(size=(300, 10))
    screen = DirectionScreen(random_state=0).fit(table)
    assert screen.rank_ == 10
    assert screen.components_.shape == (0, 10)
    assert len(screen.families_) == len(screen.p_values_) == 0
    assert screen.get_feature_names_out().tolist() == []
    with pytest.raises(DataError, match=r"no direction was found at level=0\.01, so that the proj"):
        screen.transform(table)
    assert screen.set_params(on_none="empty").transform(table).shape == (300, 0)


@pytest.mark.nightly
@pytest.mark.parametrize("draw", ["normal", "sparse"])
def test_the_level_holds_in_noise(draw):
    """Of 150 tables 1.5 are wrong at most on average; more than 6 have a chance of .002."""
    rng = np.random.default_rng(7)
    wrong = 0
    for seed in range(150):
        table = rng.normal(size=(250, 6))
        if draw == "sparse":  # normal, but of another rank and scale
            table = table[:, :4] @ rng.normal(size=(4, 6)) * 1e5
        wrong += len(DirectionScreen(random_state=seed).fit(table).families_) > 0
    assert wrong <= 6


def test_constant_and_repeated_columns_add_nothing(mixed):
    _, table = mixed
    wide = np.c_[table, np.ones(500), table[:, 3], table[:, 0] - table[:, 1]]
    screen = DirectionScreen(random_state=0).fit(wide)
    assert screen.rank_ == 10
    assert len(screen.dependent_) == 3
    assert {10, 11} < set(screen.dependent_.tolist())
    plain = DirectionScreen(random_state=0).fit(table)
    assert correlations(screen.transform(wide), plain.transform(table)).min() > 0.98


@pytest.mark.parametrize(
    ("rows", "message"),
    [(15, "fewer than 2 rows per column"), (40, "fewer than 5 rows per column")],
)
def test_few_rows_are_told(rows, message):
    table = np.random.default_rng(0).normal(size=(rows, 10))
    with pytest.warns(UserWarning, match=f"{rows} rows of 10 columns: .*{message}"):
        screen = DirectionScreen(random_state=0).fit(table)
    assert len(screen.families_) == 0


def test_bad_input_is_refused(mixed):
    table = mixed[1].copy()
    with pytest.raises(InvalidParameterError, match="'level' parameter of DirectionScreen must be"):
        DirectionScreen(level=0.0).fit(table)
    table[3, 4] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        DirectionScreen().fit(table)


def test_names_of_columns_are_kept(mixed):
    frame = pd.DataFrame(mixed[1]).add_prefix("sensor")
    screen = DirectionScreen(random_state=0).fit(frame)
    assert screen.feature_names_in_.tolist() == frame.columns.tolist()
    assert screen.get_feature_names_out(frame.columns).tolist() == ["family1_1", "family1_2"]
    with pytest.raises(ValueError, match="input_features is not equal"):
        screen.get_feature_names_out(["a"] * 10)
    with pytest.raises(ValueError, match="should have length equal"):
        DirectionScreen(random_state=0).fit(mixed[1]).get_feature_names_out(["a"])
    out = screen.set_output(transform="pandas").transform(frame)
    assert out.columns.tolist() == ["family1_1", "family1_2"]


TABLES_OF_STEPS = {
    "binary": lambda rng: rng.integers(0, 2, (300, 5)),
    "three-valued": lambda rng: rng.integers(0, 3, (300, 5)),
    "likert": lambda rng: rng.integers(1, 7, (300, 5)),
    "mixed": lambda rng: np.c_[rng.normal(size=(300, 3)), rng.integers(0, 2, (300, 2))],
}


@pytest.mark.parametrize("kind", TABLES_OF_STEPS)
def test_independent_columns_of_few_values_are_no_directions(kind):
    for seed in range(2):
        table = TABLES_OF_STEPS[kind](np.random.default_rng(seed)).astype(float)
        assert not len(DirectionScreen(random_state=seed).fit(table).components_)


def test_columns_of_few_values_that_are_mixed_are_directions():
    rng = np.random.default_rng(0)
    angle = rng.integers(0, 8, 400) * np.pi / 4
    mixed = np.c_[np.cos(angle), np.sin(angle), rng.normal(size=(400, 3))] @ rng.normal(size=(5, 5))
    assert DirectionScreen(random_state=0).fit(mixed).families_.tolist() == [1, 1]
