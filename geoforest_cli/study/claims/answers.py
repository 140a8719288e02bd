"""Answer to the question of a config, filled in from judged claims and summarised rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from statistics import fmean
from typing import TYPE_CHECKING

from geoforest_cli.study.claims.results import Answer, ClaimResult, SentenceResult, Verdicts
from geoforest_cli.study.claims.verdicts import Verdict
from geoforest_cli.study.config.answer import NumberSource, VerdictWords
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.frames import plain

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["answer", "filled", "significant"]

_OVER: Mapping[str, Callable[[list[float]], float]] = {
    "mean": fmean,
    "smallest": min,
    "largest": max,
}


class _Lacking(Exception):
    """Why there is no answer."""


def answer(config: Config, judged: Verdicts, lines: pd.DataFrame) -> Answer | None:
    """Fill in the answer of a config.

    Parameters
    ----------
    config : Config
    judged : Verdicts
        Its sentences and claims.
    lines : pandas.DataFrame
        The summary of the rows, as `report.tables.summary` returns it.

    Returns
    -------
    Answer or None
        None for a config that asks nothing. Where a claim that the answer needs is not judged, or
        a number is missing, the text says so and the verdict is "not judged". The verdict is that
        of all sentences of the config (of the claims named, where it has no sentence); their
        counts by verdict, and the number of post hoc ones, end the text.
    """
    template = config.answer
    if template is None:
        return None
    try:
        results = {name: _result(words, judged) for name, words in template.words.items()}
        numbers = _Numbers(template.numbers, judged, lines)
        for name, words in template.words.items():
            text = getattr(words, results[name].verdict) or words.undecided
            numbers[name] = text.format_map(numbers)
        text = template.text.format_map(numbers)
    except _Lacking as reason:
        text = f"Not judged ({reason})."
        return Answer(question=config.question, text=text, verdict="not judged")
    verdicts: set[Verdict] = {result.verdict for result in judged.sentences or results.values()}
    return Answer(
        question=config.question,
        text=text[:1].upper() + text[1:] + _counts(judged.sentences),
        verdict=verdicts.pop() if len(verdicts) == 1 else "mixed",
    )


def filled(
    text: str, sources: Mapping[str, NumberSource], judged: Verdicts, lines: pd.DataFrame
) -> str:
    """Return a text with its numbers filled in; empty where the outcome lacks one; see `answer`."""
    try:
        return text.format_map(_Numbers(sources, judged, lines))
    except _Lacking:
        return ""


def _counts(sentences: tuple[SentenceResult, ...]) -> str:
    """Sentences by verdict, and the number of post hoc ones; empty without sentences."""
    if not sentences:
        return ""
    counts = Counter(sentence.verdict for sentence in sentences)
    plural = "s" if len(sentences) > 1 else ""
    listed = ", ".join(f"{number} {verdict}" for verdict, number in counts.most_common())
    late = sum(sentence.registration == "post hoc" for sentence in sentences)
    post_hoc = f" ({'all' if late == len(sentences) else late} post hoc)" if late else ""
    return f" {len(sentences)} sentence{plural} of the paper: {listed}{post_hoc}."


def _result(words: VerdictWords, judged: Verdicts) -> ClaimResult | SentenceResult:
    claim, sentence = judged.claim(words.claim or ""), judged.sentence(words.sentence or "")
    result = claim or sentence
    if result is None or result.verdict == "not judged":
        reason = result.reason if result else f"no verdict of {words.claim or words.sentence}"
        raise _Lacking(reason)
    return result


class _Numbers(dict[str, str]):
    """Words of an answer, and its numbers, each computed when a text asks for it."""

    def __init__(
        self, sources: Mapping[str, NumberSource], judged: Verdicts, lines: pd.DataFrame
    ) -> None:
        super().__init__()
        self._sources, self._judged, self._lines = sources, judged, lines

    def __missing__(self, name: str) -> str:
        source = self._sources[name]
        values = _of_claim(source, self._judged) if source.claim else _of_rows(source, self._lines)
        if not values:
            published = "published " if source.value == "published" else ""
            of_rows = f"{published}{source.metric} of {source.method} {source.variant}"
            of_claim = f"value of the claim {source.claim}"
            raise _Lacking(f"this outcome has no {of_claim if source.claim else of_rows}")
        value = _OVER[source.over](values)
        if source.percent:
            return f"{significant(100 * value, source.digits)} %"
        return significant(value, source.digits)


def _of_claim(source: NumberSource, judged: Verdicts) -> list[float]:
    claim = judged.claim(str(source.claim))
    if claim is None:
        return []
    if source.value == "n":
        return [claim.n]
    # a claim that holds for each of many points is decided at one of them, not at the extreme one
    results = [claim] if source.over == "mean" else claim.points
    values = [result.estimate for result in results if result.estimate is not None]
    return [abs(value) for value in values] if source.value == "size" else values


def _of_rows(source: NumberSource, lines: pd.DataFrame) -> list[float]:
    rows = {"method": (source.method,), "variant": (source.variant,), "metric": (source.metric,)}
    for name, allowed in (rows | source.where).items():
        if name not in lines:
            return []
        lines = lines[lines[name].map(plain).isin([plain(value) for value in allowed])]
    column = lines["published" if source.value == "published" else "mean"]
    return list(column.dropna())


def significant(value: float, digits: int = 2) -> str:
    """Return a number with so many significant digits; whole ones stay whole.

    Examples
    --------
    >>> [significant(x) for x in (0.9034, 0.9, 12.34, 1234.5, 0.0, -0.051, 2e-7, 18)]
    ['0.90', '0.90', '12', '1,234', '0', '-0.051', '2.0e-07', '18']
    """
    if float(value).is_integer():
        return f"{value:,.0f}"
    if abs(value) < 1e-4:
        return f"{value:.{digits - 1}e}"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{value:,.{max(0, decimals)}f}"
