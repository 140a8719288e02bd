"""Maps of neighbours: their layout, their colours, and what pictures and pages show."""

import base64
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.text import Text

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import find_neighbors
from geoforest_cli.tables.figures import row_map as mapping
from geoforest_cli.tables.figures.colors import MapColors, map_colors
from geoforest_cli.tables.figures.page import _content, map_page
from geoforest_cli.tables.figures.row_map import draw_map, lay_out, row_map, write_map
from geoforest_cli.tables.neighbor_lists import Neighbors
from tests.tables.helpers import map_of

GIVEN = {"k": 4, "method": "euclidean", "screen": None}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b", "c"], 20)
    points = rng.normal(size=(60, 3)) + 9 * np.arange(3).repeat(20)[:, None]
    return pd.DataFrame(points, columns=list("xyz")).assign(kind=kind, name=np.arange(100, 160))


@pytest.fixture
def quick(monkeypatch):
    """UMAP takes seconds to import."""

    def somewhere(distances, indices, seed):
        return np.random.default_rng(seed).normal(size=(len(indices), 2)), 1

    monkeypatch.setattr(mapping, "lay_out", somewhere)


def call(*args):
    return CliRunner().invoke(cli, [str(arg) for arg in args], catch_exceptions=False)


def column(values, name="v", label=False, **more):
    return map_colors(pd.Series(values, name=name, **more), label=label)


def content(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


@pytest.mark.nightly
def test_umap_lays_out_the_graph_it_is_given():
    """The graph says a ring; twice the same."""
    n = 60
    ring = np.arange(n)
    indices = np.c_[(ring + 1) % n, (ring - 1) % n, (ring + 2) % n, (ring - 2) % n]
    distances = np.tile([1.0, 1, 2, 2], (n, 1))
    first, parts = lay_out(distances, indices, seed=3)
    assert parts == 1
    steps = np.linalg.norm(first - np.roll(first, 1, axis=0), axis=1)
    across = np.linalg.norm(first - np.roll(first, n // 2, axis=0), axis=1)
    assert np.median(steps) < np.median(across) / 3
    assert np.array_equal(lay_out(distances, indices, seed=3)[0], first)
    assert not np.array_equal(lay_out(distances, indices, seed=4)[0], first)
    # what is infinitely far is no neighbour
    distances[:, 3] = np.inf
    assert np.isfinite(lay_out(distances, indices, seed=3)[0]).all()


@pytest.mark.parametrize("n", [2, 3, 4, 12])
def test_tables_of_a_few_rows_have_a_layout(n):
    indices = np.array([[other for other in range(n) if other != row] for row in range(n)])
    places, _ = lay_out(np.ones(indices.shape), indices, 0)
    assert len(np.unique(places.round(9), axis=0)) > n // 2


def test_parts_without_connection_are_apart_and_counted():
    rng = np.random.default_rng(0)
    sizes = [40, 25, 30, 20, 1]
    parts = np.repeat(range(5), sizes)
    indices = np.array([rng.choice(np.flatnonzero(parts == part), 3) for part in parts])
    distances = np.ones(indices.shape)
    distances[-1] = np.inf
    places, count = lay_out(distances, indices, 0)
    assert count == 5
    assert np.isfinite(places).all()
    centres = np.array([places[parts == part].mean(axis=0) for part in range(4)])
    nearest = np.linalg.norm(places[:-1, None] - centres, axis=2).argmin(axis=1)
    assert (nearest == parts[:-1]).mean() > 0.9


def test_labels_have_a_colour_for_each_class_numbers_a_scale():
    digits = [3, 1, 10, 1, 3]
    classes = column(digits, label=True)
    assert [entry.name for entry in classes.entries] == ["1", "3", "10"]
    assert classes.codes.tolist() == [1, 0, 2, 0, 1]
    scale = column(digits)
    assert scale.entries == ()
    assert scale.values.tolist() == digits
    # text that is mostly numbers is numbers
    mixed = column(["1.5", "?", "2.5", "4"])
    assert np.isnan(mixed.values).tolist() == [False, True, False, False]
    assert mixed.texts[1] == "missing"
    assert [entry.name for entry in column([True, False, True]).entries] == ["False", "True"]
    colors = column([1.23456789, -np.inf, np.nan, 1234567.0, 20])
    assert colors.texts == ["1.23457", "-inf", "missing", "1.23457e+06", "20"]


@pytest.mark.parametrize(("different", "classes"), [(20, True), (21, False)])
def test_a_label_of_up_to_twenty_numbers_has_classes(different, classes):
    assert bool(column(range(different), label=True).entries) == classes
    assert not column(range(different)).entries


def test_a_legend_of_eleven_classes_has_ten_and_the_rest():
    """The smaller of two classes of one size is the later one; the names stand in order."""
    words = [word for word, times in zip("kabcdefghij", [2, *[3] * 9, 2], strict=True)
             for _ in range(times)]  # fmt: skip
    colors = column([*words, None])
    assert [entry[:2] for entry in colors.entries] == [
        *[(word, 3) for word in "abcdefghi"], ("j", 2), ("1 others", 2), ("missing", 1),
    ]  # fmt: skip
    shown = [colors.entries[code].name for code in colors.codes]
    assert shown == [*("1 others" if word == "k" else word for word in words), "missing"]
    assert colors.texts == [*words, "missing"]
    assert len({entry.color for entry in colors.entries}) == 12


def test_a_scale_leaves_one_number_in_a_hundred_out_at_each_end():
    assert column(range(101)).limits == (1, 99)
    shuffled = np.random.default_rng(0).permutation(1000).astype(float)
    assert column([*shuffled, np.nan, np.inf]).limits == pytest.approx((9.99, 989.01))
    # where all but few are one number, its ends are the extremes
    assert column([0.0] * 300 + [7.0]).limits == (0, 7)
    assert column([3.0, 3.0]).limits == (2.5, 3.5)
    assert column([np.nan, np.inf]).limits == (-0.5, 0.5)


# Machado, Oliveira and Fernandes (2009), severity 1
SIGHT = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}  # fmt: skip


def _light(color):
    parts = np.array(to_rgb(color))
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def _lab(color, sight):
    seen = np.clip(np.array(SIGHT[sight]) @ _light(color), 0, 1)
    xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]] @ seen
    x, y, z = np.cbrt(np.maximum(xyz / [0.9505, 1, 1.089], 0.0088))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_are_apart_for_every_sight_on_both_pages(sight):
    colors = [entry.color for entry in column([f"w{i}" for i in range(10)]).entries]
    places = [_lab(color, sight) for color in colors]
    gaps = [np.linalg.norm(a - b) for i, a in enumerate(places) for b in places[:i]]
    assert min(gaps) >= 13
    dark, *shown = (
        0.05 + _light(color) @ [0.2126, 0.7152, 0.0722] for color in ("#14171a", *colors)
    )
    assert min(max(luminance, dark) / min(luminance, dark) for luminance in shown) > 1.5
    assert min(1.05 / luminance for luminance in shown) > 1.4


def test_points_of_a_picture():
    rows = map_of([*np.arange(98.0), np.nan, np.nan], 100, label=False)
    values = rows.colors.values
    figure = draw_map(rows)
    axes, bar = figure.axes
    grey, shown = axes.collections
    missing = {tuple(point) for point in rows.places[98:]}
    assert {tuple(point) for point in grey.get_offsets().data} == missing
    value = {tuple(point): v for point, v in zip(rows.places, values, strict=True)}
    drawn = [tuple(point) for point in shown.get_offsets().data]
    assert shown.get_array().tolist() == [value[point] for point in drawn]
    assert drawn != [tuple(point) for point in rows.places[:98]]
    assert (shown.norm.vmin, shown.norm.vmax) == rows.colors.limits
    assert shown.get_alpha() == pytest.approx(1.25 - 0.2 * 2)
    assert bar.get_ylabel() == "kind (grey: 2 missing)"
    assert axes.get_title(loc="left") == "a title"
    assert figure.get_supxlabel() == "a caption"
    assert axes.get_aspect() == 1


@pytest.mark.parametrize(
    ("n", "size", "alpha", "raster"),
    [(10, 36, 0.95, False), (1000, 9, 0.65, False), (4001, 9000 / 4001, 1.25 - 0.2 * np.log10(4001), True),
     (40_000, 1, 0.35, True)],
)  # fmt: skip
def test_points_of_more_rows_are_smaller_and_fainter(n, size, alpha, raster):
    (points,) = draw_map(map_of(n=n)).axes[0].collections
    assert points.get_sizes()[0] == pytest.approx(size)
    assert points.get_alpha() == pytest.approx(alpha)
    assert bool(points.get_rasterized()) == raster
    assert to_hex(points.get_facecolor()[0]).upper() == "#0072B2"


def test_classes_have_a_legend():
    rows = map_of(["a", "b"] * 30, 60)
    colors = rows.colors
    figure = draw_map(rows)
    (axes,), (legend,) = figure.axes, figure.legends
    words = [f"{entry.name} ({entry.rows})" for entry in colors.entries]
    assert [text.get_text() for text in legend.get_texts()] == words
    shown = [to_hex(key.get_color()).upper() for key in legend.legend_handles]
    assert shown == [entry.color for entry in colors.entries]
    (points,) = axes.collections
    color = {
        tuple(point): colors.entries[code].color
        for point, code in zip(rows.places, colors.codes, strict=True)
    }
    wanted = [to_rgba(color[tuple(p)], points.get_alpha()) for p in points.get_offsets().data]
    np.testing.assert_allclose(points.get_facecolor(), wanted)


def test_no_text_of_a_map_is_a_formula_or_longer_than_its_place():
    rows = map_of(["$a$", "$b$" + "x" * 40], 120, title="$t$")._replace(caption="$c$")
    texts = [text for text in draw_map(rows).findobj(Text) if "$" in text.get_text()]
    assert len(texts) >= 4
    assert not any(text.get_parse_math() for text in texts)
    assert max(len(text.get_text()) for text in texts) < 30


def test_the_content_of_a_page():
    places = [[1.0, 5.0], [3.0, 5.5], [2.0, 6.0]]
    assert _content(map_of(["b", "a", "b"], ids=["p", "q", "r\n"], places=places)) == {
        "x": [0, 10_000, 5000],
        "y": [5000, 2500, 0],
        "ids": ["p", "q", "r\\n"],
        "identifier": "id",
        "name": "kind",
        "entries": [
            {"name": "a", "rows": 1, "color": "#0072B2"},
            {"name": "b", "rows": 2, "color": "#D55E00"},
        ],
        "codes": [1, 0, 1],
        "words": ["a", "b"],
        "texts": [1, 0, 1],
    }
    unnamed = _content(map_of(["b", "a", "b"], places=np.ones((3, 2))))
    assert unnamed["identifier"] == "row"
    assert unnamed["x"] == unnamed["y"] == [0, 0, 0]
    # the script takes codes of which there is one for each row, or none
    assert MapColors().codes.tolist() == []


def test_a_scale_of_a_page_has_64_shades_and_one_for_missing():
    rows = map_of(n=5)
    colors = MapColors("v", list("abcde"), values=np.array([0, 63, 31.4, 99, np.nan]),
                       limits=(0.0, 63.0))  # fmt: skip
    page_content = _content(rows._replace(colors=colors))
    assert page_content["codes"] == [0, 63, 31, 63, 64]
    scale = page_content["scale"]
    assert (scale["low"], scale["high"], len(set(scale["colors"]))) == ("0", "63", 64)


def test_a_page_is_one_file_without_addresses_or_harmful_text():
    bad = '</script><img src=x onerror="document.title=1">'
    ids = [bad, "&amp;", "\ud800", "\x1b[2J", "ü"]
    page = map_page(map_of([bad, "b", "b", None, "c"], 5, ids=ids, title=bad))
    assert "<img" not in page
    assert not re.search(r"(?:https?:)?//\w|@import|url\(", page)
    assert page.count("<script") == page.count("</script>") == 2
    data = content(page)
    assert data["ids"] == [bad, "&amp;", r"\ud800", r"\x1b[2J", "ü"]
    assert [data["words"][i] for i in data["texts"]] == [bad, "b", "b", "missing", "c"]
    outside = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"\son\w+=\"|style=", outside)
    assert "<noscript>" in page
    for kind in ("script", "style"):
        text = re.findall(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL)[-1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in page.replace("&#39;", "'")


@pytest.mark.parametrize(
    ("n", "k", "columns", "source", "title"),
    [
        (4, 1, ("x",), None, "4 rows: 1 neighbour each, by 1 column"),
        (1200, 2, ("x", "y"), Path("a/t.csv"), "1,200 rows of t.csv: 2 neighbours each, by 2 columns"),
    ],
)  # fmt: skip
def test_the_title_and_the_caption_of_a_map(n, k, columns, source, title):
    lists = np.zeros((n, k), int)
    result = Neighbors(pd.Series(range(n)), np.ones((n, k)), lists, columns, source=source)
    rows = row_map(result, np.zeros((n, 2)), 1, MapColors("z"))
    assert rows.title == title
    said = "UMAP's layout of the neighbours. Axes and long distances have no meaning."
    assert rows.caption == said
    caption = row_map(result, rows.places, 3, MapColors("x")).caption
    assert caption == (
        f"{said} No neighbours connect its 3 parts. The colour is one of the columns compared."
    )


def test_what_colours_a_map():
    table = pd.DataFrame({"kind": [1, 2, 1, 2, 9], "x": [0.5, 1, 2, 3, 9]})
    given = pd.Series(range(4)), np.ones((4, 1)), np.ones((4, 1), int), ("x",)
    result = Neighbors(*given, label="kind", table=table, rows=np.array([3, 2, 1, 0]))
    assert mapping._colors(result, None).texts == ["2", "1", "2", "1"]
    assert [entry.name for entry in mapping._colors(result, None).entries] == ["1", "2"]
    assert mapping._colors(result, "x").values.tolist() == [3, 2, 1, 0.5]
    none = mapping._colors(Neighbors(*given), None)
    assert (none.name, none.texts, none.entries) == ("", [""] * 4, ())
    with pytest.raises(DataError, match="unknown column 'knd'; did you mean 'kind'"):
        mapping._colors(result, "knd")


def test_maps_from_the_command_line(frame, tmp_path, quick):
    """The neighbours are those without a map, byte for byte; a colour alone stays a feature."""
    table = tmp_path / "t.csv"
    frame.to_csv(table, index=False)
    args = ["neighbors", table, "-k", 4, "--method", "euclidean", "--id", "name"]
    args += ["--label", "kind", "--screen", "none"]
    plain, drawn = tmp_path / "plain.csv", tmp_path / "drawn.csv"
    assert call(*args, "-o", plain).exit_code == 0
    page = tmp_path / "map.html"
    done = call(*args, "-o", drawn, "--picture", page, "--color", "x")
    assert done.exit_code == 0, done.output
    assert plain.read_bytes() == drawn.read_bytes()
    assert "Used, 3 of 5 columns: x, y, z." in done.stderr
    data = content(page.read_text())
    assert data["identifier"] == "name"
    assert data["ids"] == [str(i) for i in range(100, 160)]
    assert data["name"] == "x"
    assert "The colour is one of the columns compared." in page.read_text()
    # by default the label; only a map is enough
    done = call(*args, "--picture", page, "--exclude", "x")
    assert done.exit_code == 0, done.output
    assert [entry["name"] for entry in content(page.read_text())["entries"]] == ["a", "b", "c"]
    done = call(*args, "--picture", page, "--color", "x", "--exclude", "x")
    assert "Used, 2 of 5 columns: y, z." in done.stderr
    assert "one of the columns compared" not in page.read_text()
    first = page.read_bytes()
    call(*args, "--picture", page, "--color", "x", "--exclude", "x")
    assert page.read_bytes() == first


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--picture", "m.html", "--color", "knd"], "--color knd: unknown column 'knd'; did you mean 'kind'"),
        (["--picture", "m.gif"], "a picture is .png, .svg, .pdf or .html, not '.gif'"),
        (["--picture", "nowhere/m.png"], "there is no folder nowhere"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_map_is_said_before_the_search(
    frame, tmp_path, monkeypatch, more, words
):
    monkeypatch.chdir(tmp_path)
    frame.to_csv("t.csv", index=False)
    with pytest.raises(DataError, match=re.escape(words)):
        call("neighbors", "t.csv", "-o", "o.csv", *more)
    assert not (tmp_path / "o.csv").exists()


def test_a_map_for_each_group(tmp_path, quick):
    angle = np.random.default_rng(0).uniform(0, 6, (2, 200))
    circles = pd.DataFrame(np.c_[np.cos(angle.T), np.sin(angle.T)], columns=["a", "b", "c", "d"])
    circles.to_csv(tmp_path / "t.csv", index=False)
    done = call(
        "neighbors", tmp_path / "t.csv", "-k", 3, "--method", "euclidean", "--group", "each",
        "--picture", tmp_path / "m.svg",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.glob("*.svg")) == ["m_group1.svg", "m_group2.svg"]


def test_colours_of_rows_that_are_left(frame, quick, tmp_path):
    gaps = frame.assign(x=frame["x"].where(frame.index != 5))
    result = find_neighbors(gaps, exclude=["name", "kind"], missing="drop", **GIVEN)
    write_map(result, tmp_path / "m.html", "name")
    page = content((tmp_path / "m.html").read_text())
    assert [page["words"][i] for i in page["texts"]] == [
        str(i) for i in range(100, 160) if i != 105
    ]
