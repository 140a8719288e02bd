"""The configs without an outcome: what each asks, what is missing, and how to add it."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from geoforest_cli.core.errors import UserError
from geoforest_cli.problems.datasets import DATASETS, LABELLED
from geoforest_cli.problems.datasets.files import Dataset, data_folder
from geoforest_cli.study.config import extend
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.frames import several

__all__ = ["NotRun", "not_run"]


@dataclass(frozen=True)
class NotRun:
    """A config of which there are no results.

    Attributes
    ----------
    question : str
        What it asks; empty where it asks nothing.
    missing : list of Dataset
        The data sets that it needs and this machine does not have.
    """

    name: str
    title: str
    paper: str
    artifact: str
    about: str
    question: str
    missing: list[Dataset]

    @property
    def path(self) -> Path:
        """Its page, from the root of the site."""
        return Path("not-run", f"{self.name}.html")

    @property
    def url(self) -> str:
        """The same as a link."""
        return quote(self.path.as_posix())

    @property
    def reason(self) -> str:
        """Why there is no outcome, for the end of a sentence."""
        if not self.missing:
            return "it has not been run"
        names = " and ".join(data.name for data in self.missing)
        several = len(self.missing) > 1
        return f"the data set{'s' if several else ''} {names} {'are' if several else 'is'} missing"

    @property
    def commands(self) -> list[str]:
        """What adds it to the site."""
        fetch = [f"geoforest data fetch {data.name}" for data in self.missing]
        return [*fetch, f"geoforest run {self.name}", "geoforest report"]


def not_run(names: Collection[str]) -> list[NotRun]:
    """Return the known configs that are not among those of some results, by name."""
    found = (_described(name, path) for name, path in sorted(known_configs().items()))
    return [one for one in found if one and one.name not in names]


def _described(name: str, path: Path) -> NotRun | None:
    data = _data(path)
    if not data.get("title"):
        return None
    needed = {dataset.name: dataset for dataset in _data_sets(data)}
    return NotRun(
        name=name,
        **{key: str(data.get(key) or "") for key in ("title", "paper", "artifact")},
        about=str(data.get("about") or ""),
        question=str(data.get("question") or ""),
        missing=[one for one in needed.values() if not _is_here(one)],
    )


@functools.cache
def _data(path: Path) -> dict[str, Any]:
    """What a config says at the published size; nothing if it cannot be read."""
    try:
        data = extend.open_document(path).document.data
    except UserError:
        return {}
    return dict(data)


def _data_sets(config: dict[str, Any]) -> Iterator[Dataset]:
    """Find the data sets that are named among parameters and grid values."""
    also = config.get("also") or []
    parts = [config.get("params"), config.get("grid"), *(also if isinstance(also, list) else [])]
    for part in parts:
        for values in part.values() if isinstance(part, dict) else ():
            for value in several(values):
                dataset = _known_data().get(value) if isinstance(value, str) else None
                if dataset is not None:
                    yield dataset


@functools.cache
def _known_data() -> dict[str, Dataset | None]:
    """What a config calls a data set -> its files, None for one that comes with a library."""
    return {name: table[name].dataset for table in (DATASETS, LABELLED) for name in table}


def _is_here(dataset: Dataset) -> bool:
    return all((data_folder(dataset) / file.name).is_file() for file in dataset.files)
