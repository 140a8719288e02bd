"""What to cite: papers of methods, sources of data sets, geoforest itself; in BibTeX."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import TypeAdapter

from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.problems.datasets.files import Dataset

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["doi_of", "of_data", "of_plan", "of_software", "repository"]

_PACKAGE = Path(__file__).resolve().parents[1]
_RECORD = TypeAdapter(dict[str, Any])
_DOI = re.compile(r"\bdoi\s*=\s*[{\"](10\.[^}\"]+)")
_ARXIV = re.compile(r"\barXiv[:. ](\d{4}\.\d{4,5})")


def of_plan(plan: Plan) -> list[str]:
    """Return what a plan uses: its methods, manifolds, metrics and data sets."""
    used = {place.cell.setting.use for place in plan.entries} & set(METHODS)
    found = {entry for use in used for entry in METHODS[use].cite}
    found |= {entry for one in plan.used.values() for entry in one.cite}
    found |= {of_data(one) for one in plan.data_sets().values()}
    return sorted(found)


def of_data(dataset: Dataset) -> str:
    r"""Return a data set with where it comes from and what its authors ask to be cited.

    Examples
    --------
    >>> print(of_data(Dataset("eggs", "sizes of eggs", "", (), "CC0", "Hen & Co., Eggs, 2020")))
    @misc{data_eggs,
      title = {{eggs: sizes of eggs}},
      note = {Hen \& Co., Eggs, 2020}
    }
    """
    fields = {
        "title": f"{{{_escaped(f'{dataset.name}: {dataset.about}')}}}",
        "note": _escaped(dataset.cite),
    }
    if dataset.files:
        fields["howpublished"] = f"\\url{{{dataset.files[0].url}}}"
    return _entry("misc", f"data_{dataset.name}", fields)


def of_software() -> str:
    """Return geoforest itself, from its ``CITATION.cff``."""
    citation = _own()
    fields = {
        "author": " and ".join(_author(author) for author in citation["authors"]),
        "title": f"{{{_escaped(citation['title'])}}}",
        "version": str(citation["version"]),
        "year": str(citation["date-released"])[:4],
    }
    return _entry("software", "geoforest", fields)


def repository() -> str:
    """Return the address of the repository as ``CITATION.cff`` has it; empty where it has none."""
    return str(_own().get("repository-code", ""))


def doi_of(entry: str) -> str:
    """Return the DOI of an entry in BibTeX; that of arXiv for a preprint, else an empty text.

    Examples
    --------
    >>> doi_of("@article{one, journal = {arXiv:1907.00296}, year = {2019}}")
    '10.48550/arXiv.1907.00296'
    >>> doi_of("@article{two, doi = {10.1145/3394486.3403094}}")
    '10.1145/3394486.3403094'
    """
    if found := _DOI.search(entry):
        return found[1]
    found = _ARXIV.search(entry)
    return f"10.48550/arXiv.{found[1]}" if found else ""


@functools.cache
def _own() -> dict[str, Any]:
    within = _PACKAGE / "_CITATION.cff"
    path = within if within.is_file() else _PACKAGE.parent / "CITATION.cff"
    return _RECORD.validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))


def _author(author: dict[str, str]) -> str:
    if "name" in author:
        return f"{{{_escaped(author['name'])}}}"
    return _escaped(f"{author['family-names']}, {author['given-names']}")


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"


def _escaped(text: str) -> str:
    return re.sub(r"([&%#_$])", r"\\\1", text)
