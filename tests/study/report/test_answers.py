"""A question and its answer, from a config to the terminal, the files of a run and the site."""

import json

import pandas as pd
import pytest

from geoforest_cli.study.report import site
from geoforest_cli.study.results.record import read_record
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
    (claim,) = read_record(folder).claims
    mean = rows[(rows["metric"] == "error") & (rows["n"] == 20)].groupby("method")["value"].mean()
    return (
        f"{SAID[claim.verdict]}: with 20 points the error is {mean['knn']:.3f}, "
        f"that of the line {mean['logistic']:.3f}. 1 sentence of the paper: 1 {claim.verdict}."
    )


@pytest.mark.nightly
def test_a_run_ends_with_the_answer_and_runs_no_cell_again(asked):
    done = geoforest("run", "first", "--jobs", 1, cwd=asked)
    assert done.returncode == 0, done.stderr
    *_, results, last = done.stdout.splitlines()
    assert "(0 run now, 12 kept)" in results
    assert last == FIRST + expected(asked / "results" / "first" / "paper")
    small = geoforest("run", "first", "--profile", "smoke", "--jobs", 1, cwd=asked)
    assert small.stdout.splitlines()[-1] == (
        f"{FIRST}Not judged (profile smoke: too small to judge the paper)."
    )


@pytest.mark.nightly
def test_claims_and_their_json_have_the_answer(asked):
    geoforest("figure", "first", cwd=asked)
    text = expected(asked / "results" / "first" / "paper")
    assert geoforest("claims", cwd=asked).stdout.splitlines()[-1] == f"- {FIRST}{text}"
    papers = json.loads(geoforest("claims", "--json", cwd=asked).stdout)
    (answer,) = papers["manifold_forests"]["answers"]
    assert (answer["config"], answer["what"], answer["text"]) == ("first", "Figure 1", text)
    assert answer["question"] == "Do nearest neighbours err less than a line?"
    assert answer["verdict"] == read_record(asked / "results" / "first" / "paper").claims[0].verdict


@pytest.mark.nightly
def test_the_site_begins_with_the_answer(asked, monkeypatch):
    monkeypatch.chdir(asked)
    geoforest("figure", "first", cwd=asked)
    text = expected(asked / "results" / "first" / "paper")
    folder = site.write(asked / "results", asked / "site").parent
    page = (folder / "runs" / "first" / "paper" / "index.html").read_text()
    assert text in page[page.index("</h1>") : page.index("<figure>")]
    front = (folder / "index.html").read_text()
    row = front.split('<a href="runs/first/paper/index.html">')[-1].split("</tr>")[0]
    assert text.partition(" 1 sentence of the paper")[0] in row
