"""MNIST: images of handwritten digits."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.errors import DataError
from geoforest_cli.problems.datasets.catalogue import CATALOGUE
from geoforest_cli.problems.datasets.files import fetch

__all__ = ["Digits", "digits", "mnist", "read_idx"]

_MAGIC = {2051: 3, 2049: 1}
_FIRST_TRAIN = [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]


@dataclass(frozen=True)
class Digits:
    """Images (N, H W) with labels (N,), split into training and test."""

    train: npt.NDArray[np.float32]
    train_labels: npt.NDArray[np.int64]
    test: npt.NDArray[np.float32]
    test_labels: npt.NDArray[np.int64]
    shape: tuple[int, int]


def read_idx(path: Path) -> npt.NDArray[np.uint8]:
    """Read a gzipped idx file: big-endian sizes, then bytes row by row.

    Raises
    ------
    DataError
        If the file is not one.
    """
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError) as error:
        raise DataError(f"{path}: not a gzip file ({error})") from error
    dims = _MAGIC.get(int.from_bytes(data[:4], "big"))
    if dims is None:
        raise DataError(f"{path}: not an idx file of images or labels")
    shape = tuple(int(n) for n in np.frombuffer(data, ">u4", dims, 4))
    body = np.frombuffer(data, np.uint8, offset=4 + 4 * dims)
    if len(body) != np.prod(shape):
        raise DataError(f"{path}: {len(body)} bytes for the sizes {shape}")
    return body.reshape(shape)


def mnist() -> Digits:
    """Load the official 60,000 training and 10,000 test images, pixels 0 to 255."""
    train, train_labels, test, test_labels = map(read_idx, fetch(CATALOGUE["mnist"]))
    if train.shape != (60000, 28, 28) or test.shape != (10000, 28, 28):
        raise DataError(f"mnist: unexpected sizes {train.shape} and {test.shape}")
    if train_labels[:10].tolist() != _FIRST_TRAIN:
        raise DataError("mnist: the first training labels are not 5 0 4 1 9 2 1 3 1 4")
    return Digits(
        train.reshape(60000, -1).astype(np.float32), train_labels.astype(np.int64),
        test.reshape(10000, -1).astype(np.float32), test_labels.astype(np.int64), (28, 28),
    )  # fmt: skip


def digits() -> Digits:
    """Load scikit-learn's bundled digits, 8 x 8: 1197 for training, the last 600 for the test."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    images = images.astype(np.float32)
    return Digits(images[:1197], labels[:1197], images[1197:], labels[1197:], (8, 8))
