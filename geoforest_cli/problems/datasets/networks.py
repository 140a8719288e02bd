"""Networks with node attributes: Lazega's lawyers, a Facebook ego network, NIPS authors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.io import loadmat

from geoforest_cli.core.errors import DataError
from geoforest_cli.problems.datasets.catalogue import CATALOGUE
from geoforest_cli.problems.datasets.files import fetch

__all__ = ["Network", "facebook_ego", "lazega_cowork", "nips234"]

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Network:
    """An undirected network with attributes of its nodes.

    Attributes
    ----------
    links : (N, N) uint8
        Symmetric, zero diagonal.
    binary : (N, L) uint8
        Attributes as zeros and ones.
    features : (N, p) float64
        The same attributes as measured, where they are not binary to begin with.
    """

    links: Bytes
    binary: Bytes
    features: npt.NDArray[np.float64]


def _matlab(path: Path, nodes: int, links: int, attributes: int) -> tuple[Bytes, Bytes]:
    """Read `B`, an upper triangle, and `F` from a .mat file and check their sizes."""
    content = loadmat(path)
    if not {"B", "F"} <= content.keys():
        raise DataError(f"{path}: expected the variables B and F")
    upper = np.triu(np.asarray(content["B"], np.uint8), 1)
    binary = np.asarray(content["F"], np.uint8)
    counts = (len(upper), int(upper.sum()), binary.shape[1])
    if counts != (nodes, links, attributes) or len(binary) != nodes:
        raise DataError(
            f"{path}: {counts[0]} nodes, {counts[1]} links and {counts[2]} attributes, "
            f"expected {nodes}, {links} and {attributes}"
        )
    return upper + upper.T, binary


def lazega_cowork() -> Network:
    """Load the co-work network of 71 lawyers: 378 links, 18 binary or 8 ordinal attributes.

    Raises
    ------
    DataError
        If a file cannot be had or does not hold what it should.
    """
    mat, attributes, work = fetch(CATALOGUE["lazega_cowork"])
    links, binary = _matlab(mat, 71, 378, 18)
    features = np.loadtxt(attributes, dtype=int)
    if features.shape != (71, 8) or (features[:, 0] != np.arange(1, 72)).any():
        raise DataError(f"{attributes}: expected 71 rows of 8 numbers, the first the row's own")
    if (np.triu(np.loadtxt(work, dtype=int), 1) != np.triu(links)).any():
        raise DataError(f"{work}: its upper triangle is not that of {mat.name}")
    if (binary.sum(axis=1) != 7).any():
        raise DataError(f"{mat}: every lawyer has one value in each of seven attributes")
    return Network(links, binary, features.astype(np.float64))


def facebook_ego() -> Network:
    """Load an ego network of 347 people: 2519 links, 227 binary attributes.

    Raises
    ------
    DataError
        If the file cannot be had or does not hold what it should.
    """
    (mat,) = fetch(CATALOGUE["facebook_ego"])
    links, binary = _matlab(mat, 347, 2519, 227)
    return Network(links, binary, binary.astype(np.float64))


def nips234() -> Network:
    """Load the co-authorship of 234 authors: 598 links, 100 binary attributes.

    Raises
    ------
    DataError
        If the file cannot be had or does not hold what it should.
    """
    (mat,) = fetch(CATALOGUE["nips234"])
    links, binary = _matlab(mat, 234, 598, 100)
    if (binary.sum(axis=1) != 5).any():
        raise DataError(f"{mat}: every author has five attributes")
    return Network(links, binary, binary.astype(np.float64))
