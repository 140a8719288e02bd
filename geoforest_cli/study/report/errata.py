"""Mistakes of the papers' texts and programs, carried as data."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal, Self
from urllib.parse import quote

import yaml
from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError, model_validator

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.models import Model

__all__ = ["Erratum", "Evidence", "Later", "Source", "errata", "parse"]

Text = Annotated[str, Field(min_length=1)]
Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{7,40}$")]
Lines = Annotated[str, Field(pattern=r"^[1-9][0-9]*(-[1-9][0-9]*)?$")]


def _several(value: Any) -> Any:
    """Let one value stand for a list of one."""
    return [value] if isinstance(value, str | dict) else value


class Source(Model):
    """A place in a program.

    Parameters
    ----------
    repository : str
        Owner and name, on GitHub.
    commit : str
        A commit that has the place.
    file : str
    lines : str or list of str
        A line such as ``190``, or the first and the last such as ``70-72``.
    """

    repository: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$")]
    commit: Commit
    file: Text
    lines: Annotated[tuple[Lines, ...], BeforeValidator(_several), Field(min_length=1)]

    def link(self, lines: str) -> str:
        """Return the address of the first of some lines.

        Examples
        --------
        >>> at = Source(repository="a/b", commit="214866f", file="R/tree.R", lines="70-72")
        >>> at.link("70-72")
        'https://github.com/a/b/blob/214866f/R/tree.R#L70'
        """
        # GitHub draws a notebook, without numbers of lines, unless it is asked for the file
        plain = "?plain=1" if self.file.endswith(".ipynb") else ""
        first = lines.partition("-")[0]
        return (
            f"https://github.com/{self.repository}/blob/{self.commit}/"
            f"{quote(self.file)}{plain}#L{first}"
        )

    def __str__(self) -> str:
        return f"{self.repository} {self.commit} {self.file}:{','.join(self.lines)}"


class Later(Model):
    """A change of the place in another revision of the same repository.

    Parameters
    ----------
    commit : str
    says : str
        What it changed.
    """

    commit: Commit
    says: Text


class Evidence(Model):
    """Evidence of a mistake: a config, and the claim in it; or why there is none.

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
    """A mistake, and what we do instead.

    Parameters
    ----------
    id : str
    paper : str
        As configs name it.
    place : {"text", "program"}
        Called ``in`` in the file.
    where : str
        Section, equation or part of a program.
    slip : str
        What is wrong.
    ours : str
        What we do.
    evidence : Evidence
    source : Source or list of Source, optional
        The places in a program, which has at least one; none in a text.
    later : Later, optional
    """

    id: Text
    paper: Text
    place: Annotated[Literal["text", "program"], Field(alias="in")]
    where: Text
    slip: Text
    ours: Text
    evidence: Evidence
    source: Annotated[tuple[Source, ...], BeforeValidator(_several)] = ()
    later: Later | None = None

    @model_validator(mode="after")
    def _program_has_a_source(self) -> Self:
        if self.place == "program" and not self.source:
            raise ValueError(
                "an erratum of a program needs its 'source': repository, commit, file and lines"
            )
        if self.place == "text" and (self.source or self.later):
            raise ValueError("'source' and 'later' are of programs; a text has 'where'")
        return self

    def __str__(self) -> str:
        said = f"{self.paper}, {self.place}, {self.where}: {self.slip.strip()}"
        places = f" ({'; '.join(map(str, self.source))})" if self.source else ""
        later = f" Later ({self.later.commit}): {self.later.says.strip()}" if self.later else ""
        return said + places + later


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
    """Return the known errata of one paper, or of all.

    Examples
    --------
    >>> str(errata("smerf")[0].evidence)
    'smerf_distances: eventually_comparable_to_bilinear'
    """
    text = (resources.files(__package__) / "published" / "errata.yaml").read_text("utf-8")
    return tuple(one for one in parse(text) if paper in {None, one.paper})
