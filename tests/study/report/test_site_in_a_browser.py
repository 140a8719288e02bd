"""The site in headless Chromium: it opens without complaints, filters, sorts, fits and prints."""

import base64
import re
import sys
from pathlib import Path

import pytest

from tests.study.report.browser import Browser, program

pytestmark = pytest.mark.skipif(
    program() is None, reason="Chromium is not installed: make browser gets it"
)

PAGES = (
    "index.html", "claims.html", "errata.html", "choosing.html", "methods.html", "verdicts.html",
    "screening.html", "runs/noise/paper/index.html", "runs/leaderboard/smoke/index.html",
)  # fmt: skip
READ = (
    "index.html", "claims.html", "errata.html", "choosing.html", "methods.html",
    "runs/smerf_variance/paper/index.html", "runs/noise/paper/index.html",
    "runs/leaderboard/smoke/index.html",
)  # fmt: skip
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
VISIBLE = "[...document.querySelectorAll('tr.claim:not([hidden])')]"
CHOOSE = """
    ((name, value) => {
        const one = document.getElementById('filter-' + name);
        one.value = value;
        one.dispatchEvent(new Event('change'));
    })
"""


VIOLATIONS = """
    (async (rules) => {
        const asked = { runOnly: rules, resultTypes: ['violations'] };
        const { violations } = await axe.run(document, asked);
        return violations.map((one) => [one.id, one.nodes[0].html, one.nodes[0].failureSummary]);
    })
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("chromium"))
    yield found
    found.close()


@pytest.fixture
def page(browser, whole_site):
    """Opens a page of the site as a file."""

    def opened(name, width=1280, scheme="light"):
        browser.size(width)
        browser.prefer(scheme)
        address, _, asked = name.partition("?")
        complaints = browser.open(f"{(whole_site / address).as_uri()}?{asked}".rstrip("?"))
        assert complaints == []
        return browser.run

    return opened


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_and_fits_a_small_screen(page, name):
    """Without scripts that fail and files that are missing; what is wide scrolls in its box."""
    run = page(name, width=375)
    run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert run("document.documentElement.scrollWidth") == 375
    beyond = """
        [...document.querySelectorAll('main *')].filter((one) =>
            one.getBoundingClientRect().right > 376 && !one.closest('.scroll, pre')
        ).map((one) => one.outerHTML.slice(0, 80))
    """
    assert run(beyond) == []


def test_the_front_page_shows_all_columns_on_a_common_screen(page):
    run = page("index.html")
    boxes = "[...document.querySelectorAll('.scroll:has(.artifacts)')]"
    assert run(f"{boxes}.length") > 0
    assert run(f"{boxes}.filter((box) => box.scrollWidth > box.clientWidth).length") == 0


def test_a_filter_shows_what_it_says(page):
    run = page("claims.html")
    total = run(f"{VISIBLE}.length")
    run(f"{CHOOSE}('paper', 'smerf')")
    papers = run(f"{VISIBLE}.map((one) => one.dataset.paper)")
    assert set(papers) == {"smerf"}
    run(f"{CHOOSE}('paper', '')")
    run(f"{CHOOSE}('state', 'refuted')")
    run(f"{CHOOSE}('origin', 'paper')")
    run(f"{CHOOSE}('reading', 'decides')")
    shown = run(f"{VISIBLE}.map((one) => [one.dataset.state, one.dataset.origin])")
    readings = run(f"{VISIBLE}.map((one) => one.dataset.reading)")
    assert shown
    assert {tuple(one) for one in shown} == {("refuted", "paper")}
    assert all("decides" in one.split() for one in readings)
    said = run("document.getElementById('shown').textContent")
    assert said == f"{len(shown)} of {total} claims"
    run("document.querySelector('button[type=reset]').click()")
    run("new Promise((done) => window.setTimeout(done, 20))")
    assert run(f"{VISIBLE}.length") == total
    assert run("location.search") == ""


def test_a_filter_stands_in_the_address(page):
    run = page("claims.html?state=supported&origin=paper&paper=nonsense")
    shown = run(f"{VISIBLE}.map((one) => one.dataset.state + one.dataset.origin)")
    assert set(shown) == {"supportedpaper"}
    assert run("document.getElementById('filter-state').value") == "supported"
    run(f"{CHOOSE}('state', 'refuted')")
    assert "state=refuted" in run("location.search")
    assert "nonsense" not in run("location.search")


def typed(text):
    return f"""
        ((one) => {{
            one.value = {text!r};
            one.dispatchEvent(new Event('input'));
        }})(document.getElementById('filter-q'))
    """


def test_a_search_finds_claims_by_words_in_any_order(page):
    run = page("claims.html")
    texts = run(f"{VISIBLE}.map((one) => one.textContent.toLowerCase())")
    run(typed("CHANCE isomap"))
    shown = run(f"{VISIBLE}.map((one) => one.textContent.toLowerCase())")
    assert shown == [one for one in texts if "isomap" in one and "chance" in one]
    assert 0 < len(shown) < len(texts)
    said = "document.getElementById('shown')"
    assert run(f"{said}.textContent") == f"{len(shown)} of {len(texts)} claims"
    assert run(f"{said}.getAttribute('role')") == "status"
    assert "q=CHANCE" in run("location.search")
    run(typed("no claim says this"))
    assert run(f"{said}.textContent") == f"0 of {len(texts)} claims"


ESTIMATES = f"{VISIBLE}.map((one) => one.cells[4].dataset.value)"


def in_order(values, *, down=False):
    """As the page sorts: numbers, then what has none in the order it had."""
    known = sorted((one for one in values if one), key=float, reverse=down)
    return known + [one for one in values if not one]


def test_a_heading_sorts_by_value_and_again_the_other_way(page):
    run = page("claims.html")
    before = run(ESTIMATES)
    head = "document.querySelector('.claims th[data-column=\"4\"]')"
    for way, down in (("descending", True), ("ascending", False)):
        run(f"{head}.querySelector('button').click()")
        assert run(f"{head}.getAttribute('aria-sort')") == way
        assert run(ESTIMATES) == in_order(before, down=down)
    verdict = "document.querySelector('.claims th[data-column=\"0\"]')"
    run(f"{verdict}.querySelector('button').click()")
    assert run("document.querySelectorAll('[aria-sort]').length") == 1
    ranks = run(f"{VISIBLE}.map((one) => Number(one.cells[0].dataset.value))")
    assert ranks == sorted(ranks)
    assert len(set(ranks)) > 1


def test_a_sorted_heat_map_keeps_its_rows_together(page):
    run = page("runs/leaderboard/smoke/index.html")
    rows = """
        [...document.querySelector('table.heat').tBodies[0].rows].map(
            (row) => [...row.cells].map((one) => one.textContent))
    """
    before = run(rows)
    run("document.querySelector('table.heat th[data-column=\"1\"] button').click()")
    after = run(rows)
    assert sorted(after) == sorted(before)
    assert [float(one[1]) for one in after] == sorted(
        (float(one[1]) for one in before), reverse=True
    )


def test_on_a_small_screen_claims_are_cards_that_a_select_sorts(page):
    run = page("claims.html", width=375)
    assert run("getComputedStyle(document.querySelector('tr.claim')).display") == "block"
    assert run("getComputedStyle(document.querySelector('.claims thead')).display") == "none"
    before = run(ESTIMATES)
    select = "document.getElementById('sort-claims')"
    assert run(f"{select}.getBoundingClientRect().width") > 50
    run(f"{select}.value = '4 up'; {select}.dispatchEvent(new Event('change'))")
    assert run(ESTIMATES) == in_order(before)
    page("claims.html")
    assert run(f"{select}.getBoundingClientRect().width") == 0


def test_on_a_small_screen_the_front_page_shows_the_verdicts(page):
    run = page("index.html", width=375)
    shown = """
        [...document.querySelectorAll('.artifacts td:has(.count)')].map((one) => {
            const box = one.getBoundingClientRect();
            return [box.left >= 0 && box.right <= 375 && box.height > 10,
                    getComputedStyle(one, '::before').content];
        })
    """
    found = run(shown)
    assert found
    assert all(inside for inside, _ in found)
    assert all("data-label" not in words and len(words) > 5 for _, words in found)


def test_contents_stand_beside_a_long_page_and_fold_on_a_narrow_one(page):
    run = page("runs/noise/paper/index.html")
    places = run("[...document.querySelectorAll('.contents a')].map((one) => one.hash.slice(1))")
    assert places == run("[...document.querySelectorAll('main h2[id]')].map((one) => one.id)")
    assert len(places) > 5
    contents = "document.querySelector('.contents')"
    assert run(f"{contents}.querySelector('details').open")
    main = "document.querySelector('main').getBoundingClientRect()"
    assert run(f"{contents}.getBoundingClientRect().right <= {main}.left")
    assert run(f"{main}.width / document.documentElement.clientWidth") > 0.7
    page("runs/noise/paper/index.html", width=375)
    assert not run(f"{contents}.querySelector('details').open")
    run(f"{contents}.querySelector('summary').click()")
    assert run(f"{contents}.querySelector('a').getBoundingClientRect().height") > 0
    assert run(f"{contents}.getBoundingClientRect().bottom <= {main}.top")
    run(f"{contents}.querySelector('a').click()")
    assert not run(f"{contents}.querySelector('details').open")


def test_a_link_to_a_folded_claim_opens_it(page):
    run = page("runs/noise/paper/index.html")
    folded = run("document.querySelector('details.group article.claim').id")
    assert not run(f"document.getElementById('{folded}').checkVisibility()")
    run(f"new Promise((done) => {{ location.hash = '{folded}'; setTimeout(done, 50); }})")
    assert run(f"document.getElementById('{folded}').checkVisibility()")
    decide = "[...document.querySelectorAll('#claims ~ article.claim')]"
    assert run(f"{decide}.length") > 3
    assert run(f"{decide}.every((one) => one.checkVisibility())")


def printed(browser):
    return base64.b64decode(browser.ask("Page.printToPDF", preferCSSPageSize=True)["data"])


@pytest.mark.parametrize("name", ["smerf_variance", "leaderboard"])
def test_an_artifact_is_printed_on_a_page_with_its_figure(browser, page, kept_site, name):
    page("index.html")
    browser.open((kept_site / "runs" / name / "paper" / "index.html").as_uri())
    file = printed(browser)
    pages = len(re.findall(rb"/Type\s*/Page\b", file))
    assert pages == 1 if name == "smerf_variance" else pages <= 2
    if name == "smerf_variance":  # drawn as a chart
        assert browser.run("document.querySelector('figure svg').checkVisibility()")
        return
    loaded = browser.run("[...document.images].map((one) => [one.complete, one.naturalWidth > 0])")
    assert loaded
    assert all(map(all, loaded))
    assert b"/Subtype /Image" in file


def test_print_leaves_out_what_is_folded_and_says_so(browser, page):
    run = page("runs/noise/paper/index.html")
    browser.ask("Emulation.setEmulatedMedia", media="print")
    try:
        visible = "((one) => one.checkVisibility())(document.querySelector('%s'))"
        for gone in (".contents", "#config", "#values", "details.group", ".around"):
            assert not run(visible % gone), gone
        for kept in ("h1", "figure svg", "article.claim", "#again", "#provenance", ".printed"):
            assert run(visible % kept), kept
        assert run("document.documentElement.scrollWidth <= innerWidth")
    finally:
        browser.ask("Emulation.setEmulatedMedia", media="")


def test_no_formula_is_cut_on_a_wide_screen(page):
    run = page("methods.html")
    cut = """
        [...document.querySelectorAll('.formula .scroll')].filter((one) =>
            one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight
        ).map((one) => one.closest('article').id)
    """
    assert run(cut) == []


def test_without_scripts_all_claims_are_there_and_no_filter(browser, whole_site):
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open((whole_site / "claims.html").as_uri())
    finally:
        browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.run("document.getElementById('filters').hidden")
    assert browser.run("document.querySelectorAll('th button').length") == 0
    assert browser.run(f"{VISIBLE}.length === document.querySelectorAll('tr.claim').length")


def test_the_first_key_leads_to_the_content(browser, page):
    run = page("index.html")
    for name in ("keyDown", "keyUp"):
        browser.ask(
            "Input.dispatchKeyEvent", type=name, key="Tab", code="Tab", windowsVirtualKeyCode=9
        )
    assert run("document.activeElement.textContent") == "Skip to the content"
    assert run("document.activeElement.getBoundingClientRect().left") >= 0
    assert run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_the_scheme_of_the_user_is_taken(page):
    grounds = [
        page("index.html", scheme=scheme)("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert grounds[0] == "rgb(255, 255, 255)"
    assert sum(map(int, grounds[1][4:-1].split(","))) < 150


def test_print_has_no_navigation_and_cuts_nothing_off(browser, page):
    run = page("runs/noise/paper/index.html")
    browser.ask("Emulation.setEmulatedMedia", media="print")
    try:
        assert run("getComputedStyle(document.querySelector('nav')).display") == "none"
        assert run("getComputedStyle(document.querySelector('.scroll')).overflowX") == "visible"
        assert run("getComputedStyle(document.querySelector('pre.long')).maxHeight") == "none"
    finally:
        browser.ask("Emulation.setEmulatedMedia", media="")


@pytest.fixture(scope="module")
def axe():
    """The source of axe-core."""
    script = Path(sys.prefix, "axe", "node_modules", "axe-core", "axe.min.js")
    if not script.is_file():
        pytest.skip("axe-core is not installed: make browser gets it")
    return script.read_text("utf-8")


@pytest.mark.parametrize("name", READ)
def test_a_page_is_accessible(browser, page, axe, name):
    """By the rules of axe-core, with everything unfolded; contrast AA in the dark, too."""
    run = page(name)
    # the first few of a kind stand for the others
    run("document.querySelectorAll('article:nth-of-type(n + 4)').forEach((one) => one.remove())")
    run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    run(f"{axe}; 0")
    assert run(f"{VIOLATIONS}({RULES})") == []
    browser.prefer("dark")
    assert run(f"{VIOLATIONS}(['color-contrast'])") == []
