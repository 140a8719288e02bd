"""Claims, sentences and the answer of a config, checked before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from geoforest_cli.core import suggestions
from geoforest_cli.study.claims.model import KINDS, Claim, ClaimMethod, Location, Sentence
from geoforest_cli.study.frames import each_of, plain

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["Location", "Problem", "checker", "problems_of"]

_NAME = re.compile(r"\{([A-Za-z_]\w*)\}")
_VERDICTS = ("supported", "refuted", "undecided", "tie")

Problem = tuple[Location, str]


def checker(plan: Plan) -> Iterator[Problem]:
    """Find what is wrong with the sentences, claims and answer of a config.

    Parameters
    ----------
    plan : Plan

    Yields
    ------
    tuple
        Where, as a path into the config, and a sentence.
    """
    sentences = plan.config.sentences
    yield from _answer(plan)
    for key, raw in sentences.items():
        try:
            Sentence.model_validate(raw)
        except ValidationError as error:
            yield from problems_of(error, ("sentences", key), Sentence)
    first: dict[str, int] = {}
    for index, raw in enumerate(plan.config.claims):
        at: Location = ("claims", index)
        try:
            claim = Claim.model_validate(raw)
        except ValidationError as error:
            yield from problems_of(error, at, Claim)
            continue
        if first.setdefault(claim.id, index) != index:
            yield (*at, "id"), f"the id {claim.id!r} is also that of claim {first[claim.id] + 1}"
        if claim.sentence is not None:
            yield from _check_name("sentence", claim.sentence, sentences, (*at, "sentence"))
        yield from _names(claim, at, plan)
    parts = {str(raw.get("sentence")) for raw in plan.config.claims if not raw.get("reading")}
    for key in sentences:
        if key not in parts:
            yield ("sentences", key), f"no claim is a part of the sentence {key!r}"


def _names(claim: Claim, at: Location, plan: Plan) -> Iterator[Problem]:
    grid = plan.config.grid_values
    for location, method in claim.methods():
        locations = (*at, *location, "name"), (*at, *location, "variant")
        yield from _check_method(method.name, method.variant, plan, *locations)
    yield from _check_name("metric", claim.metric, plan.experiment.yields, (*at, "metric"))
    if claim.axis is not None:
        yield from _check_name("grid parameter", claim.axis, plan.config.grid, (*at, "axis"))
    yield from _check_filters(claim.where, (*at, "where"), plan)
    for name in ("at", "against"):
        values = getattr(claim, name)
        if values is not None and claim.axis in grid:
            yield from _values(claim.axis, values, (*at, name), plan)
    yield from _unit(claim, at, plan)


def _unit(claim: Claim, at: Location, plan: Plan) -> Iterator[Problem]:
    split = claim.split or plan.config.split
    if (claim.unit or plan.config.unit or plan.experiment.unit) != "split":
        return
    if split is None:
        yield at, "the unit 'split' needs 'split', such as {test: 0.5}, here or in the config"
    elif split.column is not None:
        location, grid = (*at, "split"), plan.config.grid_values
        yield from _check_name("grid parameter", split.column, plan.config.grid, location)
        values = [str(plain(value)) for value in grid.get(split.column, ())]
        absent = [value for value in values if value not in split.added]
        if absent and split.added and not plan.caution:
            yield location, f"'added' of the split lacks {split.column} {', '.join(absent)}"


def _answer(plan: Plan) -> Iterator[Problem]:
    """Find what is wrong with the question of a config and its answer."""
    config, template = plan.config, plan.config.answer
    if template is None:
        if config.question:
            yield ("question",), "a question needs an 'answer'"
        return
    if not config.question:
        yield ("answer",), "an answer needs a 'question'"
    claims = [str(raw.get("id")) for raw in config.claims]
    texts: dict[Location, str] = {("answer", "text"): template.text}
    for name, words in template.words.items():
        at = ("answer", "words", name)
        texts |= {(*at, verdict): getattr(words, verdict) or "" for verdict in _VERDICTS}
        if words.claim is not None:
            yield from _check_name("claim", words.claim, claims, (*at, "claim"))
        else:
            yield from _check_name("sentence", words.sentence, config.sentences, (*at, "sentence"))
    for location, text in texts.items():
        words_of_text = template.words if location[1] == "text" else ()
        yield from _braces(text, [*words_of_text, *template.numbers], location)
    for name, source in template.numbers.items():
        at = ("answer", "numbers", name)
        if source.claim is not None:
            yield from _check_name("claim", source.claim, claims, (*at, "claim"))
            continue
        locations = (*at, "method"), (*at, "variant")
        yield from _check_method(str(source.method), str(source.variant), plan, *locations)
        yield from _check_name("metric", source.metric, plan.experiment.yields, (*at, "metric"))
        yield from _check_filters(source.where, (*at, "where"), plan)


def _braces(text: str, names: list[str], at: Location) -> Iterator[Problem]:
    """Find names in braces that are neither words nor numbers."""
    for name in dict.fromkeys(_NAME.findall(text)):
        yield from _check_name("name in braces", name, names, at)
    if re.search(r"[{}]", _NAME.sub("", text)):
        yield at, "braces hold the name of words or of a number, as in {ours}"


def _check_name(kind: str, name: Any, names: Iterable[str], at: Location) -> Iterator[Problem]:
    """Find a name that is not among those of its kind."""
    if name not in names:
        yield at, suggestions.unknown(kind, name, names)


def _check_method(
    name: str, variant: str, plan: Plan, at_name: Location, at_variant: Location
) -> Iterator[Problem]:
    """Find a method, or a variant of it, that a config does not have."""
    methods = plan.config.methods
    yield from _check_name("method", name, methods, at_name)
    if name in methods:
        yield from _check_name(f"variant of {name}", variant, methods[name].variants, at_variant)


def _check_filters(where: Mapping[str, Any], at: Location, plan: Plan) -> Iterator[Problem]:
    """Find the columns and values of a filter that the grid does not have."""
    grid = plan.config.grid_values
    for column, allowed in where.items():
        yield from _check_name("grid parameter", column, grid, (*at, column))
        if not each_of(allowed):
            yield (*at, column), "a filter must name at least one value"
        elif column in grid:
            yield from _values(column, allowed, (*at, column), plan)


def _values(column: str, allowed: Any, at: Location, plan: Plan) -> Iterator[Problem]:
    """Find values that the grid does not have."""
    if plan.caution:  # the grid is not the one that the claims were written for
        return
    grid = plan.config.grid_values[column]
    plain_grid = {plain(value) for value in grid}
    for i, value in enumerate(each_of(allowed)):
        if plain(value) not in plain_grid:
            location = (*at, i) if isinstance(allowed, tuple) else at
            yield location, suggestions.unknown(f"value of {column}", plain(value), grid)


def problems_of(error: ValidationError, at: Location, model: type[BaseModel]) -> Iterator[Problem]:
    """Turn pydantic's errors into locations and sentences with spelling hints.

    Parameters
    ----------
    error : pydantic.ValidationError
    at : tuple
        Where the validated mapping stands in the config.
    model : type
        The model that was validated; its fields are the keys known at the top.
    """
    for item in error.errors():
        location, value = (*at, *item["loc"]), item["input"]
        if item["type"] == "extra_forbidden":
            keys = list((ClaimMethod if item["loc"][:-1] else model).model_fields)
            yield location, suggestions.unknown("key", str(item["loc"][-1]), keys)
        elif item["type"] == "missing":
            kinds = f" (known: {', '.join(KINDS)})" if item["loc"][-1] == "check" else ""
            yield location[:-1], f"'{item['loc'][-1]}' is missing{kinds}"
        elif item["type"] == "value_error":
            yield location, item["msg"].removeprefix("Value error, ")
        else:
            input_shown = f", not {value!r}" if isinstance(value, str | int | float) else ""
            yield location, item["msg"][:1].lower() + item["msg"][1:] + input_shown
