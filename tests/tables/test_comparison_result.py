"""What a comparison says of its values: scores, intervals, the table, the sentence, the picture."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from geoforest_cli.core.plot_style import BLUE, VERMILION
from geoforest_cli.tables import Comparison
from geoforest_cli.tables.comparison_figure import draw_comparison, format_seconds
from geoforest_cli.tables.comparison_methods import COMPARED, ComparedMethod
from geoforest_cli.tables.options import NeighborOptions
from geoforest_cli.tables.standard_errors import StandardErrors, stratum_weights


def comparison(values, classes=None, k=5, seconds=None, **more):
    values = np.asarray(values, float)
    names = tuple("abcdef"[: len(values)])
    seconds = np.arange(1.0, len(values) + 1) if seconds is None else np.array(seconds)
    classes = None if classes is None else np.asarray(classes)
    strata = np.zeros(values.shape[1], int) if classes is None else classes
    own = values * stratum_weights(strata)  # as if no row were a neighbour
    return Comparison(names, k, values, own, classes, names, seconds, 2 * seconds, **more)


def test_scores_and_chance_weigh_classes_alike():
    found = comparison([[1, 0, 0, 0.5], [0, 1, 1, 0]], [0, 1, 1, 1])
    assert found.scores.tolist() == pytest.approx([7 / 12, 1 / 3])
    assert found.shares.tolist() == [0.375, 0.5]
    assert found.chance == pytest.approx((0 / 3 + 2 / 3) / 2)
    assert found.chance_share == pytest.approx(6 / 12)
    assert found.best == 0
    assert found.behind.tolist() == pytest.approx([0, 0.25])
    assert found.measure == "balanced_share"


def test_methods_that_list_the_same_rows_are_equally_good():
    """The last digits of their sums differed, and one was told to be better than the other."""
    rng = np.random.default_rng(0)
    for n in range(20, 60):
        line = rng.integers(0, 6, n) / 5
        classes = np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
        found = comparison([line] * 6, classes)
        assert found.order.tolist() == list(range(6))
        assert found.as_good.all()
        assert not found.behind.any()


def test_the_whole_table():
    found = comparison(
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
    pd.testing.assert_frame_equal(found.frame(), expected, check_dtype=False)


def test_without_classes_or_failures_the_table_is_shorter(tmp_path):
    found = comparison([[0.25] * 4, [0.75] * 4], k=1)
    assert list(found.frame()) == [
        "method", "prediction", "low", "high", "chance", "behind", "behind_low", "behind_high",
        "as_good", "seconds", "cpu_seconds", "failed",
    ]  # fmt: skip
    found.write(tmp_path / "o.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "o.parquet"), found.frame())


def test_intervals_are_as_wide_as_their_standard_errors_say():
    values = np.random.default_rng(0).uniform(0.3, 0.7, size=(3, 30))
    classes = np.arange(30) % 3
    found = comparison(values, classes, seed=7)
    errors = StandardErrors(values / 30, classes, 7)
    scores, best = found.scores, found.best
    np.testing.assert_allclose(found.intervals[0], scores - errors.score_widths)
    np.testing.assert_allclose(found.intervals[1], scores + errors.score_widths)
    behind, widths = scores[best] - scores, errors.difference_widths[best]
    np.testing.assert_allclose(found.behind_intervals, [behind - widths, behind + widths])
    assert comparison(values, classes).seed == 0


def test_an_interval_ends_where_scores_do():
    values = [[0.0] * 9 + [1.0], [1.0] * 9 + [0.0]]
    low, high = comparison(values, np.arange(10) % 2).intervals
    assert (low[0], high[1]) == (0.0, 1.0)
    assert high[0] < 0.7
    assert low[1] > 0.3
    low, high = comparison(values).intervals  # what is predicted can be less than nothing
    assert low[0] < 0
    assert high[1] == 1.0


@pytest.mark.parametrize(
    ("values", "classes", "sentence"),
    [
        ([[0.9], [0.2]], None, "Highest by this score: a (0.900); b is not as good."),
        ([[0.9], [0.9], [0.9]], None, "Highest by this score: a (0.900); b and c are as good within the interval."),
        ([[0.9], [0.9], [0.9], [0.1], [0.2]], [0, 1], "Use a (0.900); b and c are as good within the interval; e and d are not."),
        ([[0.9], [0.5], [0.6], [0.7]], [0, 1], "Use a (0.900); d, c and b are not as good."),
    ],
)  # fmt: skip
def test_the_sentence_lists_methods_by_their_scores(values, classes, sentence):
    classes = None if classes is None else np.repeat(classes, 10)
    assert comparison(np.repeat(values, 20, axis=1), classes).summary() == sentence


def test_an_interval_that_ends_at_chance_reaches_it():
    found = comparison(np.full((1, 3), 0.25), [0, 0, 1])
    assert found.chance == found.intervals[0, 0] == 0.25
    assert found.summary().startswith("No method is better than chance (0.250): a (0.250) has")
    more = comparison(np.full((1, 3), 0.2501), [0, 0, 1])
    assert more.summary() == "Use a (0.250); no other method has run."


def test_what_intervals_cover():
    with_classes = comparison([[0.5, 0.5]], [0, 0]).coverage()
    assert with_classes == (
        "The intervals hold for all methods and differences at once (95 %), and take rows to be "
        "independent draws, with a fixed number of each class."
    )
    without = with_classes.replace(", with a fixed number of each class", "")
    assert comparison([[0.5, 0.5]]).coverage() == without


def test_the_picture_of_a_comparison():
    rng = np.random.default_rng(1)
    base = rng.uniform(0.2, 0.8, 60)
    values = [base, base + 0.1, base + 0.1 + 0.01 * rng.choice([-1, 1], 60), base - 0.1]
    found = comparison(values, k=7, seconds=[0.034, 7.04, 75.3, 9.96])
    figure = draw_comparison(found)
    assert figure.get_size_inches() == pytest.approx([6.4, 0.24 * 4 + 1.15])
    (axes,) = figure.axes
    low, high = found.intervals
    order = found.order.tolist()
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
        for place, line in zip(places, reach.get_segments(), strict=True):
            ends = [low[order[place]], high[order[place]]]
            np.testing.assert_allclose(line, [[ends[0], place], [ends[1], place]])
    times = [(text.get_text(), text.xy) for text in axes.texts]
    told = ["0.03 s", "7.0 s", "75 s", "10.0 s"]
    assert times == [(told[number], (1.0, place)) for place, number in enumerate(order)]
    assert axes.get_xlabel() == (
        "share of the other columns' variance that 7 neighbours predict (no label)"
    )
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert sorted(legend) == sorted([*looks, "chance"])
    of_classes = draw_comparison(comparison(values, np.arange(60) % 2, k=7)).axes[0]
    assert of_classes.get_xlabel() == (
        "share of 7 neighbours that are of the row's class (mean over classes)"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.00 s"), (0.994, "0.99 s"), (1, "1.0 s"), (9.94, "9.9 s"), (10, "10 s"), (1e4, "10000 s")],
)  # fmt: skip
def test_times_have_two_or_three_digits(seconds, text):
    assert format_seconds(seconds) == text


def test_each_compared_method_in_the_words_of_a_call():
    plain = NeighborOptions()
    told = {name: method.arguments(plain) for name, method in COMPARED.items()}
    assert told == {
        "euclidean": "method='euclidean' scale='none' screen='none'",
        "euclidean_standardised": "method='euclidean' scale='standardise' screen='none'",
        "normal_scores": "method='normal_scores' scale='none' screen='none'",
        "correlation": "method='correlation' screen='none'",
        "cosine": "method='cosine' screen='none'",
        "pca_10": "method='first_components' params={'n_components': 10} screen='none'",
        "pca_50": "method='first_components' params={'n_components': 50} screen='none'",
        "geodesic_forest": "method='geodesic_forest'",
        "geodesic_forest_unscreened": "method='geodesic_forest' screen='none'",
        "structured_forest": "method='structured_forest'",
        "random_forest": "method='random_forest' screen='none'",
        "adaptive_neighbors": "method='adaptive_neighbors'",
        "isomap": "method='isomap' screen='none'",
        "umap": "method='umap' screen='none'",
    }
    assert list(told) == list(COMPARED)
    # what the user says anyway is not said again, and images have no screen
    same = NeighborOptions(scale="none", screen="none")
    assert COMPARED["euclidean"].arguments(same) == "method='euclidean'"
    assert COMPARED["isomap"].arguments(NeighborOptions(shape="2x2")) == "method='isomap'"
    assert ComparedMethod("isomap").plain
