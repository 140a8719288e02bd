"""Thresholds of ours, tried at half and at twice their value."""

import pytest

from tests.study.claims.by_hand import GREATER, SENTENCE, B, around, judged

OF = {"sentence": "best"}
AT_LEAST = {"check": "at_least", "value": 0.4, **OF}


def claim_and_sentence(claim, means, **options):
    found = judged([claim], around(means), {"best": SENTENCE}, **options)
    return found.claims[0], found.sentence("best")


@pytest.mark.parametrize(
    ("claim", "means", "states"),
    [
        (AT_LEAST, {"a": 0.5}, ("supported", "supported", "refuted")),
        # a bound near the upper end of a score is so many times as far from that end
        ({**AT_LEAST, "value": 0.9}, {"a": 0.92}, ("refuted", "supported", "supported")),
        ({"check": "at_most", "value": 0.4, **OF}, {"a": 0.3}, ("refuted", "supported", "supported")),
        ({**GREATER, **OF, "margin": 0.1}, {"a": 0.6, "b": 0.45},
         ("supported", "supported", "refuted")),
        ({**GREATER, **OF, "tie": 0.01}, {"a": 0.515, "b": 0.5}, ("supported", "supported", "tie")),
        ({"check": "near", "target": 0.5, "tolerance": 0.1, **OF}, {"a": 0.57},
         ("refuted", "supported", "supported")),
        ({"check": "range", "axis": "x", "tolerance": 0.1, **OF}, {"a": {1: 0.5, 2: 0.57}},
         ("refuted", "supported", "supported")),
        ({"check": "ratio", "over": B, "at_most": 2.0, **OF}, {"a": 1.5, "b": 1.0},
         ("refuted", "supported", "supported")),
    ],
)  # fmt: skip
def test_a_sentence_hangs_on_a_threshold_that_turns_it(claim, means, states):
    found, sentence = claim_and_sentence(claim, means)
    assert (found.half, found.verdict, found.twice) == states
    assert sentence.hangs


@pytest.mark.parametrize(
    "claim",
    [
        {**AT_LEAST, "threshold": "paper"},
        {**AT_LEAST, "value": 0.0},
        {**AT_LEAST, "exact": True},
        {**GREATER, **OF},
        {"check": "ratio", "over": B, "at_least": 1.0, **OF},
    ],
)
def test_a_threshold_of_the_paper_or_of_nothing_is_not_tried(claim):
    found, sentence = claim_and_sentence(claim, {"a": 0.5, "b": 0.3})
    assert (found.verdict, found.half, found.twice) == ("supported", None, None)
    assert not sentence.hangs


def test_of_a_claim_of_ours_no_threshold_is_tried():
    claim = {name: value for name, value in AT_LEAST.items() if name != "sentence"}
    assert judged([claim], around({"a": 0.5})).claims[0].twice is None


def test_a_sentence_that_no_factor_turns_does_not_hang():
    found, sentence = claim_and_sentence({**AT_LEAST, "value": 0.2}, {"a": 0.5})
    assert (found.half, found.twice) == ("supported", "supported")
    assert not sentence.hangs


def test_what_is_not_judged_hangs_on_nothing():
    assert not claim_and_sentence(AT_LEAST, {"a": 0.5}, caution="too small")[1].hangs
