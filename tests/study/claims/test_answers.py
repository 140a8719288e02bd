"""The answer of a config: words by verdict, numbers of claims and rows, and why there is none."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoforest_cli.study.claims.answers import answer, significant
from geoforest_cli.study.config.schema import Config
from tests.study.claims.by_hand import A, B, judge, rows

CLAIM = {
    "id": "c", "origin": "ours", "says": "s", "check": "greater", "metric": "precision",
    "method": A, "than": [B], "where": {"x": 0}, "tie": 0.05,
}  # fmt: skip
LINES = pd.DataFrame({
    "x": [0, 0, 1, 1], "method": ["a", "b", "a", "b"], "variant": "as_run", "metric": "precision",
    "mean": [0.904, 0.25, 0.7, 0.2], "published": [0.261, None, None, None],
})  # fmt: skip
OURS = {"method": "a", "variant": "as_run", "metric": "precision", "where": {"x": 0}}
WORDS = {
    "supported": "is ahead",
    "refuted": "is behind",
    "tie": "ties",
    "undecided": "may be ahead",
}
VALUES = {
    "supported": [0.9, 0.91, 0.92],
    "refuted": [0.1, 0.11, 0.12],
    "tie": [0.5, 0.501, 0.499],
    "undecided": [0.1, 0.5, 0.9],
}


def config(text="a {verdict}", *, number=None, **changes):
    template = {"text": text, "words": {"verdict": {"claim": "c", **WORDS}}}
    if number is not None:
        template["numbers"] = {"ours": number}
    return Config.model_validate({
        "title": "t", "experiment": "e", "grid": {"x": [0, 1]}, "question": "Is it?",
        "methods": {"a": {"variants": {"as_run": {}}}}, "claims": [{**CLAIM, **changes}],
        "answer": template,
    })  # fmt: skip


def judged(values=VALUES["supported"], **context):
    frame = rows({("a", 0): values, ("b", 0): [0.5, 0.5, 0.5]})
    return judge({**CLAIM}, frame, **context)


@pytest.mark.parametrize("verdict", VALUES)
def test_the_words_are_those_of_the_verdict(verdict):
    claim = judged(VALUES[verdict])
    assert claim["verdict"] == verdict
    assert answer(config(), [claim], LINES) == {
        "question": "Is it?", "text": f"A {WORDS[verdict]}", "verdict": verdict,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (OURS, "0.90"),
        ({**OURS, "percent": True}, "90 %"),
        ({**OURS, "value": "published"}, "0.26"),
        ({**OURS, "where": {}}, "0.80"),
        ({**OURS, "where": {"x": [0, 1]}, "over": "smallest"}, "0.70"),
        ({**OURS, "where": {}, "over": "largest"}, "0.90"),
        ({"claim": "c"}, "-0.39"),
        ({"claim": "c", "value": "size"}, "0.39"),
        ({"claim": "c", "value": "n"}, "3"),
    ],
)
def test_a_number_is_that_of_the_rows_or_of_the_claim(number, shown):
    found = answer(config("a {verdict}: {ours}", number=number), [judged(VALUES["refuted"])], LINES)
    assert found["text"] == f"A is behind: {shown}"


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ({"claim": "c"}, "-0.30"),
        ({"claim": "c", "over": "smallest"}, "-0.30"),
        ({"claim": "c", "over": "largest"}, "0.20"),
        ({"claim": "c", "over": "smallest", "value": "size"}, "0.20"),
        ({"claim": "c", "over": "largest", "value": "size"}, "0.30"),
        ({"claim": "c", "over": "largest", "value": "size", "percent": True}, "30 %"),
    ],
)
def test_the_extreme_of_a_claim_is_that_of_its_points(number, shown):
    """A claim is decided at the point with the largest p-value: not where it is largest."""
    low, high = [0.199, 0.2, 0.201], [0.4, 0.7, 1.0]
    frame = rows({("a", 0): low, ("a", 1): high, ("b", 0): [0.5] * 3, ("b", 1): [0.5] * 3})
    claim = judge({**CLAIM, "where": {"x": [0, 1]}, "tie": 0.0}, frame)
    asked = config("a {verdict}: {ours}", number=number, where={"x": [0, 1]}, tie=0.0)
    assert answer(asked, [claim], LINES)["text"].endswith(f": {shown}")


def test_words_may_hold_numbers():
    asked = config("{verdict}", number=OURS)
    words = {**asked.answer.words["verdict"].model_dump(), "supported": "ahead with {ours}"}
    template = asked.answer.model_copy(
        update={"words": {"verdict": asked.answer.words["verdict"].model_validate(words)}}
    )
    found = answer(asked.model_copy(update={"answer": template}), [judged()], LINES)
    assert found["text"] == "Ahead with 0.90"


def test_where_claims_differ_the_answer_has_no_single_verdict():
    asked = config("{verdict}, {other}")
    template = asked.answer.model_copy(
        update={"words": {**asked.answer.words, "other": asked.answer.words["verdict"].model_copy(
            update={"claim": "d"})}}
    )  # fmt: skip
    both = [*asked.claims, {**asked.claims[0], "id": "d"}]
    asked = asked.model_copy(update={"answer": template, "claims": both})
    claims = [judged(), {**judged(VALUES["refuted"]), "id": "d"}]
    assert answer(asked, claims, LINES)["verdict"] == "mixed"
    assert answer(asked, [claims[0], {**claims[0], "id": "d"}], LINES)["verdict"] == "supported"


@pytest.mark.parametrize(
    ("asked", "claims", "reason"),
    [
        (config(), [judged(caution="profile smoke: too small")], "profile smoke: too small"),
        (config(), [judged([0.9, None, None])], "cells failed or are missing"),
        (config(), [], "this outcome has no claim c"),
        (config(tie=0.05, where={"x": 1}), [judged()], "another reading of the claim c"),
        (config(quantifier="most"), [judged()], "another reading of the claim c"),
        (
            config("{verdict} {ours}", number={**OURS, "method": "b", "value": "published"}),
            [judged()],
            "this outcome has no published precision of b as_run",
        ),
        (
            config("{verdict} {ours}", number={**OURS, "where": {"y": 0}}),
            [judged()],
            "this outcome has no precision of a as_run",
        ),
    ],
)
def test_what_is_missing_is_said_and_nothing_else(asked, claims, reason):
    found = answer(asked, claims, LINES)
    assert found["verdict"] == "not judged"
    assert found["text"].startswith("Not judged (")
    assert reason in found["text"]
    assert "ahead" not in found["text"]


@given(st.floats(-1e12, 1e12, allow_subnormal=False), st.integers(1, 6))
def test_a_shown_number_is_the_number_to_so_many_digits(value, digits):
    shown = float(significant(value, digits).replace(",", ""))
    # at least a whole number is shown
    unit = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits) if value else 0.0
    assert abs(shown - value) <= max(0.5 * unit, 0.5 if abs(value) >= 1 else 0.0) * (1 + 1e-9)
