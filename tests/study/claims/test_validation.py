"""Mistakes in sentences and claims are found where they stand, before anything runs."""

from dataclasses import replace

import pytest

from geoforest_cli.study.claims import validation
from geoforest_cli.study.repetition import Split
from tests.study.engine import toy

STILL = {"name": "still", "variant": "as_written"}
CLAIM = {"id": "one", "sentence": "high", "says": "It is high", "check": "at_least",
         "value": 0.5, "metric": "m", "method": STILL}  # fmt: skip
GREATER = {"check": "greater", "than": [STILL], "value": None}
RANGE = {"check": "range", "axis": "a", "tolerance": 0.1, "value": None}
SLOPE = {"check": "slope", "axis": "a", "value": None}
QUOTE = {"quote": "It is high", "section": "3"}


@pytest.fixture
def problems(tmp_path):
    """Return what is wrong with claims that differ from `CLAIM`, or lack what is None."""
    plan = toy.make_plan(tmp_path)

    def find(*claims, sentences=None, **config):
        written = [{k: v for k, v in {**CLAIM, **more}.items() if v is not None} for more in claims]
        changes = {"claims": tuple(written), "sentences": {"high": QUOTE, **(sentences or {})}}
        changed = replace(plan, config=plan.config.model_copy(update=changes | config))
        return list(validation.checker(changed))

    return find


def stands(mistakes, at, words):
    """Return whether a sentence with such words is among the problems at a place, or below it."""
    return any(position[: len(at)] == at and words in message for position, message in mistakes)


def test_a_config_without_mistakes_has_none(problems):
    change = {**GREATER, "axis": "a", "at": [0, 1], "against": [5]}
    others = [GREATER, change, RANGE, {**SLOPE, "at_most": 1.0}, {"where": {"a": [1, 2]}},
              {"check": "near", "target": 0, "tolerance": 0.0, "value": None}]  # fmt: skip
    assert problems({}, *({**change, "id": f"c{i}"} for i, change in enumerate(others))) == []


@pytest.mark.parametrize(
    ("changes", "at", "words"),
    [
        ({"check": "at_lest"}, ("check",), "'at_least'"),
        ({"chek": "at_least", "check": None}, ("chek",), "'check'"),
        ({"sentence": "hihg"}, ("sentence",), "'high'"), ({"metric": "n"}, ("metric",), "m"),
        ({"method": {**STILL, "name": "stil"}}, ("method", "name"), "'still'"),
        ({"where": {"a": [0, 7]}}, ("where", "a", 1), "7"), ({"where": {"a": []}}, ("where", "a"), "one value"),
        ({"origin": 1}, ("origin",), "'origin'"),
        ({**GREATER, "axis": "a", "at": [0], "against": [9]}, ("against", 0), "9"),
        ({"reading": True, "sentence": None}, (), "'sentence'"), ({"unit": "split"}, (), "'split'"),
        ({"unit": "split", "split": {"train": "a", "added": {"1": 0.1}}}, ("split",), "0, 2, 3"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_claim_is_found_where_it_stands(problems, changes, at, words):
    assert stands(problems(changes), ("claims", 0, *at), words)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"times_chance": 2.0}, "'times_chance'"), ({**GREATER, "than": None}, "'than'"),
        ({**GREATER, "axis": "a"}, "'against'"), ({**RANGE, "tolerance": None}, "'tolerance'"),
        ({"check": "ratio", "value": None, "at_most": 2.0}, "'over'"), (SLOPE, "'at_most'"),
        ({"tolerance": 0.1}, "no 'tolerance'"), ({**GREATER, "at_most": 0.1}, "no 'at_most'"),
    ],
)  # fmt: skip
def test_a_kind_has_its_own_fields_and_no_others(problems, changes, words):
    [(at, message)] = problems(changes)
    assert (at, words in message) == (("claims", 0), True)


@pytest.mark.parametrize(
    ("sentence", "at", "words"),
    [
        ({"quote": "a", "paraphrase": "b", "section": "3"}, (), "either"),
        ({"quote": "a", "section": "3", "hold": "all"}, ("hold",), "'holds'"),
        ({"quote": "a", "section": "3", "holds": 0}, ("holds",), "greater than 0"),
    ],
)
def test_a_mistake_in_a_sentence_is_found_where_it_stands(problems, sentence, at, words):
    mistakes = problems({}, {"id": "two", "sentence": "low"}, sentences={"low": sentence})
    assert stands(mistakes, ("sentences", "low", *at), words)


@pytest.mark.parametrize("claims", [[], [{"id": "two", "sentence": "low", "reading": True}]])
def test_a_sentence_needs_a_part_that_is_no_reading(problems, claims):
    [(at, _)] = problems({}, *claims, sentences={"low": QUOTE})
    assert at == ("sentences", "low")


def test_an_id_is_that_of_one_claim(problems):
    assert [at for at, _ in problems({}, {"id": "two"}, {})] == [("claims", 2, "id")]


def test_the_unit_is_the_claims_the_configs_or_the_experiments(problems):
    assert len(problems({}, unit="split")) == 1
    assert problems({}, unit="split", split=Split(test=0.5)) == []
    assert problems({"unit": "sample"}, unit="split") == []


@pytest.mark.parametrize("size", [{"profile": "smoke"}, {"overrides": ["grid.a=[3]"]}])
@pytest.mark.parametrize(("column", "positions"), [("a", []), ("b", [("claims", 0, "where", "b")])])
def test_a_changed_grid_need_not_have_the_values_of_claims(tmp_path, size, column, positions):
    claim = (
        f"claims: [{{id: one, says: s, check: at_least, value: 0.5, metric: m, "
        f"where: {{{column}: 5}}, method: {{name: still, variant: as_written}}}}]\nprofiles:"
    )
    plan = toy.make_plan(tmp_path, ("profiles:", claim), **size)
    assert [at for at, _ in validation.checker(plan)] == positions
