"""What to cite: papers of methods, sources of data sets, geoforest itself; in BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import TypeAdapter

from geoforest_cli.core.errors import UserError
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.problems.datasets.files import Dataset

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["of_data", "of_plan", "of_results", "of_software"]

_PACKAGE = Path(__file__).resolve().parents[1]
_RECORD = TypeAdapter(dict[str, Any])
_ENTRIES = TypeAdapter(list[str])


def of_plan(plan: Plan) -> list[str]:
    """Return what a plan uses: its methods, manifolds, metrics and data sets."""
    used = {place.cell.setting.use for place in plan.entries} & set(METHODS)
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


def of_results(folder: Path) -> list[str]:
    """Return what the runs in a folder used, as their records say.

    Parameters
    ----------
    folder : Path
        Results, a reference, or the folder of a config or of one of its sizes.

    Raises
    ------
    UserError
        If there is no record in it, or one is damaged.
    """
    depths = ("", "*/", "*/*/")
    records = [path for depth in depths for path in sorted(folder.glob(f"{depth}provenance.json"))]
    if not records:
        raise UserError(f"{folder} holds no results of a run (there is no provenance.json)")
    return sorted({entry for path in records for entry in _recorded(path)})


def _recorded(path: Path) -> Iterable[str]:
    try:
        record = _RECORD.validate_json(path.read_bytes())
        return _ENTRIES.validate_python(record["bibtex"])
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, LookupError) as error:
        reason = str(error).partition("\n")[0]
        raise UserError(f"{path} is damaged or of another version ({reason})") from None


def _author(author: dict[str, str]) -> str:
    if "name" in author:
        return f"{{{_escaped(author['name'])}}}"
    return _escaped(f"{author['family-names']}, {author['given-names']}")


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"


def _escaped(text: str) -> str:
    return re.sub(r"([&%#_$])", r"\\\1", text)
