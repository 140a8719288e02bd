"""Panels, heat maps and boxes of figures."""

import numpy as np
import pandas as pd

from geoforest_cli.core.plot_style import style
from geoforest_cli.study.figures import curves
from geoforest_cli.study.figures.boxes import draw_boxes
from geoforest_cli.study.figures.options import Boxes
from tests.study.report.read_back import context_of, draw, levels, table


def two_by_two():
    """Panels (one, x), (one, y), (two, x); nothing at (two, y)."""
    parts = [
        table([0.2, 0.3, 0.4, 0.5], data=data, kind=kind)
        for data, kind in (("one", "x"), ("one", "y"), ("two", "x"))
    ]
    return pd.concat(parts, ignore_index=True)


def test_a_panel_without_rows_is_not_drawn():
    figure = draw(two_by_two(), rows="data", columns="kind")
    assert len(figure.axes) == 3
    above = figure.axes[1]
    assert above.get_title() == "y"
    assert above.xaxis.get_tick_params()["labelbottom"]
    assert not figure.axes[0].xaxis.get_tick_params()["labelbottom"]


def test_failed_cells_are_counted_in_the_panel_they_belong_to():
    failed = pd.DataFrame(
        [
            {"data": data, "kind": "y", "n": n, "method": "a", "metric": "", "status": status}
            for data, n, status in [
                ("two", 1, "failed"),
                ("two", 1, "timeout"),
                ("two", 2, "failed"),
                ("two", 3, "missing"),
                ("one", 1, "failed"),
            ]
        ]
    )
    shown = {"rows": "data", "columns": "kind"}
    figure = draw(two_by_two(), failed=failed, where={"n": [1, 3]}, **shown)
    assert [text.get_text() for text in figure.axes[3].texts] == ["2 cells failed, 1 cells missing"]
    # a failure that does not say what kind it is of belongs to every kind
    unknown = failed.drop(columns="kind")
    figure = draw(two_by_two(), failed=unknown, where={"n": 2}, **shown)
    assert [text.get_text() for text in figure.axes[3].texts] == ["1 cells failed"]


def test_a_heat_map_prints_every_mean_and_chance():
    means = {("a", 1): 0.25, ("a", 2): 0.5, ("b", 1): 0.75}
    ours = pd.concat(
        [
            table([value - 0.1, value + 0.1], methods=[method], places=[x])
            for (method, x), value in means.items()
        ]
    )
    frame = pd.concat([ours, table([0.05], "chance", methods=["a", "b"], places=[1, 2])])
    figure = draw(frame, kind="heat", chance="chance", y=("precision",))
    (axes,) = figure.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["a", "b", "chance"]
    texts = {text.get_position(): text.get_text() for text in axes.texts}
    assert texts == {
        (0, 0): ".25", (1, 0): ".50", (0, 1): ".75", (0, 2): ".05", (1, 2): ".05"
    }  # fmt: skip
    np.testing.assert_allclose(axes.images[0].get_array().filled(np.nan)[:2, 0], [0.25, 0.75])
    assert axes.images[0].norm.vmax == 1


def test_the_panels_of_a_heat_map_have_the_same_rows():
    top = table([0.5], methods=["a", "b"], data="one")
    two = table([0.5], methods=["b"], data="two")
    figure = draw(pd.concat([top, two]), kind="heat", columns="data")
    first, second = figure.axes
    assert [tick.get_text() for tick in first.get_yticklabels()] == ["a", "b"]
    assert {text.get_position()[1] for text in second.texts} == {1}


def test_few_repetitions_make_no_box():
    frame = pd.concat([table([0.2, 0.3], methods=["a"]), table([0.2] * 4, methods=["b"])])
    with style():
        figure = draw_boxes(context_of(frame[frame["n"] == 1]), Boxes(y="precision"))
    (axes,) = figure.axes
    markers = [line.get_marker() for line in axes.lines]
    assert markers.count(".") == 2
    assert sum(len(line.get_xdata()) == 5 for line in axes.lines) == 1


def test_a_heat_map_of_variants_has_one_row_per_method():
    frame = pd.concat(
        [
            table([0.5], methods=["a", "b"]),
            table([0.4], methods=["a"]).assign(variant="as_written"),
        ]
    )
    figure = draw(frame, kind="heat", columns="variant")
    for axes in figure.axes:
        assert len(axes.get_yticks()) == 2
    assert [axes.get_title() for axes in figure.axes] == ["as written", "recommended"]


def test_default_lines_of_chance_are_each_metrics_own():
    parts = [
        table([level], metric)
        for metric, level in (
            ("precision", 0.9), ("recall", 0.8), ("chance", 0.3), ("recall_chance", 0.2)
        )
    ]  # fmt: skip
    frame = pd.concat(parts, ignore_index=True)
    with style():
        context = context_of(frame)
        options = curves.default(context)
        figure = curves.draw(context, options)
    assert options.y == ("precision", "recall")
    assert [list(map(list, levels(axes))) for axes in figure.axes] == [[[0.3]], [[0.2]]]
    without = frame[frame["metric"] != "recall_chance"]
    assert curves.default(context_of(without)).chance_of("recall") is None


def test_a_heat_map_of_values_has_a_row_for_each():
    frame = pd.concat([table([k / 10], methods=["a", "b"], k=k) for k in (1, 5)])
    figure = draw(frame, kind="heat", lines="k", columns="method", grid={"k": (1, 5)})
    assert [axes.get_title() for axes in figure.axes] == ["a", "b"]
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["5", "1"]
    np.testing.assert_allclose(figure.axes[1].images[0].get_array()[:, 0], [0.5, 0.1])


def test_six_panels_stand_in_two_rows_of_three():
    frame = pd.concat([table([0.5], data=f"d{i}") for i in range(6)])
    figure = draw(frame, columns="data")
    places = [axes.get_subplotspec().get_geometry()[:3] for axes in figure.axes]
    assert places == [(2, 3, i) for i in range(6)]
    assert [axes.get_title() for axes in figure.axes] == [f"d{i}" for i in range(6)]
    assert [bool(axes.get_xlabel()) for axes in figure.axes] == [False] * 4 + [True, False]


def test_maps_below_each_other_have_the_columns_of_all():
    more = table([0.5], data="one", kind="x")
    fewer = table([0.4], data="two", kind="x", places=(1, 2))
    figure = draw(pd.concat([more, fewer]), kind="heat", rows="data", columns="kind")
    shown = [[text.get_position()[0] for text in axes.texts] for axes in figure.axes]
    assert shown == [[0, 1, 2], [0, 1]]
    assert all(axes.get_xlim() == (-0.5, 2.5) for axes in figure.axes)
