"""The site in Chromium: no complaints, axe, filters, small, dark, printed, without scripts."""

import sys
from pathlib import Path

import pytest

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


def test_claims_are_filtered_and_the_address_says_how(opened, folder):
    page = opened(folder / "claims.html", query="?paper=smerf&verdict=nonsense")
    rows, status = page.locator("table.claims tbody tr:visible"), page.locator("[role=status]")
    total = page.locator("table.claims tbody tr").count()

    def values(name):
        return set(rows.evaluate_all("(rows, name) => rows.map((r) => r.dataset[name])", name))

    assert values("paper") == {"smerf"}
    assert "nonsense" not in page.url
    page.get_by_label("Paper").select_option("")
    page.get_by_label("Whose").select_option("ours")
    page.get_by_label("Verdict").select_option("refuted")
    assert (values("origin"), values("verdict")) == ({"ours"}, {"refuted"})
    assert status.text_content() == f"{rows.count()} of {total}"
    assert "origin=ours" in page.url
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function("!location.search")
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
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_scripts_everything_is_shown(opened, folder):
    page = opened(folder / "claims.html", java_script_enabled=False)
    assert page.locator("table.claims tbody tr").count() > 20
    assert not page.locator("form").is_visible()
    page = opened(folder / NOISE, java_script_enabled=False)
    assert page.locator("figure img").first.is_visible()
