"""Real data sets: a catalogue, downloads with checked hashes, loaders."""

from dataclasses import dataclass
from pathlib import Path

import yaml

from geoforest_cli.core.registry import Entry, Registry
from geoforest_cli.problems.datasets.catalogue import CATALOGUE
from geoforest_cli.problems.datasets.files import Dataset

__all__ = ["CATALOGUE", "DATASETS", "LABELLED", "DataEntry"]


@dataclass(frozen=True)
class DataEntry(Entry):
    """A data set as an experiment names it; its version is that of its loader.

    Attributes
    ----------
    files : str
        Its name in the catalogue; empty if it comes with a library.
    """

    files: str = ""

    @property
    def dataset(self) -> Dataset | None:
        """The files it is read from, if any."""
        return CATALOGUE[self.files] if self.files else None


def _entries(file: str) -> list[DataEntry]:
    listed = yaml.safe_load(Path(__file__).with_name(file).read_text("utf-8"))
    return [DataEntry(name, **entry) for name, entry in listed.items()]


# what an experiment can name; `geoforest data` knows every set of the catalogue
DATASETS = Registry("dataset", _entries("loaders.yaml"))
# ordinary tables, each loaded as points and classes
LABELLED = Registry("dataset", _entries("labelled.yaml"))
