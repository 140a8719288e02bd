"""The site in headless Chromium: it opens without complaints, filters, fits and can be read."""

import sys
from pathlib import Path

import pytest

from tests.study.report.browser import Browser, program

pytestmark = pytest.mark.skipif(
    program() is None, reason="Chromium is not installed: make browser gets it"
)

PAGES = (
    "index.html", "claims.html", "errata.html", "choosing.html", "methods.html", "verdicts.html",
    "runs/noise/paper/index.html", "runs/leaderboard/smoke/index.html",
)  # fmt: skip
READ = (
    "index.html", "claims.html", "errata.html", "choosing.html", "methods.html",
    "runs/smerf_variance/paper/index.html", "runs/noise/paper/index.html",
)  # fmt: skip
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
VISIBLE = "[...document.querySelectorAll('li.claim:not([hidden])')]"
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


def test_a_filter_shows_what_it_says(page):
    run = page("claims.html")
    total = run(f"{VISIBLE}.length")
    run(f"{CHOOSE}('paper', 'smerf')")
    papers = run(f"{VISIBLE}.map((one) => one.dataset.paper)")
    assert set(papers) == {"smerf"}
    run(f"{CHOOSE}('paper', '')")
    run(f"{CHOOSE}('state', 'refuted')")
    run(f"{CHOOSE}('origin', 'ours')")
    shown = run(f"{VISIBLE}.map((one) => [one.dataset.state, one.dataset.origin])")
    assert shown
    assert {tuple(one) for one in shown} == {("refuted", "ours")}
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


def test_without_scripts_all_claims_are_there_and_no_filter(browser, whole_site):
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open((whole_site / "claims.html").as_uri())
    finally:
        browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.run("document.getElementById('filters').hidden")
    assert browser.run(f"{VISIBLE}.length === document.querySelectorAll('li.claim').length")


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
