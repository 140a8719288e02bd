"""The questions and answers of the shipped configs, and what the reference fills in."""

import functools
import json
import re

import pandas as pd
import pytest

from geoforest_cli.study.claims.answers import answer
from tests.configs.opened import CONFIGS, NAMES, config

REFERENCE = CONFIGS.parent / "results" / "reference"
KEPT = sorted(path.parent.name for path in REFERENCE.glob("*/claims.json"))


@functools.cache
def outcome(name):
    folder = REFERENCE / name
    return json.loads((folder / "claims.json").read_text()), pd.read_csv(folder / "summary.csv")


def test_every_artifact_of_a_paper_and_every_config_with_claims_is_asked():
    for name in NAMES:
        one = config(name)
        of_a_paper = one.artifact and "beyond" not in one.artifact
        if of_a_paper or (one.claims and not name.startswith("bench_")):
            assert one.answer, name
            assert one.question.endswith("?"), name
            assert one.question.count("?") == 1, name


def test_an_answer_rests_on_claims_and_on_two_numbers():
    for name in NAMES:
        one = config(name)
        if one.answer:
            assert {words.claim for words in one.answer.words.values()} <= {
                claim["id"] for claim in one.claims
            }, name
            assert len(one.answer.numbers) >= 2, name


@pytest.mark.parametrize("name", KEPT)
def test_the_sentence_agrees_with_what_is_kept(name):
    claims, lines = outcome(name)
    found = answer(config(name), claims, lines)
    states = {claim["id"]: claim["verdict"] for claim in claims}
    words = config(name).answer.words
    verdicts = {states[one.claim] for one in words.values()}
    if found["verdict"] == "not judged":
        assert found["text"].startswith("Not judged (")
        return
    assert found["verdict"] == (verdicts.pop() if len(verdicts) == 1 else "mixed")
    for one in words.values():
        said = getattr(one, states[one.claim])
        assert said.lower() in found["text"].lower()
    assert not re.search(r"[{}]|nan", found["text"])


@pytest.mark.parametrize("name", KEPT)
def test_another_verdict_is_another_sentence(name):
    claims, lines = outcome(name)
    before = answer(config(name), claims, lines)
    if before["verdict"] == "not judged":
        pytest.skip("nothing is judged there")
    for words in config(name).answer.words.values():
        other = {"supported": "refuted"}.get(before["verdict"], "supported")
        changed = [
            {**claim, "verdict": other if claim["id"] == words.claim else claim["verdict"]}
            for claim in claims
        ]
        state = next(claim["verdict"] for claim in claims if claim["id"] == words.claim)
        if state != other:
            assert answer(config(name), changed, lines)["text"] != before["text"]


@pytest.mark.parametrize("name", KEPT)
def test_other_rows_are_other_numbers(name):
    claims, lines = outcome(name)
    before = answer(config(name), claims, lines)
    if before["verdict"] == "not judged":
        pytest.skip("nothing is judged there")
    if not any(number.method for number in config(name).answer.numbers.values()):
        moved = [{**_moved(c), "points": [_moved(point) for point in c["points"]]} for c in claims]
        assert answer(config(name), moved, lines)["text"] != before["text"]
        return
    assert (
        answer(config(name), claims, lines.assign(mean=lines["mean"] + 7))["text"] != before["text"]
    )


def _moved(found):
    value = found["estimate"]
    return {**found, "estimate": None if value is None else value + 7}
