"""Real data sets: a catalogue, downloads with checked hashes, loaders."""

from geoforest_cli.datasets.catalogue import CATALOGUE
from geoforest_cli.registry import Entry, Registry

__all__ = ["CATALOGUE", "DATASETS"]

# what an experiment can name; `geoforest data` knows every set of the catalogue
DATASETS = Registry(
    "dataset",
    [
        Entry(
            "drosophila_right",
            "geoforest_cli.datasets.drosophila:right",
            "mushroom body of a fruit fly larva, right: 213 neurons in 4 classes",
            extra={"files": "drosophila_mb"},
        ),
        Entry(
            "drosophila_left",
            "geoforest_cli.datasets.drosophila:left",
            "mushroom body of a fruit fly larva, left: 209 neurons in 4 classes",
            extra={"files": "drosophila_mb"},
        ),
    ],
)
