"""A fitted forest in few bytes: what pickle keeps of it.

Leaves are numbered without the inner nodes, and of these numbers the low bits, which look random,
are kept as bits, the high ones compressed. Points follow each other by their leaves in the first
few trees, so that high bits repeat. Bags are drawn again from the trees' seeds.
"""

import zlib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.forests.kernels.rng import bootstrap_counts

__all__ = [
    "Packed", "bags", "near_by", "node_type", "pack", "pack_leaves", "unpack", "unpack_leaves",
]  # fmt: skip

_TREES_OF_AN_ORDER = 4
_LOW_BITS = 5
_LEVEL = 6  # of zlib
_LARGEST = np.iinfo(np.uint16).max - 8

Array = npt.NDArray[Any]


class Packed(NamedTuple):
    """An array: its bytes, those of equal place in their number together, compressed."""

    content: bytes
    dtype: str
    shape: tuple[int, ...]


def pack(array: Array) -> Packed:
    """Compress an array.

    Examples
    --------
    >>> unpack(pack(np.array([[1.5, 2.0]])))
    array([[1.5, 2. ]])
    """
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    places = content.reshape(array.size, array.dtype.itemsize).T
    return Packed(zlib.compress(places.tobytes(), _LEVEL), array.dtype.str, array.shape)


def unpack(packed: Packed) -> Array:
    """Return the array that `pack` was given."""
    dtype = np.dtype(packed.dtype)
    places = np.frombuffer(zlib.decompress(packed.content), np.uint8).reshape(dtype.itemsize, -1)
    found: Array = places.T.copy().reshape(-1).view(dtype).reshape(packed.shape)
    return found


def node_type(n_nodes: int) -> type[np.uint16] | type[np.int32]:
    """Return the smallest of the two types that number so many nodes."""
    return np.uint16 if n_nodes <= _LARGEST else np.int32


def near_by(leaves: Array) -> npt.NDArray[np.intp]:
    """Return an order of points (T, n) in which those of one leaf lie together, in a few trees."""
    return np.lexsort(leaves[:_TREES_OF_AN_ORDER][::-1])


def pack_leaves(leaf_of: Array, is_leaf: list[npt.NDArray[np.bool_]]) -> list[Any]:
    """Compress the leaves of points, given for each tree which of its nodes are leaves."""
    found: list[Any] = []
    order = near_by(leaf_of)
    for t, leaf in enumerate(is_leaf):
        number = (np.cumsum(leaf) - 1)[leaf_of[t] if t < _TREES_OF_AN_ORDER else leaf_of[t, order]]
        bits = [np.packbits((number >> bit) & 1) for bit in range(_LOW_BITS)]
        high = (number >> _LOW_BITS).astype(np.uint32)
        found.append((np.concatenate(bits).tobytes(), pack(high)))
    return found


def unpack_leaves(packed: list[Any], is_leaf: list[npt.NDArray[np.bool_]], n: int) -> Array:
    """Return the (T, N) leaves that `pack_leaves` was given."""
    kind = node_type(max(len(leaf) for leaf in is_leaf))
    leaf_of = np.empty((len(packed), n), kind)
    order = np.arange(n)
    for t, (low, high) in enumerate(packed):
        if t == _TREES_OF_AN_ORDER:
            order = near_by(leaf_of)
        number = unpack(high).astype(np.int64) << _LOW_BITS
        planes = np.frombuffer(low, np.uint8).reshape(_LOW_BITS, -1)
        for bit, plane in enumerate(planes):
            number |= np.unpackbits(plane, count=n).astype(np.int64) << bit
        leaf_of[t, order] = np.flatnonzero(is_leaf[t])[number]
    return leaf_of


def bags(seeds: npt.NDArray[np.uint64], n: int) -> npt.NDArray[np.int32]:
    """Return the bags (T, N) that trees with these seeds draw where all rows are equally likely."""
    found = np.empty((len(seeds), n), np.int32)
    for seed, counts in zip(seeds, found, strict=True):
        bootstrap_counts(np.array([seed]), n, np.empty(0), counts)
    return found
