"""A question and its answer, from a config to the terminal, the files of a run and the site."""

import json
import re
import shutil

import pandas as pd
import pytest

from geoforest_cli.study.report import site
from geoforest_cli.study.report.site.not_run import not_run
from tests.e2e.inside import geoforest

ANSWER = """\
question: Do nearest neighbours err less than a line?
answer:
  text: "{verdict}: with 20 points the error is {knn}, that of the line {line}."
  words:
    verdict: {claim: knn_errs_less, supported: "Yes", refuted: "No", tie: They tie, undecided: Undecided}
  numbers:
    knn: {method: knn, variant: as_written, metric: error, where: {n: 20}, digits: 3}
    line: {method: logistic, variant: as_written, metric: error, where: {n: 20}, digits: 3}
"""
SAID = {"supported": "Yes", "refuted": "No", "tie": "They tie", "undecided": "Undecided"}
FIRST = "Figure 1: Do nearest neighbours err less than a line? "


@pytest.fixture
def asked(mine):
    """The study, whose first config asks something now; its cells are those that were run."""
    path = mine / "configs" / "first.yaml"
    path.write_text(path.read_text().replace("experiment:", ANSWER + "experiment:", 1))
    return mine


def expected(folder):
    rows = pd.read_csv(folder / "rows.csv")
    (claim,) = json.loads((folder / "claims.json").read_text())
    mean = rows[(rows["metric"] == "error") & (rows["n"] == 20)].groupby("method")["value"].mean()
    return (
        f"{SAID[claim['verdict']]}: with 20 points the error is {mean['knn']:.3f}, "
        f"that of the line {mean['logistic']:.3f}."
    )


def test_a_run_ends_with_the_answer_and_runs_no_cell_again(asked):
    done = geoforest("run", "first", "--jobs", 1, cwd=asked)
    assert done.returncode == 0, done.stderr
    *_, results, last = done.stdout.splitlines()
    assert "(0 run now, 12 kept)" in results
    assert last == FIRST + expected(asked / "results" / "first" / "paper")


def test_a_smaller_profile_says_that_it_does_not_judge(asked):
    done = geoforest("run", "first", "--profile", "smoke", "--jobs", 1, cwd=asked)
    assert done.stdout.splitlines()[-1] == (
        f"{FIRST}Not judged (profile smoke: too small to judge the paper)."
    )


def test_a_config_without_a_question_ends_with_its_results(mine):
    done = geoforest("run", "second", "--jobs", 1, cwd=mine)
    assert done.stdout.splitlines()[-1].startswith("Results of ")


def test_claims_and_their_json_have_the_answer(asked):
    geoforest("figure", "first", cwd=asked)
    text = expected(asked / "results" / "first" / "paper")
    assert geoforest("claims", cwd=asked).stdout.splitlines()[-1] == FIRST + text
    found = json.loads(geoforest("claims", "--json", cwd=asked).stdout)
    (one,) = found["manifold_forests"]["answers"]
    assert (one["config"], one["what"], one["text"]) == ("first", "Figure 1", text)
    assert one["question"] == "Do nearest neighbours err less than a line?"
    claims = json.loads((asked / "results" / "first" / "paper" / "claims.json").read_text())
    assert one["verdict"] == claims[0]["verdict"]


def test_the_piece_of_a_document_has_the_answer(asked):
    geoforest("figure", "first", cwd=asked)
    folder = asked / "results" / "first" / "paper"
    assert expected(folder) in (folder / "fragment.md").read_text()


def test_the_site_begins_with_the_answer(asked, monkeypatch):
    monkeypatch.chdir(asked)
    geoforest("figure", "first", cwd=asked)
    text = expected(asked / "results" / "first" / "paper")
    folder = site.write(asked / "results", asked / "site").parent
    page = (folder / "runs" / "first" / "paper" / "index.html").read_text()
    assert text in page[page.index("</h1>") : page.index('<p class="meta">config')]
    (claim,) = json.loads((asked / "results" / "first" / "paper" / "claims.json").read_text())
    (rests,) = re.findall(r'<p class="rests unprinted">(.*?)</p>', page)
    assert f'<a href="#claim-{claim["id"]}">' in rests
    assert f"<strong>{claim['estimate']:.3g}</strong>" in rests
    assert f", {claim['n']} {claim['unit']}s" in rests
    assert "Not run since" not in page
    front = (folder / "index.html").read_text()
    row = front[front.index('id="first-paper"') :].split("</tr>")[0]
    assert text in row
    assert "Do nearest neighbours err less than a line?" in row
    assert "Not judged" not in front[front.index('id="second-paper"') :].split("</tr>")[0]


def test_a_page_says_that_its_claims_were_judged_by_earlier_rules(kept_results, tmp_path):
    folder = tmp_path / "noise"
    shutil.copytree(kept_results / "noise", folder)
    record = json.loads((folder / "provenance.json").read_text())
    for identities in ({"gf as_run": {"cells": 1, "digest": "0"}}, {}):
        record["identities"] = identities
        (folder / "provenance.json").write_text(json.dumps(record))
        site.write(tmp_path, tmp_path / "site")
        page = (tmp_path / "site" / "runs/noise/paper/index.html").read_text()
        assert ("Not run since the rules" in page) is not bool(identities)


def test_a_config_without_results_says_what_is_missing(kept_site, monkeypatch, tmp_path):
    monkeypatch.setenv("GEOFOREST_DATA", str(tmp_path))
    galaxy = next(one for one in not_run({"noise"}) if one.name == "galaxy")
    assert galaxy.reason == "the data set galaxy_zoo1 is missing"
    assert galaxy.commands == [
        "geoforest data fetch galaxy_zoo1", "geoforest run galaxy", "geoforest report",
    ]  # fmt: skip
    (tmp_path / "galaxy_zoo1").mkdir()
    for file in galaxy.missing[0].files:
        (tmp_path / "galaxy_zoo1" / file.name).write_text("")
    galaxy = next(one for one in not_run({"noise"}) if one.name == "galaxy")
    assert (galaxy.reason, galaxy.missing) == ("it has not been run", [])
    assert galaxy.commands == ["geoforest run galaxy", "geoforest report"]
    assert "noise" not in {one.name for one in not_run({"noise"})}
    pages = {path.stem: path.read_text() for path in (kept_site / "not-run").iterdir()}
    assert galaxy.question in pages["galaxy"]
    assert "geoforest run galaxy" in pages["galaxy"]
    assert "Table 3" in pages["galaxy"]
    assert 'href="not-run/galaxy.html"' in (kept_site / "index.html").read_text()
    assert "noise" not in pages
