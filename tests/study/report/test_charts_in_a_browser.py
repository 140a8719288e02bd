"""Charts in headless Chromium: pointed at, read by key, filtered; in the dark and on paper."""

import json
from dataclasses import replace

import numpy as np
import pytest

from geoforest_cli.study.report.site import build
from geoforest_cli.study.report.site.folder import publish
from geoforest_cli.study.report.site.runs import read
from tests.study.report.browser import Browser, program

pytestmark = pytest.mark.skipif(
    program() is None, reason="Chromium is not installed: make browser gets it"
)

NOISE = "runs/noise/paper/index.html"
LEADERBOARD = "runs/leaderboard/smoke/index.html"
FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
STATUS = "document.querySelector('.chart-status').textContent"
TIP = "document.querySelector('.tip:not([hidden])')"
LINES = "document.querySelectorAll('.panels path.line').length"
SELECT = """
    ((label, value) => {
        const found = [...document.querySelectorAll('.chart-tools label')]
            .find((one) => one.textContent.startsWith(label)).querySelector('select');
        found.value = value;
        found.dispatchEvent(new Event('change'));
    })
"""
LISTEN = """
    window.broken = [];
    document.addEventListener('securitypolicyviolation', (event) => window.broken.push(
        `${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("chromium"))
    found.ask("Page.addScriptToEvaluateOnNewDocument", source=LISTEN)
    yield found
    found.close()


@pytest.fixture
def page(browser, whole_site):
    def opened(name=NOISE, width=1280, scheme="light"):
        browser.size(width)
        browser.prefer(scheme)
        assert browser.open((whole_site / name).as_uri()) == []
        browser.run(FRAME)
        return browser.run

    return opened


@pytest.fixture
def data(whole_site):
    text = (whole_site / NOISE).read_text("utf-8")
    return json.loads(text.split('<script type="application/json">')[1].split("</script>")[0])


def press(browser, *names):
    for name in names:
        for kind in ("keyDown", "keyUp"):
            browser.ask("Input.dispatchKeyEvent", type=kind, key=name)
    browser.run(FRAME)


def words(data, point):
    """What a page says of a point."""
    panel, x, method, variant, mean, low, high, n, published = point[:9]
    at = data["panels"][panel]
    metric = data["metrics"][at["metric"]]["label"]
    lines = [
        at["title"],
        f"{data['methods'][method]['label']}, {data['variants'][variant]['label']}",
        f"{metric}: {mean:.3f}",
        f"95 % interval: [{low:.3f}, {high:.3f}]",
        f"{data['x']['label']}: {data['x']['words'][x]}; repetitions: {n}",
    ]
    return lines if published is None else [*lines, f"Published: {published:.3f}"]


def as_run(data):
    """Points of the first panel as they are selected at first, line by line."""
    found = [point for point in data["points"] if point[0] == 0 and point[9] == 1]
    return sorted(found, key=lambda point: (point[2], point[3], point[1]))


def test_no_page_breaks_its_policy(browser, whole_site):
    """Nor does it load anything from elsewhere, or have a style or a handler of its own."""
    pages = sorted(whole_site.rglob("*.html"))
    for path in pages:
        assert browser.open(path.as_uri()) == [], path.name
        assert browser.run("window.broken") == [], path.name
        policy = browser.run("document.querySelector('meta[http-equiv]').content")
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        own = "document.querySelectorAll('[style], style, [onclick], [onload]').length"
        assert browser.run(own) == 0, path.name
    # the policy is in force, and a break of it is heard
    browser.run("document.body.insertAdjacentHTML('beforeend', '<p style=\"color:red\">x</p>')")
    browser.run(FRAME)
    assert "style-src" in browser.run("window.broken").pop()


def test_arrow_keys_walk_the_points_and_the_status_says_each(browser, page, data):
    run = page()
    run("document.querySelector('.plot').focus()")
    points = as_run(data)
    press(browser, "ArrowRight")
    assert run(STATUS) == ". ".join(words(data, points[0])) + "."
    press(browser, "ArrowRight")
    assert run(STATUS) == ". ".join(words(data, points[1])) + "."
    press(browser, "End")
    line = [point for point in points if point[2:4] == points[0][2:4]]
    assert run(STATUS) == ". ".join(words(data, line[-1])) + "."
    press(browser, "ArrowDown")
    below = next(p for p in points if p[2:4] != points[0][2:4] and p[1] == line[-1][1])
    assert run(STATUS) == ". ".join(words(data, below)) + "."
    assert run(f"{TIP}.querySelector('b').textContent") == words(data, below)[1]
    press(browser, "ArrowUp", "Home")
    assert run(STATUS) == ". ".join(words(data, points[0])) + "."
    press(browser, "Escape")
    assert run(TIP) is None


def test_the_point_under_the_pointer_is_described(browser, page, data):
    run = page()
    point = next(p for p in as_run(data) if p[8] is not None)
    hue = data["methods"][point[2]]["hue"]
    at = run(f"""
        (() => {{
            const svg = document.querySelector('.plot svg');
            svg.scrollIntoView({{ block: 'center' }});
            const d = svg.querySelector('.hue-{hue} path.line').getAttribute('d');
            const [, x, y] = d.match(/^M([\\d.]+) ([\\d.]+)/).map(Number);
            const box = svg.getBoundingClientRect();
            return [box.left + x, box.top + y];
        }})()
    """)
    browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
    browser.run(FRAME)
    shown = run(f"[...{TIP}.children].map((one) => one.textContent)")
    assert shown == words(data, point)[1:]
    browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
    browser.run(FRAME)
    assert run(TIP) is None


def test_a_button_of_the_legend_hides_its_method(browser, page):
    run = page()
    before = run(LINES)
    panels = run("document.querySelectorAll('.panel').length")
    button = "document.querySelector('button.chart-key')"
    assert run(f"{button}.getAttribute('aria-pressed')") == "true"
    run(f"{button}.focus()")
    browser.ask("Input.dispatchKeyEvent", type="keyDown", key=" ", text=" ")
    browser.ask("Input.dispatchKeyEvent", type="keyUp", key=" ")
    assert run(f"{button}.getAttribute('aria-pressed')") == "false"
    assert run(LINES) == before - panels
    run(f"{button}.click()")
    assert run(LINES) == before


def test_axes_are_switched_and_back(page, data):
    run = page()
    heights = "[...document.querySelectorAll('.plot svg')].map((one) => one.innerHTML)"
    ticks = "[...document.querySelector('.plot svg').querySelectorAll('text')].map((one) => one.textContent)"
    seen = [run(heights)]
    for label, value in (("Vertical", "log"), ("Horizontal", "log"), ("Horizontal", "linear")):
        run(f"{SELECT}('{label}', '{value}')")
        seen.append(run(heights))
        assert "NaN" not in "".join(seen[-1])
    assert len({tuple(one) for one in seen}) == 4
    wanted = [word for _, word in data["metrics"][0]["logarithmic"]["ticks"]]
    assert run(ticks)[: len(wanted)] == wanted
    run(f"{SELECT}('Vertical', 'linear')")
    run(f"{SELECT}('Horizontal', 'category')")
    assert run(heights) == seen[0]


def test_a_logarithmic_axis_has_a_place_for_zero(browser, whole_results, tmp_path):
    run = next(run for run in read(whole_results) if run.name == "noise")
    lines = run.lines.assign(noise_dims=run.lines["noise_dims"].replace(10, 0))
    files = build.pages([replace(run, lines=lines)])
    publish(tmp_path / "site", files)
    browser.open((tmp_path / "site" / run.path).as_uri())
    browser.run(f"{SELECT}('Horizontal', 'log')")
    d = browser.run("document.querySelector('.panels path.line').getAttribute('d')")
    first, second, third = (float(part.split()[0]) for part in d[1:].split("L"))
    share = np.log1p(100) / np.log1p(10000)
    assert (second - first) / (third - first) == pytest.approx(share, abs=0.01)


def test_a_selected_sample_is_what_is_drawn_and_listed(page, data):
    run = page()
    rows = """
        (() => {
            const fold = document.querySelector('.numbers');
            fold.open = true;
            return [...fold.querySelectorAll('tbody tr')].map(
                (row) => [...row.children].map((one) => one.textContent));
        })()
    """
    first = [p for p in data["points"] if p[9] == 1]
    assert f"The {len(first)} numbers" in run("document.querySelector('.numbers').textContent")
    run(rows)
    run(FRAME)
    listed = run(rows)
    assert len(listed) == len(first)
    assert {row[0].split(", ")[-1] for row in listed} == {"as run"}
    assert [f"{p[4]:.3f}" for p in as_run(data)] == [
        row[3] for row in listed if row[1] == data["panels"][0]["title"]
    ]
    run(f"{SELECT}('Sample', '0')")
    assert {row[0].split(", ")[-1] for row in run(rows)} == {"as written", "recommended"}
    run(f"{SELECT}('Sample', '-1')")
    assert len(run(rows)) == len(data["points"])
    names = run("[...document.querySelectorAll('.panel-name')].map((one) => one.textContent)")
    assert len(names) == 2 * len(data["panels"])
    assert all("sample as" in name for name in names)


def test_letters_keep_their_size_on_a_small_screen(browser, page):
    """The chart is drawn anew for the width, and nothing goes beyond it, the tip neither."""
    run = page()
    wide = run("document.querySelector('.plot svg').clientWidth")
    browser.size(375)
    run(FRAME)
    assert run("document.querySelector('.plot svg').clientWidth") != wide
    assert run("document.querySelector('.plot svg').getAttribute('viewBox')") is None
    for name in ("Home", "End"):
        run("document.querySelector('.plot').focus()")
        press(browser, "ArrowRight", name)
        assert run("document.documentElement.scrollWidth") == 375
        box = run(f"(({{ left, right }}) => [left, right])({TIP}.getBoundingClientRect())")
        assert box[0] >= 0
        assert box[1] <= 375


def test_in_the_dark_lines_are_lighter_and_on_paper_as_in_the_light(browser, page):
    color = "getComputedStyle(document.querySelector('.panels path.line')).stroke"
    light, dark = page(scheme="light")(color), page(scheme="dark")(color)
    assert sum(map(int, dark[4:-1].split(","))) > sum(map(int, light[4:-1].split(",")))
    shown = "getComputedStyle(document.querySelector('{}')).display"
    dark_user = {"name": "prefers-color-scheme", "value": "dark"}
    browser.ask("Emulation.setEmulatedMedia", media="print", features=[dark_user])
    try:
        assert browser.run(color) == light
        assert browser.run(shown.format(".chart-tools")) == "none"
        assert browser.run(shown.format(".plot svg")) == "block"
        verdict = "getComputedStyle(document.querySelector('.state')).color"
        on_paper = browser.run(verdict)
    finally:
        browser.ask("Emulation.setEmulatedMedia", media="", features=[])
    assert on_paper == page(scheme="light")(verdict)


def test_without_scripts_the_chart_is_a_drawing(browser, whole_site):
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open((whole_site / NOISE).as_uri())
    finally:
        browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    run = browser.run
    assert run("document.querySelector('.chart svg.static').getBoundingClientRect().height") > 100
    assert run("document.querySelectorAll('.chart svg.static path.line').length") > 4
    assert run("document.querySelector('.chart-tools').textContent") == "Shown here: sample as run."
    assert run("document.querySelectorAll('.chart button, .chart select').length") == 0
    ground = "getComputedStyle(document.querySelector('.chart svg.static')).backgroundColor"
    assert run(ground) == "rgba(0, 0, 0, 0)"


def test_a_heat_map_stays_a_picture_with_its_size_and_links(page):
    run = page(LEADERBOARD)
    assert run("document.querySelectorAll('.chart').length") == 0
    shown = run("(({width, height}) => [width, height])(document.querySelector('figure img'))")
    given = run(
        "['width', 'height'].map((one) => document.querySelector('figure img').getAttribute(one))"
    )
    assert all(given)
    assert shown[0] / shown[1] == pytest.approx(int(given[0]) / int(given[1]), rel=0.05)
    links = run("[...document.querySelectorAll('main a')].map((one) => one.getAttribute('href'))")
    large = "document.querySelector('figure a').href === document.querySelector('figure img').src"
    assert run(large)
    assert "#values" in links
    assert "summary.csv" in links
