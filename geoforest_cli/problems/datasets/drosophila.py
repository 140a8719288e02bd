"""The mushroom body of the larval fruit fly: a directed graph of neurons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.errors import DataError
from geoforest_cli.problems.datasets.catalogue import CATALOGUE
from geoforest_cli.problems.datasets.embedding import adjacency_spectral_embedding
from geoforest_cli.problems.datasets.files import fetch

__all__ = ["Connectome", "Labelled", "left", "load", "right"]

_EXPECTED = {"right": (213, 7536), "left": (209, 7425)}


@dataclass(frozen=True)
class Labelled:
    """Points (N, p) with class labels (N,)."""

    points: npt.NDArray[np.float64]
    labels: npt.NDArray[np.str_]


@dataclass(frozen=True)
class Connectome:
    """A directed graph.

    Attributes
    ----------
    synapses : (N, N) int64
        From the row's neuron to the column's.
    labels : (N,) str
        K Kenyon cell, I input neuron, O output neuron, P projection neuron.
    """

    synapses: npt.NDArray[np.int64]
    labels: npt.NDArray[np.str_]


def load(side: Literal["right", "left"]) -> Connectome:
    """Load one hemisphere, downloading it if it is not there.

    Raises
    ------
    DataError
        If the files cannot be had or do not hold the graph that is expected.
    """
    paths = {path.name: path for path in fetch(CATALOGUE["drosophila_mb"])}
    synapses = np.loadtxt(paths[f"{side}_adjacency.csv"], dtype=np.int64)
    labels = np.loadtxt(paths[f"{side}_cell_labels.csv"], dtype=str)
    counts = (len(labels), int(np.count_nonzero(synapses)))
    if synapses.shape != (len(labels),) * 2 or counts != _EXPECTED[side]:
        raise DataError(
            f"the {side} connectome has {counts} neurons and edges, not {_EXPECTED[side]}"
        )
    return Connectome(synapses, labels)


def right() -> Labelled:
    """Return the spectral embedding of the right hemisphere: 213 neurons, 6 features."""
    return _embedded("right")


def left() -> Labelled:
    """Return the spectral embedding of the left hemisphere: 209 neurons."""
    return _embedded("left")


def _embedded(side: Literal["right", "left"]) -> Labelled:
    graph = load(side)
    return Labelled(adjacency_spectral_embedding(graph.synapses), graph.labels)
