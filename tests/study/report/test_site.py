"""The site: its pages hold together, and say what the files of the runs say."""

import json
import shutil
from collections import Counter

import pytest

from geoforest_cli.study.claims.readings import late_among
from geoforest_cli.study.config.find import known_experiments
from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.report import site
from geoforest_cli.study.report.site import build, links, wording
from geoforest_cli.study.report.site.runs import read
from tests.study.report.sites import PLANS, Page, target

NAMED = ("index", "claims", "errata", "choosing", "screening", "methods", "verdicts")


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
    assert f"{late_among(found)} of them were changed" in (whole_site / "index.html").read_text(
        "utf-8"
    )


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
    (answering,) = open_config("noise", "paper").config.answer.words.values()
    primary = [one["id"] for one in claims if one["origin"] == "paper" and one["primary"]]
    first = sorted(primary, key=lambda one: one != answering.claim)
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
