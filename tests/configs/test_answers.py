"""The questions and answers of the shipped configs, and what the reference fills in."""

import functools
import re

import pandas as pd
import pytest

from geoforest_cli.study.claims.answers import answer
from geoforest_cli.study.results.record import read_record
from tests.configs.opened import CONFIGS, NAMES, config

REFERENCE = CONFIGS.parent / "results" / "reference"
KEPT = sorted(path.parent.name for path in REFERENCE.glob("*/record.json"))


@functools.cache
def outcome(name):
    folder = REFERENCE / name
    return read_record(folder).judged, pd.read_csv(folder / "summary.csv")


def test_every_artifact_and_every_config_with_claims_is_asked():
    for name in NAMES:
        raw = config(name)
        of_a_paper = raw.artifact and "beyond" not in raw.artifact
        if of_a_paper or (raw.claims and not name.startswith("bench_")):
            assert raw.answer, name
            assert raw.question.endswith("?"), name
            assert raw.question.count("?") == 1, name
            assert raw.answer.numbers, name


@pytest.mark.parametrize("name", KEPT)
def test_the_sentence_agrees_with_what_is_kept(name):
    """Another verdict or other numbers would be another sentence."""
    asked, (judged, lines) = config(name), outcome(name)
    reply = answer(asked, judged, lines)
    if reply.verdict == "not judged":
        assert reply.text.startswith("Not judged (")
        return
    if judged.sentences:
        states = {sentence.verdict for sentence in judged.sentences}
        assert reply.verdict == (states.pop() if len(states) == 1 else "mixed")
        assert f"{len(judged.sentences)} sentence" in reply.text
    assert not re.search(r"[{}]|nan", reply.text)
    for words in asked.answer.words.values():
        source = words.claim or words.sentence
        result = judged.claim(source) if words.claim else judged.sentence(source)
        assert getattr(words, result.verdict).lower() in reply.text.lower()
    moved = judged.model_copy(update={"claims": tuple(map(_moved, judged.claims))})
    more = lines.assign(mean=lines["mean"] + 7)
    assert answer(asked, moved, more).text != reply.text


def _moved(claim):
    points = tuple(_further(point) for point in claim.points)
    return _further(claim).model_copy(update={"points": points})


def _further(result):
    value = result.estimate
    return result.model_copy(update={"estimate": None if value is None else value + 7})
