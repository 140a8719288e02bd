"""The memory that a request needs, compared with what is free before it is taken."""

from __future__ import annotations

import psutil

from geoforest_cli.core.errors import DataError

__all__ = [
    "free_memory",
    "out_of_memory",
    "require_memory_for_graph",
    "require_memory_for_lists",
    "require_memory_for_matrix",
    "require_memory_for_table",
    "require_memory_for_trees",
]

_BYTES_PER_PAIR = 24  # a matrix of float64 and what is made of it on the way
_BYTES_PER_NEIGHBOR = 20  # distance, number of the row, share of trees
_BYTES_PER_EDGE = 100  # and what is made of it while a graph is built
_GRAPH_NEIGHBORS = 75  # of a row in a graph, or 1.5 times those asked for
_BYTES_PER_LEAF = 8  # of every row in every tree: the leaf it is in, and how often it was drawn
_BYTES_PER_VALUE = 16  # of a table: float64, and a copy while the pieces are joined
_SMALLER = "leave rows or columns out"
_NEVER = "geodesic_forest and euclidean do not"


def require_memory_for_matrix(method: str, n: int) -> None:
    """Refuse a method that compares all pairs of rows, where these do not fit in memory.

    Parameters
    ----------
    method : str
        Its name, for the sentence.
    n : int
        Rows.

    Raises
    ------
    DataError

    Examples
    --------
    >>> require_memory_for_matrix("isomap", 20_000_000)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    geoforest_cli.core.errors.DataError: isomap needs a 20,000,000 x 20,000,000 matrix, \
9,600,000 GB with what is made of it, and ... free; geodesic_forest and euclidean do not
    """
    needed = f"{method} needs a {n:,} x {n:,} matrix, "
    _require(_BYTES_PER_PAIR * n * n, needed, " with what is made of it", _NEVER)


def require_memory_for_graph(method: str, n: int, number: int) -> None:
    """Refuse a method that follows a graph of `number` neighbours, where it does not fit."""
    size = _BYTES_PER_EDGE * n * max(_GRAPH_NEIGHBORS, 3 * number // 2)
    _require(size, f"{method} needs a graph of {n:,} rows, ", " with what is made of it", _NEVER)


def require_memory_for_lists(k: str, n: int, number: int) -> None:
    """Refuse lists of neighbours that do not fit in memory; `k` is how the user gives them."""
    needed = f"{k}: {number:,} neighbours of each of {n:,} rows take "
    _require(_BYTES_PER_NEIGHBOR * n * number, needed, "", "ask for fewer")


def require_memory_for_trees(trees: str, n: int, number: int) -> None:
    """Refuse a forest that does not fit in memory; `trees` is how the user gives their number."""
    needed = f"{trees}: {number:,} trees on {n:,} rows take "
    _require(_BYTES_PER_LEAF * n * number, needed, "", "ask for fewer")


def require_memory_for_table(name: str, stored: int, values: int = 0) -> None:
    """Refuse a file that says how large its table is, where this does not fit in memory.

    Parameters
    ----------
    name : str
        The file, for the sentence.
    stored : int
        Bytes of what is unpacked.
    values : int
        Numbers that are made of them.
    """
    _require(stored + _BYTES_PER_VALUE * values, f"{name}: its table takes ", "", _SMALLER)


def out_of_memory(name: str) -> str:
    """Return the sentence for a file whose table turned out not to fit in memory."""
    free = _gigabytes(free_memory())
    return f"{name}: its table takes more than the {free} that are free; {_SMALLER}"


def free_memory() -> int:
    """Return how many bytes of memory are free."""
    return int(psutil.virtual_memory().available)


def _require(size: int, needed: str, rest: str, remedy: str) -> None:
    free = free_memory()
    if size > free:
        raise DataError(
            f"{needed}{_gigabytes(size)}{rest}, and {_gigabytes(free)} are free; {remedy}"
        )


def _gigabytes(size: int) -> str:
    amount = size / 1e9
    return f"{amount:,.0f} GB" if amount >= 10 else f"{amount:.1f} GB"
