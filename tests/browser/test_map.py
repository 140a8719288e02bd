"""The page of a map of a table in Chromium: it opens without complaints, and does what it says."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.tables.figures.colors import RowMap, map_colors
from geoforest_cli.tables.figures.page import map_page

pytestmark = pytest.mark.nightly

BAD = "</script><img src=x onerror=\"document.title='run'\">"
# how many points of the map have ink on them
INK = """
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
        const { data } = map.getContext("2d").getImageData(0, 0, map.width, map.height);
        done(data.filter((value, i) => i % 4 === 3 && value > 0).length);
    })))
"""


@pytest.fixture
def written(tmp_path):
    rng = np.random.default_rng(0)
    colors = map_colors(pd.Series(np.resize(["a", "b", BAD], 60), name="kind"), label=True)
    ids = pd.Series([BAD, *(f"row {i}" for i in range(1, 60))], name="id")
    rows = RowMap(BAD, "a caption", ids, rng.normal(size=(60, 2)), colors)
    (tmp_path / "map.html").write_text(map_page(rows), encoding="utf-8")
    return tmp_path / "map.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_map_fits_a_small_screen_and_runs_nothing_of_the_table(opened, written, scheme):
    page = opened(written, width=375, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    assert page.evaluate(INK) > 100
    assert page.title().startswith("</script>")
    assert page.locator("img").count() == 0


def test_keys_find_rows_legends_hide_classes_buttons_zoom(opened, written):
    page = opened(written)
    page.locator("#map").focus()
    said = set()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        page.evaluate(INK)
        said.add(page.locator("#status").text_content())
    assert len(said) > 3
    assert all(words.startswith("id: ") and ", kind: " in words for words in said)
    page.keyboard.press("Escape")
    whole = page.evaluate(INK)
    button = page.locator("#legend button").nth(1)
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert 0 < page.evaluate(INK) < 0.8 * whole
    button.click()
    assert page.evaluate(INK) == whole
    page.locator("#in").click()
    assert page.evaluate("Number(map.dataset.zoom)") > 1.2
    page.locator("#reset").click()
    assert page.evaluate("Number(map.dataset.zoom)") == 1
