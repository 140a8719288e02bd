"""The site: its pages hold together, and say what the files of the runs say."""

import contextlib
import io
import json
import shutil
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from click.testing import CliRunner
from PIL import Image

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.claims.readings import late_among
from geoforest_cli.study.config.find import known_experiments
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.report import site
from geoforest_cli.study.report.site import build, links, overview, pictures, wording
from geoforest_cli.study.report.site.documents import to_html
from geoforest_cli.study.report.site.folder import publish
from geoforest_cli.study.report.site.heat import STEPS, heat_tables
from geoforest_cli.study.report.site.methods import formulas, groups
from geoforest_cli.study.report.site.runs import read
from tests.study.report.sites import KEPT, PLANS, Page, target

SITES = ("whole_site", "kept_site")
NAMED = ("index", "claims", "errata", "choosing", "screening", "methods", "verdicts")


@pytest.fixture(params=SITES)
def folder(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def shown(folder):
    """Every page of a site, parsed."""
    return {path: Page(path.read_text("utf-8")) for path in folder.rglob("*.html")}


def claims_of(results):
    """The claims of each config, of the published size where it is there."""
    found = {}
    for name, profile in PLANS:
        path = results / name / profile / "claims.json"
        found.setdefault(name, json.loads(path.read_text()))
    return found


def test_every_page_is_there(folder, shown):
    listed = {path.relative_to(folder).as_posix() for path in shown}
    assert {f"{name}.html" for name in NAMED} <= listed
    runs = {path for path in listed if path.startswith("runs/")}
    assert "runs/noise/paper/index.html" in runs
    assert len(runs) == (len(PLANS) if folder.name == "whole" else len({n for n, _ in PLANS}))


def test_every_link_leads_to_a_file_or_a_place_in_the_site(folder, shown):
    led = 0
    for path, page in shown.items():
        for link in [*page.links, *page.loaded]:
            found = target(path, link)
            if found is None:
                assert link == "data:," or link.startswith("https://"), link
                continue
            file, place = found
            assert file.resolve().is_relative_to(folder.resolve()), link
            assert file.is_file(), f"{path.relative_to(folder)}: {link}"
            if place:
                assert place in shown[file.parent.resolve() / file.name].ids, link
                led += 1
    assert led > 50


def test_nothing_is_loaded_from_elsewhere(folder, shown):
    for page in shown.values():
        assert all("//" not in source for source in page.loaded)
    for path in [*folder.rglob("*.css"), *folder.rglob("*.js")]:
        assert "//" not in path.read_text(), path.name
        assert "url(" not in path.read_text()


def test_nothing_of_a_page_needs_an_exception_from_a_strict_policy(shown):
    """No style or event attributes, no styles or scripts within a page."""
    assert {path: page.inline for path, page in shown.items() if page.inline} == {}


def test_identifiers_are_unique_and_headings_in_order(shown):
    for path, page in shown.items():
        twice = [one for one, number in Counter(page.ids).items() if number > 1]
        assert not twice, path
        assert page.open == []
        assert page.headings[0] == 1
        assert page.headings.count(1) == 1
        steps = zip(page.headings, page.headings[1:], strict=False)
        assert all(after - before <= 1 for before, after in steps), path


def test_every_picture_is_told_in_words(shown):
    images = [one for page in shown.values() for one in page.images]
    assert images
    for one in images:
        assert one["alt"].startswith("Figure: ")
        assert len(one["alt"]) > 20
    said = {one["alt"] for one in images}
    (noise,) = (alt for alt in said if "number of noise dimensions" in alt and "Published" in alt)
    assert "against noise dimensions (horizontal)" in noise.lower()
    assert "One panel for each manifold" in noise
    assert "Methods: GF, " in noise


def test_the_front_page_counts_as_the_claims_do(folder, shown, whole_results):
    found = claims_of(whole_results)
    listed = [(one["data-origin"], one["number"]) for one in shown[folder / "index.html"].claims]
    counted = [
        Counter((claim["origin"], claim["verdict"]) for claim in claims)
        for claims in found.values()
    ]
    expected = [
        (origin, f"{number} {verdict}")
        for counts in counted
        for (origin, verdict), number in counts.items()
    ]
    assert Counter(listed) == Counter(expected)
    assert {origin for origin, _ in listed} == {"paper", "agreement", "ours"}


def test_the_front_page_counts_what_was_read_after_results_were_seen(whole_site, whole_results):
    found = [(name, c) for name, claims in claims_of(whole_results).items() for c in claims]
    assert f"{late_among(found)} were read anew" in (whole_site / "index.html").read_text("utf-8")


def test_the_page_of_claims_has_each_once(folder, shown, whole_results):
    listed = shown[folder / "claims.html"].claims
    expected = [
        (claim["verdict"], claim["origin"])
        for claims in claims_of(whole_results).values()
        for claim in claims
    ]
    assert Counter((one["data-state"], one["data-origin"]) for one in listed) == Counter(expected)
    assert {one["data-paper"] for one in listed} == {"geodesic_forests", "smerf"}


def test_a_claim_stands_with_all_that_decides_it(whole_site, whole_results):
    text = (whole_site / "runs/noise/paper/index.html").read_text()
    for claim in claims_of(whole_results)["noise"]:
        part = text[text.index(f'id="claim-{claim["id"]}"') :].split("</article>")[0]
        assert f"<dd>{claim['n']} ({claim['unit']})</dd>" in part
        if claim["p_support"] is not None:
            assert f"{claim['p_refute']:.2g} against it" in part or "&lt; 0.0001" in part
        if claim["estimate"] is not None:
            assert f"<dd>{claim['estimate']:.4g}</dd>" in part
        assert f"{claim['level'] * 100:.4g} % interval" in part
        assert ("The paper's numbers" in part) == (claim["print"] is not None)


def parts_of(text, begin, end):
    return [one.split(end)[0] for one in text.split(begin)[1:]]


def test_claims_that_decide_come_first_and_the_rest_is_folded(whole_site, whole_results):
    text = (whole_site / "runs/noise/paper/index.html").read_text()
    claims = claims_of(whole_results)["noise"]
    ids = [one.split('"')[0] for one in parts_of(text, 'class="claim" id="claim-', ">")]
    assert Counter(ids) == Counter(one["id"] for one in claims)
    first = [one["id"] for one in claims if one["origin"] == "paper" and one["primary"]]
    assert ids[: len(first)] == first
    folded = "".join(parts_of(text, '<details class="group">', "\n</details>\n</section>"))
    assert {one for one in ids if f'id="claim-{one}"' in folded} == set(ids) - set(first)
    agreement = sum(one["origin"] == "agreement" for one in claims)
    assert f"Agreement with published values ({agreement})" in folded


def test_an_interval_never_stands_without_its_level(whole_site, whole_results):
    claims = [one for several in claims_of(whole_results).values() for one in several]
    text = (whole_site / "claims.html").read_text()
    rows = parts_of(text, '<tr class="claim"', "</tr>")
    assert len(rows) == len(claims)
    seen = Counter()
    for row in rows:
        if "[" in row.split('data-label="n"')[0].rsplit("<td", 2)[-2]:
            (level,) = {
                one.rsplit(" ", 3)[-1] for one in parts_of(f">{row}", "<br><span", " % interval")
            }
            seen[level.rsplit(">")[-1]] += 1
    expected = Counter(f"{one['level'] * 100:.4g}" for one in claims if one["low"] is not None)
    assert seen == expected
    assert len(expected) > 1
    points = parts_of(
        (whole_site / "runs/noise/paper/index.html").read_text(), '<th scope="row">', "</tr>"
    )
    intervals = [one for one in points if '<td class="n">[' in one]
    assert intervals
    assert all(" %)</span>" in one for one in intervals)


def test_levels_that_an_old_file_lacks_are_said_to_be_missing(whole_results, tmp_path):
    folder = tmp_path / "noise" / "paper"
    shutil.copytree(whole_results / "noise" / "paper", folder)
    claims = json.loads((folder / "claims.json").read_text())
    for claim in claims:
        for point in claim["points"]:
            del point["level"]
    (folder / "claims.json").write_text(json.dumps(claims))
    (run,) = read(tmp_path)
    assert "did not record the levels" in build.pages([run])[run.path]


@pytest.mark.parametrize(
    ("says", "statement"),
    [
        ("Ours: without noise it holds", "Without noise it holds"),
        ("Tested as: a lead above 0", "A lead above 0"),
        ("Tested as: k-Smedoids are better", "k-Smedoids are better"),
        ("Ours, a limit: it fails", "Ours, a limit: it fails"),
        ("UMAP agrees", "UMAP agrees"),
    ],
)
def test_a_claim_is_told_as_a_sentence(says, statement, whole_results):
    claim = claims_of(whole_results)["noise"][0]
    assert wording.describe_claim(claim | {"says": says}, "noise").statement == statement


def test_a_page_leads_to_its_paper_and_to_the_artifacts_around_it(whole_site):
    page = whole_site / "runs/noise/paper/index.html"
    text = page.read_text()
    assert 'href="https://doi.org/10.1145/3394486.3403094"' in text
    assert 'rel="prev"' not in text
    assert 'rel="next" href="../../../runs/smerf_variance/paper/index.html"' in text
    last = (whole_site / "runs/leaderboard/smoke/index.html").read_text()
    assert 'rel="prev" href="../../../runs/smerf_variance/paper/index.html"' in last
    assert 'rel="next"' not in last
    assert "https://doi.org/10.48550/arXiv.2007.13843" in (whole_site / "index.html").read_text()


def test_a_commit_is_a_link_where_the_repository_is_known_and_only_there(
    whole_results, monkeypatch
):
    (run,) = (run for run in read(whole_results) if run.name == "smerf_variance")
    plain = build.pages([run])[run.path]
    assert "<dd>c0</dd>" in plain
    assert "CITATION.cff names no repository" in plain
    for address in ("https://github.com/a/b", "https://github.com/a/b.git"):
        monkeypatch.setattr(links, "repository", lambda address=address: address)
        linked = build.pages([run])[run.path]
        assert '<a href="https://github.com/a/b/commit/c0">c0</a>' in linked
        assert "names no repository" not in linked
    monkeypatch.setattr(links, "repository", lambda: "javascript:alert(1)")
    assert "<dd>c0</dd>" in build.pages([run])[run.path]


def test_config_and_experiment_are_there_as_text(whole_site, whole_results):
    folder = whole_site / "runs/noise/paper"
    record = json.loads((whole_results / "noise/paper/provenance.json").read_text())
    assert (folder / "noise.yaml.txt").read_text() == record["config"]["text"]
    assert record["config"]["extends"]
    for one in record["config"]["extends"]:
        assert (folder / f"{one['name']}.txt").read_text() == one["text"]
    source = known_experiments()["manifold_neighbors"].read_text()
    assert (whole_site / "experiments/manifold_neighbors.py.txt").read_text() == source
    linked = Page((folder / "index.html").read_text()).links
    files = ("runs/noise/paper/noise.yaml.txt", "experiments/manifold_neighbors.py.txt")
    assert {f"../../../{one}" for one in files} <= set(linked)


def test_a_name_in_a_record_is_no_path(whole_results, tmp_path):
    folder = tmp_path / "results" / "noise" / "paper"
    shutil.copytree(whole_results / "noise" / "paper", folder)
    record = json.loads((folder / "provenance.json").read_text())
    record["config"]["extends"] = [{"name": "../../../../../escaped\x00.yaml", "text": "a: 1"}]
    (folder / "provenance.json").write_text(json.dumps(record))
    out = site.write(tmp_path / "results", tmp_path / "out").parent
    (found,) = tmp_path.rglob("*escaped*")
    assert found.parent == out / "runs" / "noise" / "paper"


def test_contents_list_the_headings_of_long_pages_only(shown, folder):
    for path, page in shown.items():
        text = path.read_text("utf-8")
        (listed,) = parts_of(text, '<nav class="contents"', "</nav>") or [""]
        places = [one.split('"')[0] for one in parts_of(listed, 'href="#', ">")]
        assert len(places) != 1
        assert set(places) <= set(page.ids)
    assert 'class="contents"' in (folder / "runs/noise/paper/index.html").read_text()
    assert 'class="contents"' not in (folder / "claims.html").read_text()


def test_a_heat_map_as_a_table_has_the_means_of_the_summary(whole_results):
    (run,) = (run for run in read(whole_results) if run.name == "leaderboard")
    table = heat_tables(run)[0]
    lines = run.lines[(run.lines["metric"] == "precision") & (run.lines["noise_kind"] == "normal")]
    shown = run.config.figure["where"]["method"]
    labels = {one: run.config.methods[one].label for one in shown}
    assert [name for name, _ in table.rows] == list(labels.values())
    assert table.groups == [("linear", 2)]
    assert table.heads == ["0", "10"]
    for method, (_, cells) in zip(labels, table.rows, strict=True):
        for noise, cell in zip((0, 10), cells, strict=True):
            mine = lines[(lines["method"] == method) & (lines["noise_dims"] == noise)]
            assert cell.value == pytest.approx(mine["mean"].mean())
            assert cell.step == min(int(cell.value * STEPS), STEPS - 1)
    for column in zip(*(cells for _, cells in table.rows), strict=True):
        top = max(cell.value for cell in column)
        assert [cell.best for cell in column] == [cell.value == top for cell in column]


def ranked(methods, scores):
    """A run with a summary by hand: score of a method on a manifold."""
    figure = {"x": "noise", "y": ("precision",), "ranks": "manifold"}
    config = Config.model_construct(
        methods={one: SimpleNamespace(label=one.upper()) for one in methods},
        grid={}, figure=figure, more_figures={},
    )  # fmt: skip
    lines = pd.DataFrame(
        [
            {"manifold": place, "noise": 0, "method": method, "variant": "as_run",
             "metric": "precision", "mean": value}
            for place, values in scores.items()
            for method, value in zip(methods, values, strict=True)
        ]
    )  # fmt: skip
    return SimpleNamespace(name="mine", title="Mine", config=config, lines=lines)


def test_mean_ranks_as_a_table():
    run = ranked("abc", {"s": (0.9, 0.5, 0.1), "t": (0.8, 0.8, 0.2), "u": (0.7, 0.6, 0.5)})
    (table,) = heat_tables(run)
    assert [(name, round(cells[0].value, 3)) for name, cells in table.rows] == [
        ("A", 1.167), ("B", 1.833), ("C", 3.0)
    ]  # fmt: skip
    assert [cells[0].best for _, cells in table.rows] == [True, False, False]
    assert "(mean rank, 3 manifolds)" in table.note
    assert heat_tables(ranked("ab", {"s": (0.9, 0.5), "t": (0.8, 0.7)})) == []


def test_small_values_are_the_good_ones_of_a_log_scale():
    run = ranked("ab", {"s": (1.0, 0.01), "t": (0.1, 0.001)})
    run.config.figure.update(y=("error",), ranks=None, x="manifold", y_scale="log")
    run.lines["metric"] = "error"
    assert heat_tables(run) == []  # a figure of lines, not chosen
    run.name = "spherelet_phase"
    (table,) = heat_tables(run)
    assert [(n, [(c.text, c.step, c.best) for c in cells]) for n, cells in table.rows] == [
        ("A", [("1", 9, False), ("0.1", 6, False)]),
        ("B", [("0.01", 3, True), ("0.001", 0, True)]),
    ]


def test_a_page_says_how_it_came_about(folder):
    text = (folder / "runs/noise/paper/index.html").read_text()
    assert "<code>geoforest run noise</code>" in text
    assert "geodesic_forest.yaml, which it extends" in text
    assert "<dd>c0</dd>" in text
    assert "1.5 minutes of computing" in text
    assert "@article{one, title = {One &amp; &lt;two&gt;}}" in text
    for variant in ("As written", "As run", "Recommended"):
        assert f'<th scope="col">{variant}</th>' in text
    assert "criterion: fast_bic_legacy" in text


def test_downloads_are_those_that_are_there(whole_site, kept_site):
    for folder, more in (
        (whole_site, {"figure.pdf", "summary.tex", "summary.md"}),
        (kept_site, set()),
    ):
        page = folder / "runs" / "noise" / "paper" / "index.html"
        links = {
            link for link in Page(page.read_text()).links if "/" not in link and "#" not in link
        }
        numbers = {"figure.csv"} if more else {"noise.csv"}
        assert links - {"figure.svg", "noise.svg"} == {*KEPT, *more, *numbers}


def test_a_large_drawing_is_shown_as_pixels_and_offered_whole(whole_results, monkeypatch):
    monkeypatch.setattr(pictures, "_LARGE", 0)
    (run,) = (run for run in read(whole_results) if run.name == "leaderboard")
    files = build.pages([run])
    folder = run.path.parent
    page = Page(files[run.path])
    assert any(one["src"].endswith("leaderboard/smoke/figure.png") for one in page.images)
    assert {"figure.svg", "figure.pdf"} <= set(page.links)
    assert "figure.png" not in page.links
    with Image.open(io.BytesIO(files[folder / "figure.png"])) as shown:
        assert shown.mode == "P"
        assert shown.width <= 1500


def test_the_site_is_small(folder):
    assert sum(path.stat().st_size for path in folder.rglob("*")) < 3_000_000
    for path in folder.rglob("thumbnail.png"):
        with Image.open(path) as image:
            assert image.width <= 320
            assert image.height <= 250


def test_a_large_download_is_named_and_not_copied(whole_results, monkeypatch):
    runs = read(whole_results)
    usual = build.pages(runs)
    monkeypatch.setattr(build, "_MAX_DOWNLOAD", 0)
    less = build.pages(runs)
    assert {path for path in usual if path.suffix == ".html"} <= set(less)
    assert set(less) < set(usual)
    assert "too large for this site" in less[runs[0].path]


def test_equal_results_give_equal_bytes(whole_results, whole_site, tmp_path):
    site.write(whole_results, tmp_path / "again")
    names = {path.relative_to(whole_site) for path in whole_site.rglob("*") if path.is_file()}
    assert names == {
        path.relative_to(tmp_path / "again")
        for path in (tmp_path / "again").rglob("*")
        if path.is_file()
    }
    for name in names:
        assert (whole_site / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


def test_an_earlier_site_is_replaced_and_nothing_else(whole_results, kept_results, tmp_path):
    folder = tmp_path / "site"
    site.write(whole_results, folder)
    (folder / "CNAME").write_text("mine")
    site.write(kept_results, folder)
    assert not (folder / "runs" / "noise" / "smoke").exists()
    assert not (folder / "runs" / "noise" / "paper" / "figure.pdf").exists()
    assert (folder / "CNAME").read_text() == "mine"


@pytest.mark.parametrize("listed", ['["../victim", "/victim", "site.json"]', '"victim"', "[7]"])
def test_a_list_that_is_not_ours_removes_nothing(listed, tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    (tmp_path / "victim").write_text("mine")
    (folder / "site.json").write_text(f'{{"files": {listed}}}')
    with contextlib.suppress(UserError):
        publish(folder, {})
    assert (tmp_path / "victim").read_text() == "mine"


def test_a_folder_with_other_things_is_refused(whole_results, tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    done = CliRunner().invoke(cli, ["report", "--results", str(whole_results), "-o", str(tmp_path)])
    assert isinstance(done.exception, UserError)
    assert "holds files that are no site" in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_no_results_are_an_empty_site(tmp_path):
    folder = site.write(tmp_path, tmp_path / "site").parent
    assert "There are no results here yet." in (folder / "index.html").read_text()
    assert "There are no claims here yet." in (folder / "claims.html").read_text()
    with pytest.raises(UserError, match="there is no folder"):
        site.write(tmp_path / "nowhere", tmp_path / "site")


def test_a_damaged_outcome_is_named_with_what_writes_it(kept_results, tmp_path):
    for name in (*KEPT, "noise.svg"):
        shutil.copytree(kept_results, tmp_path / name)
        (tmp_path / name / "noise" / name).write_bytes(b"[7]")
        with pytest.raises(
            UserError, match=r"is damaged .*geoforest reference write noise writes it"
        ):
            read(tmp_path / name)


def test_an_outcome_of_a_config_of_ones_own_is_shown(kept_results, tmp_path):
    """Nothing but its files is known: neither its methods nor its axes."""
    folder = tmp_path / "my own & only"
    shutil.copytree(kept_results / "smerf_variance", folder)
    record = json.loads((folder / "provenance.json").read_text())
    record["config"] = {
        "text": "title: Mine <here>\nartifact: Figure 9",
        "overrides": ["params.n=5 6"],
    }
    (folder / "provenance.json").write_text(json.dumps(record))
    found = site.write(tmp_path, tmp_path / "out").parent
    text = (found / "runs" / "my own & only" / "paper" / "index.html").read_text()
    assert "<h1>Mine &lt;here&gt;</h1>" in text
    assert "geoforest run &#39;my own &amp; only&#39; --set &#39;params.n=5 6&#39;" in text
    assert (
        'href="runs/my%20own%20%26%20only/paper/index.html"' in (found / "index.html").read_text()
    )
    (shown,) = {one["data-paper"] for one in Page((found / "claims.html").read_text()).claims}
    assert shown == "none"  # and not "", which stands for all papers


CONTROLS = "\x00\x07\x1b[2J\x7f\x9b\u200f\u202e\u2066\u2028"


def marked(value):
    """Put control characters into every text of some results that is no word of a vocabulary."""
    if isinstance(value, dict):
        return {key: one if key in FIXED else marked(one) for key, one in value.items()}
    if isinstance(value, list):
        return [marked(one) for one in value]
    return f"{value}{CONTROLS}<b>" if isinstance(value, str) else value


FIXED = {"schema", "name", "profile", "figures", "first", "last", "origin", "verdict", "check", "kind",
         "preliminary", "quantifier", "answer", "unit", "text", "overrides", "print"}  # fmt: skip


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
        Page(text)
    assert seen >= 3  # overview, claims, the run's own
    text = (out / "runs" / "noise" / "paper" / "index.html").read_text("utf-8")
    assert "title: it\\x00" in text
    assert "\n# a tab:\there\n" in text


def test_the_difference_from_print_is_that_of_the_summary(whole_results):
    runs = {(run.name, run.profile): run for run in read(whole_results)}
    run = runs["noise", "paper"]
    told = run.lines["difference"].dropna().abs()
    (words,) = overview.difference(run)
    assert words == f"median {told.median():.2g}, largest {told.max():.2g} ({len(told)} values)"
    assert overview.difference(runs["noise", "smoke"]) == []
    assert overview.difference(replace(run, caution="too small")) == []


def test_papers_are_told_in_words():
    counts = {"paper": Counter({"supported": 2, "tie": 1}), "ours": Counter({"refuted": 1})}
    assert overview.in_words(counts) == (
        "Of the paper's 3 sentences that are checked, 2 are supported and 1 is a tie. "
        "Of our own 1 claim, 1 is refuted."
    )


def test_artifacts_come_in_the_order_of_the_paper(whole_results):
    first = overview.papers(overview.main_runs(read(whole_results)))
    assert [(paper.key, [run.name for run in paper.artifacts]) for paper in first] == [
        ("geodesic_forests", ["noise"]), ("smerf", ["smerf_variance"])
    ]  # fmt: skip
    names = [run.name for run in overview.beyond(read(whole_results))]
    assert names == ["leaderboard"]


def test_numbers_are_sorted_as_numbers_and_the_top_of_a_figure_comes_first(whole_results):
    run = next(run for run in read(whole_results) if run.paper)
    wanted = [
        "Figure 2", "Figure 4 (top)", "Figure 4 (bottom)", "Figure 10", "Table 1", "section 3",
    ]  # fmt: skip
    [one] = overview.papers([replace(run, artifact=name) for name in wanted[::-1]])
    assert [run.artifact for run in one.artifacts] == wanted


def test_markdown_is_escaped_linked_and_boxed():
    text = (
        "# T\n\n<b>x</b> [a](screening.md#two-screens) [b](other.md) `noise`\n\n## A b\n\n## A b\n"
    )
    table = "\n<!-- made -->\n| a |\n|---|\n| 1 |\n<!-- end -->\n"
    title, body = to_html(text + table, {"noise": "n.html"})
    assert title == "T"
    assert "&lt;b&gt;x" in body
    assert "--" not in body
    assert (
        '<a href="screening.html#two-screens">a</a> b <a href="n.html"><code>noise</code></a>'
        in body
    )
    assert 'id="a-b"' in body
    assert 'id="a-b-2"' in body
    assert '<div class="scroll"' in body.split("<table>")[0]


def test_every_method_is_documented(whole_results):
    listed = {one.entry.name: one for group in groups(read(whole_results)) for one in group.methods}
    assert set(formulas()) <= set(listed)
    for name, one in listed.items():
        assert one.file, name
        assert one.paragraphs, name
    assert "noise" in [run.name for run in listed["geodesic_forest"].runs]
    assert "<msub>" in "".join(formula.mathml for formula in listed["geodesic_forest"].formulas)
    assert "<math" in "".join(listed["pair_screen"].paragraphs)


@pytest.mark.parametrize(
    ("answer", "points", "largest", "words"),
    [
        ("supported", 3, None, "The paper's own numbers bear it out (at 2 of 3 points)."),
        ("refuted", 1, None, "The paper's own numbers contradict it."),
        (
            "mixed", 3, 0.25,
            ("The paper's own numbers bear it out in part (at 2 of 3 points). "
             "|ours - published|: largest 0.25, median 0.125."),
        ),
        ("no numbers", 0, None, "There are no published numbers for it."),
    ],
)  # fmt: skip
def test_what_the_papers_own_numbers_say(answer, points, largest, words):
    median = None if largest is None else largest / 2
    found = {"answer": answer, "held": 2, "points": points, "largest": largest, "median": median}
    assert wording._print(found) == words


def test_the_distance_from_a_published_value_is_that_from_the_middle_of_what_is_allowed():
    raw = {"origin": "agreement", "estimate": 0.47, "allowed": (0.4, 0.6)}
    others = [{"origin": "ours"}, {"estimate": None}, {"allowed": (0.4, None)}]
    claims = [SimpleNamespace(raw=raw | other) for other in [{}, *others]]
    assert overview._of_the_claims(SimpleNamespace(claims=claims)) == {"": [pytest.approx(0.03)]}
