"""What a request needs in memory, asked before anything of it is taken."""

from __future__ import annotations

import psutil

from geoforest_cli.errors import DataError

__all__ = ["require_room_for_lists", "require_room_for_matrix", "require_room_for_trees"]

_BYTES_PER_PAIR = 24  # a matrix of float64 and what is made of it on the way
_BYTES_PER_NEIGHBOR = 20  # distance, number of the row, share of trees
_BYTES_PER_LEAF = 8  # of every row in every tree: the leaf it is in, and how often it was drawn
_NEVER = "geodesic_forest and euclidean do not"


def require_room_for_matrix(method: str, n: int) -> None:
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
    >>> require_room_for_matrix("isomap", 20_000_000)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    geoforest_cli.errors.DataError: isomap needs a 20,000,000 x 20,000,000 matrix, 9,600,000 GB \
with what is made of it, and ... free; geodesic_forest and euclidean do not
    """
    needed = f"{method} needs a {n:,} x {n:,} matrix, "
    _require(_BYTES_PER_PAIR * n * n, needed, " with what is made of it", _NEVER)


def require_room_for_lists(k: str, n: int, number: int) -> None:
    """Refuse lists of neighbours that do not fit in memory; `k` is how the user gives them."""
    needed = f"{k}: {number:,} neighbours of each of {n:,} rows take "
    _require(_BYTES_PER_NEIGHBOR * n * number, needed, "", "ask for fewer")


def require_room_for_trees(trees: str, n: int, number: int) -> None:
    """Refuse a forest that does not fit in memory; `trees` is how the user gives their number."""
    needed = f"{trees}: {number:,} trees on {n:,} rows take "
    _require(_BYTES_PER_LEAF * n * number, needed, "", "ask for fewer")


def _require(size: int, needed: str, rest: str, way_out: str) -> None:
    free = psutil.virtual_memory().available
    if size > free:
        raise DataError(
            f"{needed}{_gigabytes(size)}{rest}, and {_gigabytes(free)} are free; {way_out}"
        )


def _gigabytes(size: int) -> str:
    amount = size / 1e9
    return f"{amount:,.0f} GB" if amount >= 10 else f"{amount:.1f} GB"
