"""Claims and sentences of a config, checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from geoforest_cli.core import suggestions
from geoforest_cli.study.claims.model import KINDS, Claim, Location, Method, Sentence
from geoforest_cli.study.frames import plain

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["Location", "Problem", "check_filters", "checker", "problems_of"]

Problem = tuple[Location, str]


def checker(plan: Plan) -> Iterator[Problem]:
    """Find what is wrong with the sentences and claims of a config.

    Parameters
    ----------
    plan : Plan

    Yields
    ------
    tuple
        Where, as a path into the config, and a sentence.
    """
    for key, raw in plan.config.sentences.items():
        try:
            Sentence.model_validate(raw)
        except ValidationError as error:
            yield from problems_of(error, ("sentences", key), Sentence)
    seen: dict[str, int] = {}
    parts: set[str] = set()
    for index, raw in enumerate(plan.config.claims):
        at: Location = ("claims", index)
        parts |= set() if raw.get("reading") else {str(raw.get("sentence"))}
        try:
            claim = Claim.model_validate(raw)
        except ValidationError as error:
            yield from problems_of(error, at, Claim)
            continue
        if claim.id in seen:
            yield (*at, "id"), f"the id {claim.id!r} is also that of claim {seen[claim.id] + 1}"
        seen.setdefault(claim.id, index)
        if claim.sentence is not None and claim.sentence not in plan.config.sentences:
            known = list(plan.config.sentences)
            yield (*at, "sentence"), suggestions.unknown("sentence", claim.sentence, known)
        yield from _names(claim, at, plan)
    for key in plan.config.sentences:
        if key not in parts:
            yield ("sentences", key), f"no claim is a part of the sentence {key!r}"


def _names(claim: Claim, at: Location, plan: Plan) -> Iterator[Problem]:
    config = plan.config
    for place, method in claim.methods():
        if method.name not in config.methods:
            message = suggestions.unknown("method", method.name, list(config.methods))
            yield (*at, *place, "name"), message
            continue
        variants = list(config.methods[method.name].variants)
        if method.variant not in variants:
            message = suggestions.unknown(f"variant of {method.name}", method.variant, variants)
            yield (*at, *place, "variant"), message
    yield from _unit(claim, at, plan)
    known = plan.experiment.yields
    if claim.metric not in known:
        yield (*at, "metric"), suggestions.unknown("metric", claim.metric, known)
    if claim.axis is not None and claim.axis not in config.grid:
        message = suggestions.unknown("grid parameter", claim.axis, list(config.grid))
        yield (*at, "axis"), message
    yield from check_filters(claim.where, (*at, "where"), plan)
    if claim.axis in config.grid and not plan.caution:
        for name in ("at", "against"):
            values = getattr(claim, name)
            if values is not None:
                yield from _values(claim.axis, values, (*at, name), config.grid_values[claim.axis])


def _unit(claim: Claim, at: Location, plan: Plan) -> Iterator[Problem]:
    config = plan.config
    unit = claim.unit or config.unit or plan.experiment.unit
    split = claim.split or config.split
    if unit != "split":
        return
    if split is None:
        yield at, "the unit 'split' needs 'split', such as {test: 0.5}, here or in the config"
    elif split.column is not None and split.column not in config.grid:
        message = suggestions.unknown("grid parameter", split.column, list(config.grid))
        yield (*at, "split"), message
    elif split.column is not None and split.added and not plan.caution:
        values = [str(plain(value)) for value in config.grid_values[split.column]]
        lacking = [value for value in values if value not in split.added]
        if lacking:
            message = f"'added' of the split lacks {split.column} {', '.join(lacking)}"
            yield (*at, "split"), message


def check_filters(where: Mapping[str, Any], at: Location, plan: Plan) -> Iterator[Problem]:
    """Find the columns and values of a filter that the grid does not have.

    Parameters
    ----------
    where : mapping
        Grid parameter -> value or tuple of values.
    at : tuple
        Where it stands in the config.
    plan : Plan
    """
    grid = plan.config.grid_values
    for column, allowed in where.items():
        if column not in grid:
            yield (*at, column), suggestions.unknown("grid parameter", column, list(grid))
            continue
        # only there the grid is the one that the claims were written for
        if plan.caution:
            continue
        yield from _values(column, allowed, (*at, column), grid[column])


def _values(column: str, allowed: Any, at: Location, grid: Iterable[Any]) -> Iterator[Problem]:
    """One value or several against those of the grid."""
    grid = list(grid)
    known = {plain(value) for value in grid}
    for i, value in enumerate(allowed if isinstance(allowed, tuple) else (allowed,)):
        if plain(value) not in known:
            place = (*at, i) if isinstance(allowed, tuple) else at
            words = [str(v) for v in grid]
            yield place, suggestions.unknown(f"value of {column}", str(plain(value)), words)


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
        place, given = (*at, *item["loc"]), item["input"]
        if item["type"] == "extra_forbidden":
            known = list((Method if item["loc"][:-1] else model).model_fields)
            yield place, suggestions.unknown("key", str(item["loc"][-1]), known)
        elif item["type"] == "missing":
            more = f" (known: {', '.join(KINDS)})" if item["loc"][-1] == "check" else ""
            yield place[:-1], f"'{item['loc'][-1]}' is missing{more}"
        elif item["type"] == "value_error":
            yield place, item["msg"].removeprefix("Value error, ")
        else:
            shown = f", not {given!r}" if isinstance(given, str | int | float) else ""
            yield place, item["msg"][:1].lower() + item["msg"][1:] + shown
