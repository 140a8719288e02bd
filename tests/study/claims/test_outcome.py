"""Outcome of each paper's sentences, over all configs that test parts of them."""

import json

import pytest
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.study.claims.outcome import outcomes
from geoforest_cli.study.results.record import (
    RecordedConfig,
    RunRecord,
    file_digest,
    write_record,
)
from tests.study.claims import made
from tests.study.claims.made import sentence

COLUMNS = "method,variant,metric,mean,half,repetitions,undefined,failed,published,difference\n"


def finding(*results):
    """The only finding of runs that test parts of a sentence."""
    runs = [(f"config {i}", "gf", made.judged(sentences=[each])) for i, each in enumerate(results)]
    [outcome] = outcomes(runs)
    return outcome.findings[0]


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [("supported supported", "supported"), ("supported undecided", "undecided"),
     ("undecided refuted supported", "refuted")],
)  # fmt: skip
def test_a_sentence_tested_in_several_configs_is_one_finding(verdicts, verdict):
    outcome = finding(*(sentence(verdict=word) for word in verdicts.split()))
    assert (outcome.verdict, len(outcome.configs)) == (verdict, len(verdicts.split()))


def test_it_is_registered_in_all_configs_and_hangs_in_one():
    early, late, hanging = sentence(), sentence(registration="post hoc"), sentence(hangs=True)
    findings = [finding(*group) for group in ([early], [early, late], [early, hanging])]
    assert [item.registered for item in findings] == [True, False, True]
    assert [item.hangs for item in findings] == [False, False, True]


@pytest.fixture
def shown(tmp_path):
    """Return what `geoforest claims` says of some results."""
    runs = [("noise", "geodesic_forests", made.judged(sentences=[sentence()])),
               ("circle", "morf", made.judged(sentences=[sentence(verdict="refuted")])),
               ("mine", "", made.judged(made.claim(verdict="refuted")))]  # fmt: skip
    artifacts = {"noise": "Figure 4 (top)", "circle": "Figure 1", "mine": ""}
    for name, paper, verdicts in runs:
        folder = tmp_path / name / "paper"
        folder.mkdir(parents=True)
        (folder / "summary.csv").write_text(COLUMNS)
        write_record(
            folder,
            RunRecord(
                name=name,
                profile="paper",
                paper=paper,
                artifact=artifacts[name],
                config=RecordedConfig(name=name, text=""),
                sentences=verdicts.sentences,
                claims=verdicts.claims,
                files={"summary.csv": file_digest(folder / "summary.csv")},
            ),
        )
    return lambda *words: CliRunner().invoke(cli, ["claims", "--results", str(tmp_path), *words])


def test_findings_are_shown_by_paper(shown):
    data = json.loads(shown("--json").output)
    listing = [(paper, *[each["verdict"] for each in data[paper]["sentences"]]) for paper in data]
    assert listing == [("geodesic_forests", "supported"), ("morf", "refuted"), ("ours",)]
    assert data["ours"]["ours"]["refuted"] == 1  # claims of ours are counted apart
    assert "refuted: “Forests are best.” [circle]" in shown("morf").output
    assert "morf" not in shown("geodesic_forests").output
    assert shown("circle").output == shown("figure 1").output == shown("morf").output
    assert shown("Figure 4").output == shown("noise").output


def test_what_is_wrong_is_a_sentence(shown, tmp_path):
    assert "did you mean 'morf', " in str(shown("mrof").exception)
    assert "run a config first" in str(shown("--profile", "smoke").exception)
    (tmp_path / "noise" / "paper" / "record.json").write_text("[")
    assert "damaged" in str(shown().exception)
