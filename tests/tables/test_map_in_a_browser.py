"""The page of a map in headless Chromium: it opens without complaints, and does what it says."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.tables.map_colors import MapColors, map_colors
from geoforest_cli.tables.map_figure import RowMap
from geoforest_cli.tables.map_layout import MapLayout
from geoforest_cli.tables.map_page import write_page
from tests.study.report.browser import Browser, program

pytestmark = pytest.mark.skipif(
    program() is None, reason="Chromium is not installed: make browser gets it"
)

BAD = "</script><img src=x onerror=\"document.title='run'\">"
FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
WORDS = "document.getElementById('status').textContent"
# how many points of the map have ink on them
INK = """
    (() => {
        const map = document.getElementById('map');
        const { data } = map.getContext('2d').getImageData(0, 0, map.width, map.height);
        return data.filter((value, i) => i % 4 === 3 && value > 0).length;
    })()
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("chromium"))
    yield found
    found.close()


@pytest.fixture
def show(browser, tmp_path):
    """Writes a page, and opens it as a file."""

    def shown(column=None, n=60, width=1000, scheme="light", *, label=True):
        rng = np.random.default_rng(0)
        colors = MapColors(texts=[""] * n)
        if column is not None:
            colors = map_colors(pd.Series(np.resize(column, n), name="kind"), label=label)
        ids = pd.Series([BAD, *(f"row {i}" for i in range(1, n))], name="id")
        layout = MapLayout(rng.normal(size=(n, 2)), "UMAP")
        write_page(RowMap(BAD, ids, layout, colors, "a caption"), tmp_path / "map.html")
        browser.size(width)
        browser.prefer(scheme)
        assert browser.open((tmp_path / "map.html").as_uri()) == []
        browser.run(FRAME)
        return browser.run

    return shown


def key(browser, name):
    for kind in ("keyDown", "keyUp"):
        browser.ask("Input.dispatchKeyEvent", type=kind, key=name)
    browser.run(FRAME)


def move(browser, x, y, kind="mouseMoved", **more):
    box = browser.run("(({left, top}) => [left, top])(map.getBoundingClientRect())")
    browser.ask("Input.dispatchMouseEvent", type=kind, x=box[0] + x, y=box[1] + y, **more)
    browser.run(FRAME)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("column", [None, ["a", BAD, None], [0.5, 1.5, np.nan]])
def test_a_page_fits_a_small_screen_and_shows_points(show, column, scheme):
    """Nothing that the table says runs."""
    run = show(column, width=375, scheme=scheme)
    assert run("document.documentElement.scrollWidth") == 375
    assert run(INK) > 100
    assert run("document.title").startswith("</script>")
    assert run("document.querySelectorAll('img').length") == 0
    paper = run("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


def test_keys_and_the_mouse_find_the_same_row(browser, show):
    run = show(["a", "b"])
    run("document.getElementById('map').focus()")
    seen = set()
    for name in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        key(browser, name)
        seen.add(run(WORDS))
    assert len(seen) > 3
    chosen = run(WORDS)
    assert chosen.startswith("id: ")
    assert ", kind: " in chosen
    key(browser, "Escape")
    assert run(WORDS).strip() == ""
    key(browser, "ArrowRight")  # the row nearest to the middle
    words = run(WORDS)
    spot = run("[tip.offsetLeft - 14, tip.offsetTop - 10]")
    key(browser, "Escape")
    move(browser, spot[0] + 1, spot[1] + 1)
    assert run(WORDS) == words
    assert run("tip.textContent").replace("\n", ", ") == words
    assert not run("tip.hidden")


def test_all_rows_can_be_reached_where_some_share_a_place(browser, show, tmp_path):
    layout = MapLayout(np.array([[0.0, 0], [0, 0], [0, 0], [1, 0]]), "UMAP")
    rows = RowMap("t", pd.Series(range(4)), layout, MapColors(texts=[""] * 4), "c")
    write_page(rows, tmp_path / "four.html")
    browser.open((tmp_path / "four.html").as_uri())
    browser.run("document.getElementById('map').focus()")
    seen = set()
    for name in ["ArrowRight"] + ["ArrowLeft"] * 4 + ["ArrowRight"] * 4:
        key(browser, name)
        seen.add(browser.run(WORDS))
    assert seen == {f"row: {i}" for i in range(4)}


def test_the_legend_hides_and_shows_classes(browser, show):
    run = show(["a", "b", "b"])
    button = "document.querySelectorAll('#legend button')[1]"
    whole = run(INK)
    run(f"{button}.click()")
    run(FRAME)
    assert run(f"{button}.getAttribute('aria-pressed')") == "false"
    fewer = run(INK)
    assert 0 < fewer < 0.6 * whole
    run("document.getElementById('map').focus()")
    for name in ("ArrowRight", "ArrowRight", "ArrowDown"):
        key(browser, name)
        assert run(WORDS).endswith("kind: a")
    run(f"{button}.click()")
    key(browser, "Escape")
    assert run(f"{button}.getAttribute('aria-pressed')") == "true"
    assert run(INK) == whole


def test_wheel_buttons_and_drag_zoom_and_move(browser, show):
    run = show(["a", "b"])
    zoom = "Number(map.dataset.zoom)"
    whole = run("map.toDataURL()")
    move(browser, 200, 200, "mouseWheel", deltaX=0, deltaY=-240)
    assert run(zoom) > 1.2
    run("document.getElementById('reset').click()")
    run(FRAME)
    assert run(zoom) == 1
    run("document.getElementById('in').click(); document.getElementById('in').click()")
    assert run(zoom) == pytest.approx(1.96)
    run("document.getElementById('out').click()")
    assert run(zoom) == pytest.approx(1.4)
    run("document.getElementById('reset').click()")
    move(browser, 3, 3)
    assert run("map.toDataURL()") == whole
    move(browser, 3, 3, "mousePressed", button="left", clickCount=1)
    move(browser, 60, 40, button="left", buttons=1)
    move(browser, 60, 40, "mouseReleased", button="left", clickCount=1)
    assert run("map.toDataURL()") != whole
    run("document.getElementById('map').focus()")
    key(browser, "0")
    assert run(zoom) == 1


def test_two_fingers_zoom(browser, show):
    run = show(["a"])
    box = run("(({left, top}) => [left, top])(map.getBoundingClientRect())")

    def touch(kind, *spots):
        points = [{"x": box[0] + x, "y": box[1] + y, "id": i} for i, (x, y) in enumerate(spots)]
        browser.ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    touch("touchStart", (200, 200), (240, 200))
    touch("touchMove", (160, 200), (280, 200))
    touch("touchEnd")
    browser.run(FRAME)
    assert run("Number(map.dataset.zoom)") > 1.5


def test_twenty_thousand_points_and_a_change_of_the_scheme(browser, show):
    run = show(np.arange(20_000.0), n=20_000, label=False)
    light = run("document.getElementById('bar').style.background")
    browser.prefer("dark")
    browser.run(FRAME)
    assert run("document.getElementById('bar').style.background") != light
    run("document.getElementById('map').focus()")
    key(browser, "ArrowRight")
    assert run(WORDS).startswith("id: row ")


def test_without_scripts_a_sentence_says_so(browser, show, tmp_path):
    show(["a"])
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open((tmp_path / "map.html").as_uri())
    finally:
        browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert "scripts are switched off" in browser.run("document.body.innerText")
