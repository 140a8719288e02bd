"""Slips of the papers' texts and programs, carried as data."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Annotated, Literal, Self

import yaml
from pydantic import Field, TypeAdapter, ValidationError, model_validator

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.models import Model

__all__ = ["Erratum", "Evidence", "errata", "parse"]

Text = Annotated[str, Field(min_length=1)]


class Evidence(Model):
    """What shows a slip: a config, and the claim in it; or why nothing does.

    Parameters
    ----------
    config, claim : str, optional
    none : str, optional
        Why there is no evidence.
    """

    config: str | None = None
    claim: str | None = None
    none: str | None = None

    @model_validator(mode="after")
    def _one_or_the_other(self) -> Self:
        if (self.config is None) == (self.none is None):
            raise ValueError("evidence is a 'config', or 'none' with the reason")
        if self.claim is not None and self.config is None:
            raise ValueError("a 'claim' needs its 'config'")
        return self

    def __str__(self) -> str:
        if self.config is None:
            return f"no evidence: {self.none}"
        return f"{self.config}: {self.claim}" if self.claim else self.config


class Erratum(Model):
    """A slip, and what we do instead.

    Parameters
    ----------
    id : str
    paper : str
        As configs name it.
    place : {"text", "program"}
        Called ``in`` in the file.
    where : str
        Section, equation or file.
    slip : str
        What is wrong.
    ours : str
        What we do.
    evidence : Evidence
    """

    id: Text
    paper: Text
    place: Annotated[Literal["text", "program"], Field(alias="in")]
    where: Text
    slip: Text
    ours: Text
    evidence: Evidence

    def __str__(self) -> str:
        return f"{self.paper}, {self.place}, {self.where}: {self.slip.strip()}"


_ERRATA = TypeAdapter(tuple[Erratum, ...])


def parse(text: str) -> tuple[Erratum, ...]:
    """Read errata.

    Raises
    ------
    UserError
        For what is not an erratum, or an id that is given twice.
    """
    try:
        slips = _ERRATA.validate_python(tuple(yaml.safe_load(text) or ()))
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(map(str, first["loc"]))
        raise UserError(f"errata: {at}: {first['msg']}") from None
    ids = [one.id for one in slips]
    for twice in {one for one in ids if ids.count(one) > 1}:
        raise UserError(f"errata: the id {twice!r} is given twice")
    return slips


@cache
def errata(paper: str | None = None) -> tuple[Erratum, ...]:
    """Return the known slips of one paper, or of all.

    Examples
    --------
    >>> str(errata("smerf")[0].evidence)
    'smerf_distances: eventually_comparable_to_bilinear'
    """
    text = (resources.files(__package__) / "published" / "errata.yaml").read_text("utf-8")
    return tuple(one for one in parse(text) if paper in {None, one.paper})
