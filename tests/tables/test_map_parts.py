"""The parts of a map one by one: colours, places, the picture, the page, what is said of it."""

import base64
import hashlib
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text

from geoforest_cli.core.errors import UserError
from geoforest_cli.tables import Neighbors, map_files
from geoforest_cli.tables.map_colors import MapColors, map_colors
from geoforest_cli.tables.map_figure import COLOR_MAP, RowMap, draw_map
from geoforest_cli.tables.map_files import row_map
from geoforest_cli.tables.map_layout import MapLayout, spectral_layout
from geoforest_cli.tables.map_page import _content, map_page


def neighbors(n=4, k=1, columns=("x",), **more):
    indices = (np.arange(n)[:, None] + np.arange(1, k + 1)) % n
    return Neighbors(pd.Series(range(n)), np.ones((n, k)), indices, columns, **more)


def rows_of(colors, places=None, ids=None, title="a title", caption="a caption"):
    if places is None:
        places = np.random.default_rng(1).normal(size=(len(colors.texts), 2))
    ids = pd.Series(range(len(places))) if ids is None else ids
    return RowMap(title, ids, MapLayout(np.array(places, float), "UMAP"), colors, caption)


def column(values, name="v", label=False, **more):
    return map_colors(pd.Series(values, name=name, **more), label=label)


def test_a_scale_leaves_one_number_in_a_hundred_out_at_each_end():
    assert column(range(101)).limits == (1, 99)
    shuffled = np.random.default_rng(0).permutation(1000).astype(float)
    assert column([*shuffled, np.nan, np.inf]).limits == pytest.approx((9.99, 989.01))
    # where all but few are one number, its ends are the extremes
    assert column([0.0] * 300 + [7.0]).limits == (0, 7)
    assert column([3.0, 3.0]).limits == (2.5, 3.5)
    assert column([np.nan, np.inf]).limits == (-0.5, 0.5)


def test_numbers_are_told_with_six_digits():
    found = column([1.23456789, -np.inf, np.nan, 1234567.0, 20])
    assert found.texts == ["1.23457", "-inf", "missing", "1.23457e+06", "20"]
    np.testing.assert_array_equal(found.values, [1.23456789, np.nan, np.nan, 1234567.0, 20])
    assert found.entries == ()
    assert found.name == "v"


@pytest.mark.parametrize(("different", "classes"), [(20, True), (21, False)])
def test_a_label_of_up_to_twenty_numbers_has_classes(different, classes):
    assert bool(column(range(different), label=True).entries) == classes
    assert not column(range(different)).entries


def test_a_legend_of_eleven_classes_has_ten_and_the_rest():
    """The smaller of two classes of one size is the later one; the names stand in order."""
    words = [word for word, times in zip("kabcdefghij", [2, *[3] * 9, 2], strict=True)
             for _ in range(times)]  # fmt: skip
    found = column([*words, None])
    assert [entry[:2] for entry in found.entries] == [
        *[(word, 3) for word in "abcdefghi"], ("j", 2), ("1 others", 2), ("missing", 1),
    ]  # fmt: skip
    assert [entry.pooled for entry in found.entries] == [False] * 10 + [True, True]
    assert [entry.color for entry in found.entries[-2:]] == ["#808080", "#B8B8B8"]
    assert [entry.dark for entry in found.entries[-2:]] == ["#808080", "#5A5A5A"]
    shown = [found.entries[code].name for code in found.codes]
    assert shown == [*("1 others" if word == "k" else word for word in words), "missing"]
    assert found.texts == [*words, "missing"]
    assert len({entry.color for entry in found.entries}) == 12


def test_classes_that_are_numbers_stand_in_the_order_of_numbers():
    found = column([10, 9, 0.5, None, 10], label=True)
    assert [entry[:2] for entry in found.entries] == [
        ("0.5", 1), ("9", 1), ("10", 2), ("missing", 1)
    ]  # fmt: skip
    assert found.codes.tolist() == [2, 1, 0, 3, 2]


def ring(rows):
    return {row: rows[(place + 1) % len(rows)] for place, row in enumerate(rows)}


def test_parts_of_a_map_stand_on_shelves_the_largest_first():
    """Sides of 3, 2, 1 and 1, gaps of 0.3 of a side, a width of 1.3 times the root of 15 rows."""
    parts = [[0], [1, 4, 5, 6], [2], [3, *range(7, 15)]]
    follow = {row: near for part in parts for row, near in ring(part).items()}
    indices = np.array([[follow[row]] for row in range(15)])
    distances = np.ones((15, 1))
    distances[[0, 2]] = np.inf
    places = spectral_layout(distances, indices, 0)
    low = [places[part].min(axis=0) for part in parts]
    high = [places[part].max(axis=0) for part in parts]
    np.testing.assert_allclose(low[3], [0, 0], atol=1e-9)
    np.testing.assert_allclose(high[3], [3, 3])
    # 3.9 + 2 is more than 5.03: the next shelf
    np.testing.assert_allclose(low[1], [0, 3.9], atol=1e-9)
    np.testing.assert_allclose(high[1], [2, 5.9])
    alone = (1 + np.array([np.cos(0.5), np.sin(0.5)])) / 2
    np.testing.assert_allclose(places[0] - alone, [2.6, 3.9])
    np.testing.assert_allclose(places[2] - alone, [3.9, 3.9])


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_rows_stand_on_a_circle(n):
    indices = np.array([[(row + 1) % n] for row in range(n)])
    places = 2 * (spectral_layout(np.ones((n, 1)), indices, 0) / np.sqrt(n)) - 1
    turn = 0.5 + 2 * np.pi * np.arange(n) / n
    np.testing.assert_allclose(places, np.c_[np.cos(turn), np.sin(turn)], atol=1e-9)


def test_points_of_a_picture():
    values = np.r_[np.arange(98.0), np.nan, np.nan]
    rows = rows_of(column(values))
    figure = draw_map(rows)
    assert figure.get_size_inches().tolist() == [6.8, 5.4]
    axes, bar = figure.axes
    grey, shown = axes.collections
    missing = {tuple(place) for place in rows.layout.places[98:]}
    assert {tuple(place) for place in grey.get_offsets().data} == missing
    assert to_hex(grey.get_facecolor()[0]) == "#c8c8c8"
    value = {tuple(place): v for place, v in zip(rows.layout.places, values, strict=True)}
    drawn = [tuple(place) for place in shown.get_offsets().data]
    assert shown.get_array().tolist() == [value[place] for place in drawn]
    assert drawn != [tuple(place) for place in rows.layout.places[:98]]
    assert (shown.norm.vmin, shown.norm.vmax) == rows.colors.limits
    assert shown.get_cmap().name == COLOR_MAP == "viridis"
    assert shown.get_sizes().tolist() == [36]
    assert shown.get_alpha() == pytest.approx(1.25 - 0.2 * 2)
    assert not shown.get_rasterized()
    assert shown.get_linewidths()[0] == 0
    assert bar.get_ylabel() == "v (grey: 2 missing)"
    assert axes.get_title(loc="left") == "a title"
    assert [text.get_text() for text in figure.texts] == ["a caption"]
    assert axes.get_xticks().tolist() == axes.get_yticks().tolist() == []
    assert not any(spine.get_visible() for spine in axes.spines.values())
    assert axes.get_aspect() == 1


@pytest.mark.parametrize(
    ("n", "size", "alpha", "raster"),
    [(10, 36, 0.95, False), (1000, 9, 0.65, False), (4000, 2.25, 1.25 - 0.2 * np.log10(4000), False),
     (4001, 9000 / 4001, 1.25 - 0.2 * np.log10(4001), True), (40_000, 1, 0.35, True)],
)  # fmt: skip
def test_points_of_more_rows_are_smaller_and_fainter(n, size, alpha, raster):
    (points,) = draw_map(rows_of(MapColors(texts=[""] * n))).axes[0].collections
    assert points.get_sizes()[0] == pytest.approx(size)
    assert points.get_alpha() == pytest.approx(alpha)
    assert bool(points.get_rasterized()) == raster
    assert to_hex(points.get_facecolor()[0]).upper() == "#0072B2"


@pytest.mark.parametrize(
    ("values", "ends"),
    [([0, 1, 2], "neither"), ([-9, 0, 2], "min"), ([0, 2, 9], "max"), ([-9, 1, 9], "both")],
)
def test_a_scale_has_a_tip_where_numbers_lie_beyond(values, ends, monkeypatch):
    told = []
    real = Figure.colorbar
    monkeypatch.setattr(
        Figure, "colorbar", lambda *args, **more: told.append(more) or real(*args, **more)
    )
    values = np.array(values, float)
    colors = MapColors("v", [""] * 3, values=values, limits=(0.0, 2.0))
    _, bar = draw_map(rows_of(colors)).axes
    assert told[0]["extend"] == ends
    assert bar.get_ylabel() == "v"


@pytest.mark.parametrize(("n", "named"), [(99, False), (100, True)])
def test_classes_are_named_where_they_lie_from_a_hundred_rows_on(n, named):
    colors = column(["a", "b"] * (n // 2) + [None] * (n % 2))
    rows = rows_of(colors)
    (axes,) = draw_map(rows).axes
    assert [text.get_text() for text in axes.texts] == (["a", "b"] if named else [])
    legend = axes.get_legend()
    told = [f"{entry.name} ({entry.rows})" for entry in colors.entries]
    assert [text.get_text() for text in legend.get_texts()] == told
    assert legend.get_title().get_text() == "v"
    shown = [to_hex(key.get_color()).upper() for key in legend.legend_handles]
    assert shown == [entry.color for entry in colors.entries]
    (points,) = axes.collections
    color = {
        tuple(place): colors.entries[code].color
        for place, code in zip(rows.layout.places, colors.codes, strict=True)
    }
    wanted = [to_rgba(color[tuple(p)], points.get_alpha()) for p in points.get_offsets().data]
    np.testing.assert_allclose(points.get_facecolor(), wanted)
    one = draw_map(rows_of(column(["a"] * n))).axes[0]
    assert len(one.texts) == 0
    assert one.get_legend() is not None


def test_the_content_of_a_page():
    places = [[1.0, 5.0], [3.0, 5.5], [2.0, 6.0]]
    ids = pd.Series(["p", "q", "r\n"], name="who")
    found = _content(rows_of(column(["b", "a", "b"], "kind"), places, ids))
    assert found == {
        "x": [0, 10_000, 5000],
        "y": [5000, 2500, 0],
        "ids": ["p", "q", "r\\n"],
        "identifier": "who",
        "name": "kind",
        "entries": [
            {"name": "a", "rows": 1, "color": "#0072B2", "dark": "#0072B2", "pooled": False},
            {"name": "b", "rows": 2, "color": "#D55E00", "dark": "#D55E00", "pooled": False},
        ],
        "codes": [1, 0, 1],
        "words": ["a", "b"],
        "texts": [1, 0, 1],
    }
    unnamed = _content(rows_of(column(["b", "a", "b"]), np.ones((3, 2))))
    assert unnamed["identifier"] == "row"
    assert unnamed["x"] == unnamed["y"] == [0, 0, 0]


def test_a_scale_of_a_page_has_64_shades_and_one_for_missing_numbers():
    colors = MapColors("v", list("abcde"), values=np.array([0, 63, 31.4, 99, np.nan]),
                       limits=(0.0, 63.0))  # fmt: skip
    found = _content(rows_of(colors))
    assert found["codes"] == [0, 63, 31, 63, 64]
    scale = found["scale"]
    assert (scale["low"], scale["high"]) == ("0", "63")
    assert [len(scale[kind]) for kind in ("light", "dark")] == [64, 64]
    assert scale["light"][0] == "#440154"
    assert scale["light"][-1] != scale["dark"][-1] == "#fde725"


def test_a_page_allows_its_own_script_and_style_alone():
    page = map_page(rows_of(column(["b", "<a&", "b"]), title="<T>"))
    for kind, element in (("script", "script"), ("style", "style")):
        text = re.findall(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)[-1]
        own = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{own}'" in page.replace("&#39;", "'")
    assert "&lt;T&gt;" in page
    assert r"\u003ca\u0026" in page


@pytest.mark.parametrize(
    ("n", "k", "columns", "source", "title"),
    [
        (4, 1, ("x",), None, "4 rows: 1 neighbour each, by 1 column"),
        (1200, 2, ("x", "y"), Path("a/t.csv"), "1,200 rows of t.csv: 2 neighbours each, by 2 columns"),
    ],
)  # fmt: skip
def test_the_title_of_a_map(n, k, columns, source, title):
    found = neighbors(n, k, columns, source=source)
    rows = row_map(found, MapLayout(np.zeros((n, 2)), "UMAP"), MapColors("z"))
    assert rows.title == title
    assert rows.caption == (
        "UMAP's layout of the neighbours. Axes and long distances have no meaning."
    )
    assert rows.ids is found.ids


@pytest.mark.parametrize("name", ["x", "kind", "kind=a"])
def test_a_colour_among_the_compared_columns_is_told(name):
    found = neighbors(columns=("x", "kind=a", "kind=b"))
    rows = row_map(found, MapLayout(np.zeros((4, 2)), "spectral"), MapColors(name))
    assert rows.caption == (
        "Spectral layout of the neighbours. Axes and long distances have no meaning. The colour is "
        "one of the columns compared."
    )


def test_what_colours_a_map(monkeypatch):
    table = pd.DataFrame({"kind": [1, 2, 1, 2, 9], "x": [0.5, 1, 2, 3, 9]})
    found = neighbors(label="kind", table=table, rows=np.array([3, 2, 1, 0]))
    assert map_files._colors(found, None).texts == ["2", "1", "2", "1"]
    assert [entry.name for entry in map_files._colors(found, None).entries] == ["1", "2"]
    assert map_files._colors(found, "kind").entries
    assert map_files._colors(found, "x").values.tolist() == [3, 2, 1, 0.5]
    given = map_files._colors(found, [4, 3, 2, 1])
    assert (given.name, given.entries, given.texts) == ("value", (), ["4", "3", "2", "1"])
    assert map_files._colors(found, pd.Series([4, 3, 2, 1], name="w")).name == "w"
    none = map_files._colors(neighbors(), None)
    assert (none.name, none.texts, none.entries) == ("", [""] * 4, ())
    with pytest.raises(UserError, match=r"^color='x': these neighbours come without"):
        map_files._colors(neighbors(), "x")


def test_rows_of_one_colour_have_no_codes():
    """The script takes codes of which there is one for each row, or none."""
    assert MapColors().codes.tolist() == []


def test_shades_of_a_page_are_equal_steps_of_one_scale():
    """On a light page without the lightest, on a dark one without the darkest."""
    scale = _content(rows_of(column([1.0, 2.0, 4.0])))["scale"]
    for kind, low, high in (("light", 0.0, 0.93), ("dark", 0.2, 1.0)):
        steps = low + (high - low) * np.arange(64) / 63
        assert scale[kind] == [to_hex(colormaps["viridis"](step)) for step in steps]


def test_a_legend_stands_at_the_right_of_the_points():
    figure = draw_map(rows_of(column(["a", "b"] * 60)))
    renderer = FigureCanvasAgg(figure).get_renderer()
    (axes,) = figure.axes
    points = axes.get_window_extent(renderer)
    legend = axes.get_legend().get_window_extent(renderer)
    assert points.x1 < legend.x0 < legend.x1 <= figure.bbox.x1
    assert legend.y1 == pytest.approx(points.y1, abs=2)


@pytest.mark.parametrize("letters", [22, 23])
def test_names_of_a_map_have_22_letters_at_most(letters):
    whole = "".join(chr(ord("a") + place) for place in range(letters))
    shown = whole if letters == 22 else f"{whole[:13]}…{whole[-8:]}"
    axes = draw_map(rows_of(column([whole, "b"] * 60, whole))).axes[0]
    legend = axes.get_legend()
    assert axes.texts[0].get_text() == legend.get_title().get_text() == shown
    assert legend.get_texts()[0].get_text() == f"{shown} (60)"
    _, bar = draw_map(rows_of(column([1.0, 2.0, 4.0], whole))).axes
    assert bar.get_ylabel() == shown


@pytest.mark.parametrize("n", [4, 12, 30])
def test_rows_of_a_chain_lie_in_its_order(n):
    """Whichever of two rows lists the other, they are neighbours."""
    order = np.random.default_rng(n).permutation(n)
    indices = np.empty((n, 1), int)
    indices[order] = np.r_[order[1:], order[-2]][:, None]
    places = spectral_layout(np.ones((n, 1)), indices, 0)[order]
    steps = np.diff(places, axis=0)
    assert ((steps > 0).all(axis=0) | (steps < 0).all(axis=0)).any()
    side = np.sqrt(n)
    np.testing.assert_allclose(places.min(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(places.max(axis=0), side)


def test_the_parts_of_a_map_do_not_depend_on_the_order_of_rows():
    sizes = [5, 9, 4, 4, 1, 6, 2]
    follow, start = [], 0
    for size in sizes:
        follow += [start + (row + 1) % size for row in range(size)]
        start += size
    parts = np.repeat(np.arange(len(sizes)), sizes)
    order = np.random.default_rng(0).permutation(len(follow))
    where = np.argsort(order)
    boxes = []
    for near, of_part in (
        (np.array(follow), parts),
        (where[np.array(follow)[order]], parts[order]),
    ):
        places = spectral_layout(np.ones((len(near), 1)), near[:, None], 0)
        spans = [np.ptp(places[of_part == part], axis=0) for part in range(len(sizes))]
        boxes.append(np.round([spans[part] for part in (0, 1, 5)], 6).tolist())
        # parts of four rows and more fill a square of as many units of area as they have rows
        np.testing.assert_allclose(boxes[-1], np.sqrt([[5, 5], [9, 9], [6, 6]]), atol=1e-6)


def test_no_text_of_a_map_is_a_formula():
    for values in (["$a$", "$b$"] * 60, [1.0, 2.0, 4.0]):
        figure = draw_map(rows_of(column(values, "$k$"), title="$t$", caption="$c$"))
        texts = [text for text in figure.findobj(Text) if "$" in text.get_text()]
        assert len({text.get_text() for text in texts}) == (7 if len(values) > 3 else 3)
        assert not any(text.get_parse_math() for text in texts)
