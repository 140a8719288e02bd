"""Answer of a config in one sentence: a template for words by verdict and numbers of the rows."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from geoforest_cli.core import suggestions
from geoforest_cli.core.models import Model

__all__ = ["AnswerTemplate", "NumberSource", "VerdictWords"]

Text = Annotated[str, Field(min_length=1)]


def as_list(value: Any) -> Any:
    """Return a value as a list: `manifold: helix` is a list of one."""
    return [value] if isinstance(value, str | int | float) else value


class VerdictWords(Model):
    """Words that depend on the verdict of a claim, or of a sentence.

    Attributes
    ----------
    claim, sentence : str, optional
        Its id, or its key; one of them.
    supported, refuted, undecided, tie : str
        What is said at each verdict; without ``tie``, a tie is said to be undecided. They may
        hold ``{name}`` of numbers.
    """

    claim: str | None = None
    sentence: str | None = None
    supported: str
    refuted: str
    undecided: str
    tie: str | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.claim is None) == (self.sentence is None):
            raise ValueError("words are those of a 'claim' or of a 'sentence'")
        return self


class NumberSource(Model):
    """Where a number comes from: a claim, or the means of a method over repetitions.

    Attributes
    ----------
    claim : str, optional
        Its id; without it ``method``, ``variant`` and ``metric`` say which rows are meant.
    where : dict
        Grid parameter -> value or values.
    value : str
        Of a claim ``estimate`` (the default), ``size`` (the estimate without its sign) or ``n``
        repetitions; of rows ``mean`` (the default) or ``published``.
    over : {"mean", "smallest", "largest"}
        Which of the values at several grid points; of an estimate or size "mean" is the value at
        the point that decides the claim.
    percent : bool
        Whether a share is shown in percent.
    digits : int
        Significant ones.
    """

    claim: str | None = None
    method: str | None = None
    variant: str | None = None
    metric: str | None = None
    where: dict[str, Annotated[tuple[Any, ...], BeforeValidator(as_list), Field(min_length=1)]] = (
        Field(default_factory=dict)
    )
    value: Literal["estimate", "size", "n", "mean", "published"] | None = None
    over: Literal["mean", "smallest", "largest"] = "mean"
    percent: bool = False
    digits: Annotated[int, Field(ge=1, le=6)] = 2

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        rows = [self.method, self.variant, self.metric]
        if None in rows if self.claim is None else any(rows) or self.where:
            raise ValueError("give either 'claim', or 'method', 'variant' and 'metric'")
        names = ("mean", "published") if self.claim is None else ("estimate", "size", "n")
        if self.value not in {None, *names}:
            raise ValueError(suggestions.unknown("value", self.value, names))
        return self


class AnswerTemplate(Model):
    """The answer to the question of a config.

    Attributes
    ----------
    text : str
        A sentence with ``{name}`` of words and numbers.
    words : dict
        Name -> words.
    numbers : dict
        Name -> where the number comes from.
    """

    text: Text
    words: dict[str, VerdictWords] = Field(min_length=1)
    numbers: dict[str, NumberSource] = Field(default_factory=dict)
