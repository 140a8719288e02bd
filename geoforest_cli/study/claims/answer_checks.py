"""The answer of a config, checked before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, get_args

from geoforest_cli.core import suggestions
from geoforest_cli.study.claims.answers import NAME
from geoforest_cli.study.claims.model import Claim
from geoforest_cli.study.claims.validation import Location, Problem, check_filters
from geoforest_cli.study.config.answer import AnswerTemplate, NumberSource, OfClaim, OfRows
from geoforest_cli.study.config.schema import Config

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["checker"]

_VERDICTS = ("supported", "refuted", "undecided", "tie")
_ROWS = ("method", "variant", "metric")


def checker(plan: Plan) -> Iterator[Problem]:
    """Find what is wrong with the answer of a config.

    Parameters
    ----------
    plan : Plan

    Yields
    ------
    tuple
        Where, as a path into the config, and a sentence.
    """
    template = plan.config.answer
    if template is None:
        if plan.config.question:
            yield ("question",), "a question needs an 'answer'"
        return
    if not plan.config.question:
        yield ("answer",), "an answer needs a 'question'"
    yield from _names(template)
    yield from _words(template, plan.config)
    for name, source in template.numbers.items():
        yield from _source(source, ("answer", "numbers", name), plan)


def _names(template: AnswerTemplate) -> Iterator[Problem]:
    """Every name in braces is known, and every word and number is used."""
    used: set[str] = set()
    for at, text, known in _texts(template):
        named = NAME.findall(text)
        used |= set(named)
        for name in dict.fromkeys(named):
            if name not in known:
                yield at, suggestions.unknown("name in braces", name, known)
        if re.search(r"[{}]", NAME.sub("", text)):
            yield at, "braces hold the name of words or of a number, as in {ours}"
    for kind, names in (("words", template.words), ("numbers", template.numbers)):
        for name in names:
            if name not in used:
                yield ("answer", kind, name), f"no text of the answer holds {{{name}}}"
    for name in template.numbers:
        if name in template.words:
            yield ("answer", "numbers", name), f"{name!r} is also the name of words"


def _texts(template: AnswerTemplate) -> Iterator[tuple[Location, str, list[str]]]:
    """Every text with its place and the names that it may hold in braces."""
    numbers = list(template.numbers)
    yield ("answer", "text"), template.text, [*template.words, *numbers]
    for name, chosen in template.words.items():
        for verdict in _VERDICTS:
            yield ("answer", "words", name, verdict), getattr(chosen, verdict) or "", numbers


def _words(template: AnswerTemplate, config: Config) -> Iterator[Problem]:
    claims = {str(raw.get("id")): raw for raw in config.claims}
    for name, words in template.words.items():
        at: Location = ("answer", "words", name)
        if words.sentence is not None:
            if words.sentence not in config.sentences:
                message = suggestions.unknown("sentence", words.sentence, config.sentences)
                yield (*at, "sentence"), message
            continue
        if words.claim not in claims:
            yield (*at, "claim"), suggestions.unknown("claim", str(words.claim), claims)
            continue
        try:
            can_tie = Claim.model_validate(claims[words.claim]).region().open
        except ValueError:
            continue  # said of the claim itself
        if can_tie and words.tie is None:
            yield at, f"'tie' is missing: {words.claim} can be a tie"
        if not can_tie and words.tie is not None:
            yield (*at, "tie"), f"{words.claim} can never be a tie"


def _source(source: NumberSource, at: Location, plan: Plan) -> Iterator[Problem]:
    given = [name for name in _ROWS if getattr(source, name) is not None]
    if source.claim is not None:
        claims = [str(raw.get("id")) for raw in plan.config.claims]
        if source.claim not in claims:
            yield (*at, "claim"), suggestions.unknown("claim", source.claim, claims)
        if given or source.where:
            yield at, "a number is that of a claim, or of a method, variant and metric; not of both"
        yield from _value(source, at, get_args(OfClaim))
        if source.over != "mean" and source.value not in {None, "estimate", "size"}:
            yield (*at, "over"), "only of an estimate or a size there is a smallest or largest one"
        return
    if len(given) < len(_ROWS):
        yield at, "a number needs a 'claim', or 'method', 'variant' and 'metric'"
        return
    yield from _value(source, at, get_args(OfRows))
    methods = plan.config.methods
    if source.method not in methods:
        yield (*at, "method"), suggestions.unknown("method", source.method, methods)
    elif source.variant not in methods[source.method].variants:
        variants = list(methods[source.method].variants)
        message = suggestions.unknown(f"variant of {source.method}", source.variant, variants)
        yield (*at, "variant"), message
    if source.metric not in plan.experiment.yields:
        message = suggestions.unknown("metric", source.metric, plan.experiment.yields)
        yield (*at, "metric"), message
    yield from check_filters(source.where, (*at, "where"), plan)


def _value(source: NumberSource, at: Location, allowed: Sequence[str]) -> Iterator[Problem]:
    if source.value is not None and source.value not in allowed:
        yield (*at, "value"), suggestions.unknown("value", source.value, allowed)
