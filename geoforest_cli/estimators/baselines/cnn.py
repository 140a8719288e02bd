"""The convolutional network of the MORF experiments, in PyTorch."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.core.errors import DataError, Unavailable
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, seed_31_bits

__all__ = ["Cnn"]

_WINDOW = 5  # losses whose standard error decides


class Cnn(ClassifierMixin, Estimator):
    """conv - ReLU - pool - conv - ReLU - pool - dropout - dense - dense, full batches, Adam.

    The weights are drawn afresh from `random_state` for every fit, dropout is on in training and
    off in prediction (the authors' later program reused one model for all runs, without dropout).

    Parameters
    ----------
    image_shape : (int, int)
        Height and width; height 1 takes one-dimensional convolutions.
    kernel : int
        Size of both convolutions.
    hidden : int
        Size of the first dense layer; no activation follows it.
    epochs : int
        At most; from the eleventh on training stops once the standard error of the last five
        losses is below 1e-3.
    stop_below : float, optional
        Stop only when the loss is below this too.
    standardise : bool
        Bring the pixels to mean 0 and standard deviation 1 over the training set.
    random_state : int, optional

    References
    ----------
    MORF 2019, section 4, with the program's details.
    """

    image_shape: tuple[PositiveInt, PositiveInt]
    kernel: PositiveInt = 5
    hidden: PositiveInt = 200
    epochs: PositiveInt = 100
    stop_below: float | None = None
    standardise: bool = False
    random_state: Seed = None

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Train on images X (N, H W) and classes y (N,).

        Raises
        ------
        Unavailable
            If PyTorch is not installed.
        """
        images, labels = validate_data(self, X, y, dtype=np.float32)
        check_classification_targets(labels)
        torch = _torch()
        torch.use_deterministic_algorithms(mode=True)
        torch.set_num_threads(1)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self._mean, self._scale = 0.0, 1.0
        if self.standardise:
            self._mean = float(images.mean())
            self._scale = float(images.std()) or 1.0
        seed = seed_31_bits(self.random_state) or 0
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self._model = self._network(torch, len(self.classes_))
            self._train(torch, self._images(torch, images), torch.as_tensor(codes))
        return self

    def _network(self, torch: Any, n_classes: int) -> Any:
        nn = torch.nn
        flat = self.image_shape[0] == 1
        conv, pool = (nn.Conv1d, nn.MaxPool1d) if flat else (nn.Conv2d, nn.MaxPool2d)
        sides: tuple[int, ...] = self.image_shape[1:] if flat else self.image_shape
        for _ in range(2):
            sides = tuple((side - self.kernel + 1) // 2 for side in sides)
        if min(sides) < 1:
            raise DataError(f"a kernel of {self.kernel} is too large for {self.image_shape}")
        return nn.Sequential(
            conv(1, 32, self.kernel), nn.ReLU(), pool(2),
            conv(32, 64, self.kernel), nn.ReLU(), pool(2),
            nn.Flatten(), nn.Dropout(0.5),
            nn.Linear(64 * math.prod(sides), self.hidden), nn.Linear(self.hidden, n_classes),
        )  # fmt: skip

    def _images(self, torch: Any, images: npt.NDArray[np.float32]) -> Any:
        sides = self.image_shape[1:] if self.image_shape[0] == 1 else self.image_shape
        shaped = (images - self._mean) / self._scale
        return torch.as_tensor(shaped.reshape(len(images), 1, *sides), dtype=torch.float32)

    def _train(self, torch: Any, images: Any, codes: Any) -> None:
        optimiser = torch.optim.Adam(self._model.parameters(), lr=1e-3)
        loss_of = torch.nn.CrossEntropyLoss()
        losses: list[float] = []
        self._model.train()
        for epoch in range(self.epochs):
            optimiser.zero_grad()
            loss = loss_of(self._model(images), codes)
            loss.backward()
            optimiser.step()
            losses.append(float(loss.detach()))
            recent = losses[-_WINDOW:]
            settled = float(np.std(recent, ddof=1)) / math.sqrt(_WINDOW) if epoch else 1.0
            low = self.stop_below is None or losses[-1] < self.stop_below
            if epoch > 10 and settled < 1e-3 and low:
                break

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the class of each row."""
        check_is_fitted(self)
        torch = _torch()
        self._model.eval()
        images = self._images(torch, validate_data(self, X, reset=False, dtype=np.float32))
        with torch.no_grad():
            best = [self._model(part).argmax(dim=1).numpy() for part in images.split(1000)]
        labels: npt.NDArray[Any] = self.classes_[np.concatenate(best)]
        return labels


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise Unavailable(
            "the CNN needs PyTorch, which is not installed: pip install 'geoforest[cnn]'"
        ) from error
    return torch
