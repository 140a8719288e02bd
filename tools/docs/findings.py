"""``docs/findings.md``: sentences of ``findings.md.jinja`` with the numbers of the reference."""

from __future__ import annotations

import textwrap
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Any

import jinja2

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.claims.results import ClaimResult
from geoforest_cli.study.results.folder import is_reference, outcomes_in, summary_of
from geoforest_cli.study.results.record import RunRecord, read_record
from tools.docs import outcome
from tools.docs.blocks import judged_before

__all__ = ["TEMPLATE", "bound", "number", "page"]

_WIDTH = 100
TEMPLATE = Path(__file__).with_suffix(".md.jinja")


def number(value: float, digits: int = 2) -> str:
    """Return a number as the pages write it.

    Examples
    --------
    >>> number(0.1749), number(-0.0186, 3), number(1.0), number(2.7e-10, 1)
    ('.17', '-.019', '1.00', '3e-10')
    """
    if 0 < abs(value) < 0.5 * 10**-digits:
        return f"{value:.0e}"
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("-")[0] == "0" else text


def bound(size: float, rounding: str, digits: int = 2) -> str:
    """Return a size that nothing falls below or exceeds, as the pages write it.

    Examples
    --------
    >>> bound(0.1189, ROUND_FLOOR), bound(1.2e-10, ROUND_CEILING)
    ('.11', '2e-10')
    """
    exact = Decimal(repr(size))
    places = digits if size >= 0.5 * 10**-digits else -exact.adjusted()
    return number(float(exact.quantize(Decimal(1).scaleb(-places), rounding)), digits)


def page(reference: Path) -> str:
    """Return the page with the numbers of a reference, or a sentence if there is none.

    Raises
    ------
    UserError
        If it names a config, a claim or rows that the reference does not have.
    """
    if not is_reference(reference):
        return f"# What we found\n\n{outcome.NO_OUTCOME}"
    template = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - writes Markdown, not HTML
    ).from_string(TEMPLATE.read_text("utf-8"))
    numbers = _Numbers(reference)
    text = template.render(
        means=numbers.means,
        estimate=numbers.estimate,
        smallest=numbers.smallest,
        largest=numbers.largest,
        allowed=numbers.allowed,
        verdict=numbers.verdict,
        shown=numbers.shown,
    )
    return "\n\n".join(map(_filled, text.strip().split("\n\n"))) + "\n"


def _filled(block: str) -> str:
    """Return a heading, or a paragraph in lines of one length; a paragraph may follow a heading."""
    head, _, rest = block.partition("\n")
    if not head.startswith("#"):
        return textwrap.fill(block, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"{head}\n{_filled(rest)}" if rest else head


class _Numbers:
    """Functions that the template calls."""

    def __init__(self, reference: Path) -> None:
        self._folders = outcomes_in(reference, "paper")
        self._before = judged_before(reference)

    def means(
        self,
        config: str,
        column: str = "mean",
        digits: int = 2,
        *,
        average: bool = False,
        **where: Any,
    ) -> str:
        """Return the means of the rows with these values: the smallest to the largest.

        With `average`, their mean.
        """
        record = self._outcome(config)
        lines = summary_of(self._folders[config], record, dtype=str, keep_default_na=False)
        for name, value in where.items():
            lines = lines[lines[name] == str(value)]
        values = lines[column].replace("", None).dropna().astype(float)
        if values.empty:
            raise UserError(f"{config} has no {column} where {where}")
        if average:
            return number(values.mean(), digits)
        low, high = number(values.min(), digits), number(values.max(), digits)
        return low if low == high else f"{low} to {high}"

    def estimate(self, claim: str, digits: int = 2) -> str:
        """Return the estimate of a claim."""
        return number(self._claim(claim).estimate or 0.0, digits)

    def smallest(self, claim: str, digits: int = 2) -> str:
        """Return the smallest estimate of a claim's points, signs apart: what "at least" means."""
        return bound(min(self._sizes(claim)), ROUND_FLOOR, digits)

    def largest(self, claim: str, digits: int = 2) -> str:
        """Return the largest estimate of a claim's points, signs apart: what "at most" means."""
        return bound(max(self._sizes(claim)), ROUND_CEILING, digits)

    def _sizes(self, claim: str) -> list[float]:
        return [abs(point.estimate or 0.0) for point in self._claim(claim).points]

    def allowed(self, claim: str, digits: int = 2) -> str:
        """Return the bound that a claim compares with."""
        return number(next(end for end in self._claim(claim).allowed if end is not None), digits)

    def verdict(self, claim: str) -> str:
        """Return the verdict of a claim."""
        return str(self._claim(claim).verdict)

    def shown(self, *claims: str) -> str:
        """Return the line of claims that ends a finding."""
        earlier = {claim for claim in claims if claim.partition(".")[0] in self._before}
        listed = (
            f"`{claim}` ({self.verdict(claim)}{' by earlier rules' if claim in earlier else ''})"
            for claim in claims
        )
        return f"Claims: {', '.join(listed)}."

    def _outcome(self, config: str) -> RunRecord:
        if config not in self._folders:
            raise UserError(suggestions.unknown("config of the reference", config, self._folders))
        return read_record(self._folders[config])

    def _claim(self, name: str) -> ClaimResult:
        config, _, claim = name.partition(".")
        judged = self._outcome(config).judged
        if (result := judged.claim(claim)) is None:
            ids = [item.id for item in judged.claims]
            raise UserError(suggestions.missing(config, "claim", claim, ids))
        return result
