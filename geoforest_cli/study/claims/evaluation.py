"""All claims of a config over its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from geoforest_cli.study.claims.results import ClaimResult, EvaluationContext
from geoforest_cli.study.claims.validation import parse
from geoforest_cli.study.frames import PublishedValues, Rows, Table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["evaluate"]


def evaluate(
    claims: Iterable[Mapping[str, Any]],
    frame: pd.DataFrame,
    published: pd.DataFrame | None = None,
    context: EvaluationContext | None = None,
) -> list[ClaimResult]:
    """Judge every claim.

    Parameters
    ----------
    claims : iterable of mapping
        As a config states them.
    frame : pandas.DataFrame
        All rows, those of failed cells too: a claim that failed or missing cells could turn is
        not judged. A repetition that only one side of a comparison was asked for is left out of
        the pairs and counts as nothing.
    published : pandas.DataFrame, optional
        Published values in the form of rows.
    around : EvaluationContext, optional
        Why the rows do not judge the paper, if so; methods that were left out; what a repetition
        is.

    Returns
    -------
    list of dict
        The content of ``claims.json``.

    Raises
    ------
    pydantic.ValidationError, geoforest_cli.core.errors.UserError
        For a claim that `checker` would have refused.
    """
    values, rows = PublishedValues(published), Rows(frame)
    parsed = [parse(claim) for claim in claims]
    kinds = context.kinds if context else {}
    return [claim.evaluate(Table(rows, claim.where, values, kinds), context) for claim in parsed]
