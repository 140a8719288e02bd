"""The site in Chromium: no complaints, hover, legend, sorting, filters, small, dark, printed."""

import sys
from pathlib import Path

import pytest

from geoforest_cli.study.report import site
from tests.study.report import sites

pytestmark = pytest.mark.nightly

NOISE = "runs/noise/paper/index.html"
PAGES = (
    "index.html", "claims.html", "errata.html", NOISE, "runs/leaderboard/smoke/index.html",
    "not-run/galaxy.html",
)  # fmt: skip
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"
VIOLATIONS = """
    async (rules) => (await axe.run({ runOnly: rules, resultTypes: ["violations"], preload: false }))
        .violations
        .map((one) => [one.id, one.nodes[0].html, one.nodes[0].failureSummary])
"""
BEYOND = """
    () => [...document.querySelectorAll("main *")].filter((one) =>
        one.getBoundingClientRect().right > 376 && !one.closest(".scroll, pre")
    ).map((one) => one.outerHTML.slice(0, 80))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    results = sites.results(tmp_path_factory.mktemp("results"))
    return site.write(results, tmp_path_factory.mktemp("site") / "site").parent


def open_folds(page):
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_and_fits_a_small_screen(opened, folder, name):
    page = opened(folder / name, width=375)
    open_folds(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    assert page.evaluate(BEYOND) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_free_of_what_axe_finds(opened, folder, name, scheme):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: make browser gets it")
    page = opened(folder / name, scheme=scheme)
    open_folds(page)
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate(VIOLATIONS, RULES) == []


def test_a_mark_says_its_numbers_and_the_legend_hides_it(opened, folder):
    page = opened(folder / NOISE)
    drawing = page.locator(".drawing svg").first
    mark = drawing.locator("[data-series=gf] use:has(title)").first
    assert mark.locator("title").text_content().startswith("GF, ")
    box = mark.bounding_box()
    under = "([x, y]) => document.elementFromPoint(x, y)?.closest('[data-series]')?.dataset.series"
    place = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    assert page.evaluate(under, place) is not None
    key = drawing.get_by_role("button", name="hide or show GF", exact=True)
    assert key.get_attribute("aria-pressed") == "true"
    series = drawing.locator("[data-series=gf]")
    others = drawing.locator("[data-series=isomap]").first
    key.click()
    assert key.get_attribute("aria-pressed") == "false"
    assert not any(one.is_visible() for one in series.all())
    assert others.is_visible()
    key.focus()
    page.keyboard.press("Enter")
    assert key.get_attribute("aria-pressed") == "true"
    assert series.first.is_visible()


def test_a_drawing_has_the_colours_of_the_page(opened, folder):
    color = "(one) => getComputedStyle(one).fill"
    stroke = "(one) => getComputedStyle(one.querySelector('path')).stroke"
    found = {}
    for scheme in ("light", "dark"):
        page = opened(folder / NOISE, scheme=scheme)
        drawing = page.locator(".drawing svg").first
        assert drawing.locator("text").first.evaluate(color) == page.locator("h1").evaluate(
            "(one) => getComputedStyle(one).color"
        )
        paper = drawing.locator("path").first.evaluate(color)
        assert paper == page.evaluate("getComputedStyle(document.body).backgroundColor")
        line = drawing.locator("[data-series=gf]:has(title)").first.evaluate(stroke)
        found[scheme] = paper, line
    assert found["light"][0] == "rgb(255, 255, 255)"
    assert len({line for _, line in found.values()}) == 2


def column(page, number):
    cells = page.locator(f"#lines tbody tr:visible td:nth-child({number})")
    return [text.split(" ")[0] for text in cells.all_text_contents()]


def test_the_numbers_are_sorted_and_searched(opened, folder):
    page = opened(folder / NOISE)
    open_folds(page)
    heads = page.locator("#lines th").all_text_contents()
    number = heads.index("Mean") + 1
    before = column(page, number)
    head = page.locator(f"#lines th:nth-child({number})")
    for way, down in (("descending", True), ("ascending", False)):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == way
        values = [float(value) for value in column(page, number)]
        assert values == sorted(map(float, before), reverse=down)
    page.get_by_label("Search").fill("UMAP 10k")
    shown = page.locator("#lines tbody tr:visible").all_text_contents()
    assert 0 < len(shown) < len(before)
    assert all("UMAP" in text and "10k" in text for text in shown)
    said = page.locator("form.filters [role=status]").text_content()
    assert said == f"{len(shown)} of {len(before)} lines"


def test_claims_are_filtered_and_the_address_says_how(opened, folder):
    page = opened(folder / "claims.html", query="?paper=smerf&state=nonsense")
    rows, said = page.locator("#claims tbody tr:visible"), page.locator("[role=status]")
    total = page.locator("#claims tbody tr").count()

    def values(name):
        return rows.evaluate_all("(rows, name) => rows.map((one) => one.dataset[name])", name)

    assert set(values("paper")) == {"smerf"}
    assert "nonsense" not in page.url
    page.get_by_label("Paper").select_option("")
    page.get_by_label("Whose").select_option("paper")
    assert set(values("origin")) == {"paper"}
    assert said.text_content() == f"{rows.count()} of {total} sentences and claims"
    assert "origin=paper" in page.url
    page.get_by_label("Search").fill("no claim says this")
    assert (rows.count(), said.text_content()) == (0, f"0 of {total} sentences and claims")
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function("!location.search")
    assert (rows.count(), said.text_content()) == (total, f"{total} sentences and claims")


def test_a_select_sorts_where_headings_are_hidden(opened, folder):
    page = opened(folder / "claims.html", width=375)
    estimates = "[...document.querySelectorAll('#claims tbody tr')].map((one) => one.cells[4].dataset.value)"
    before = page.evaluate(estimates)
    page.get_by_label("Sort by").select_option("4 down")
    filled = sorted((value for value in before if value), key=float, reverse=True)
    assert page.evaluate(estimates) == filled + [value for value in before if not value]
    assert page.locator("[aria-sort]").count() == 1


@pytest.mark.parametrize("name", ["index.html", NOISE])
def test_a_printed_page_is_light_and_leaves_out_what_is_to_click(opened, folder, name):
    page = opened(folder / name, scheme="dark")
    page.emulate_media(media="print")
    body = "getComputedStyle(document.body)"
    assert page.evaluate(f"[{body}.backgroundColor, {body}.color]") == [
        "rgb(255, 255, 255)", "rgb(0, 0, 0)"
    ]  # fmt: skip
    assert not page.locator("nav:visible, footer:visible, form:visible").count()
    if name == NOISE:
        assert page.locator(".drawing svg").first.is_visible()
        assert not page.locator("#numbers").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_scripts_everything_is_shown(opened, folder):
    page = opened(folder / "claims.html", java_script_enabled=False)
    assert page.locator("#claims tbody tr").count() > 20
    assert not page.locator("form").is_visible()
    page = opened(folder / NOISE, java_script_enabled=False)
    assert page.locator(".drawing [data-series=gf]").first.is_visible()
