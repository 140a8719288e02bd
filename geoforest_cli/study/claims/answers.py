"""The answer to the question of a config, filled in from judged claims and summarised rows."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from geoforest_cli.study.claims.model import Claim
from geoforest_cli.study.claims.results import Answer, ClaimResult, SentenceResult, Verdicts
from geoforest_cli.study.claims.verdicts import Verdict
from geoforest_cli.study.config.answer import AnswerTemplate, NumberSource, VerdictWords
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.frames import plain, several

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NAME", "answer", "significant"]

NAME = re.compile(r"\{([A-Za-z_]\w*)\}")
_ROWS = ("method", "variant", "metric")


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
    if config.answer is None:
        return None
    try:
        verdicts, text = _filled(config.answer, _Outcome(config, judged, lines))
    except _Lacking as reason:
        return Answer(
            question=config.question, text=f"Not judged ({reason}).", verdict="not judged"
        )
    if judged.sentences:
        verdicts = [sentence.verdict for sentence in judged.sentences]
        text = f"{text} {_of_sentences(judged.sentences)}"
    verdict = verdicts[0] if len(set(verdicts)) == 1 else "mixed"
    return Answer(question=config.question, text=text, verdict=verdict)


def _of_sentences(sentences: tuple[SentenceResult, ...]) -> str:
    """Sentences by verdict, and the number of post hoc ones."""
    counts = Counter(sentence.verdict for sentence in sentences)
    plural = "s" if len(sentences) > 1 else ""
    fared = ", ".join(f"{number} {verdict}" for verdict, number in counts.most_common())
    late = sum(sentence.registration == "post hoc" for sentence in sentences)
    said = f" ({'all' if late == len(sentences) else late} post hoc)" if late else ""
    return f"{len(sentences)} sentence{plural} of the paper: {fared}{said}."


def _filled(template: AnswerTemplate, outcome: _Outcome) -> tuple[list[Verdict], str]:
    words: dict[str, str] = {}
    verdicts: list[Verdict] = []
    for name, chosen in template.words.items():
        result = outcome.result(chosen)
        if result.verdict == "not judged":
            raise _Lacking(result.reason)
        words[name] = getattr(chosen, result.verdict) or chosen.undecided
        verdicts.append(result.verdict)
    text = NAME.sub(lambda found: words.get(found[1], found[0]), template.text)
    numbers = template.numbers
    filled = NAME.sub(lambda found: outcome.number(numbers[found[1]]), text)
    return verdicts, filled[:1].upper() + filled[1:]


class _Outcome:
    """The claims and rows of a run, as an answer asks for them."""

    def __init__(self, config: Config, judged: Verdicts, lines: pd.DataFrame) -> None:
        self._raw = {str(raw.get("id")): raw for raw in config.claims}
        self._judged = judged
        self._lines = lines

    def result(self, words: VerdictWords) -> ClaimResult | SentenceResult:
        if words.sentence is None:
            return self.claim(str(words.claim))
        sentence = self._judged.sentence(words.sentence)
        if sentence is None:
            raise _Lacking(f"this outcome has no sentence {words.sentence}")
        return sentence

    def claim(self, name: str) -> ClaimResult:
        claim = self._judged.claim(name)
        if claim is None:
            raise _Lacking(f"this outcome has no claim {name}")
        if not _same_reading(Claim.model_validate(self._raw[name]), claim):
            raise _Lacking(f"this outcome is of another reading of the claim {name}")
        return claim

    def number(self, source: NumberSource) -> str:
        if source.claim is not None:
            kind = source.value or "estimate"
            value = _of_claim(self.claim(source.claim), kind, source.over)
            if value is None:
                raise _Lacking(f"this outcome has no {kind} of the claim {source.claim}")
            return _shown(value, source)
        values = _of_rows(source, self._lines)
        if not values:
            kept = "published " if source.value == "published" else ""
            what = f"{source.metric} of {source.method} {source.variant}"
            raise _Lacking(f"this outcome has no {kept}{what}")
        mean = math.fsum(values) / len(values)
        over = {"mean": mean, "smallest": min(values), "largest": max(values)}
        return _shown(over[source.over], source)


def _same_reading(claim: Claim, result: ClaimResult) -> bool:
    """Whether a result that may be older was judged by the check that the config has now."""
    where = {name: list(several(allowed)) for name, allowed in claim.where.items()}
    judged = {name: list(several(allowed)) for name, allowed in result.where.items()}
    allowed = tuple(bound if math.isfinite(bound) else None for bound in claim.region()[:2])
    return (claim.check, claim.quantifier, allowed, claim.tie, where) == (
        result.check,
        result.quantifier,
        result.allowed,
        result.tie,
        judged,
    )


def _of_claim(claim: ClaimResult, kind: str, over: str) -> float | None:
    if kind == "n":
        return claim.n
    # a claim that holds for each of many points is decided at one of them, not at the extreme one
    several = [claim.estimate] if over == "mean" else [one.estimate for one in claim.points]
    values = [abs(one) if kind == "size" else one for one in several if one is not None]
    return (max if over == "largest" else min)(values, default=None)


def _of_rows(source: NumberSource, lines: pd.DataFrame) -> list[float]:
    wanted = {name: (getattr(source, name),) for name in _ROWS} | source.where
    for name, allowed in wanted.items():
        if name not in lines:
            return []
        lines = lines[lines[name].map(plain).isin([plain(value) for value in allowed])]
    column = lines["published" if source.value == "published" else "mean"]
    return [float(value) for value in column.dropna()]


def _shown(value: float, source: NumberSource) -> str:
    if source.percent:
        return f"{significant(100 * value, source.digits)} %"
    return significant(value, source.digits)


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
