"""The site: its pages hold together, and say what the files of the runs say."""

import html
import json
import re
import shutil
from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.agreement import agreement
from geoforest_cli.study.plan import load
from geoforest_cli.study.report import site
from geoforest_cli.study.report.site import overview
from geoforest_cli.study.report.site.runs import FAILURES_FIRST, read, read_run
from tests.study.report.sites import PLANS, Page, target
from tests.study.results.edits import edit_record

NOISE = "runs/noise/paper/index.html"


def claims_of(results):
    """The claims of each config, of the published size where it is there."""
    judged = {}
    for name, profile in PLANS:
        path = results / name / profile / "record.json"
        judged.setdefault(name, json.loads(path.read_text()))
    return judged


def test_pages_hold_together(folder, shown):
    """Every link leads somewhere, nothing is loaded from elsewhere, and a strict policy holds."""
    runs = [path for path in shown if "runs" in path.relative_to(folder).parts]
    assert len(runs) == (len(PLANS) if folder.name == "whole" else len({n for n, _ in PLANS}))
    for path, page in shown.items():
        for link in [*page.links, *page.loaded]:
            if (destination := target(path, link)) is None:
                assert link == "data:," or (link.startswith("https://") and link in page.links)
                continue
            file, anchor = destination
            assert file.resolve().is_relative_to(folder.resolve()), link
            assert file.is_file(), f"{path.relative_to(folder)}: {link}"
            assert not anchor or anchor in shown[file.parent.resolve() / file.name].ids, link
        assert page.inline == [], path
        assert [name for name, number in Counter(page.ids).items() if number > 1] == [], path
        assert page.open == []
        assert (page.headings[0], page.headings.count(1)) == (1, 1)
        steps = zip(page.headings, page.headings[1:], strict=False)
        assert all(after - before <= 1 for before, after in steps), path
        assert all(image["alt"].startswith("Figure of ") for image in page.images)
    for path in [*folder.rglob("*.css"), *folder.rglob("*.js")]:
        assert not {"//", "url("} & set(path.read_text().split()), path.name


def test_the_figure_is_shown_and_published_values_beside_ours(folder, whole_results):
    page = html.unescape((folder / NOISE).read_text())
    assert '<img src="figure.svg" alt="Figure of Precision against' in page
    drawing = whole_results / "noise/paper/figure.svg"
    assert (folder / NOISE).with_name("figure.svg").read_bytes() == drawing.read_bytes()
    means = pd.read_csv(whole_results / "noise/paper/summary.csv").dropna(subset=["published"])
    table = page.split('aria-label="Means beside published values"')[1].split("</table>")[0]
    rows = [re.findall(r'<td class="n">(.*?)</td>', row) for row in table.split("<tr>")[2:]]
    assert len(rows) == len(means)
    deviations = [abs(float(row[3])) for row in rows]
    assert deviations == sorted(deviations, reverse=True)
    worst = means.loc[means["difference"].abs().idxmax()]
    assert rows[0][0].startswith(f"{worst['mean']:.3f} ± ")
    assert rows[0][2:] == [f"{worst['published']:.3f}", f"{worst['difference']:.3f}"]


def test_claims_are_counted_as_the_verdicts_are_failures_first(folder, shown, whole_results):
    states = Counter()
    for judged in claims_of(whole_results).values():
        states.update(("the paper's", sentence["verdict"]) for sentence in judged["sentences"])
        claims_of_ours = (claim for claim in judged["claims"] if claim["sentence"] is None)
        states.update(("ours", claim["verdict"]) for claim in claims_of_ours)
    rows = shown[folder / "claims.html"].claims
    assert Counter((row["data-origin"], row["data-verdict"]) for row in rows) == states
    verdicts = [row["data-verdict"] for row in rows]
    assert verdicts == sorted(verdicts, key=FAILURES_FIRST.index)
    text = (folder / "claims.html").read_text().split('id="filter-paper"')[1].split("</select>")[0]
    assert {row["data-paper"] for row in rows} == set(re.findall('option value="([^"]+)"', text))


def test_a_sentence_stands_with_its_parts_and_its_readings(whole_site, whole_results):
    text = html.unescape((whole_site / NOISE).read_text())
    judged = claims_of(whole_results)["noise"]
    for sentence in judged["sentences"]:
        begin = text.index(f'id="sentence-{sentence["key"]}"')
        part = text[begin:].split('<article class="sentence"')[0]
        assert sentence["quote"] in part
        assert sentence["registration"] in part
        assert ("hangs on a threshold of ours" in part) == sentence["hangs"]
        decided, _, readings = part.partition("Other readings, which decide nothing")
        assert all(f'id="claim-{name}"' in decided for name in sentence["parts"])
        assert all(f'id="claim-{name}"' in readings for name in sentence["readings"])
    for claim in judged["claims"]:
        part = text[text.index(f'id="claim-{claim["id"]}"') :].split("</article>")[0]
        assert f"<dd>{claim['test'] or '–'}</dd>" in part
        assert claim["quantity"][1:] in part
        if claim["low"] is not None:
            assert f"95 % interval [{claim['low']:.4g}, {claim['high']:.4g}]" in part


def test_the_command_of_a_page_runs_its_repetitions(whole_site, whole_results):
    """The command of a page makes what it shows: no claim is judged at more repetitions."""
    text = (whole_site / NOISE).read_text()
    assert "<code>geoforest run noise</code>" in text
    plan = load("noise", "paper", PLANS["noise", "paper"])
    most = {(entry.method, entry.variant): entry.repetition + 1 for entry in plan.entries}
    for claim in claims_of(whole_results)["noise"]["claims"]:
        parsed = next(raw for raw in plan.config.claims if raw["id"] == claim["id"])
        methods = [parsed["method"], *parsed.get("than", ())]
        assert claim["n"] <= max(most[entry["name"], entry["variant"]] for entry in methods)


def test_answer_and_agreement_come_first(folder, whole_results):
    lines = pd.read_csv(whole_results / "noise/paper/summary.csv")
    expected = agreement(lines)
    assert expected.values == lines["published"].notna().sum()
    page = html.unescape((folder / NOISE).read_text())
    before, _, after = page.partition("<figure>")
    assert 'class="lead answer"' in before
    assert expected.figures in before
    assert expected.figures not in after
    for path in folder.glob("runs/*/smoke/index.html"):
        assert "median deviation" not in path.read_text()


def test_the_front_page_ends_with_the_counts(folder, whole_results):
    front = html.unescape((folder / "index.html").read_text())
    rows, _, counts = front.partition('<h2 id="counts">')
    expected = agreement(pd.read_csv(whole_results / "noise/paper/summary.csv"))
    assert f"Our means against {expected.figures}" in counts
    assert f"{expected.median:.2g} ({expected.values} values)" in rows
    assert "of the paper:" not in rows
    assert "published value" not in rows


def test_a_page_says_how_it_came_about(folder):
    text = (folder / NOISE).read_text()
    for words in (
        "<code>geoforest run noise</code>", "It extends geodesic_forest.yaml:", "<dd>c0</dd>",
        "<dd>1 min 30 s</dd>", "@article{one, title = {One &amp; &lt;two&gt;}}",
        "https://doi.org/10.1145/3394486.3403094",
    ):  # fmt: skip
        assert words in text
    linked = {link for link in Page(text).links if "/" not in link and "#" not in link}
    kept = {"figure.svg", "figure.png", "summary.csv", "record.json"}
    more = {"figure.pdf", "summary.md", "rows.parquet"} if folder.name == "whole" else set()
    assert linked == kept | more


def test_an_outcome_of_a_config_of_ones_own_is_shown(kept_results, tmp_path):
    """Nothing but its files is known."""
    folder = tmp_path / "results" / "my own & only"
    shutil.copytree(kept_results / "smerf_variance", folder)
    config = {"name": "my own & only", "text": "title: <b>", "overrides": ["params.n=5 6"]}
    edit_record(folder, lambda record: record.update(name=config["name"], title="", config=config))
    out = site.write(tmp_path / "results", tmp_path / "out").parent
    text = (out / "runs" / "my own & only" / "paper-changed" / "index.html").read_text()
    assert "<h1>my own &amp; only</h1>" in text
    assert "geoforest run &#39;my own &amp; only&#39; --set &#39;params.n=5 6&#39;" in text
    assert "title: &lt;b&gt;" in text
    assert "runs/my%20own%20%26%20only/paper-changed/index.html" in (out / "index.html").read_text()


def test_a_damaged_file_is_named(kept_results, tmp_path):
    folder = tmp_path / "zebra"
    shutil.copytree(kept_results / "smerf_variance", folder)
    assert [path.name for path in read_run(folder).figures] == ["figure.svg"]
    for name in ("record.json", "summary.csv"):
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(b"[7]")
        with pytest.raises(UserError, match=rf"{name} is damaged .* reference write zebra writes"):
            read(tmp_path)
        (folder / name).write_bytes(before)


CONTROLS = "\x00\x07\x1b[2J\x7f\x9b\u200f\u202e\u2066\u2028"
FIXED = {"version", "name", "profile", "figures", "first", "last", "verdict", "check", "kind",
         "preliminary", "quantifier", "answer", "unit", "text", "overrides", "published", "key",
         "id", "sentence", "parts", "readings", "registration", "half", "twice", "population",
         "holds", "files"}  # fmt: skip


def marked(value):
    """Put control characters into every text of some results that is no word of a vocabulary."""
    if isinstance(value, dict):
        return {key: part if key in FIXED else marked(part) for key, part in value.items()}
    if isinstance(value, list):
        return [marked(part) for part in value]
    return f"{value}{CONTROLS}<b>" if isinstance(value, str) else value


def test_control_characters_are_written_out_on_every_page(whole_results, tmp_path):
    folder = tmp_path / "results" / "noise" / "paper"
    shutil.copytree(whole_results / "noise" / "paper", folder)

    def mark(record):
        record.update(marked(record))
        record["config"]["text"] = f"title: it{CONTROLS}\n# a tab:\there\n"

    edit_record(folder, mark)
    out = site.write(tmp_path / "results", tmp_path / "out").parent
    seen = 0
    for path in out.rglob("*.html"):
        text = path.read_text("utf-8")
        assert not set(text) & set(CONTROLS) - set("[2J")
        assert "<b>" not in text
        seen += r"\x00\x07\x1b[2J\x7f\x9b\u200f\u202e\u2066\u2028&lt;b&gt;" in text
    assert seen >= 3  # overview, claims, the run's own
    assert "title: it\\x00" in (out / NOISE).read_text("utf-8")


def test_what_has_no_results_is_listed_with_its_command(kept_site, whole_results):
    front = html.unescape((kept_site / "index.html").read_text())
    row = front.split("(<code>geoforest run smerf_distances</code>)")[0].rpartition("<tr>")[2]
    assert "not judged" in row
    assert "No results here of Figure 1" in row
    names = {run.name for run in read(whole_results)}
    assert not names & overview.without_results(names).keys()


def test_artifacts_come_in_the_order_of_the_paper(whole_results):
    main = {run.name: run for run in reversed(read(whole_results))}
    sections = overview.sections(list(main.values()))
    assert [(section.paper, [run.name for run in section.runs]) for section in sections] == [
        ("geodesic_forests", ["noise"]), ("smerf", ["smerf_variance"]), ("", ["leaderboard"])
    ]  # fmt: skip
    wanted = [
        "Figure 2", "Figure 4 (top)", "Figure 4 (bottom)", "Figure 10", "Table 1", "section 3",
    ]  # fmt: skip
    noise = main["noise"]
    runs = [
        replace(noise, record=noise.record.model_copy(update={"artifact": name}))
        for name in wanted[::-1]
    ]
    assert [run.record.artifact for run in overview.in_order(runs)] == wanted
