"""A chart without its script, from hand-made data: where everything stands in the drawing."""

import itertools
import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.study.report.site.chart_svg import static_svg

LINE = 13.0  # from one line of words to the next
AXIS = {"low": 0.0, "high": 1.0, "ticks": [[0.0, "0"], [0.25, "quarter"], [1.0, "1"]]}
LOG = {"low": 0.01, "high": 1.0, "ticks": [[0.01, "0.01"], [1.0, "1"]]}
NUMBER = r"(-?\d+(?:\.\d+)?)"


def data(points, *, panels=1, across=4, values=(1, 2, 3), scale="linear", label="size", **more):
    """A chart of two methods in two variants; points are (panel, place, method, variant, mean)."""
    metric = {"label": "share", "log": more.pop("log", False), "linear": AXIS, "logarithmic": LOG}
    methods = [
        {"hue": "00ff00", "mark": "h1", "width": 1.5, "order": 2},
        {"hue": "ff0000", "mark": "v1", "width": 2.5, "order": 1},
    ]
    found = {
        "x": {"label": label, "values": values, "words": [str(v) for v in values], "scale": scale},
        "metrics": [metric], "methods": methods,
        "variants": [{"label": "as run", "dash": ""}, {"label": "as written", "dash": "4 2"}],
        "panels": [{"title": f"panel {number}", "metric": 0} for number in range(panels)],
        "across": across, "choices": [], "constants": [], "levels": [],
        "points": [[*point[:5], None, None, 9, None, *point[5:]] for point in points],
    }  # fmt: skip
    return found | more


def drawn(content):
    """The size of a drawing, and each of its panels with the place of its corner."""
    root = ET.fromstring(static_svg(content, "words"))
    width, height = float(root.get("width")), float(root.get("height"))
    assert root.get("viewBox") == f"0 0 {width:g} {height:g}"
    corners = [re.search(rf"\({NUMBER} {NUMBER}\)", one.get("transform")) for one in root]
    places = [tuple(map(float, corner.groups())) for corner in corners]
    return (width, height), list(zip(places, root, strict=True))


def panel(content):
    ((_, found),) = drawn(content)[1]
    return found


def paths(within, name):
    return [one.get("d") for one in within.iter("path") if one.get("class") == name]


def places(d, letters="ML"):
    found = re.findall(rf"[{letters}]{NUMBER} {NUMBER}", d)
    return [tuple(map(float, pair)) for pair in found]


def marks(content):
    return [place for d in paths(panel(content), "marks") for place in places(d, "M")]


def texts(within):
    return {one.text: (float(one.get("x")), float(one.get("y"))) for one in within.iter("text")}


def axis(within):
    """Left end, right end and height of the horizontal axis."""
    (d,) = paths(within, "axis")
    return [float(one) for one in re.fullmatch(rf"M{NUMBER} {NUMBER}H{NUMBER}", d).group(1, 3, 2)]


@pytest.mark.parametrize(
    ("count", "across"), [(1, 1), (1, 4), (2, 2), (3, 2), (4, 4), (5, 3), (7, 4)]
)
def test_panels_stand_side_by_side_and_fill_the_drawing(count, across):
    points = [(number, 0, 0, 0, 0.5) for number in range(count)]
    (wide, high), [(corner, _)] = drawn(data(points[:1]))
    assert corner == (0, 0)
    (width, height), found = drawn(data(points, panels=count, across=across))
    columns = min(across, count)
    assert (width, height) == (columns * wide, math.ceil(count / columns) * high)
    assert [place for place, _ in found] == [
        (number % columns * wide, number // columns * high) for number in range(count)
    ]
    assert [f"panel {number}" in texts(one) for number, (_, one) in enumerate(found)] == (
        [True] * count
    )


def test_a_panel_without_points_takes_no_place():
    _, found = drawn(data([(2, 0, 0, 0, 0.5), (0, 0, 0, 0, 0.5)], panels=3))
    assert [next(iter(texts(one))) for _, one in found] == ["panel 0", "panel 2"]
    assert found[1][0][1] == 0.0


@pytest.mark.parametrize("label", ["size", "number of neighbours of a point that are found " * 3])
def test_words_stand_in_the_order_of_reading_and_inside_their_panel(label):
    (width, height), [(_, found)] = drawn(data([(0, 0, 0, 0, 0.5)], label=label))
    start, end, floor = axis(found)
    assert 0 < start < end < width
    at = texts(found)
    lines = [text for text in at if text not in {"panel 0", "share", "0", "quarter", "1", "2", "3"}]
    assert " ".join(lines) == " ".join(label.split())
    ceiling = min(y for d in paths(found, "grid") for _, y in places(d))
    heights = [at["panel 0"][1], at["share"][1], ceiling, floor, at["2"][1]]
    heights += [at[line][1] for line in lines]
    assert heights == sorted(set(heights))
    below = [b - a for a, b in itertools.pairwise(heights[4:])]
    assert below[1:] == [LINE] * (len(lines) - 1)
    assert LINE <= below[0] < 2 * LINE
    assert 0 < height - heights[-1] < LINE
    assert {at[line][0] for line in lines} == {(start + end) / 2}
    assert at["panel 0"][0] == at["share"][0] == start


@given(st.floats(-0.5, 1.5), st.booleans())
@settings(max_examples=15)
def test_a_number_stands_between_the_limits_in_its_proportion(value, log):
    low, high = (LOG if log else AXIS)["low"], 1.0
    kept = min(max(value, low), high)
    means = [low, value, high]
    content = data([(0, i, 0, 0, mean) for i, mean in enumerate(means)], log=log)
    (_, bottom), (_, found), (_, top) = marks(content)
    assert bottom == axis(panel(content))[2]
    assert top < bottom - 100
    part = math.log(kept / low) / math.log(high / low) if log else (kept - low) / (high - low)
    assert found == pytest.approx(bottom - part * (bottom - top), abs=0.06)


def test_a_tick_is_a_line_over_the_whole_panel_with_its_word_before_it():
    found = panel(data([(0, 0, 0, 0, 0.25)]))
    start, end, floor = axis(found)
    lines = [
        re.fullmatch(rf"M{NUMBER} {NUMBER}H{NUMBER}", d).groups() for d in paths(found, "grid")
    ]
    assert [(float(a), float(b)) for a, _, b in lines] == [(start, end)] * 3
    assert float(lines[0][1]) == floor
    assert float(lines[1][1]) == marks(data([(0, 0, 0, 0, 0.25)]))[0][1]
    x, y = texts(found)["quarter"]
    assert 0 < x < start
    assert 0 < y - float(lines[1][1]) < LINE / 2  # the letters' middle is at the line


@pytest.mark.parametrize(
    ("values", "scale", "along"),
    [
        ((1, 2, 10), "linear", lambda i, v: v),
        ((-5, 2, 10), "linear", lambda i, v: v),
        ((1, 2, 10), "log", lambda i, v: math.log(v)),
        ((0.1, 0.5, 10), "log", lambda i, v: math.log(v)),
        ((0, 2, 10), "log", lambda i, v: math.log(1 + v)),
        ((-1, 2, 10), "log", lambda i, v: i),
        ((1, 2, 10), "category", lambda i, v: i),
    ],
)
def test_values_stand_along_the_axis_as_its_scale_says(values, scale, along):
    content = data([(0, i, 0, 0, 0.5) for i in range(3)], values=values, scale=scale)
    first, middle, last = (x for x, _ in marks(content))
    parts = [along(i, value) for i, value in enumerate(values)]
    assert (middle - first) / (last - first) == pytest.approx(
        (parts[1] - parts[0]) / (parts[2] - parts[0]), abs=1e-3
    )
    start, end, _ = axis(panel(content))
    assert start < first < last < end
    assert first - start == pytest.approx(end - last)
    at = texts(panel(content))
    assert at[str(values[2])][0] == last


@pytest.mark.parametrize("scale", ["linear", "log", "category"])
def test_a_single_value_stands_in_the_middle_of_the_axis(scale):
    content = data([(0, 0, 0, 0, 0.5)], values=(7,), scale=scale)
    start, end, _ = axis(panel(content))
    assert marks(content)[0][0] == pytest.approx((start + end) / 2)


def test_a_line_joins_its_points_along_the_axis_in_whatever_order_they_come():
    points = [(0, 2, 0, 0, 0.2), (0, 0, 0, 0, 0.9), (0, 1, 0, 0, 0.5)]
    (d,) = paths(panel(data(points)), "line")
    assert re.sub(r"[^A-Z]", "", d) == "MLL"
    assert places(d) == marks(data(points)) == sorted(places(d))
    assert marks(data(points)) == marks(data(points[::-1]))


def test_what_is_on_top_is_drawn_last_and_each_line_has_its_look():
    points = [(0, 0, method, variant, 0.5) for method in (0, 1) for variant in (1, 0)]
    found = panel(data(points))
    groups = [one for one in found if one.tag == "g"]
    assert [one.get("class") for one in groups] == ["hue-ff0000"] * 2 + ["hue-00ff00"] * 2
    lines = [next(iter(one)) for one in groups]
    assert [one.get("stroke-width") for one in lines] == ["2.5"] * 2 + ["1.5"] * 2
    assert [one.get("stroke-dasharray") for one in lines] == ["4 2", "none"] * 2
    assert [d[-2:] for d in paths(found, "marks")] == ["v1"] * 2 + ["h1"] * 2
    alike = data(points)
    for look in alike["methods"]:
        look["order"] = 1
    groups = [one for one in panel(alike) if one.tag == "g"]
    # of two on one level the first of the config is on top
    assert [one.get("class") for one in groups] == ["hue-ff0000"] * 2 + ["hue-00ff00"] * 2


@given(
    st.lists(st.tuples(st.sampled_from([None, 0, 1]), st.sampled_from([None, 0, 1])), min_size=1),
    st.tuples(st.integers(-1, 1), st.integers(-1, 1)),
)
@settings(max_examples=15)
def test_what_is_selected_at_first_is_drawn_and_nothing_else(picks, starts):
    points = [(0, 1, 0, 0, 0.5, *pick) for pick in picks]
    levels = [[0, 0, [[0, 0.5]], *pick] for pick in picks]
    wanted = sum(
        all(one is None or start in (-1, one) for one, start in zip(pick, starts, strict=True))
        for pick in picks
    )
    choices = [{"start": start} for start in starts]
    whole = (0, 0, 0, 0, 0.5, None, None)  # a panel needs a point
    found = panel(data([whole, *points], choices=choices, levels=levels))
    (d,) = paths(found, "marks")
    assert len(places(d, "M")) == 1 + wanted
    assert len(paths(found, "constant constant-0")) == wanted


def test_a_constant_is_a_line_over_the_panel_and_other_levels_follow_the_points():
    points = [
        (number, i, 0, 0, level) for number in (0, 1) for i, level in enumerate((0.2, 0.8, 0.2))
    ]
    flat, bent = [[0, 0.8], [2, 0.8]], [[0, 0.2], [1, 0.8], [2, 0.2]]
    content = data(points, panels=2, levels=[[0, 0, flat], [3, 0, bent], [1, 1, bent]])
    _, [(_, first), (_, second)] = drawn(content)
    start, end, _ = axis(first)
    ours = places(paths(first, "line")[0])
    (d,) = paths(first, "constant constant-0")
    assert [float(one) for one in re.fullmatch(rf"M{NUMBER} {NUMBER}H{NUMBER}", d).groups()] == [
        start, ours[1][1], end,
    ]  # fmt: skip
    (d,) = paths(first, "constant constant-3")
    assert places(d) == ours
    assert paths(first, "constant constant-1") == []
    assert len(paths(second, "constant constant-1")) == 1


def test_intervals_and_published_values_stand_at_their_points():
    content = data([(0, i, 0, 0, 0.5) for i in range(3)])
    for i, (low, high, published) in enumerate(
        [(0.2, 0.9, 0.3), (None, None, None), (0.1, 0.6, 0.7)]
    ):
        content["points"][i][5:7], content["points"][i][8] = [low, high], published
    found = panel(content)
    at = [x for x, _ in marks(content)]
    bars = re.findall(rf"M{NUMBER} {NUMBER}V{NUMBER}", *paths(found, "bars"))
    down = [tuple(y for _, y in marks(data([(0, 0, 0, 0, a), (0, 1, 0, 0, b)])))
            for a, b in ((0.2, 0.9), (0.1, 0.6), (0.3, 0.7))]  # fmt: skip
    assert [tuple(map(float, bar)) for bar in bars] == [(at[0], *down[0]), (at[2], *down[1])]
    wanted = [(at[0], down[2][0]), (at[2], down[2][1])]
    (printed,), (rings,) = paths(found, "printed"), paths(found, "rings")
    assert places(printed) == places(rings, "M") == wanted
    assert re.sub(r"[^A-Z]", "", printed) == "ML"
    plain = panel(data([(0, 0, 0, 0, 0.5)]))
    assert [paths(plain, name) for name in ("bars", "printed", "rings")] == [[], [], []]


def test_words_along_the_axis_are_left_out_from_the_right_where_they_would_touch():
    values = ("a" * 10, "b" * 10, "c" * 10, "d" * 10, "e" * 10)
    points = [(0, i, 0, 0, 0.5) for i in range(5)]
    at = texts(panel(data(points, values=values, scale="category")))
    assert [word for word in values if word in at] == [values[0], values[2], values[4]]
    short = ("a", "b", "c", "d", "e")
    assert set(short) <= set(texts(panel(data(points, values=short, scale="category"))))
