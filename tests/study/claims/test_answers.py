"""The answer of a config: words by verdict, numbers of claims and rows, and why there is none."""

import pandas as pd
import pytest

from geoforest_cli.study.claims.answers import answer
from geoforest_cli.study.config.schema import Config
from tests.study.claims import by_hand
from tests.study.claims.by_hand import GREATER, SENTENCE, A, rows

CLAIM = {**GREATER, "id": "c", "says": "s", "metric": "precision", "method": A, "tie": 0.05,
         "where": {"x": 0}}  # fmt: skip
LINES = pd.DataFrame({
    "x": [0, 0, 1, 1], "method": ["a", "b", "a", "b"], "variant": "as_run", "metric": "precision",
    "mean": [0.904, 0.25, 0.7, 0.2], "published": [0.261, None, None, None],
})  # fmt: skip
OURS = {"method": "a", "variant": "as_run", "metric": "precision", "where": {"x": 0}}
THEIRS = {**OURS, "method": "b", "value": "published"}
WORDS = {
    "supported": "is ahead",
    "refuted": "is behind",
    "tie": "ties",
    "undecided": "may be ahead",
}
VALUES = {"supported": [0.9, 0.91, 0.92], "refuted": [0.1, 0.11, 0.12],
          "tie": [0.5, 0.501, 0.499], "undecided": [0.1, 0.5, 0.9]}  # fmt: skip


def config(text="a {verdict}", *, number=None, sentence=None, **changes):
    source = {"sentence": sentence} if sentence else {"claim": "c"}
    numbers = {} if number is None else {"ours": number}
    return Config.model_validate({
        "title": "t", "experiment": "e", "grid": {"x": [0, 1]}, "question": "Is it?",
        "methods": {"a": {"variants": {"as_run": {}}}}, "claims": [CLAIM | changes],
        "answer": {"text": text, "words": {"verdict": source | WORDS}, "numbers": numbers},
    })  # fmt: skip


def judged(values=VALUES["supported"], *, claims=(CLAIM,), sentences=None, **context):
    frame = rows({("a", 0): values, ("b", 0): [0.5, 0.5, 0.5]})
    return by_hand.judged(claims, frame, sentences, **context)


def sentences(*claims):
    """A sentence for each of some claims, whose part it is."""
    parts = [CLAIM | changes | {"sentence": f"s{i}"} for i, changes in enumerate(claims)]
    return {"claims": parts, "sentences": {part["sentence"]: SENTENCE for part in parts}}


@pytest.mark.parametrize("verdict", VALUES)
def test_the_words_are_those_of_the_verdict(verdict):
    reply = answer(config(), judged(VALUES[verdict]), LINES)
    assert (reply.question, reply.text, reply.verdict) == ("Is it?", f"A {WORDS[verdict]}", verdict)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (OURS, "0.90"), ({**OURS, "digits": 3}, "0.904"), ({**OURS, "percent": True}, "90 %"),
        ({**OURS, "value": "published"}, "0.26"), ({**OURS, "where": {}}, "0.80"),
        ({**OURS, "where": {"x": [0, 1]}, "over": "smallest"}, "0.70"),
        ({**OURS, "where": {}, "over": "largest"}, "0.90"),
        # of a claim at its two points
        ({"claim": "c"}, "-0.30"), ({"claim": "c", "value": "n"}, "3"),
        ({"claim": "c", "value": "size"}, "0.30"), ({"claim": "c", "over": "largest"}, "0.20"),
        ({"claim": "c", "over": "smallest", "value": "size", "percent": True}, "20 %"),
    ],
)  # fmt: skip
def test_a_number_is_that_of_the_rows_or_of_the_claim(number, shown):
    frame = rows({("a", 0): [0.19, 0.2, 0.21], ("a", 1): [0.4, 0.7, 1.0]}
                 | {("b", x): [0.5] * 3 for x in (0, 1)})  # fmt: skip
    asked = config("a {verdict}: {ours}", number=number, where={})
    assert answer(asked, by_hand.judged(asked.claims, frame), LINES).text == f"A is behind: {shown}"


@pytest.mark.parametrize(
    ("number", "registered", "verdict", "counted"),
    [
        (1, "c", "supported", "1 sentence of the paper: 1 supported."),
        (1, "", "supported", "1 sentence of the paper: 1 supported (all post hoc)."),
        (2, "cd", "mixed", "2 sentences of the paper: 1 supported, 1 refuted."),
        (3, "cd", "mixed", "3 sentences of the paper: 2 supported, 1 refuted (1 post hoc)."),
    ],
)
def test_9_an_answer_ends_with_all_sentences(number, registered, verdict, counted):
    claims = sentences(*[{}, {"id": "d", "check": "less"}, {"id": "e"}][:number])
    reply = answer(config("a {verdict}."), judged(**claims, registered=set(registered)), LINES)
    assert (reply.text, reply.verdict) == (f"A is ahead. {counted}", verdict)


def test_words_may_be_those_of_a_sentence():
    reply = answer(
        config(sentence="s1"), judged(**sentences({}, {"id": "d", "check": "less"})), LINES
    )
    assert reply.text.startswith("A is behind")


@pytest.mark.parametrize(
    ("asked", "result", "reason"),
    [
        (config(), judged(caution="too small"), "too small"),
        (config(), judged([0.9, None, None]), "failed"),
        (config(), judged(claims=()), "no verdict of c"),
        (config(sentence="s0"), judged(), "no verdict of s0"),
        (config("{verdict} {ours}", number=THEIRS), judged(), "no published precision of b as_run"),
        (config("{verdict} {ours}", number={**OURS, "where": {"y": 0}}), judged(), "precision of a"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_and_nothing_else(asked, result, reason):
    result = answer(asked, result, LINES)
    assert (result.verdict, reason in result.text) == ("not judged", True)
    assert "ahead" not in result.text
