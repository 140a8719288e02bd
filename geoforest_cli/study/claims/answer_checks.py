"""The answer of a config, checked before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from geoforest_cli.study.claims.validation import (
    Location,
    Problem,
    check_filters,
    check_method,
    check_name,
)

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["checker"]

_NAME = re.compile(r"\{([A-Za-z_]\w*)\}")
_VERDICTS = ("supported", "refuted", "undecided", "tie")


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
            yield from check_name("claim", words.claim, claims, (*at, "claim"))
        else:
            yield from check_name("sentence", words.sentence, config.sentences, (*at, "sentence"))
    for place, text in texts.items():
        words_here = template.words if place[1] == "text" else ()
        yield from _braces(text, [*words_here, *template.numbers], place)
    for name, source in template.numbers.items():
        at = ("answer", "numbers", name)
        if source.claim is not None:
            yield from check_name("claim", source.claim, claims, (*at, "claim"))
            continue
        places = (*at, "method"), (*at, "variant")
        yield from check_method(str(source.method), str(source.variant), plan, *places)
        yield from check_name("metric", source.metric, plan.experiment.yields, (*at, "metric"))
        yield from check_filters(source.where, (*at, "where"), plan)


def _braces(text: str, known: list[str], at: Location) -> Iterator[Problem]:
    """Find names in braces that are neither words nor numbers."""
    for name in dict.fromkeys(_NAME.findall(text)):
        yield from check_name("name in braces", name, known, at)
    if re.search(r"[{}]", _NAME.sub("", text)):
        yield at, "braces hold the name of words or of a number, as in {ours}"
