"""Claims of a config, checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.claims.base import Claim, Location, Method
from geoforest_cli.study.claims.interaction import Interaction
from geoforest_cli.study.claims.kinds import CHECKS
from geoforest_cli.study.frames import plain

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["Location", "Problem", "check_filters", "checker", "parse", "problems_of"]

Problem = tuple[Location, str]


def parse(raw: Mapping[str, Any]) -> Claim:
    """Make a claim of its mapping in a config.

    Raises
    ------
    UserError
        For an unknown kind of check.
    pydantic.ValidationError
        For anything else that is wrong with it.
    """
    kind: type[Claim] = CHECKS[str(raw.get("check"))].load()
    return kind.model_validate(dict(raw))


def checker(plan: Plan) -> Iterator[Problem]:
    """Find what is wrong with the claims of a config.

    Parameters
    ----------
    plan : Plan

    Yields
    ------
    tuple
        Where, as a path into the config, and a sentence.
    """
    seen: dict[str, int] = {}
    for index, raw in enumerate(plan.config.claims):
        at: Location = ("claims", index)
        try:
            claim = parse(raw)
        except UserError as error:
            yield from _unknown_kind(raw, at, error)
            continue
        except ValidationError as error:
            yield from problems_of(error, at, CHECKS[str(raw["check"])].load())
            continue
        if claim.id in seen:
            yield (*at, "id"), f"the id {claim.id!r} is also that of claim {seen[claim.id] + 1}"
        seen.setdefault(claim.id, index)
        yield from _names(claim, at, plan)


def _unknown_kind(raw: Mapping[str, Any], at: Location, error: UserError) -> Iterator[Problem]:
    if "check" in raw:
        yield (*at, "check"), str(error)
        return
    # of whatever kind it is to be: a misspelt 'like' is why the kind is missing
    known = dict.fromkeys(key for kind in CHECKS.values() for key in _keys(kind.load()))
    strange = [str(key) for key in raw if key not in known]
    for key in strange:
        yield (*at, key), suggestions.unknown("key", key, known)
    if not {suggestions.suggest(key, known) for key in strange} & {"check", "like"}:
        yield at, f"'check' is missing (known: {', '.join(CHECKS)})"


def _keys(model: type[BaseModel]) -> list[str]:
    """What may stand in a config for a model; in a claim also what is written out before."""
    shorter = ["check", "like"] if issubclass(model, Claim) else []
    return list(dict.fromkeys([*shorter, *model.model_fields]))


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
    for place, metric in claim.metrics():
        if metric not in known:
            yield (*at, *place), suggestions.unknown("metric", metric, known)
    for place, column in claim.axes():
        if column not in config.grid:
            yield (*at, *place), suggestions.unknown("grid parameter", column, list(config.grid))
    yield from check_filters(claim.where, (*at, "where"), plan)
    if isinstance(claim, Interaction) and claim.axis in config.grid and not plan.caution:
        for name, values in (("at", claim.at), ("against", claim.against)):
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
            known = _keys(Method if item["loc"][:-1] else model)
            yield place, suggestions.unknown("key", str(item["loc"][-1]), known)
        elif item["type"] == "missing":
            yield place[:-1], f"'{item['loc'][-1]}' is missing"
        elif item["type"] == "value_error":
            yield place, item["msg"].removeprefix("Value error, ")
        else:
            shown = f", not {given!r}" if isinstance(given, str | int | float) else ""
            yield place, item["msg"][:1].lower() + item["msg"][1:] + shown
