"""Maps of neighbours: their layout, their colours, and what pictures and pages show."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables import find_neighbors, map_layout
from geoforest_cli.tables.map_colors import map_colors
from geoforest_cli.tables.map_figure import RowMap, draw_map
from geoforest_cli.tables.map_layout import MapLayout, lay_out, spectral_layout
from geoforest_cli.tables.map_page import map_page

GIVEN = {"k": 4, "method": "euclidean", "screen": None}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b", "c"], 20)
    points = rng.normal(size=(60, 3)) + 9 * np.arange(3).repeat(20)[:, None]
    return pd.DataFrame(points, columns=list("xyz")).assign(kind=kind, name=np.arange(100, 160))


@pytest.fixture
def no_umap(monkeypatch):
    """UMAP takes seconds to import."""

    def stop(*_):
        raise ImportError("no module named umap")

    monkeypatch.setattr(map_layout, "_umap", stop)


def call(*args):
    return CliRunner().invoke(cli, [str(one) for one in args], catch_exceptions=False)


def page_of(colors, ids=None, n=5):
    places = np.random.default_rng(0).normal(size=(n, 2))
    names = pd.Series(range(n)) if ids is None else pd.Series(ids, name="id", dtype=object)
    return RowMap("a title", names, MapLayout(places, "UMAP"), colors, "a caption")


def content(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_umap_lays_out_the_graph_it_is_given(frame):
    """The columns say three clusters, the graph says a ring; twice the same."""
    n = 60
    ring = np.arange(n)
    indices = np.c_[(ring + 1) % n, (ring - 1) % n, (ring + 2) % n, (ring - 2) % n]
    distances = np.tile([1.0, 1, 2, 2], (n, 1))
    first = lay_out(distances, indices, seed=3)
    assert first.method == "UMAP"
    assert first.note == ""
    steps = np.linalg.norm(first.places - np.roll(first.places, 1, axis=0), axis=1)
    across = np.linalg.norm(first.places - np.roll(first.places, n // 2, axis=0), axis=1)
    assert np.median(steps) < np.median(across) / 3
    assert np.array_equal(lay_out(distances, indices, seed=3).places, first.places)
    assert not np.array_equal(lay_out(distances, indices, seed=4).places, first.places)
    # what is infinitely far is no neighbour
    distances[:, 3] = np.inf
    assert np.isfinite(lay_out(distances, indices, seed=3).places).all()


@pytest.mark.parametrize("n", [2, 3, 4, 12])
def test_tables_of_a_few_rows_have_a_layout(n):
    indices = np.array([[other for other in range(n) if other != row] for row in range(n)])
    places = spectral_layout(np.ones(indices.shape), indices, 0)
    assert len(np.unique(places.round(9), axis=0)) > n // 2
    assert lay_out(np.ones(indices.shape), indices, 0).method == "UMAP"


def test_parts_without_connection_are_apart():
    rng = np.random.default_rng(0)
    sizes = [40, 25, 10, 2, 1]
    indices = np.empty((sum(sizes), 3), int)
    parts = np.repeat(range(5), sizes)
    for part in range(5):
        rows = np.flatnonzero(parts == part)
        indices[rows] = rng.choice(rows, (len(rows), 3))
    places = spectral_layout(np.ones(indices.shape), indices, 0)
    boxes = [(places[parts == p].min(axis=0), places[parts == p].max(axis=0)) for p in range(5)]
    for a in range(5):
        for b in range(a):
            apart = (boxes[a][0] > boxes[b][1]) | (boxes[b][0] > boxes[a][1])
            assert apart.any(), (a, b)


def test_without_umap_there_is_a_spectral_map_and_a_word_on_it(frame, no_umap, tmp_path):
    found = find_neighbors(frame, label="kind", exclude=["name"], **GIVEN)
    with pytest.warns(UserWarning, match=r"spectral layout .* UMAP cannot run \(no module named"):
        assert found.draw(tmp_path / "map").name == "map.png"
    with pytest.warns(UserWarning, match="spectral"):
        found.draw(tmp_path / "map.html")
    assert "Spectral layout of the neighbours." in (tmp_path / "map.html").read_text()


def test_a_label_has_a_colour_for_each_class_and_numbers_have_a_scale():
    digits = pd.Series([3, 1, 10, 1, 3], name="digit")
    classes = map_colors(digits, label=True)
    assert [entry.name for entry in classes.entries] == ["1", "3", "10"]
    assert classes.codes.tolist() == [1, 0, 2, 0, 1]
    scale = map_colors(digits, label=False)
    assert scale.entries == ()
    assert scale.values.tolist() == digits.tolist()
    # a label of many numbers is a measurement
    assert map_colors(pd.Series(np.arange(50.0), name="y"), label=True).entries == ()
    # text that is mostly numbers is numbers
    mixed = map_colors(pd.Series(["1.5", "?", "2.5", "4"], name="m"), label=False)
    assert np.isnan(mixed.values).tolist() == [False, True, False, False]
    assert mixed.texts[1] == "missing"
    truth = map_colors(pd.Series([True, False, True], name="m"), label=False)
    assert [entry.name for entry in truth.entries] == ["False", "True"]


def test_a_legend_has_at_most_twelve_lines_and_all_rows_count():
    words = [f"w{i}" for i in range(30) for _ in range(i + 1)] + [None, None]
    colors = map_colors(pd.Series(words, name="w"), label=False)
    names = [entry.name for entry in colors.entries]
    assert names[-2:] == ["20 others", "missing"]
    assert len(names) == 12
    assert set(names[:10]) == {f"w{i}" for i in range(20, 30)}
    assert sum(entry.rows for entry in colors.entries) == len(words)
    assert np.bincount(colors.codes).tolist() == [entry.rows for entry in colors.entries]
    assert colors.texts[0] == "w0"
    eleven = map_colors(pd.Series([f"w{i}" for i in range(11)], name="w"), label=False)
    assert len(eleven.entries) == 11
    assert eleven.entries[-1].name == "1 others"


def test_extreme_numbers_do_not_take_the_scale():
    values = pd.Series(np.r_[np.linspace(0, 1, 1000), 1e6, np.inf], name="v")
    colors = map_colors(values, label=False)
    assert 0 <= colors.limits[0] < colors.limits[1] < 1.1
    low, high = map_colors(pd.Series([2.0, 2.0], name="v"), label=False).limits
    assert low < 2 < high
    low, high = map_colors(pd.Series([np.nan, np.nan], name="v"), label=False).limits
    assert low < high


# Machado, Oliveira and Fernandes (2009), severity 1
SIGHT = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}  # fmt: skip


def _lab(color, sight):
    parts = np.array(to_rgb(color))
    light = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(SIGHT[sight]) @ light, 0, 1)
    xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]] @ seen
    x, y, z = np.cbrt(np.maximum(xyz / [0.9505, 1, 1.089], 0.0088))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize(("page", "least"), [("color", 13), ("dark", 13)])
def test_colours_are_apart_for_every_kind_of_sight(sight, page, least):
    words = pd.Series([f"w{i}" for i in range(10)], name="w")
    entries = map_colors(words, label=False).entries
    places = [_lab(getattr(entry, page), sight) for entry in entries]
    gaps = [np.linalg.norm(a - b) for i, a in enumerate(places) for b in places[:i]]
    assert min(gaps) >= least


def test_a_picture_has_points_a_legend_or_a_scale():
    words = pd.Series(["$a_b$", "x\x1b[2J"] * 100, name="k")
    figure = draw_map(page_of(map_colors(words, label=True), n=200))
    (axes,) = figure.axes
    assert sum(len(points.get_offsets()) for points in axes.collections) == 200
    legend = axes.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["$a_b$ (100)", r"x\x1b[2J (100)"]
    assert sorted(text.get_text() for text in axes.texts) == ["$a_b$", r"x\x1b[2J"]
    numbers = pd.Series(np.r_[np.arange(199.0), np.nan], name="v")
    figure = draw_map(page_of(map_colors(numbers, label=False), n=200))
    axes, bar = figure.axes
    assert sum(len(points.get_offsets()) for points in axes.collections) == 200
    assert bar.get_ylabel() == "v (grey: 1 missing)"
    few, many = (
        draw_map(page_of(map_colors(pd.Series(["a"] * n, name="k"), label=True), n=n)).axes[0]
        for n in (20, 9000)
    )
    (small,), (large,) = few.collections, many.collections
    assert small.get_sizes()[0] > large.get_sizes()[0]
    assert small.get_alpha() > large.get_alpha()
    assert large.get_rasterized()


@pytest.mark.parametrize("label", [True, False])
def test_the_words_of_a_picture_do_not_cover_its_points(label):
    numbers = pd.Series(np.arange(200) % 7, name="v")
    figure = draw_map(page_of(map_colors(numbers, label=label), n=200))
    (caption,) = figure.texts
    renderer = FigureCanvasAgg(figure).get_renderer()
    axes = figure.axes[0].get_window_extent(renderer)
    words = caption.get_window_extent(renderer)
    assert 0 <= words.y0 < words.y1 < axes.y0
    assert axes.y0 < 0.2 * figure.bbox.height


def test_words_of_a_picture_are_no_formulas():
    page = page_of(map_colors(pd.Series([1.0, 2.0, 3.0] * 20, name="v"), label=False), n=60)
    page = page._replace(title="costs $5 and $6", caption="not $x^2$")
    figure = draw_map(page)
    (caption,) = figure.texts
    title = figure.axes[0].get_title(loc="left")
    assert (title, caption.get_text()) == ("costs $5 and $6", "not $x^2$")
    assert not caption.get_parse_math()
    assert not figure.axes[0]._left_title.get_parse_math()


def test_a_class_may_be_named_as_pooled_ones_are():
    words = pd.Series(["missing", "2 others", None, *[f"w{i}" for i in range(11)]] * 20, name="k")
    many = draw_map(page_of(map_colors(words.sort_values(), label=True), n=280)).axes[0]
    named = [text.get_text() for text in many.texts]
    assert named[0] == "2 others"
    assert "missing" in named
    assert len(named) == 10


def test_a_page_is_one_file_without_addresses_and_with_harmless_text():
    bad = '</script><img src=x onerror="document.title=1">'
    colors = map_colors(pd.Series([bad, "b", "b", None, "c"], name=bad), label=True)
    page = map_page(page_of(colors, ids=[bad, "&amp;", "\ud800", "\x1b[2J", "ü"]))
    assert "<img" not in page
    assert not re.search(r"(?:https?:)?//\w|@import|url\(", page)
    assert page.count("<script") == page.count("</script>") == 2
    found = content(page)
    assert found["ids"] == [bad, "&amp;", r"\ud800", r"\x1b[2J", "ü"]
    assert [found["words"][i] for i in found["texts"]] == [bad, "b", "b", "missing", "c"]
    outside = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"\son\w+=\"|style=", outside)
    assert "<noscript>" in page
    for kind in ("script", "style"):
        assert re.search(rf"{kind}-src 'sha256-[\w+/=]+'", page)


def test_maps_from_the_command_line(frame, tmp_path, no_umap):
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
    assert "Note: The map is a spectral layout" in done.stderr
    found = content(page.read_text())
    assert found["identifier"] == "name"
    assert found["ids"] == [str(i) for i in range(100, 160)]
    assert found["name"] == "x"
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
        (["--picture", "t.csv"], "not '.csv'"),
        (["--picture", "nowhere/m.png"], "there is no folder nowhere"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_map_is_said_before_neighbours_are_looked_for(
    frame, tmp_path, monkeypatch, more, words
):
    monkeypatch.chdir(tmp_path)
    frame.to_csv("t.csv", index=False)
    with pytest.raises(DataError, match=re.escape(words)):
        call("neighbors", "t.csv", "-o", "o.csv", *more)
    assert not (tmp_path / "o.csv").exists()


def test_options_that_do_not_belong_together(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = call("neighbors", tmp_path / "t.csv", "-o", tmp_path / "o.csv", "--color", "kind")
    assert done.exit_code == 2
    assert "--color is for a map" in done.stderr


def test_a_map_for_each_group(tmp_path, no_umap):
    turn = np.random.default_rng(0).uniform(0, 6, (2, 200))
    circles = pd.DataFrame(np.c_[np.cos(turn.T), np.sin(turn.T)], columns=["a", "b", "c", "d"])
    circles.to_csv(tmp_path / "t.csv", index=False)
    done = call(
        "neighbors", tmp_path / "t.csv", "-k", 3, "--method", "euclidean", "--group", "each",
        "--picture", tmp_path / "m.svg",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.glob("*.svg")) == ["m_group1.svg", "m_group2.svg"]


def test_colours_of_values_and_rows_that_are_left(frame, no_umap, tmp_path):
    gaps = frame.assign(x=frame["x"].where(frame.index != 5))
    found = find_neighbors(gaps, exclude=["name", "kind"], missing="drop", **GIVEN)
    with pytest.warns(UserWarning, match="spectral"):
        found.draw(tmp_path / "m.html", "name")
    page = content((tmp_path / "m.html").read_text())
    values = [page["words"][i] for i in page["texts"]]
    assert values == [str(i) for i in range(100, 160) if i != 105]
    with pytest.warns(UserWarning, match="spectral"):
        found.draw(tmp_path / "m.html", np.arange(59.0))
    assert content((tmp_path / "m.html").read_text())["name"] == "value"
    with pytest.raises(UserError, match=r"59 rows have neighbours, and the values have .* \(60,\)"):
        found.draw(tmp_path / "m.html", np.arange(60.0))
    with pytest.raises(DataError, match="unknown column 'nam'; did you mean 'name'"):
        found.draw(tmp_path / "m.html", "nam")


def test_the_name_of_a_class_is_beside_the_row_nearest_to_its_median():
    words = pd.Series(["a", "b"] * 100, name="k")
    rows = page_of(map_colors(words, label=True), n=200)
    (axes,) = draw_map(rows).axes
    for text, code in zip(axes.texts, (0, 1), strict=True):
        places = rows.layout.places[rows.colors.codes == code]
        gaps = np.linalg.norm(places - np.median(places, axis=0), axis=1)
        assert tuple(text.xy) == pytest.approx(tuple(places[gaps.argmin()]))
