"""The legend says what is drawn, in the colours and lines in which it is drawn."""

import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch

from tests.study.report.read_back import draw, lines, table, words

FOUR = [0.2, 0.3, 0.4, 0.5]


def handles(figure):
    """Words of the legend -> what stands before them."""
    return {
        text.get_text(): handle
        for box in figure.legends
        for handle, text in zip(box.legend_handles, box.get_texts(), strict=True)
    }


def test_methods_have_the_colours_markers_and_order_of_their_lines():
    names = ["gf", "isomap", "umap"]
    figure = draw(table([0.5], methods=names))
    assert words(figure) == ["GF", "Isomap", "UMAP"]
    found = handles(figure)
    drawn = {line.get_label().split()[0]: line for line in lines(figure.axes[0])}
    for name, word in zip(names, words(figure), strict=True):
        assert to_rgba(found[word].get_color()) == to_rgba(drawn[name].get_color())
        assert found[word].get_marker() == drawn[name].get_marker()
        assert found[word].get_linewidth() == drawn[name].get_linewidth()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_line_styles_are_explained_where_there_are_several(count):
    variants = ["recommended", "as_written", "as_run"][:count]
    figure = draw(pd.concat([table([0.5]).assign(variant=name) for name in variants]))
    said = ["recommended", "as written", "as run"][:count] if count > 1 else []
    assert words(figure) == ["a", *said]
    drawn = {line.get_label().split()[1]: line for line in lines(figure.axes[0])}
    for variant, word in zip(variants, said, strict=False):
        shown = handles(figure)[word]
        assert shown.is_dashed() == drawn[variant].is_dashed()
        assert shown._unscaled_dash_pattern == drawn[variant]._unscaled_dash_pattern


def test_published_values_are_the_hollow_markers():
    theirs = table([0.4]).assign(variant="as_run", source="paper: table")
    figure = draw(table([0.5]), printed=theirs)
    shown = handles(figure)["published"]
    (hollow,) = (one for one in lines(figure.axes[0]) if one.get_markerfacecolor() == "none")
    assert shown.get_markerfacecolor() == "none"
    assert shown._unscaled_dash_pattern == hollow._unscaled_dash_pattern
    assert "published" not in words(draw(table([0.5])))


def test_chance_and_every_level_have_lines_of_their_own():
    frame = pd.concat([table([0.5]), table([0.3], "chance")])
    levels = {"precision": {"Bayes": 0.9, "a coin": 0.55}}
    figure = draw(frame, chance="chance", levels=levels)
    assert words(figure) == ["a", "chance", "Bayes", "a coin"]
    found = handles(figure)
    patterns = {word: found[word]._unscaled_dash_pattern for word in words(figure)[1:]}
    assert len(set(map(str, patterns.values()))) == 3
    for word, level in (("chance", 0.3), ("Bayes", 0.9), ("a coin", 0.55)):
        (line,) = (one for one in figure.axes[0].lines if list(one.get_ydata()) == [level] * 2)
        assert line._unscaled_dash_pattern == patterns[word]


@pytest.mark.parametrize(
    ("scales", "said"),
    [
        ({"rmse": "linear", "error": "linear"}, "95 % interval"),
        ({"rmse": "log", "error": "log"}, "95 % interval of the geometric mean"),
        ({"rmse": "log", "error": "linear"}, "95 % interval (log axis: of the geometric mean)"),
    ],
)
@pytest.mark.parametrize("methods", [["a"], list("abcdef")], ids=["bands", "bars"])
def test_intervals_are_of_the_mean_that_is_drawn(scales, said, methods):
    frame = pd.concat([table(FOUR, metric, methods=methods) for metric in scales])
    figure = draw(frame, y=tuple(scales), rows="metric", y_scale=scales)
    shown = handles(figure)[said]
    assert isinstance(shown, Patch) == (len(methods) == 1)
    assert words(figure) == [*methods, said]


@pytest.mark.parametrize(
    ("statuses", "told"),
    [
        (["timeout", "failed"], "2 cells failed: not shown"),
        (["missing"] * 3, "3 cells missing: not shown"),
        (["timeout", "missing", "missing"], "1 cells failed, 2 cells missing: not shown"),
        ([], None),
    ],
)
def test_cells_that_are_not_shown_are_counted(statuses, told):
    lost = pd.DataFrame({"method": "a", "metric": "", "status": statuses})
    figure = draw(table([0.5]), failed=lost)
    notes = [text.get_text() for text in figure.texts if "not shown" in text.get_text()]
    assert notes == ([told] if told else [])
