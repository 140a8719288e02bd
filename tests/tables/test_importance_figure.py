"""What the pictures of a user's table show, read back from their axes."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from geoforest_cli.core.plot_style import BLUE, VERMILION
from geoforest_cli.tables.columns import ColumnRanking
from geoforest_cli.tables.columns_figure import draw_columns
from geoforest_cli.tables.importance_figure import draw_importances
from geoforest_cli.tables.screens import ScreenOptions


def _shares(p):
    return pd.Series(np.arange(p) / (p * (p - 1) / 2), index=[f"c{i}" for i in range(p)])


def test_an_image_stands_as_its_rows_say():
    shares = _shares(6)
    axes = draw_importances(shares, (2, 3)).axes[0]
    (image,) = axes.get_images()
    assert np.allclose(image.get_array(), [[0, 1 / 15, 2 / 15], [3 / 15, 4 / 15, 5 / 15]])
    # the first row on top
    assert axes.yaxis_inverted()


def test_a_series_is_bars_in_order():
    shares = _shares(6)
    axes = draw_importances(shares, (1, 6)).axes[0]
    assert [bar.get_height() for bar in axes.patches] == shares.tolist()
    assert axes.get_xlabel() == "column"


def test_columns_are_the_thirty_largest_by_name_and_in_order():
    shares = _shares(40).sample(frac=1, random_state=0)
    axes = draw_importances(shares).axes[0]
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert names == [f"c{i}" for i in range(39, 9, -1)]
    assert [bar.get_width() for bar in axes.patches] == shares[names].tolist()
    assert axes.get_title(loc="left") == "the 30 largest of 40 columns"
    assert axes.yaxis_inverted()  # the largest on top


def test_bounds_are_lines_at_the_bars_of_their_columns():
    drops = pd.Series([0.1, 0.3, 0.2], index=["a", "b", "c"], name="permutation")
    bounds = pd.DataFrame({"high": [0.15, 0.4, 0.25], "low": [0.0, 0.2, 0.1]}, index=list("abc"))
    axes = draw_importances(drops, None, bounds).axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["b", "c", "a"]
    (lines,) = axes.collections
    ends = [[place[0] for place in line] for line in lines.get_segments()]
    assert ends == [[0.2, 0.4], [0.1, 0.25], [0.0, 0.15]]
    assert axes.get_xlabel().startswith("drop of the accuracy")


def test_bars_are_coloured_by_what_is_kept():
    """The columns stand in another order than in the table."""
    scores = np.array([0.5, 9.0, -1.0, 7.0])
    kept = np.array([False, True, False, True])
    found = ColumnRanking(
        names=("a", "b", "c", "d"), kept=kept, scores=scores,
        pvalues=np.array([0.3, 1e-9, 0.8, 1e-7]), adjusted=np.array([0.6, 1e-8, 1.0, 1e-6]),
        partners=np.array([1, 3, 0, 1]), groups=np.array([0, 1, 0, 1]),
        screening=ScreenOptions("pairs", 0.01, "fwer", 0, 1), rows=50, notes=(),
    )  # fmt: skip
    axes = draw_columns(found).axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["b", "d", "a", "c"]
    bars = axes.containers[0]
    assert [bar.get_width() for bar in bars] == [9.0, 7.0, 0.5, -1.0]
    blue = [to_hex(bar.get_facecolor()) == to_hex(BLUE) for bar in bars]
    assert blue == [True, True, False, False]
    assert [text.get_text() for text in axes.texts] == ["d (1)", "b (1)"]


def test_bars_and_lines_of_importances():
    drops = pd.Series([0.1, -0.3, 0.2], index=["a" * 40, "b\n", "$c$"], name="permutation")
    bounds = pd.DataFrame({"low": [0.0, -0.4, 0.1], "high": [0.2, -0.2, 0.3]}, index=drops.index)
    figure = draw_importances(drops, None, bounds)
    assert figure.get_size_inches() == pytest.approx([6.4, 0.17 * 3 + 1.1])
    (axes,) = figure.axes
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert names == ["$c$", f"{'a' * 18}…{'a' * 11}", "b\\n"]
    bars = axes.containers[0]
    assert [bar.get_y() + bar.get_height() / 2 for bar in bars] == pytest.approx([0, 1, 2])
    assert [bar.get_height() for bar in bars] == pytest.approx([0.72] * 3)
    assert {to_hex(bar.get_facecolor()).upper() for bar in bars} == {VERMILION}
    lines = axes.collections[0].get_segments()
    assert [line[:, 1].tolist() for line in lines] == [[0, 0], [1, 1], [2, 2]]
    assert axes.lines[0].get_xdata() == [0, 0]
    assert axes.get_ylim() == pytest.approx((2.6, -0.6))
    assert axes.get_title(loc="left") == ""
    assert axes.get_xlabel() == (
        "drop of the accuracy when the column is permuted in rows not trained on\n"
        "(lines: nine in ten of the drops, over folds and permutations)"
    )
    plain = draw_importances(_shares(4)).axes[0]
    assert plain.get_xlabel() == "share of the decrease of impurity"
    assert len(plain.collections) == 0


@pytest.mark.parametrize("p", [30, 31])
def test_a_title_says_where_names_are_left_out(p):
    axes = draw_importances(_shares(p)).axes[0]
    told = "" if p == 30 else "the 30 largest of 31 columns"
    assert (axes.get_title(loc="left"), len(axes.get_yticklabels())) == (told, 30)


def test_images_and_series_have_the_same_words():
    image = draw_importances(_shares(6), (2, 3))
    assert image.get_size_inches() == pytest.approx([3.6, 3.2])
    assert image.axes[1].get_ylabel() == "share of the decrease of impurity"
    assert not image.axes[0].axison
    series = draw_importances(_shares(6), (1, 6))
    assert series.get_size_inches() == pytest.approx([6.0, 2.6])
    (axes,) = series.axes
    assert axes.get_ylabel() == "share of the decrease of impurity"
    middles = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]
    assert middles == pytest.approx(range(6))
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([0.9] * 6)
