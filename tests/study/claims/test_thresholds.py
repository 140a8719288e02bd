"""Thresholds of ours, tried at half and at twice their value."""

import pytest

from geoforest_cli.problems.metrics.kinds import REAL
from geoforest_cli.study.claims.model import Claim
from tests.study.claims.by_hand import GREATER, OF, A, B, around, judged

NOT_HALF = ("refuted", "supported", "supported")
AT_LEAST = {"check": "at_least", "value": 0.4, **OF}


def claim_and_sentence(claim, means, **options):
    verdicts = judged([claim], around(means), **options)
    return verdicts.claims[0], verdicts.sentences[0]


@pytest.mark.parametrize(
    ("claim", "means", "states"),
    [
        (AT_LEAST, {"a": 0.5}, ("supported", "supported", "refuted")),
        # a bound near the upper end of a score is so many times as far from that end
        ({**AT_LEAST, "value": 0.9}, {"a": 0.92}, NOT_HALF),
        ({"check": "at_most", "value": 0.4}, {"a": 0.3}, NOT_HALF),
        ({"check": "near", "target": 0.5, "tolerance": 0.1}, {"a": 0.57}, NOT_HALF),
        ({"check": "range", "axis": "x", "tolerance": 0.1}, {"a": {1: 0.5, 2: 0.57}}, NOT_HALF),
        ({"check": "ratio", "over": B, "at_most": 2.0}, {"a": 1.5, "b": 1.0}, NOT_HALF),
        ({**GREATER, "margin": 0.1}, {"a": 0.6, "b": 0.45}, ("supported", "supported", "refuted")),
        ({**GREATER, "tie": 0.01}, {"a": 0.515, "b": 0.5}, ("supported", "supported", "tie")),
    ],
)  # fmt: skip
def test_a_sentence_hangs_on_a_threshold_that_turns_it(claim, means, states):
    result, sentence = claim_and_sentence(claim | OF, means)
    assert (result.half, result.verdict, result.twice) == states
    assert sentence.hangs


def test_a_multiple_of_chance_is_so_many_times_as_far_above_it():
    about = {"id": "c", "says": "s", "metric": "error", "method": A, "times_chance": 3.0}
    claim = Claim.model_validate({"check": "at_least", **about})
    assert [claim.scaled(factor, REAL).times_chance for factor in (0.5, 2.0)] == [2.0, 5.0]


@pytest.mark.parametrize(
    "claim",
    [{**AT_LEAST, "threshold": "paper"}, {**AT_LEAST, "value": 0.0}, {**GREATER, **OF},
     {"check": "ratio", "over": B, "at_least": 1.0, **OF}, {**AT_LEAST, "exact": True}],
)  # fmt: skip
def test_a_threshold_of_the_paper_or_of_nothing_is_not_tried(claim):
    result, sentence = claim_and_sentence(claim, {"a": 0.5, "b": 0.3})
    assert (result.verdict, result.half, result.twice) == ("supported", None, None)
    assert not sentence.hangs


def test_of_a_claim_of_ours_no_threshold_is_tried():
    assert judged([{**AT_LEAST, "sentence": None}], around({"a": 0.5})).claims[0].twice is None


@pytest.mark.parametrize(("value", "caution"), [(0.2, ""), (0.4, "too small")])
def test_a_sentence_that_stays_or_is_not_judged_hangs_on_nothing(value, caution):
    claim = {**AT_LEAST, "value": value}
    assert not claim_and_sentence(claim, {"a": 0.5}, caution=caution)[1].hangs
