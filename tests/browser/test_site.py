"""The site in Chromium: no complaints, axe, filters, small, dark, printed, without scripts."""

import re
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from geoforest_cli.study.report import site
from tests.study.report import sites

pytestmark = pytest.mark.nightly

NOISE = "runs/noise/paper/index.html"
PAGES = ("index.html", "claims.html", "errata.html", NOISE, "runs/leaderboard/smoke/index.html")
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


@pytest.fixture(scope="module")
def reference_site(tmp_path_factory):
    """The site of all kept results."""
    root = Path(__file__).resolve().parents[2]
    return site.write(root / "results" / "reference", tmp_path_factory.mktemp("all") / "site")


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


def test_the_front_page_opens_with_the_picture_and_findings(opened, reference_site):
    page = opened(reference_site)
    assert page.evaluate("document.documentElement.scrollHeight") <= 5000
    assert page.locator(".front img").evaluate("(image) => image.naturalWidth") > 1000
    findings = page.locator(".findings li")
    assert findings.count() == 5
    assert all(
        box["y"] + box["height"] <= 900 for box in (i.bounding_box() for i in findings.all())
    )


def test_claims_have_a_line_each_and_are_sorted_by_a_click(opened, reference_site):
    page = opened(reference_site.with_name("claims.html"))
    heights = page.locator("table.claims tbody tr").evaluate_all(
        "(rows) => rows.map((row) => row.offsetHeight)"
    )
    assert max(heights) < 32
    head = page.locator("thead th", has_text="Estimate")
    for order, sign in (("ascending", 1), ("descending", -1)):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == order
        texts = page.locator("table.claims td:nth-child(5)").all_text_contents()
        numbers = [float(text) for text in texts if text != "–"]
        assert numbers == sorted(numbers, key=lambda number: sign * number)
        assert "–" not in texts[: len(numbers)]


def test_claims_are_filtered_and_the_address_says_how(opened, folder):
    page = opened(folder / "claims.html", query="?paper=smerf&verdict=nonsense")
    rows, status = page.locator("table.claims tbody tr:visible"), page.locator("[role=status]")
    total = page.locator("table.claims tbody tr").count()

    def values(name):
        return set(rows.evaluate_all("(rows, name) => rows.map((r) => r.dataset[name])", name))

    assert values("paper") == {"smerf"}
    expect(page).not_to_have_url(re.compile("nonsense"))
    page.get_by_label("Paper").select_option("")
    page.get_by_label("Whose").select_option("ours")
    page.get_by_label("Verdict").select_option("refuted")
    assert (values("origin"), values("verdict")) == ({"ours"}, {"refuted"})
    assert status.text_content() == f"{rows.count()} of {total}"
    expect(page).to_have_url(re.compile("origin=ours"))
    page.get_by_role("button", name="Show all").click()
    expect(page).to_have_url((folder / "claims.html").as_uri())
    assert (rows.count(), status.text_content()) == (total, f"{total} of {total}")


def test_a_link_to_a_claim_opens_its_folds(opened, folder):
    text = (folder / NOISE).read_text().partition("Other readings")[2]
    name = text.partition('id="claim-')[2].partition('"')[0]
    page = opened(folder / NOISE, query=f"#claim-{name}")
    assert page.locator(f"#claim-{name}").is_visible()


def test_a_printed_page_leaves_out_what_is_to_click(opened, folder):
    page = opened(folder / "claims.html")
    page.emulate_media(media="print")
    assert not page.locator("nav:visible, footer:visible, form:visible").count()
    page.set_viewport_size({"width": 718, "height": 1000})  # A4
    cut = "(cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length"
    assert page.locator("table.claims :is(th, td)").evaluate_all(cut) == 0
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_scripts_everything_is_shown(opened, folder):
    page = opened(folder / "claims.html", java_script_enabled=False)
    assert page.locator("table.claims tbody tr").count() > 20
    assert not page.locator("form").is_visible()
    page = opened(folder / NOISE, java_script_enabled=False)
    assert page.locator("figure img").first.is_visible()
