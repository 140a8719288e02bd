"""``run --until-decided``: further looks of undecided claims, from the command line."""

import json

import pytest

from tests.e2e.inside import geoforest
from tests.study.engine.toy import write_method

EXPERIMENT = """
from geoforest_cli.study.experiment import Experiment, Params, Row


class CoinParams(Params):
    a: int


class Coin(Experiment[CoinParams]):
    methods = ("neighbors",)
    yields = ("m",)

    def run_cell(self, task):
        late = 1.0 if task.repetition >= 3 else 0.0
        return [Row("m", task.params.a * (0.3 + late) + (-1.0) ** task.repetition)]

    def draw(self, context):
        from matplotlib.figure import Figure
        return Figure(figsize=(0.2, 0.2))
"""

CONFIG = """
title: Means that show late
experiment: ./coin.py
repetitions: 3
looks: [6, 12]
grid: {a: [0, 1, 9]}
methods:
  still: {use: "toy_method:Still", variants: {as_written: {}}}
claims:
  - id: nine
    origin: ours
    says: Far above 0
    check: at_least
    metric: m
    value: -5
    where: {a: 9}
    method: {name: still, variant: as_written}
  - id: one
    like: nine
    says: Above 0
    value: 0
    where: {a: 1}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "coin.py").write_text(EXPERIMENT)
    (tmp_path / "means.yaml").write_text(CONFIG)
    write_method(tmp_path)
    return tmp_path


def _claims(folder):
    claims = json.loads((folder / "results/means/paper/claims.json").read_text())
    return {claim["id"]: claim for claim in claims}


def _run(folder, *options):
    return geoforest("run", "means.yaml", "--jobs", "2", *options, cwd=folder)


def _repetitions(folder):
    lines = (folder / "results/means/paper/rows.csv").read_text().splitlines()[1:]
    found = {}
    for line in lines:
        found.setdefault(line.split(",")[0], []).append(int(line.split(",")[3]))
    return {a: len(repetitions) for a, repetitions in found.items()}


@pytest.mark.nightly
def test_looks_are_taken_on_demand_for_undecided_claims_alone(folder):
    first = _run(folder)
    assert first.returncode == 0
    assert "a further look, at 6 repetitions: geoforest run means.yaml --until-decided" in (
        first.stdout
    )
    assert _repetitions(folder) == {"0": 3, "1": 3, "9": 3}
    assert {name: claim["verdict"] for name, claim in _claims(folder).items()} == {
        "nine": "supported", "one": "undecided",
    }  # fmt: skip

    none = _run(folder, "--until-decided", "--budget", "0")
    assert "longer than what is left of the 0 hours of --budget" in none.stdout
    assert _repetitions(folder)["1"] == 3

    assert _run(folder, "--until-decided").returncode == 0
    found = _claims(folder)
    assert _repetitions(folder) == {"0": 3, "1": 12, "9": 3}
    assert found["one"]["verdict"] == "supported"
    assert found["one"]["looks"] == {"taken": [3, 6, 12], "declared": [3, 6, 12], "undeclared": []}
    assert found["nine"]["looks"]["taken"] == [3]
    provenance = json.loads((folder / "results/means/paper/provenance.json").read_text())
    assert provenance["config"]["looks"] == {"declared": [3, 6, 12], "taken": [3, 6, 12]}

    # without the option, and drawn again: what was taken stays
    rows = (folder / "results/means/paper/rows.csv").read_bytes()
    again = _run(folder)
    assert "have a further look" not in again.stdout
    assert geoforest("figure", "means.yaml", cwd=folder).returncode == 0
    assert (folder / "results/means/paper/rows.csv").read_bytes() == rows
    assert _claims(folder) == found


@pytest.mark.nightly
def test_repetitions_that_a_user_adds_to_a_config_mark_its_claims(folder):
    config = folder / "means.yaml"
    config.write_text(CONFIG.replace("looks: [6, 12]\n", ""))
    first = _run(folder)
    assert "have a further look" not in first.stdout
    assert "No further look is declared" in _claims(folder)["one"]["note"]
    config.write_text(CONFIG.replace("repetitions: 3\nlooks: [6, 12]\n", "repetitions: 12\n"))
    assert _run(folder).returncode == 0
    marked = _claims(folder)["one"]
    assert marked["verdict"] == "supported"
    assert marked["looks"] == {"taken": [12], "declared": [12], "undeclared": [3]}
    assert "Judged at 3 repetitions before these looks were declared" in marked["note"]
    # other samples are another study
    config.write_text(config.read_text().replace("repetitions: 12", "repetitions: 12\nseed: 5"))
    assert _run(folder).returncode == 0
    assert _claims(folder)["one"]["looks"]["undeclared"] == []
