"""Where everything stands in the picture of a column screen, read back from its axes."""

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgba
from matplotlib.text import Text
from scipy.stats import norm

from geoforest_cli.core.plot_style import BLUE, SKY, VERMILION
from geoforest_cli.tables.columns import ColumnRanking
from geoforest_cli.tables.figures.columns import draw_columns, null_range
from geoforest_cli.tables.screens import PairMatrix, ScreenOptions

GREY = "#B8B8B8"


def ranking(scores, kept, partners=None, groups=None, matrix=None, which="pairs", names=None):
    scores, kept = np.asarray(scores, float), np.asarray(kept, bool)
    p = len(scores)
    pvalues = norm.sf(np.minimum(scores, 30.0))
    return ColumnRanking(
        names=names or tuple(f"c{i}" for i in range(p)), kept=kept, scores=scores,
        pvalues=pvalues, adjusted=pvalues,
        partners=np.full(p, -1) if partners is None else np.array(partners),
        groups=np.where(kept, 1, -1) if groups is None else np.array(groups),
        matrix=matrix, screening=ScreenOptions(which), rows=50, notes=(),
    )  # fmt: skip


def paired(sizes, limit=4.0, top=30.0, kept=None):
    """Groups of these sizes, one after the other, and a column without a group."""
    m = sum(sizes)
    groups = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    scores = np.full((m, m), 0.5)
    scores[groups[:, None] == groups] = 9.0
    scores[0, 1] = scores[1, 0] = top
    np.fill_diagonal(scores, 0.0)
    matrix = PairMatrix(np.arange(m), scores, limit)
    p = (kept or m) + 1
    given = np.r_[groups, np.full(p - 1 - m, len(sizes)), -1]
    return ranking(np.r_[np.full(p - 1, 9.0), 0.2], given > 0, None, given, matrix)


def test_bars_of_few_columns():
    found = ranking(
        [6.0, -1.0, 8.0, 0.5, -2.0], [1, 0, 1, 0, 1], [2, 0, 0, -1, -1], [1, -1, 1, -1, 0],
        names=("a", "b" * 40, "$c$", "d", "e"),
    )  # fmt: skip
    figure = draw_columns(found)
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


def test_a_single_kept_column_has_no_pairs():
    one = PairMatrix(np.array([0]), np.zeros((1, 1)), 4.0)
    assert len(draw_columns(ranking([9.0, 2.0], [1, 0], matrix=one)).axes) == 1


def test_the_colours_of_pairs_start_at_one_and_leave_the_diagonal_out():
    found = paired((2, 2), limit=4.5, top=30.0)
    matrix, bar = draw_columns(found).axes[-2:]
    (image,) = matrix.images
    shown = image.get_array().filled(-1)
    assert shown.tolist() == [
        [-1, 30, 1, 1],
        [30, -1, 1, 1],
        [1, 1, -1, 9],
        [1, 1, 9, -1],
    ]
    assert (image.norm.vmin, image.norm.vmax) == (1, 30)
    line = bar.lines[-1]
    assert line.get_ydata()[0] == 4.5
    assert to_hex(line.get_color()).upper() == VERMILION
    assert bar.get_ylabel() == "z"
    # a scale that ends at twice the limit, where no pair is beyond
    assert draw_columns(paired((2, 2), limit=16.0)).axes[-2].images[0].norm.vmax == 32


def test_a_part_of_the_kept_columns_is_said_to_be_a_part():
    caption = draw_columns(paired((4, 3), kept=9)).axes[1].get_title(loc="left")
    assert caption.startswith("z of pairs of the first 7 of 9 kept columns, by group")


def test_names_of_a_picture_are_no_formulas():
    matrix = PairMatrix(np.arange(2), np.array([[0.0, 9.0], [9.0, 0.0]]), 4.0)
    found = ranking([9.0, 8.0], [1, 1], [1, 0], matrix=matrix, names=("$a$", "$b$"))
    texts = [text for text in draw_columns(found).findobj(Text) if "$" in text.get_text()]
    assert {text.get_text() for text in texts} == {"$a$", "$b$", "$a$ (1)", "$b$ (1)"}
    assert not any(text.get_parse_math() for text in texts)
