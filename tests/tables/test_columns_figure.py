"""Where everything stands in the picture of a column screen, read back from its axes."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgba
from matplotlib.text import Text
from scipy.stats import norm

from geoforest_cli.core.plot_style import BLUE, SKY, VERMILION
from geoforest_cli.tables.columns import ColumnRanking
from geoforest_cli.tables.columns_figure import _edges, draw_columns, null_range
from geoforest_cli.tables.groups_figure import matrix_height
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


def inches(figure, axes):
    return axes.get_position().bounds * np.tile(figure.get_size_inches(), 2)


def test_bars_of_few_columns():
    found = ranking(
        [6.0, -1.0, 8.0, 0.5, -2.0], [1, 0, 1, 0, 1], [2, 0, 0, -1, -1], [1, -1, 1, -1, 0],
        names=("a", "b" * 40, "$c$", "d", "e"),
    )  # fmt: skip
    figure = draw_columns(found)
    assert figure.get_size_inches() == pytest.approx([6.4, 0.165 * 6 + 1.45])
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
    beside = [(text.get_text(), text.xy) for text in axes.texts]
    assert beside == [("a (1)", (8.0, 0)), ("$c$ (1)", (6.0, 1))]
    (band,) = [patch for patch in axes.patches if patch not in bars]
    assert to_rgba(band.get_facecolor()) == to_rgba(SKY, 0.35)
    low, high = null_range("pairs", 5)
    assert (band.get_x(), band.get_width()) == pytest.approx((low, high - low))
    assert axes.get_xscale() == "linear"
    assert axes.get_xlim() == pytest.approx((-2.1, 1.35 * 8))
    assert axes.get_xlabel() == "z, how surely a column depends on others"
    assert axes.get_title(loc="left") == (
        "3 of 5 columns depend on others, in 1 group\npairs, family-wise error 0.01, 50 rows"
    )


def test_the_keys_and_the_caption_stand_below_the_bars():
    figure = draw_columns(ranking([3.0, 4.0], [1, 1], [1, 0]))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "kept", "dropped", "90 % of independent columns",
    ]  # fmt: skip
    keys = [to_hex(key.get_facecolor()).upper() for key in legend.legend_handles]
    assert keys == [BLUE, GREY, SKY]
    (caption,) = figure.texts
    assert caption.get_text() == (
        "beside a bar: the best partner, and in brackets the number of the group"
    )
    assert caption.get_position() == pytest.approx((0.5, 0.26 / figure.get_figheight()))
    assert legend._ncols == 3
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    axis, words, keys = (
        one.get_window_extent(canvas.get_renderer())
        for one in (figure.axes[0].xaxis.label, caption, legend)
    )
    assert axis.y0 > words.y1
    assert words.y0 > keys.y0 >= 0
    alone = draw_columns(ranking([3.0, 4.0], [1, 1]))
    assert alone.texts == []
    zeroth = draw_columns(ranking([3.0, 4.0], [0, 1], [-1, 0]))
    assert len(zeroth.texts) == 1
    assert [text.get_text() for text in zeroth.axes[0].texts] == ["c0 (1)"]


@pytest.mark.parametrize(
    ("p", "kept", "shown"), [(40, 3, 40), (41, 3, 13), (41, 20, 30), (41, 0, 10)]
)
def test_of_many_columns_the_kept_and_ten_more_have_names(p, kept, shown):
    figure = draw_columns(ranking(np.linspace(5, 0, p), np.arange(p) < kept))
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == [f"c{i}" for i in range(shown)]
    assert len(figure.axes) == (1 if p == 40 else 2)
    rest = 1.45 if p == 40 else 3.2
    assert figure.get_figheight() == pytest.approx(0.165 * (shown + 1) + rest)


@pytest.mark.parametrize(("most", "log"), [(20, False), (21, True)])
def test_a_tall_histogram_is_logarithmic(most, log):
    scores = np.r_[np.zeros(most), np.linspace(1, 4, 40)]
    kept = scores > 3
    bars, axes = draw_columns(ranking(scores, kept)).axes
    assert axes.get_yscale() == ("log" if log else "linear")
    if log:
        assert axes.get_ylim()[0] == 0.7
        assert [axes.yaxis.get_major_formatter()(tick) for tick in (1, 10, 100)] == [
            "1",
            "10",
            "100",
        ]
    else:
        assert all(tick == int(tick) for tick in axes.get_yticks())
        assert len(axes.get_yticks()) <= 5
    assert axes.get_ylabel() == f"all {most + 40} columns"
    dropped, above = axes.containers
    edges = _edges(scores)
    assert [bar.get_height() for bar in dropped] == np.histogram(scores[~kept], edges)[0].tolist()
    assert [bar.get_height() for bar in above] == np.histogram(scores[kept], edges)[0].tolist()
    colors = {to_hex(part[0].get_facecolor()).upper() for part in (dropped, above)}
    assert colors == {GREY, BLUE}
    assert to_hex(dropped[0].get_facecolor()).upper() == GREY
    assert bars.get_xlim() == axes.get_xlim()
    assert axes.get_xlabel().startswith("z, ")
    assert bars.get_xlabel() == ""


@pytest.mark.parametrize(("p", "bins"), [(41, 20), (168, 21), (479, 59), (480, 60), (900, 60)])
def test_more_columns_have_more_bins(p, bins):
    edges = _edges(np.linspace(-1, 4, p))
    assert len(edges) == bins + 1
    assert np.allclose(edges, np.linspace(-1, 4, bins + 1))


def test_columns_of_one_score_have_a_bin():
    edges = _edges(np.full(50, 2.0))
    assert edges[0] == 2.0
    assert edges[-1] == pytest.approx(3.0)


def test_far_bins_grow_as_the_logarithm_does():
    """From 5 on the axis is 5 (1 + ln(z / 5)), and as much to the left."""
    edges = _edges(np.array([-5 * np.e, 0.0, 5 * np.e]))
    assert edges[0] == pytest.approx(-5 * np.e)
    assert edges[10] == pytest.approx(0, abs=1e-6)
    assert edges[15] == pytest.approx(5)
    assert edges[5] == pytest.approx(-5)
    assert edges[20] / edges[19] == pytest.approx(np.exp(0.2))


@pytest.mark.parametrize(("high", "bent"), [(0.99, False), (1.01, True)])
def test_an_axis_bends_beyond_six_times_the_range_of_independent_columns(high, bent):
    top = high * 6 * null_range("pairs", 100)[1]
    scores = np.r_[top, np.linspace(-1, 2, 99)]
    axes = draw_columns(ranking(scores, scores > 3)).axes[-1]
    assert axes.get_xscale() == ("symlog" if bent else "linear")
    assert axes.get_xlim() == pytest.approx((-1.05, (2.5 if bent else 1.35) * top))
    if bent:
        assert axes.get_xticks().tolist() == [0, 5, 10, 20]
        assert axes.xaxis.get_minorticklocs().tolist() == []
        assert axes.xaxis.get_transform().linthresh == 5


def test_a_range_below_one_does_not_bend_the_axis():
    """Of the forest's z of one column 95 % is 1.6; where it is less, 6 is the bound."""
    scores = np.array([9.5, 0.0])
    assert draw_columns(ranking(scores, [1, 0], which="forest")).axes[0].get_xscale() == "linear"
    scores[0] = 10.0
    assert draw_columns(ranking(scores, [1, 0], which="forest")).axes[0].get_xscale() == "symlog"


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


def test_a_table_without_pairs_needs_no_room_for_them():
    assert matrix_height(ranking([1.0, 2.0], [0, 0])) == 0
    one = PairMatrix(np.array([0]), np.zeros((1, 1)), 4.0)
    assert matrix_height(ranking([9.0, 2.0], [1, 0], matrix=one)) == 0
    two = PairMatrix(np.array([0, 1]), np.zeros((2, 2)), 4.0)
    assert matrix_height(ranking([9.0, 8.0], [1, 1], matrix=two)) > 0


@pytest.mark.parametrize(
    ("sizes", "side", "left"),
    [((2,), 1.3, 1.9), ((6, 4), 1.65, 1.9), ((25,), 4.125, 1.9), ((20, 6), 4.2, 0.9)],
)
def test_pairs_are_a_square_at_the_foot(sizes, side, left):
    found = paired(sizes)
    assert matrix_height(found) == pytest.approx(side + 0.62 + 0.55)
    figure = draw_columns(found)
    matrix, bar = figure.axes[-2:]
    assert inches(figure, matrix) == pytest.approx([left, 0.62, side, side])
    assert inches(figure, bar) == pytest.approx([left + side + 0.2, 0.62, 0.13, side])
    m = sum(sizes)
    caption = figure.texts[-1]
    assert caption.get_text() == (
        f"z of pairs of all {m} kept columns, by group (framed);\n"
        "from 4 on (line) two columns depend on each other"
    )
    width, height = figure.get_size_inches()
    place = caption.get_position() * np.array([width, height])
    assert place == pytest.approx([left, 0.62 + side + 0.12])
    # what is above leaves it this room
    rest = 0.165 * (m + 2) + 1.45
    assert height == pytest.approx(rest + side + 0.62 + 0.55)
    assert figure.legends[0].get_bbox_to_anchor().y0 / figure.dpi == pytest.approx(side + 1.17)
    names = [label.get_text() for label in matrix.get_yticklabels()]
    assert names == ([f"c{i}" for i in range(m)] if m <= 25 else [])
    assert matrix.get_ylabel() == ("" if m <= 25 else "columns of the groups")
    assert matrix.get_xlabel() == "group"


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
    assert bar.get_yticks().tolist() == [1, 2, 10, 20, 4.5]
    assert [bar.yaxis.get_major_formatter()(tick) for tick in (4.5, 20)] == ["4.5", "20"]
    (line,) = bar.lines[-1:]
    assert line.get_ydata()[0] == 4.5
    assert to_hex(line.get_color()).upper() == VERMILION
    assert bar.get_xlabel() == "z"
    # a scale that ends at twice the limit, where no pair is beyond
    assert draw_columns(paired((2, 2), limit=16.0)).axes[-2].images[0].norm.vmax == 32


def test_a_part_of_the_kept_columns_is_said_to_be_a_part():
    caption = draw_columns(paired((4, 3), kept=9)).texts[-1].get_text()
    assert caption.startswith("z of pairs of the first 7 of 9 kept columns, by group")


def test_numbers_of_groups_stand_in_their_middle_where_there_is_room():
    matrix = draw_columns(paired((4, 3, 2))).axes[-2]
    assert matrix.get_xticks().tolist() == [1.5, 5.0, 7.5]
    assert [label.get_text() for label in matrix.get_xticklabels()] == ["1", "2", "3"]
    frames = [
        (frame.get_x(), frame.get_y(), frame.get_width(), frame.get_height())
        for frame in matrix.patches
    ]
    assert frames == [(-0.5, -0.5, 4, 4), (3.5, 3.5, 3, 3), (6.5, 6.5, 2, 2)]
    assert not any(frame.get_fill() for frame in matrix.patches)
    near = draw_columns(paired((88, 3, 3, 3, 3))).axes[-2]
    assert near.get_xticks().tolist() == [43.5, 89, 92, 95, 98]
    # 0.022 of 100 columns: numbers are at least 2.2 columns apart
    many = draw_columns(paired((90, 2, 2, 2, 2, 2))).axes[-2]
    assert many.get_xticks().tolist() == [44.5, 90.5, 94.5, 98.5]
    assert [label.get_text() for label in many.get_xticklabels()] == ["1", "2", "4", "6"]


def test_every_tick_of_the_colours_is_there_where_the_scale_reaches():
    ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500]
    bar = draw_columns(paired((2, 2), limit=700.0)).axes[-1]
    assert bar.get_yticks().tolist() == [*ticks, 700]
    # the limit takes the place of what is within a third of it
    for limit, left in ((7.0, [1, 2, 5, 10, 20]), (6.7, [1, 2, 10, 20]), (7.5, [1, 2, 5, 20])):
        bar = draw_columns(paired((2, 2), limit=limit, top=30.0)).axes[-1]
        assert bar.get_yticks().tolist() == [*left, limit]


def test_every_tick_of_a_bent_axis():
    scores = np.r_[-6.0, 9000.0, np.zeros(5)]
    axes = draw_columns(ranking(scores, scores > 0)).axes[0]
    ticks = [-5, 0, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]
    assert axes.get_xticks().tolist() == ticks
    few = draw_columns(ranking(np.r_[-4.0, 99.0], [0, 1])).axes[0]
    assert few.get_xticks().tolist() == [0, 5, 10, 20, 50, 100]


@pytest.mark.parametrize("more", [0, 1])
def test_names_of_a_picture_have_26_letters_at_most_and_24_beside_pairs(more):
    letters = "abcdefghijklmnopqrstuvwxyz"
    bars, pairs = letters + "!" * more, letters[:24] + "!" * more
    matrix = PairMatrix(np.arange(2), np.array([[0.0, 9.0], [9.0, 0.0]]), 4.0)
    found = ranking([9.0, 8.0], [1, 1], [1, 0], matrix=matrix, names=(bars, pairs))
    axes, below, _ = draw_columns(found).axes
    shown = bars if not more else f"{bars[:15]}…{bars[-10:]}"
    assert axes.get_yticklabels()[0].get_text() == shown
    assert axes.texts[1].get_text() == f"{shown} (1)"
    beside = pairs if not more else f"{pairs[:14]}…{pairs[-9:]}"
    assert below.get_yticklabels()[1].get_text() == beside


def test_a_partner_is_named_where_a_bar_of_less_than_nothing_begins():
    axes = draw_columns(ranking([-2.0, 8.0, 0.0], [1, 1, 1], [1, 0, 1])).axes[0]
    assert [text.xy for text in axes.texts] == [(8.0, 0), (0.0, 1), (0.0, 2)]


def test_no_line_of_a_grid_crosses_the_pairs_or_the_names():
    bars, matrix, _ = draw_columns(paired((2, 2))).axes
    lines = [*bars.get_ygridlines(), *matrix.get_xgridlines(), *matrix.get_ygridlines()]
    assert not any(line.get_visible() for line in lines)


def test_names_of_a_picture_are_no_formulas():
    matrix = PairMatrix(np.arange(2), np.array([[0.0, 9.0], [9.0, 0.0]]), 4.0)
    found = ranking([9.0, 8.0], [1, 1], [1, 0], matrix=matrix, names=("$a$", "$b$"))
    texts = [text for text in draw_columns(found).findobj(Text) if "$" in text.get_text()]
    assert {text.get_text() for text in texts} == {"$a$", "$b$", "$a$ (1)", "$b$ (1)"}
    assert not any(text.get_parse_math() for text in texts)
