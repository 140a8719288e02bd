"""Where everything stands in the picture of a column screen, read back from its axes."""

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgba
from matplotlib.text import Text
from scipy.stats import norm

from geoforest_cli.core.plot_style import BLUE, SKY
from geoforest_cli.tables.columns import ColumnRanking
from geoforest_cli.tables.figures.columns import draw_columns, null_range
from geoforest_cli.tables.screens import ScreenOptions

GREY = "#B8B8B8"


def ranking(scores, kept, partners=None, groups=None, which="pairs", names=None):
    scores, kept = np.asarray(scores, float), np.asarray(kept, bool)
    p = len(scores)
    pvalues = norm.sf(np.minimum(scores, 30.0))
    return ColumnRanking(
        names=names or tuple(f"c{i}" for i in range(p)), kept=kept, scores=scores,
        pvalues=pvalues, adjusted=pvalues,
        partners=np.full(p, -1) if partners is None else np.array(partners),
        groups=np.where(kept, 1, -1) if groups is None else np.array(groups),
        screening=ScreenOptions(which), rows=50, notes=(),
    )  # fmt: skip


def test_bars_of_few_columns():
    result = ranking(
        [6.0, -1.0, 8.0, 0.5, -2.0], [1, 0, 1, 0, 1], [2, 0, 0, -1, -1], [1, -1, 1, -1, 0],
        names=("a", "b" * 40, "$c$", "d", "e"),
    )  # fmt: skip
    figure = draw_columns(result)
    (axes,) = figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["$c$", "a", "e", "d", f"{'b' * 15}…{'b' * 10}"]
    bars = axes.containers[0]
    assert [bar.get_width() for bar in bars] == [8.0, 6.0, -2.0, 0.5, -1.0]
    assert [bar.get_y() + bar.get_height() / 2 for bar in bars] == pytest.approx(range(5))
    assert [bar.get_height() for bar in bars] == pytest.approx([0.72] * 5)
    colors = [to_hex(bar.get_facecolor()).upper() for bar in bars]
    assert colors == [BLUE, BLUE, BLUE, GREY, GREY]
    assert axes.get_ylim() == pytest.approx((4.6, -0.6))
    # the one without a partner and those that are dropped have none beside them
    beside = [(text.get_text(), text.xy) for text in axes.texts if text.get_text()]
    assert beside == [("a (1)", (8.0, 0)), ("$c$ (1)", (6.0, 1))]
    (band,) = [patch for patch in axes.patches if patch not in bars]
    assert to_rgba(band.get_facecolor()) == to_rgba(SKY, 0.35)
    low, high = null_range("pairs", 5)
    assert (band.get_x(), band.get_width()) == pytest.approx((low, high - low))
    assert axes.get_xlim() == pytest.approx((-2.1, 2.5 * 8))
    assert axes.get_xticks().tolist() == [0, 5, 10, 20]
    assert axes.get_xlabel() == "z, how surely a column depends on others"
    assert axes.get_title(loc="left") == (
        "3 of 5 columns depend on others, in 1 group\npairs, family-wise error 0.01, 50 rows"
    )


@pytest.mark.parametrize("p", [40, 41])
def test_of_many_columns_the_first_have_names(p):
    (axes,) = draw_columns(ranking(np.linspace(5, 0, p), np.arange(p) < 3)).axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == [f"c{i}" for i in range(40)]
    assert axes.get_title(loc="left").endswith("the first 40 of 41 columns") == (p == 41)


@pytest.mark.parametrize(
    ("which", "p", "expected"),
    [
        ("forest", 50, norm.ppf([0.05, 0.95])),
        ("pairs", 50, norm.ppf(np.array([0.05, 0.95]) ** (1 / 49))),
        ("correlation", 50, norm.isf((1 - np.array([0.05, 0.95]) ** (1 / 49)) / 2)),
        ("both", 50, norm.ppf(np.sqrt([0.05, 0.95]))),
        ("auto", 50, norm.ppf(np.sqrt([0.05, 0.95]))),
        ("pairs", 2, norm.ppf([0.05, 0.95])),
        ("pairs", 1, norm.ppf([0.05, 0.95])),
    ],
)
def test_the_range_of_independent_columns(which, p, expected):
    assert null_range(which, p) == pytest.approx(tuple(expected))


def test_names_of_a_picture_are_no_formulas():
    result = ranking([9.0, 8.0], [1, 1], [1, 0], names=("$a$", "$b$"))
    texts = [text for text in draw_columns(result).findobj(Text) if "$" in text.get_text()]
    assert {text.get_text() for text in texts} == {"$a$", "$b$", "$a$ (1)", "$b$ (1)"}
    assert not any(text.get_parse_math() for text in texts)
