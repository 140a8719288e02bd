"""Methods are named at the ends of their lines or in the legend, which says what marks mean."""

import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch

from tests.study.report.read_back import draw, lines, names, published, table, words

FOUR = [0.2, 0.3, 0.4, 0.5]
LONG_LIST = [f"m{i:02}" for i in range(14)]


def handles(figure):
    """Words of the legend -> what stands before them."""
    return {
        text.get_text(): handle
        for box in figure.legends
        for handle, text in zip(box.legend_handles, box.get_texts(), strict=True)
    }


def test_lines_are_named_at_their_ends_from_the_lowest_up():
    levels = {"gf": 0.9, "isomap": 0.3, "umap": 0.31}
    figure = draw(table(lambda name, _: [levels[name]], methods=list(levels)))
    (axes,) = figure.axes
    assert words(figure) == []
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert sorted(heights, key=heights.get) == ["Isomap", "UMAP", "GF"]
    assert heights["UMAP"] - heights["Isomap"] > 0.08  # not over each other
    assert 0 <= min(heights.values()) < max(heights.values()) <= 1


def test_the_last_panel_of_a_row_has_the_names_of_all_lines():
    whole = pd.concat([table([0.5], methods=["a", "b"], data=data) for data in ("one", "two")])
    figure = draw(whole, columns="data")
    assert [sorted(names(axes)) for axes in figure.axes] == [[], ["a", "b"]]
    part = whole[(whole["data"] == "one") | (whole["method"] == "a")]
    figure = draw(part, columns="data")
    assert not any(names(axes) for axes in figure.axes)
    assert words(figure) == ["a", "b"]


@pytest.mark.parametrize("methods", [LONG_LIST, ["a_name_that_takes_too_much_room", "b"]])
def test_names_without_room_are_in_the_legend_as_lines_look(methods):
    figure = draw(table([0.5], methods=methods))
    assert words(figure) == methods
    entries, drawn = handles(figure), lines(figure.axes[0])
    for line in drawn:
        entry = entries[line.get_label().split(",")[0]]
        assert to_rgba(entry.get_color()) == to_rgba(line.get_color())
        assert (entry.get_marker(), entry.get_linewidth()) == (
            line.get_marker(), line.get_linewidth(),
        )  # fmt: skip


@pytest.mark.parametrize("count", [1, 2, 3])
def test_line_styles_are_explained_where_there_are_several(count):
    variants = ["recommended", "as_written", "as_run"][:count]
    figure = draw(pd.concat([table([0.5]).assign(variant=name) for name in variants]))
    said = ["recommended", "as written", "as run"][:count] if count > 1 else []
    assert sorted(words(figure)) == sorted(said)
    drawn = {line.get_label().split(", ")[1]: line for line in lines(figure.axes[0])}
    for variant, word in zip(variants, said, strict=False):
        assert handles(figure)[word]._unscaled_dash_pattern == drawn[variant]._unscaled_dash_pattern


def test_published_values_are_hollow_markers_above_the_others():
    theirs = table([0.4]).assign(variant="as_run", source="paper: table")
    figure = draw(table(FOUR), printed=theirs)
    assert handles(figure)["published"].get_markerfacecolor() == "none"
    (hollow,) = published(figure.axes[0])
    assert hollow.get_linestyle() == "None"
    assert hollow.get_zorder() > max(line.get_zorder() for line in lines(figure.axes[0]))
    assert "published" not in words(draw(table([0.5])))


def test_chance_is_a_thin_grey_line_and_every_level_has_its_own():
    frame = pd.concat([table([0.5]), table([0.3], "chance")])
    levels = {"precision": {"Bayes": 0.9, "a coin": 0.55}}
    figure = draw(frame, chance="chance", levels=levels)
    assert words(figure) == ["chance", "Bayes", "a coin"]
    entries = handles(figure)
    assert entries["chance"].get_linestyle() == "-"
    assert entries["chance"].get_linewidth() < 1
    assert len({str(handle._unscaled_dash_pattern) for handle in entries.values()}) == 3
    for word, level in (("chance", 0.3), ("Bayes", 0.9), ("a coin", 0.55)):
        (line,) = (each for each in figure.axes[0].lines if list(each.get_ydata()) == [level] * 2)
        assert line._unscaled_dash_pattern == entries[word]._unscaled_dash_pattern


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
    assert isinstance(handles(figure)[said], Patch) == (len(methods) == 1)


@pytest.mark.parametrize("kind", ["lines", "heat"])
@pytest.mark.parametrize(
    ("statuses", "sentence"),
    [
        (["timeout", "failed"], ["2 cells failed: not shown"]),
        (["timeout", "missing", "missing"], ["1 cells failed, 2 cells missing: not shown"]),
        ([], []),
    ],
)
def test_cells_that_are_not_shown_are_counted(statuses, sentence, kind):
    lost = pd.DataFrame({"method": "a", "metric": "", "status": statuses})
    assert words(draw(table([0.5]), failed=lost, kind=kind)) == sentence
