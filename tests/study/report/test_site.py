"""The site: its pages hold together, and say what the files of the runs say."""

import gzip
import html
import json
import re
import shutil
from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.agreement import Agreement, agreement
from geoforest_cli.study.config.find import known_experiments
from geoforest_cli.study.plan import load
from geoforest_cli.study.report import site
from geoforest_cli.study.report.site import build, links, numbers, overview
from geoforest_cli.study.report.site.not_run import not_run
from geoforest_cli.study.report.site.runs import read
from tests.study.report.sites import KEPT, PLANS, Page, target

NOISE = "runs/noise/paper/index.html"


def claims_of(results):
    """The claims of each config, of the published size where it is there."""
    found = {}
    for name, profile in PLANS:
        path = results / name / profile / "claims.json"
        found.setdefault(name, json.loads(path.read_text()))
    return found


def parts_of(text, begin, end):
    return [part.split(end)[0] for part in text.split(begin)[1:]]


@pytest.fixture
def copied(kept_results, tmp_path):
    """A copy of what is kept of a config, and its record, which is written with changes."""

    def copy(name, as_name=None, **changes):
        folder = tmp_path / "results" / (as_name or name)
        if not folder.exists():
            shutil.copytree(kept_results / name, folder)
        record = json.loads((folder / "provenance.json").read_text())
        (folder / "provenance.json").write_text(json.dumps(record | changes))
        return folder, record

    return copy


def test_pages_hold_together(folder, shown):
    """Every link leads somewhere, nothing is loaded from elsewhere, and a strict policy holds."""
    runs = [path for path in shown if "runs" in path.relative_to(folder).parts]
    assert len(runs) == (len(PLANS) if folder.name == "whole" else len({n for n, _ in PLANS}))
    for path, page in shown.items():
        for link in [*page.links, *page.loaded]:
            if (found := target(path, link)) is None:
                assert link == "data:," or (link.startswith("https://") and link in page.links)
                continue
            file, place = found
            assert file.resolve().is_relative_to(folder.resolve()), link
            assert file.is_file(), f"{path.relative_to(folder)}: {link}"
            assert not place or place in shown[file.parent.resolve() / file.name].ids, link
        assert page.inline == [], path
        assert [name for name, number in Counter(page.ids).items() if number > 1] == [], path
        assert page.open == []
        assert (page.headings[0], page.headings.count(1)) == (1, 1)
        steps = zip(page.headings, page.headings[1:], strict=False)
        assert all(after - before <= 1 for before, after in steps), path
        assert all(image["alt"].startswith("Figure: ") for image in page.images)
    for path in [*folder.rglob("*.css"), *folder.rglob("*.js")]:
        assert not {"//", "url("} & set(path.read_text().split()), path.name
    assert len((folder / "assets" / "page.js").read_text().splitlines()) <= 120


def test_the_drawing_stands_in_the_page_with_the_numbers_of_its_marks(folder, shown, whole_results):
    page = shown[folder / NOISE]
    means = pd.read_csv(whole_results / "noise/paper/summary.csv")
    means = means[(means["metric"] == "precision") & (means["variant"] == "as_run")]
    (line,) = means.query("method == 'gf' and noise_dims == 100 and k == 50").to_dict("records")
    begin = f"GF, as run; noise dims 100: {line['mean']:.3g} (95 % interval "
    assert any(title.startswith(begin) for title in page.titles)
    assert f"published: GF, as run; noise dims 100: {line['published']:.3g}" in page.titles
    text = (folder / NOISE).read_text()
    assert 'role="group" aria-label="Figure: Precision against the number of noise' in text
    image = (folder / "runs/leaderboard/smoke/index.html").read_text()
    assert ("<svg" in image) == (folder.name == "whole")


def test_the_numbers_are_those_of_the_figure_those_with_published_values_first(whole_results):
    run = next(run for run in read(whole_results) if run.name == "noise")
    table = numbers.numbers(run)
    heads = [name for name, _ in table.heads]
    assert heads == ["Manifold", "Noise dims", "K", "Method", "Variant", "Metric", "Mean",
                     "Repetitions", "Published", "Difference"]  # fmt: skip
    assert dict(table.heads)["Mean"]
    assert not dict(table.heads)["Method"]
    values = [dict(zip(heads, line, strict=True)) for line in table.lines]
    wanted = run.lines.query("metric == 'precision' and k == 50")
    assert table.total == len(values) == len(wanted)
    assert sorted(line["Mean"][1] for line in values) == sorted(wanted["mean"])
    published = [line["Published"][0] != "" for line in values]
    assert published == sorted(published, reverse=True)
    first = values[0]
    assert (first["Method"], first["Variant"]) == (("GF", "gf"), ("as run", "as_run"))
    assert first["Mean"][0].startswith(f"{first['Mean'][1]:.3f} ± ")
    assert first["Difference"][0] == f"{first['Mean'][1] - first['Published'][1]:.3f}"
    assert numbers.numbers(replace(run, lines=run.lines.iloc[:0])) is None


def counted(judged):
    """How many sentences and claims of ours are in which state."""
    states = Counter()
    for one in judged.values():
        states.update(("paper", sentence["verdict"]) for sentence in one["sentences"])
        own = (claim for claim in one["claims"] if claim["sentence"] is None)
        states.update(("ours", claim["verdict"]) for claim in own)
    return states


def test_front_page_and_claims_count_as_the_verdicts_do(folder, shown, whole_results):
    states = counted(claims_of(whole_results))
    cells = Counter()
    for one in shown[folder / "index.html"].claims:
        number, verdict = one["number"].split(" ", 1)
        cells[one["data-origin"], verdict] += int(number)
    assert cells == states
    rows = shown[folder / "claims.html"].claims
    assert Counter((one["data-origin"], one["data-state"]) for one in rows) == states
    offered = parts_of((folder / "claims.html").read_text(), 'id="filter-paper"', "</select>")[0]
    assert {one["data-paper"] for one in rows} == set(parts_of(offered, 'option value="', '"')[1:])


def test_a_sentence_stands_with_its_parts_and_its_readings(whole_site, whole_results):
    text = html.unescape((whole_site / NOISE).read_text())
    judged = claims_of(whole_results)["noise"]
    for sentence in judged["sentences"]:
        begin = text.index(f'id="sentence-{sentence["key"]}"')
        part = text[begin:].split('<article class="claim" id="sentence-')[0]
        assert sentence["quote"] in part
        assert sentence["registration"] in part
        assert ("hangs on a threshold of ours" in part) == sentence["hangs"]
        decided, _, readings = part.partition("Other readings, which decide nothing")
        assert all(f'id="claim-{name}"' in decided for name in sentence["parts"])
        assert all(f'id="claim-{name}"' in readings for name in sentence["readings"])


def test_a_claim_stands_with_all_that_decides_it(whole_site, whole_results):
    text = html.unescape((whole_site / NOISE).read_text())
    for claim in claims_of(whole_results)["noise"]["claims"]:
        part = text[text.index(f'id="claim-{claim["id"]}"') :].split("</article>")[0]
        assert f"<dd>{claim['test'] or '–'}</dd>" in part
        assert claim["quantity"][1:] in part
        if claim["p_support"] is not None:
            assert f"{claim['p_refute']:.2g} against it" in part or "< 0.0001" in part
        if claim["low"] is not None:
            assert f"95 % interval [{claim['low']:.4g}, {claim['high']:.4g}]" in part


def test_the_command_of_a_page_runs_the_repetitions_of_its_record(whole_site, whole_results):
    """What a page shows is what its command makes: no claim is judged at more repetitions."""
    text = (whole_site / NOISE).read_text()
    assert "<code>geoforest run noise</code>" in text
    plan = load("noise", "paper", PLANS["noise", "paper"])
    most = {(one.method, one.variant): one.repetition + 1 for one in plan.entries}
    for claim in claims_of(whole_results)["noise"]["claims"]:
        parsed = next(raw for raw in plan.config.claims if raw["id"] == claim["id"])
        methods = [parsed["method"], *parsed.get("than", ())]
        assert claim["n"] <= max(most[one["name"], one["variant"]] for one in methods)


def test_agreement_comes_first(folder, whole_results):
    lines = pd.read_csv(whole_results / "noise/paper/summary.csv")
    found = agreement(lines)
    assert found.values == lines["published"].notna().sum()
    heading = re.escape("Precision against the number of noise dimensions</h1>")
    page = html.unescape((folder / NOISE).read_text())
    said = re.search(heading + r"\s*<p>(.+?)</p>", page)[1]
    about = json.loads((whole_results / "noise/paper/report.json").read_text())
    assert said == f"{found.sentence(about['labels'])}."
    assert Agreement.model_validate(about["agreement"]).sentence() == found.sentence()
    front = html.unescape((folder / "index.html").read_text())
    # the front page, its paper, and its row
    assert front.count(found.figures) == 3
    assert front.count("published values: median") == 3
    for page in folder.glob("runs/*/smoke/index.html"):
        assert "median deviation" not in page.read_text()


def test_a_page_says_how_it_came_about(folder, whole_results):
    text = (folder / NOISE).read_text()
    for words in (
        "<code>geoforest run noise</code>", "geodesic_forest.yaml, which it extends", "<dd>c0</dd>",
        "1.5 minutes of computing", "@article{one, title = {One &amp; &lt;two&gt;}}",
        '<th scope="col">As written</th>', "criterion: fast_bic_legacy",
    ):  # fmt: skip
        assert words in text
    record = json.loads((whole_results / "noise/paper/provenance.json").read_text())
    at = (folder / NOISE).parent
    assert (at / "noise.yaml.txt").read_text() == record["config"]["text"]
    assert record["config"]["extends"]
    for part in record["config"]["extends"]:
        assert (at / f"{part['name']}.txt").read_text() == part["text"]
    source = known_experiments()["manifold_neighbors"].read_text()
    assert (folder / "experiments/manifold_neighbors.py.txt").read_text() == source
    linked = Page(text).links
    files = (f"{at.relative_to(folder)}/noise.yaml.txt", "experiments/manifold_neighbors.py.txt")
    assert {f"../../../{file}" for file in files} <= set(linked)
    more = {"figure.svg", "figure.pdf", "summary.tex", "summary.md"}
    downloads = {link for link in linked if "/" not in link and "#" not in link}
    assert downloads == {*KEPT, "figure.png"} | (more if folder.name == "whole" else set())
    assert 'figure.png</a> <span class="small">' in text


def test_what_is_long_is_cut_or_named(whole_results, monkeypatch):
    monkeypatch.setattr(numbers, "MAX_LINES", 7)
    monkeypatch.setattr(build, "_MAX_DOWNLOAD", 0)
    runs = [run for run in read(whole_results) if run.name == "noise"]
    files = build.pages(runs)
    page = files[runs[0].path]
    assert "The first 7 lines; the others are in summary.csv." in page
    assert page.split('id="lines"')[1].split("</table>")[0].count("</tr>") == 8
    assert "too large for this site" in page
    left = {path.name for path in files if path.parent == runs[0].path.parent}
    assert left.isdisjoint(KEPT)
    assert "figure.png" in left


def test_a_page_leads_to_its_paper_and_to_the_artifacts_around_it(whole_site):
    text = (whole_site / NOISE).read_text()
    assert 'href="https://doi.org/10.1145/3394486.3403094"' in text
    assert 'rel="prev"' not in text
    assert 'rel="next" href="../../../runs/smerf_variance/paper/index.html"' in text
    last = (whole_site / "runs/leaderboard/smoke/index.html").read_text()
    assert 'rel="prev" href="../../../runs/smerf_variance/paper/index.html"' in last
    assert 'rel="next"' not in last
    assert "https://doi.org/10.48550/arXiv.2007.13843" in (whole_site / "index.html").read_text()


def test_commit_and_documents_are_links_where_the_repository_is_known(whole_results, monkeypatch):
    (run,) = (run for run in read(whole_results) if run.name == "smerf_variance")
    plain = build.pages([run])[run.path]
    assert "<dd>c0</dd>" in plain
    assert "CITATION.cff names no repository" in plain
    monkeypatch.setattr(links, "repository", lambda: "https://github.com/a/b.git")
    linked = build.pages([run])[run.path]
    assert '<a href="https://github.com/a/b/commit/c0">c0</a>' in linked
    assert '<a href="https://github.com/a/b/tree/HEAD/docs">Documents</a>' in linked
    monkeypatch.setattr(links, "repository", lambda: "javascript:alert(1)")
    assert "javascript" not in build.pages([run])[run.path]


def test_an_outcome_of_a_config_of_ones_own_is_shown(copied, tmp_path):
    """Nothing but its files is known, and names in its record are no paths."""
    config = {
        "text": "title: Mine <here>\nartifact: Figure 9", "overrides": ["params.n=5 6"],
        "extends": [{"name": "../../../../../escaped\x00.yaml", "text": "a: 1"}],
    }  # fmt: skip
    copied("smerf_variance", "my own & only", config=config)
    found = site.write(tmp_path / "results", tmp_path / "out").parent
    at = found / "runs" / "my own & only" / "paper"
    text = (at / "index.html").read_text()
    assert "<h1>Mine &lt;here&gt;</h1>" in text
    assert "geoforest run &#39;my own &amp; only&#39; --set &#39;params.n=5 6&#39;" in text
    assert "runs/my%20own%20%26%20only/paper/index.html" in (found / "index.html").read_text()
    (claim, *_) = Page((found / "claims.html").read_text()).claims
    assert claim["data-paper"] == "none"  # and not "", which stands for all papers
    (escaped,) = tmp_path.rglob("*escaped*")
    assert escaped.parent == at


def test_a_page_says_when_config_or_rules_have_changed(copied, tmp_path):
    _, record = copied("noise")
    identities = {"gf as_run": {"cells": 1, "digest": "0"}}
    for config, known, words in (
        (record["config"], {}, "Not run since the rules"),
        (record["config"] | {"text": record["config"]["text"] + "\n# more\n"}, identities,
         "its text has changed since this run"),
        (record["config"], identities, ""),
    ):  # fmt: skip
        copied("noise", config=config, identities=known)
        (run,) = read(tmp_path / "results")
        page = build.pages([run])[run.path]
        told = {one for one in ("Not run since the rules", "its text has changed since this run") if one in page}  # fmt: skip
        assert told == ({words} if words else set())


def test_the_main_figure_is_first_and_drawings_come_before_pixels(copied, tmp_path):
    folder, _ = copied("smerf_variance", "zebra")
    drawing, pixels = (folder / "figure.svgz").read_bytes(), (folder / "figure.png").read_bytes()
    for name in ("figure_b", "zebra", "figure_a"):
        (folder / f"{name}.svgz").write_bytes(drawing)
    for name in ("figure_b", "aside"):
        (folder / f"{name}.png").write_bytes(pixels)
    (run,) = read(tmp_path / "results")
    assert [path.name for path in run.figures.values()] == [
        "figure.svgz", "zebra.svgz", "aside.png", "figure_a.svgz", "figure_b.svgz"
    ]  # fmt: skip
    for name, content in (
        ("aside.png", pixels[:-4]), ("zebra.svgz", gzip.compress(b"<svg>")),
        ("zebra.svgz", drawing[:-9]), ("zebra.svgz", gzip.compress(b"<g></svg>")),
        ("claims.json", b"7"), ("summary.csv", b"[7]"), ("provenance.json", b"[7]"),
    ):  # fmt: skip
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(content)
        with pytest.raises(UserError, match=rf"{name} is damaged .* reference write zebra writes"):
            build.pages(read(tmp_path / "results"))
        (folder / name).write_bytes(before)


CONTROLS = "\x00\x07\x1b[2J\x7f\x9b\u200f\u202e\u2066\u2028"
FIXED = {"version", "name", "profile", "figures", "first", "last", "verdict", "check", "kind",
         "preliminary", "quantifier", "answer", "unit", "text", "overrides", "published", "key",
         "id", "sentence", "parts", "readings", "registration", "half", "twice", "population",
         "holds"}  # fmt: skip


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
    for name in ("report.json", "claims.json", "provenance.json"):
        content = marked(json.loads((folder / name).read_text()))
        if name == "provenance.json":
            content["config"]["text"] = f"title: it{CONTROLS}\n# a tab:\there\n"
        (folder / name).write_text(json.dumps(content))
    out = site.write(tmp_path / "results", tmp_path / "out").parent
    seen = 0
    for path in out.rglob("*.html"):
        text = path.read_text("utf-8")
        assert not set(text) & set(CONTROLS) - set("[2J")
        assert "<b>" not in text
        seen += r"\x00\x07\x1b[2J\x7f\x9b\u200f\u202e\u2066\u2028&lt;b&gt;" in text
    assert seen >= 3  # overview, claims, the run's own
    assert "title: it\\x00" in (out / NOISE).read_text("utf-8")


def test_a_config_without_results_says_what_is_missing(kept_site, monkeypatch, tmp_path):
    monkeypatch.setenv("GEOFOREST_DATA", str(tmp_path))
    galaxy = next(config for config in not_run({"noise"}) if config.name == "galaxy")
    assert galaxy.reason == "the data set galaxy_zoo1 is missing"
    (tmp_path / "galaxy_zoo1").mkdir()
    for file in galaxy.missing[0].files:
        (tmp_path / "galaxy_zoo1" / file.name).write_text("")
    galaxy = next(config for config in not_run({"noise"}) if config.name == "galaxy")
    assert (galaxy.reason, galaxy.missing) == ("it has not been run", [])
    assert "noise" not in {config.name for config in not_run({"noise"})}
    page = (kept_site / "not-run" / "galaxy.html").read_text()
    for words in (galaxy.question, "geoforest run galaxy", "Table 3"):
        assert words in page
    assert 'href="not-run/galaxy.html"' in (kept_site / "index.html").read_text()


def test_artifacts_come_in_the_order_of_the_paper(whole_results):
    runs = read(whole_results)
    papers = overview.papers(overview.main_runs(runs))
    assert [(paper.key, [run.name for run in paper.artifacts]) for paper in papers] == [
        ("geodesic_forests", ["noise"]), ("smerf", ["smerf_variance"])
    ]  # fmt: skip
    assert [run.name for run in overview.beyond(runs)] == ["leaderboard"]
    wanted = [
        "Figure 2", "Figure 4 (top)", "Figure 4 (bottom)", "Figure 10", "Table 1", "section 3",
    ]  # fmt: skip
    run = next(run for run in runs if run.paper)
    [paper] = overview.papers([replace(run, artifact=name) for name in wanted[::-1]])
    assert [run.artifact for run in paper.artifacts] == wanted
