"""What all screens promise."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.registry import parameter_model
from geoforest_cli.estimators.baselines.screens import (
    AllColumns,
    KurtosisScreen,
    LaplacianScreen,
    VarianceScreen,
)
from geoforest_cli.estimators.methods import METHODS, build
from geoforest_cli.estimators.screening import (
    ColumnScreen,
    CorrelationScreen,
    ForestScreen,
    PairScreen,
    ScreenedNeighbors,
)
from geoforest_cli.problems.manifolds import MANIFOLDS

OURS = [
    PairScreen(),
    CorrelationScreen(),
    ForestScreen(halves=10, random_state=1),
    ColumnScreen("both", random_state=0),
    ColumnScreen("auto"),
]
RIVALS = [KurtosisScreen(), VarianceScreen(), LaplacianScreen(random_state=0), AllColumns()]
BY_NAME = pytest.mark.parametrize("screen", OURS + RIVALS, ids=str)
BLIND = (CorrelationScreen, *map(type, RIVALS))  # to the two columns of a circle
FITTED = ("scores_", "pvalues_", "adjusted_", "partners_", "support_")

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore:No features were selected", "ignore:none of the"),
]


def empty_allowed(screens):
    """Of scikit-learn's random tables no column may be kept."""
    return [
        screen if isinstance(screen, AllColumns) else clone(screen).set_params(on_none="empty")
        for screen in screens
    ]


@parametrize_with_checks([*empty_allowed([*OURS, *RIVALS]), ScreenedNeighbors()])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def curve(rng, n=200, noise=10):
    t = rng.uniform(size=n)
    return np.c_[np.cos(4 * t), np.sin(4 * t), rng.normal(size=(n, noise))]


@BY_NAME
def test_names_and_what_is_fitted(screen):
    rng = np.random.default_rng(0)
    names = [f"column {j}" for j in range(12)]
    frame = pd.DataFrame(curve(rng), columns=names)
    screen.fit(frame)
    for name in FITTED:
        assert getattr(screen, name).shape == (12,)
    assert screen.partners_.dtype == np.int64
    assert screen.support_.dtype == bool
    kept = np.array(names)[screen.get_support()]
    assert screen.get_feature_names_out().tolist() == kept.tolist()
    again = pickle.loads(pickle.dumps(screen))
    np.testing.assert_array_equal(again.adjusted_, screen.adjusted_)
    if not isinstance(screen, BLIND):
        assert kept.tolist() == names[:2]
        np.testing.assert_array_equal(screen.transform(frame), frame.to_numpy()[:, :2])


@pytest.mark.parametrize("screen", OURS, ids=str)
def test_no_column_to_return_is_an_error_unless_an_empty_table_is_wanted(screen):
    noise = np.random.default_rng(1).normal(size=(60, 4))
    fitted = clone(screen).fit(noise)
    assert not fitted.support_.any()
    words = r"^No column was kept: none of 4 depends on the others at level=0\.01\. A larger level"
    with pytest.raises(ValueError, match=words):
        fitted.transform(noise)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert fitted.set_params(on_none="empty").transform(noise).shape == (60, 0)
    # what does not return columns says what it said
    assert fitted.get_support(indices=True).tolist() == []
    assert fitted.get_feature_names_out().tolist() == []


DEGENERATE = {
    "one column": np.arange(20.0)[:, None],
    "constant": np.ones((20, 3)),
    "no value": np.c_[np.full(20, np.nan), np.arange(20.0)],
    "no values": np.full((20, 3), np.nan),
    "two rows": np.array([[0.0, 1], [1, 0]]),
    "three rows": np.array([[0.0, 1, 5], [1, 0, 5], [3, 3, 4]]),
    "one row": np.array([[0.0, 1, 5]]),
    "nothing in common": np.r_[
        np.c_[np.arange(20.0), np.full(20, np.nan)], np.c_[np.full(20, np.nan), np.arange(20.0)]
    ],
    "huge and tiny": np.random.default_rng(0).normal(size=(30, 2)) * [1e300, 1e-300],
}


@BY_NAME
@pytest.mark.parametrize("table", DEGENERATE.values(), ids=DEGENERATE)
def test_tables_that_hardly_are_any(screen, table):
    screen.fit(table)
    assert not np.isnan(screen.scores_).any()
    assert np.isfinite(screen.scores_).all()
    assert ((screen.pvalues_ >= 0) & (screen.pvalues_ <= 1)).all()
    if not isinstance(screen, AllColumns):
        constant = [len(np.unique(column[~np.isnan(column)])) < 2 for column in table.T]
        assert (screen.pvalues_[constant] == 1).all()
    if screen in OURS:
        assert not screen.get_support().any()


@pytest.mark.parametrize("screen", OURS, ids=str)
def test_duplicates_are_partners_of_each_other(screen):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(100, 8))
    table[:, 6] = table[:, 1]
    screen.fit(table)
    assert screen.get_support(indices=True).tolist() == [1, 6]
    if not isinstance(screen, ForestScreen):
        assert screen.partners_[[1, 6]].tolist() == [6, 1]


@BY_NAME
def test_infinities_are_refused(screen):
    table = np.ones((20, 2))
    table[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        screen.fit(table)


@pytest.mark.parametrize("screen", [*OURS, *RIVALS[:3]], ids=str)
def test_what_cannot_be_a_level(screen):
    for level in (0, 1, -0.5):
        wrong = type(screen)(level=level)
        with pytest.raises(
            DataError,
            match=rf"The 'level' parameter of {type(screen).__name__} must be a float in the range \(0.0, 1.0\)",
        ):
            wrong.fit(np.eye(9))


def test_both_is_either_at_twice_the_p_value():
    rng = np.random.default_rng(0)
    table = np.c_[curve(rng), np.repeat([0.0, 1], 100)]
    both = ColumnScreen("both", random_state=0).fit(table)
    pairs, forest = PairScreen().fit(table), ForestScreen(random_state=0).fit(table)
    smaller = np.minimum(pairs.pvalues_, forest.pvalues_)
    np.testing.assert_array_equal(both.pvalues_, np.minimum(2 * smaller, 1))
    np.testing.assert_allclose(both.scores_[2:], np.maximum(norm.isf(smaller[2:]), -8))
    assert (both.scores_[:2] > both.scores_[2:].max()).all()
    # but where the forest is surer, and the pair itself is nothing unusual
    named = (forest.pvalues_ >= pairs.pvalues_) | (pairs.pvalues_ <= 0.01)
    np.testing.assert_array_equal(both.partners_, np.where(named, pairs.partners_, -1))
    assert set(named) == {True, False}
    for method, single in (("pairs", pairs), ("forest", forest)):
        alone = ColumnScreen(method, random_state=0).fit(table)
        for name in FITTED:
            np.testing.assert_array_equal(getattr(alone, name), getattr(single, name))
    with pytest.raises(
        DataError, match=r"^The 'method' parameter of ColumnScreen must be a str among"
    ):
        ColumnScreen("trees").fit(table)
    with pytest.raises(DataError, match=r"^The 'null' parameter of ColumnScreen"):
        ColumnScreen("both", null="none").fit(table)


def test_auto_is_pairs_or_correlations_at_twice_the_p_value():
    rng = np.random.default_rng(0)
    cause = rng.normal(size=200)
    noise = rng.normal(size=(200, 8))
    table = np.c_[curve(rng)[:, :2], cause, cause + 2 * rng.normal(size=200), noise]
    auto, pairs, correlation = (
        ColumnScreen(method).fit(table) for method in ("auto", "pairs", "correlation")
    )
    smaller = np.minimum(pairs.pvalues_, correlation.pvalues_)
    np.testing.assert_array_equal(auto.pvalues_, np.minimum(2 * smaller, 1))
    assert pairs.get_support(indices=True).tolist() == [0, 1]
    assert correlation.get_support(indices=True).tolist() == [2, 3]
    assert auto.get_support(indices=True).tolist() == [0, 1, 2, 3]
    # the partner is that of the statistic that speaks louder
    assert auto.partners_[:4].tolist() == [1, 0, 3, 2]


def test_the_table_of_methods_has_them():
    names = ["pair_screen", "correlation_screen", "forest_screen", "column_screen"]
    names += ["kurtosis_screen", "variance_screen", "laplacian_screen", "all_columns"]
    assert [name for name, entry in METHODS.items() if entry.kind == "screen"] == names
    for name in names:
        parameter_model(METHODS[name].load())()
        assert build(name, {}, seed=1).fit(curve(np.random.default_rng(0))).support_.shape == (12,)


NOISE = {
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "t3": lambda rng, n, p: rng.standard_t(3, (n, p)),
    "uniform": lambda rng, n, p: rng.uniform(size=(n, p)),
    "binary": lambda rng, n, p: rng.integers(0, 2, (n, p)).astype(float),
    "rare": lambda rng, n, p: (rng.random((n, p)) < rng.uniform(0.01, 0.1, p)).astype(float),
    "rounded": lambda rng, n, p: rng.normal(size=(n, p)).round(),
    "gaps": lambda rng, n, p: np.where(rng.random((n, p)) < 0.3, np.nan, rng.normal(size=(n, p))),
}


@pytest.mark.parametrize("kind", NOISE)
def test_noise_is_dropped(kind):
    # at .05 Holm's bound is that 3 of 60 tables keep anything; 10 would come once in 1500 times
    kept = 0
    for seed in range(60):
        table = NOISE[kind](np.random.default_rng(seed), 200, 60)
        kept += PairScreen(level=0.05).fit(table).get_support().any()
    assert kept <= 9


@pytest.mark.parametrize("kind", ["normal", "binary", "gaps"])
def test_noise_is_dropped_by_forests(kind):
    kept = 0
    for seed in range(25):
        table = NOISE[kind](np.random.default_rng(seed), 150, 20)
        screen = ForestScreen(level=0.05, halves=8, random_state=seed).fit(table)
        kept += screen.get_support().any()
    # 1.25 are expected at most
    assert kept <= 6


@pytest.mark.parametrize("name", ["linear", "helix", "sphere", "gaussian_mixture"])
@pytest.mark.parametrize("method", ["pairs", "forest", "both"])
def test_the_papers_manifolds_are_found_in_noise(name, method):
    rng = np.random.default_rng(0)
    points = MANIFOLDS[name].load()(400, "as_run", rng).points
    table = np.c_[points, rng.normal(0, 70, (400, 100))]
    for scaled in (table, (table - table.min(axis=0)) / np.ptp(table, axis=0)):
        screen = ColumnScreen(method, random_state=0).fit(scaled)
        assert screen.get_support(indices=True).tolist() == list(range(points.shape[1]))


def knot_in_noise(rng):
    t = rng.uniform(0, 2 * np.pi, 600)
    knot = np.c_[np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)]
    return StandardScaler().fit_transform(np.c_[knot, rng.normal(size=(600, 30))])


SHAPES = {"exp": np.exp, "cube": lambda x: x**3, "units": lambda x: 1000 / 3 * x - 7}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_what_pairs_and_both_keep_does_not_depend_on_the_shape_of_columns(shape, seed):
    table = knot_in_noise(np.random.default_rng(seed))
    other = SHAPES[shape](table)
    one, two = PairScreen().fit(table), PairScreen().fit(other)
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.pvalues_, two.pvalues_)
    both = ColumnScreen("both", random_state=seed).fit(other)
    assert both.get_support(indices=True).tolist() == [0, 1, 2]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_the_forest_keeps_what_it_kept_after_exp_cube_and_other_units(shape, seed):
    table = knot_in_noise(np.random.default_rng(seed))
    for columns in (table, SHAPES[shape](table)):
        support = ForestScreen(random_state=seed).fit(columns).get_support(indices=True)
        assert support.tolist() == [0, 1, 2]


@pytest.mark.parametrize("shape", ["exp", "cube"])
def test_a_sphere_in_five_dimensions_is_kept_after_exp_and_cube(shape):
    rng = np.random.default_rng(1)
    sphere = rng.normal(size=(600, 5))
    sphere /= np.linalg.norm(sphere, axis=1)[:, None]
    table = np.c_[StandardScaler().fit_transform(sphere), rng.normal(size=(600, 30))]
    plain, bent = (
        ForestScreen(random_state=0).fit(columns).get_support()
        for columns in (table, SHAPES[shape](table))
    )
    assert plain[:5].sum() >= 4
    assert bent[:5].sum() >= plain[:5].sum()


def test_parity_is_kept_after_exp():
    rng = np.random.default_rng(0)
    signs = rng.choice([-1, 1], (600, 2))
    signs = np.c_[signs, signs.prod(axis=1)] + 0.3 * rng.normal(size=(600, 3))
    table = np.exp(np.c_[signs, rng.normal(size=(600, 30))])
    support = ForestScreen(random_state=0).fit(table).get_support(indices=True)
    assert support.tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", ["lognormal", "standard_cauchy"])
def test_the_level_of_the_forest_holds_for_columns_of_any_shape(kind):
    kept = 0
    for seed in range(25):
        table = getattr(np.random.default_rng(seed), kind)(size=(150, 20))
        screen = ForestScreen(level=0.05, halves=8, random_state=seed).fit(table)
        kept += screen.get_support().any()
    # 1.25 are expected at most
    assert kept <= 6


@pytest.mark.parametrize("method", ["pairs", "both"])
def test_wine_among_noise(method):
    for seed in range(3):
        wine = load_wine().data
        noise = np.random.default_rng(seed).normal(size=(len(wine), 200))
        kept = ColumnScreen(method, random_state=seed).fit(np.c_[wine, noise]).get_support()
        assert kept[:13].sum() >= 12
        assert kept[13:].sum() <= 2


def test_where_it_ends():
    rng = np.random.default_rng(0)
    n = 500
    # noise columns that depend on one another are kept: 2 hidden factors behind 20
    factors = rng.normal(size=(n, 2)) @ rng.normal(size=(2, 20)) + 0.5 * rng.normal(size=(n, 20))
    # a roll's width depends on nothing
    angle, width = rng.uniform(4, 14, n), rng.uniform(size=n)
    table = np.c_[angle * np.cos(angle), width, angle * np.sin(angle), factors]
    kept = PairScreen().fit(table).get_support()
    assert kept[:3].tolist() == [True, False, True]
    assert kept[3:].all()
    # rotated, every column depends on every other
    space = np.c_[10 * np.cos(angle), 10 * np.sin(angle), rng.normal(size=(n, 4))]
    rotation = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    assert PairScreen().fit(space @ rotation).get_support().all()
    assert PairScreen().fit(space).get_support().sum() == 2


@pytest.mark.compiled
def test_no_partner_is_named_where_the_forest_decides():
    """A sign that two columns make up together: it depends on neither of them alone."""
    rng = np.random.default_rng(0)
    u, v = rng.uniform(-1, 1, (2, 400))
    table = np.c_[rng.normal(size=(400, 3)), u, v, np.sign(u * v)]
    screen = ColumnScreen("both").fit(table)
    assert screen.support_[5]
    assert screen.partners_[5] == -1
    circle = np.c_[np.cos(3 * u), np.sin(3 * u), rng.normal(size=(400, 3))]
    assert ColumnScreen("both").fit(circle).partners_[:2].tolist() == [1, 0]
