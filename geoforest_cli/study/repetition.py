"""Kinds of repetition, and how repetitions share the rows of one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from geoforest_cli.core.models import Model

__all__ = ["Split", "Unit"]

# sample: a new sample of the points each time. split: another split of one table. seed: another
# seed of the method on one fixed data set. query: another query of one fixed data set.
Unit = Literal["sample", "split", "seed", "query"]
Fraction = Annotated[float, Field(gt=0, lt=1)]


class Split(Model):
    """Split of a table in each repetition.

    Parameters
    ----------
    test, train : float or str
        The share of rows in one of the two parts, or the grid column that holds it.
    added : mapping of str to float, optional
        Value of that grid column, as it is written -> what repetitions have in common there, where
        that is known to be something else than rows tested over rows trained on: from simulations,
        say.

    Examples
    --------
    >>> Split(test=0.5).overlap({}), round(Split(train="fraction").overlap({"fraction": 0.9}), 4)
    (1.0, 0.1111)
    >>> Split(train="fraction", added={"0.9": 0.2}).overlap({"fraction": 0.9})
    0.2
    """

    test: Fraction | str | None = None
    train: Fraction | str | None = None
    added: Mapping[str, Annotated[float, Field(ge=0)]] = {}

    @model_validator(mode="after")
    def _one_part(self) -> Self:
        if (self.test is None) == (self.train is None):
            raise ValueError("give either 'test' or 'train', a share of the rows or a grid column")
        if self.added and self.column is None:
            raise ValueError("'added' needs a grid column in 'test' or 'train', not a share")
        return self

    @property
    def column(self) -> str | None:
        """The grid column that holds the share, if one does."""
        given = self.test if self.train is None else self.train
        return given if isinstance(given, str) else None

    def overlap(self, at: Mapping[str, Any]) -> float:
        """Rows tested over rows trained on, or what is said instead, at a grid point."""
        given = self.test if self.train is None else self.train
        share = float(at[given]) if isinstance(given, str) else float(given or 0)
        if f"{share:g}" in self.added:
            return self.added[f"{share:g}"]
        test = share if self.train is None else 1 - share
        return test / (1 - test)
