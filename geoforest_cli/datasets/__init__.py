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
        Entry(
            "banknote",
            "geoforest_cli.datasets.uci:banknote",
            "1372 banknotes, genuine and forged, 4 features",
            extra={"files": "banknote"},
        ),
        Entry(
            "galaxy_zoo",
            "geoforest_cli.datasets.galaxy:galaxies",
            "galaxies called spiral or elliptical, 6 vote fractions",
            extra={"files": "galaxy_zoo1"},
        ),
        Entry(
            "ccpp",
            "geoforest_cli.datasets.uci:ccpp",
            "9568 hours of a power plant, 4 predictors and the output",
            extra={"files": "ccpp"},
        ),
        Entry(
            "concrete",
            "geoforest_cli.datasets.uci:concrete",
            "1030 concrete mixtures, 8 predictors and the strength",
            extra={"files": "concrete"},
        ),
        *(
            Entry(name, f"geoforest_cli.datasets.networks:{name}", about, extra={"files": name})
            for name, about in (
                ("lazega_cowork", "71 lawyers who work together, 8 attributes"),
                ("facebook_ego", "347 friends of one person, 227 binary attributes"),
                ("nips234", "234 authors who write together, 100 binary attributes"),
            )
        ),
    ],
)
