"""Mistakes of the papers' texts and programs, carried as data."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal
from urllib.parse import quote

import yaml
from pydantic import BeforeValidator, Field, TypeAdapter

from geoforest_cli.core.models import Model

__all__ = ["Erratum", "Evidence", "Later", "Source", "errata"]


def _as_list(value: Any) -> Any:
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

    repository: str
    commit: str
    file: str
    lines: Annotated[tuple[str, ...], BeforeValidator(_as_list)]

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

    commit: str
    says: str


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
    medium : {"text", "program"}
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

    id: str
    paper: str
    medium: Annotated[Literal["text", "program"], Field(alias="in")]
    where: str
    slip: str
    ours: str
    evidence: Evidence
    source: Annotated[tuple[Source, ...], BeforeValidator(_as_list)] = ()
    later: Later | None = None

    def __str__(self) -> str:
        text = f"{self.paper}, {self.medium}, {self.where}: {self.slip.strip()}"
        sources = f" ({'; '.join(map(str, self.source))})" if self.source else ""
        later = f" Later ({self.later.commit}): {self.later.says.strip()}" if self.later else ""
        return text + sources + later


_ERRATA = TypeAdapter(tuple[Erratum, ...])


@cache
def errata(paper: str | None = None) -> tuple[Erratum, ...]:
    """Return the known errata of one paper, or of all.

    Examples
    --------
    >>> str(errata("smerf")[0].evidence)
    'smerf_distances: eventually_comparable_to_bilinear'
    """
    text = (resources.files(__package__) / "published" / "errata.yaml").read_text("utf-8")
    listed = _ERRATA.validate_python(yaml.safe_load(text))
    return tuple(erratum for erratum in listed if paper in {None, erratum.paper})
