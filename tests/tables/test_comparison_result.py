"""Words of a comparison on its values: scores, intervals, the table, the sentence, the picture."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from scipy import stats
from scipy.spatial import cKDTree

from geoforest_cli.core.plot_style import BLUE, VERMILION
from geoforest_cli.tables import compare_neighbors
from geoforest_cli.tables.comparison_methods import COMPARED, ComparedMethod
from geoforest_cli.tables.comparison_result import MethodComparison
from geoforest_cli.tables.figures import draw_comparison
from geoforest_cli.tables.options import NeighborOptions
from geoforest_cli.tables.standard_errors import StandardErrors, influences, stratum_weights


def comparison(values, classes=None, k=5, seconds=None, **more):
    values = np.asarray(values, float)
    names = tuple("abcdef"[: len(values)])
    seconds = np.arange(1.0, len(values) + 1) if seconds is None else np.array(seconds)
    classes = np.zeros(values.shape[1], int) if classes is None else np.asarray(classes)
    parts = values * stratum_weights(classes)  # as if no row were a neighbour
    return MethodComparison(names, k, values, parts, classes, names, seconds, 2 * seconds, **more)


def test_scores_and_chance_weigh_classes_alike():
    result = comparison([[1, 0, 0, 0.5], [0, 1, 1, 0]], [0, 1, 1, 1])
    assert result.scores.tolist() == pytest.approx([7 / 12, 1 / 3])
    assert result.shares.tolist() == [0.375, 0.5]
    assert result.chance == pytest.approx((0 / 3 + 2 / 3) / 2)
    assert result.chance_share == pytest.approx(6 / 12)
    assert result.best == 0
    assert result.behind.tolist() == pytest.approx([0, 0.25])


def test_methods_that_list_the_same_rows_are_equally_good():
    """The last digits of their sums differed, and one was told to be better than the other."""
    rng = np.random.default_rng(0)
    for n in range(20, 60):
        line = rng.integers(0, 6, n) / 5
        classes = np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
        result = comparison([line] * 6, classes)
        assert result.order.tolist() == list(range(6))
        assert result.as_good.all()
        assert not result.behind.any()


def test_the_whole_table():
    result = comparison(
        [[0.25] * 4, [0.75] * 4], [0, 0, 1, 1], seconds=[3.0, 1.5], failed={"x": "no way"}
    )
    expected = pd.DataFrame({
        "method": ["b", "a", "x"],
        "balanced_share": [0.75, 0.25, np.nan],
        "low": [0.75, 0.25, np.nan],
        "high": [0.75, 0.25, np.nan],
        "chance": [1 / 3, 1 / 3, np.nan],
        "behind": [0.0, 0.5, np.nan],
        "behind_low": [0.0, 0.5, np.nan],
        "behind_high": [0.0, 0.5, np.nan],
        "as_good": [True, False, np.nan],
        "share": [0.75, 0.25, np.nan],
        "chance_share": [1 / 3, 1 / 3, np.nan],
        "seconds": [1.5, 3.0, np.nan],
        "cpu_seconds": [3.0, 6.0, np.nan],
        "failed": ["", "", "no way"],
    })  # fmt: skip
    pd.testing.assert_frame_equal(result.frame(), expected, check_dtype=False)


def test_intervals_are_as_wide_as_their_standard_errors_say():
    values = np.random.default_rng(0).uniform(0.3, 0.7, size=(3, 30))
    classes = np.arange(30) % 3
    result = comparison(values, classes, seed=7)
    errors = StandardErrors(values / 30, classes, 7)
    scores, best = result.scores, result.best
    np.testing.assert_allclose(result.intervals[0], scores - errors.score_widths)
    np.testing.assert_allclose(result.intervals[1], scores + errors.score_widths)
    behind, widths = scores[best] - scores, errors.difference_widths[best]
    np.testing.assert_allclose(result.behind_intervals, [behind - widths, behind + widths])
    assert comparison(values, classes).seed == 0


def test_an_interval_ends_where_scores_do():
    values = [[0.0] * 9 + [1.0], [1.0] * 9 + [0.0]]
    low, high = comparison(values, np.arange(10) % 2).intervals
    assert (low[0], high[1]) == (0.0, 1.0)
    assert high[0] < 0.7
    assert low[1] > 0.3


@pytest.mark.parametrize(
    ("values", "classes", "sentence"),
    [
        ([[0.9], [0.9], [0.9]], [0, 1], "No difference that this table can show: keep the default method. a (0.900) has the highest score, and all others are as good within the interval."),
        ([[0.9], [0.9], [0.9], [0.1], [0.2]], [0, 1], "Use a (0.900); b and c are as good within the interval; e and d are not."),
        ([[0.9], [0.5], [0.6], [0.7]], [0, 1], "Use a (0.900); d, c and b are not as good."),
    ],
)  # fmt: skip
def test_the_sentence_lists_methods_by_their_scores(values, classes, sentence):
    result = comparison(np.repeat(values, 20, axis=1), np.repeat(classes, 10))
    assert result.summary() == sentence


def test_an_interval_that_ends_at_chance_reaches_it():
    result = comparison(np.full((1, 3), 0.25), [0, 0, 1])
    assert result.chance == result.intervals[0, 0] == 0.25
    assert result.summary().startswith("No method is better than chance (0.250): a (0.250) has")
    more = comparison(np.full((1, 3), 0.2501), [0, 0, 1])
    assert more.summary() == "Use a (0.250); no other method has run."


def test_what_intervals_cover():
    with_classes = comparison([[0.5, 0.5]], [0, 0]).coverage()
    assert with_classes == (
        "The intervals hold for all methods and differences at once (95 %), and take rows to be "
        "independent draws, with a fixed number of each class."
    )


def test_the_picture_of_a_comparison():
    rng = np.random.default_rng(1)
    base = rng.uniform(0.2, 0.8, 60)
    values = [base, base + 0.1, base + 0.1 + 0.01 * rng.choice([-1, 1], 60), base - 0.1]
    result = comparison(values, np.arange(60) % 2, k=7, seconds=[0.034, 7.04, 75.3, 9.96])
    figure = draw_comparison(result)
    (axes,) = figure.axes
    low, high = result.intervals
    order = result.order.tolist()
    assert set(order[:2]) == {1, 2}
    assert order[2:] == [0, 3]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["abcd"[i] for i in order]
    assert axes.get_ylim() == pytest.approx((3.6, -0.6))
    looks = {
        "the best": (VERMILION, "full", "o", [0]),
        "as good (paired differences)": (BLUE, "full", "o", [1]),
        "not as good": ("#8A8A8A", "none", "D", [2, 3]),
    }
    assert [bars.get_label() for bars in axes.containers] == list(looks)
    for bars, (color, fill, marker, places) in zip(axes.containers, looks.values(), strict=True):
        dots, _, (reach,) = bars.lines
        assert dots.get_xydata()[:, 1].tolist() == places
        assert (dots.get_marker(), dots.get_fillstyle()) == (marker, fill)
        assert to_hex(dots.get_color()).upper() == color
        for y, line in zip(places, reach.get_segments(), strict=True):
            ends = [low[order[y]], high[order[y]]]
            np.testing.assert_allclose(line, [[ends[0], y], [ends[1], y]])
    (right,) = axes.child_axes
    times = [tick.get_text() for tick in right.get_yticklabels()]
    assert times == [["0.03 s", "7.04 s", "75 s", "9.96 s"][number] for number in order]
    assert axes.get_xlabel() == (
        "share of 7 neighbours that are of the row's class (mean over classes)"
    )
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert sorted(legend) == sorted([*looks, "chance"])


def test_each_compared_method_in_the_words_of_a_call():
    plain = NeighborOptions()
    words = {name: method.arguments(plain) for name, method in COMPARED.items()}
    assert words == {
        "euclidean": "method='euclidean' scale='none' screen='none'",
        "euclidean_standardised": "method='euclidean' scale='standardise' screen='none'",
        "normal_scores": "method='normal_scores' scale='none' screen='none'",
        **{
            f"{name}{ending}": f"{method} scale='{scale}' screen='none'"
            for ending, scale in (("", "none"), ("_standardised", "standardise"))
            for name, method in (
                ("correlation", "method='correlation'"),
                ("cosine", "method='cosine'"),
                ("pca_10", "method='first_components' params={'n_components': 10}"),
                ("pca_50", "method='first_components' params={'n_components': 50}"),
            )
        },
        "geodesic_forest": "method='geodesic_forest'",
        "geodesic_forest_unscreened": "method='geodesic_forest' screen='none'",
        "structured_forest": "method='structured_forest'",
        "random_forest": "method='random_forest' screen='none'",
        "adaptive_neighbors": "method='adaptive_neighbors'",
        "isomap": "method='isomap' screen='none'",
        "umap": "method='umap' screen='none'",
    }
    assert list(words) == list(COMPARED)
    # what the user says anyway is not said again, and images have no screen
    same = NeighborOptions(scale="none", screen="none")
    assert COMPARED["euclidean"].arguments(same) == "method='euclidean'"
    assert COMPARED["isomap"].arguments(NeighborOptions(shape="2x2")) == "method='isomap'"
    assert ComparedMethod("isomap").plain


def lists_of_neighbors(rng, n, k):
    return np.array([rng.choice(np.delete(np.arange(n), i), k, replace=False) for i in range(n)])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 99), st.integers(1, 4))
def test_the_influence_of_a_row_is_the_derivative_by_its_weight(seed, k):
    """Shares of a class, where each row has a weight, as itself and as neighbour."""
    rng = np.random.default_rng(seed)
    n = 9
    lists, same = lists_of_neighbors(rng, n, k), rng.random((n, k))
    weights = rng.random(n)

    def score(heavy, step):
        of_rows = np.ones(n)
        of_rows[heavy] += step
        inner = of_rows[lists]
        return (of_rows * weights) @ ((inner * same).sum(axis=1) / inner.sum(axis=1))

    shares = same.mean(axis=1)
    influence = influences(shares, weights, lists, (same - shares[:, None]) / k)
    step = 1e-6
    slopes = [(score(row, step) - score(row, -step)) / (2 * step) for row in range(n)]
    np.testing.assert_allclose(influence, slopes, atol=1e-8)
    assert influence.sum() == pytest.approx(weights @ shares)


def test_errors_of_strata_are_those_of_their_means():
    rng = np.random.default_rng(0)
    values, strata = rng.normal(size=(3, 45)), np.repeat([2, 0, 1], [30, 9, 6])
    weights = stratum_weights(strata)
    np.testing.assert_allclose(weights, np.repeat([1 / 90, 1 / 27, 1 / 18], [30, 9, 6]))
    errors = StandardErrors(values * weights, strata)

    def squared(line):
        parts = [line[strata == stratum] for stratum in range(3)]
        return sum(part.var(ddof=1) / len(part) for part in parts) / 9

    np.testing.assert_allclose(errors.scores**2, [squared(line) for line in values])
    for first, second in itertools.product(range(3), repeat=2):
        expected = squared(values[first] - values[second])
        assert errors.differences[first, second] ** 2 == pytest.approx(expected, abs=1e-15)


def test_a_score_has_students_interval_and_two_a_difference():
    values = np.random.default_rng(1).normal(size=(2, 11))
    strata = np.zeros(11, int)
    single = StandardErrors(values[:1], strata)
    width = stats.t.ppf(0.975, 10)
    np.testing.assert_allclose(single.score_widths / single.scores, width, rtol=0.03)
    two = StandardErrors(values, strata)
    np.testing.assert_allclose(two.difference_widths, two.differences * width, rtol=0.03)
    assert (two.score_widths / two.scores > 1.05 * width).all()
    again, other = StandardErrors(values, strata), StandardErrors(values, strata, 1)
    assert np.array_equal(two.score_widths, again.score_widths)
    assert not np.array_equal(two.score_widths, other.score_widths)


def test_all_pairs_at_once_have_the_studentized_range_of_tukey():
    """Independent scores of equal variance: its quantile is known."""
    values = np.kron(np.eye(4), [1.0, -1.0] * 50)
    errors = StandardErrors(values, np.zeros(400, int))
    freedom = 399
    expected = stats.studentized_range.ppf(0.95, 4, freedom) / np.sqrt(2)
    apart = ~np.eye(4, dtype=bool)
    ratio = errors.difference_widths[apart] / errors.differences[apart]
    np.testing.assert_allclose(ratio, expected, rtol=0.03)
    assert (np.diag(errors.difference_widths) == 0).all()


@pytest.mark.parametrize("rows", [1, 2, 30])
def test_scores_that_do_not_vary_have_no_width(rows):
    same = StandardErrors(np.full((3, rows), 0.1), np.zeros(rows, int))
    assert (same.score_widths < 1e-12).all()
    assert not same.difference_widths.any()
    moved = np.random.default_rng(0).normal(size=30)
    shifted = StandardErrors(np.array([moved, moved - 0.02]), np.zeros(30, int))
    assert shifted.score_widths.all()
    assert not shifted.difference_widths.any()


def one_table(rng, n=200, k=10):
    """The share of neighbours in three columns that are of a row's class, and its errors."""
    points = rng.normal(size=(n, 3))
    classes = (rng.random(n) < 1 / (1 + np.exp(-2 * points[:, 0]))).astype(int)
    weights = stratum_weights(classes)
    parts = []
    for seen in (points, points * [1.5, 1, 1]):
        lists = cKDTree(seen).query(seen, k + 1)[1][:, 1:]
        same = classes[lists] == classes[:, None]
        shares = same.mean(axis=1)
        parts.append(
            (weights @ shares, influences(shares, weights, lists, (same - shares[:, None]) / k))
        )
    scores, influence = map(np.array, zip(*parts, strict=True))
    return scores, StandardErrors(influence, classes)


@pytest.mark.nightly
def test_intervals_hold_the_score_of_other_tables():
    """With rows as if independent, .72 of these intervals held the mean of all tables."""
    rng = np.random.default_rng(0)
    made = [one_table(rng) for _ in range(300)]
    scores = np.array([score for score, _ in made])
    mean = scores.mean(axis=0)
    within = [
        (np.abs(s - mean) <= stats.norm.ppf(0.975) * errors.scores).mean() for s, errors in made
    ]
    assert 0.91 <= np.mean(within) <= 0.98
    apart = mean[1] - mean[0]
    held = [abs(np.diff(two)[0] - apart) <= errors.difference_widths[0, 1] for two, errors in made]
    assert np.mean(held) >= 0.95
    typical = np.mean([errors.scores for _, errors in made])
    assert typical == pytest.approx(scores.std(axis=0).mean(), rel=0.15)


@pytest.mark.nightly
def test_in_pure_noise_no_method_is_told_to_be_better():
    """By intervals of each method alone: "Use X" in 12 of 100, "not as good" in 37."""
    rng = np.random.default_rng(1)
    methods = ["euclidean", "normal_scores", "correlation", "cosine", "euclidean_standardised"]
    leads, behind = 0, 0
    for _ in range(60):
        table = pd.DataFrame(rng.normal(size=(100, 4)), columns=list("abcd"))
        table["class"] = rng.choice(["u", "v"], 100)
        result = compare_neighbors(table, 10, "class", methods=methods)
        leads += not result.summary().startswith("No method is better than chance")
        behind += not result.as_good.all()
    assert leads <= 3
    assert behind <= 3


def test_strata_of_few_rows_are_single_draws():
    """Rows of a pair are neighbours of one another: within it they do not vary."""
    rng = np.random.default_rng(4)
    influence = rng.normal(size=(2, 60))
    strata = np.r_[np.repeat(np.arange(4), 10), np.repeat(np.arange(4, 9), 4)]
    errors = StandardErrors(influence, strata)
    sums = np.array([influence[:, strata == stratum].sum(axis=1) for stratum in range(4, 9)])
    large = sum(10 * influence[:, strata == stratum].var(axis=1, ddof=1) for stratum in range(4))
    np.testing.assert_allclose(errors.scores**2, large + 5 * sums.var(axis=0, ddof=1))
    alone = StandardErrors(influence[:, :44], strata[:44])
    np.testing.assert_allclose(alone.scores**2, large + sums[0] ** 2)
    # where all rows are in one stratum, each is a draw
    three = StandardErrors(influence[:, :3], np.zeros(3, int))
    np.testing.assert_allclose(three.scores**2, 3 * influence[:, :3].var(axis=1, ddof=1))


def test_freedom_is_that_of_the_strata_that_vary():
    values = np.random.default_rng(0).normal(size=(1, 27))
    strata = np.repeat([0, 1], [20, 7])
    wide = values * np.where(strata == 1, 1e6, 1.0)
    assert StandardErrors(wide, strata)._freedom == pytest.approx(6)
    assert StandardErrors(values * (strata == 0), strata)._freedom == pytest.approx(19)
    assert 19 < StandardErrors(values, strata)._freedom <= 25
    assert StandardErrors(np.zeros((1, 27)), strata)._freedom == 25
