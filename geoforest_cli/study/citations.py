"""Citations of papers of methods, sources of data sets, geoforest itself; in BibTeX."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import TypeAdapter

from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.problems.datasets.files import Dataset

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["of_data", "of_plan", "of_software"]

_PACKAGE = Path(__file__).resolve().parents[1]
_RECORD = TypeAdapter(dict[str, Any])


def of_plan(plan: Plan) -> list[str]:
    """Return what a plan uses: its methods, manifolds, metrics and data sets."""
    used = {entry.cell.setting.use for entry in plan.entries} & set(METHODS)
    entries = {entry for use in used for entry in METHODS[use].cite}
    entries |= {entry for part in plan.used.values() for entry in part.cite}
    entries |= {of_data(dataset) for dataset in plan.data_sets().values()}
    return sorted(entries)


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
    within = _PACKAGE / "_CITATION.cff"
    path = within if within.is_file() else _PACKAGE.parent / "CITATION.cff"
    citation = yaml.safe_load(path.read_text(encoding="utf-8"))
    fields = {
        "author": " and ".join(_author(author) for author in citation["authors"]),
        "title": f"{{{_escaped(citation['title'])}}}",
        "version": str(citation["version"]),
        "year": str(citation["date-released"])[:4],
    }
    return _entry("software", "geoforest", fields)


def _author(author: dict[str, str]) -> str:
    if "name" in author:
        return f"{{{_escaped(author['name'])}}}"
    return _escaped(f"{author['family-names']}, {author['given-names']}")


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"


def _escaped(text: str) -> str:
    return re.sub(r"([&%#_$])", r"\\\1", text)
