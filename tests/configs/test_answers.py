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
            assert len(one.answer.numbers) >= 2, name


@pytest.mark.parametrize("name", KEPT)
def test_the_sentence_agrees_with_what_is_kept(name):
    """Another verdict or other numbers would be another sentence."""
    asked, (claims, lines) = config(name), outcome(name)
    found = answer(asked, claims, lines)
    states = {claim["id"]: claim["verdict"] for claim in claims}
    words = asked.answer.words.values()
    if found["verdict"] == "not judged":
        assert found["text"].startswith("Not judged (")
        return
    verdicts = {states[one.claim] for one in words}
    assert found["verdict"] == (verdicts.pop() if len(verdicts) == 1 else "mixed")
    assert not re.search(r"[{}]|nan", found["text"])
    for one in words:
        assert getattr(one, states[one.claim]).lower() in found["text"].lower()
        other = {"supported": "refuted"}.get(states[one.claim], "supported")
        changed = [{**c, "verdict": other} if c["id"] == one.claim else c for c in claims]
        assert answer(asked, changed, lines)["text"] != found["text"]
    moved = [{**_moved(c), "points": [_moved(point) for point in c["points"]]} for c in claims]
    more = lines.assign(mean=lines["mean"] + 7)
    assert answer(asked, moved, more)["text"] != found["text"]


def _moved(found):
    value = found["estimate"]
    return {**found, "estimate": None if value is None else value + 7}
