"""Real data sets: a catalogue, downloads with checked hashes, loaders."""

from dataclasses import dataclass

from geoforest_cli.core.registry import Entry, Registry
from geoforest_cli.problems.datasets.catalogue import CATALOGUE
from geoforest_cli.problems.datasets.files import Dataset

__all__ = ["CATALOGUE", "DATASETS", "DataEntry"]


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


# what an experiment can name; `geoforest data` knows every set of the catalogue
DATASETS = Registry(
    "dataset",
    [
        DataEntry(
            "drosophila_right",
            "geoforest_cli.problems.datasets.drosophila:right",
            "mushroom body of a fruit fly larva, right: 213 neurons in 4 classes",
            version=2,
            files="drosophila_mb",
        ),
        DataEntry(
            "drosophila_left",
            "geoforest_cli.problems.datasets.drosophila:left",
            "mushroom body of a fruit fly larva, left: 209 neurons in 4 classes",
            version=2,
            files="drosophila_mb",
        ),
        DataEntry(
            "banknote",
            "geoforest_cli.problems.datasets.uci:banknote",
            "1372 banknotes, genuine and forged, 4 features",
            files="banknote",
        ),
        DataEntry(
            "galaxy_zoo",
            "geoforest_cli.problems.datasets.galaxy:galaxies",
            "galaxies called spiral or elliptical, 6 vote fractions",
            files="galaxy_zoo1",
        ),
        DataEntry(
            "ccpp",
            "geoforest_cli.problems.datasets.uci:ccpp",
            "9568 hours of a power plant, 4 predictors and the output",
            files="ccpp",
        ),
        DataEntry(
            "concrete",
            "geoforest_cli.problems.datasets.uci:concrete",
            "1030 concrete mixtures, 8 predictors and the strength",
            files="concrete",
        ),
        DataEntry(
            "mnist",
            "geoforest_cli.problems.datasets.mnist:mnist",
            "70,000 images of handwritten digits, 28 x 28",
            files="mnist",
        ),
        DataEntry(
            "digits",
            "geoforest_cli.problems.datasets.mnist:digits",
            "1797 images of handwritten digits, 8 x 8, of scikit-learn",
        ),
        *(
            DataEntry(name, f"geoforest_cli.problems.datasets.networks:{name}", about, files=name)
            for name, about in (
                ("lazega_cowork", "71 lawyers who work together, 8 attributes"),
                ("facebook_ego", "347 friends of one person, 227 binary attributes"),
                ("nips234", "234 authors who write together, 100 binary attributes"),
            )
        ),
    ],
)
