"""The process of a peer, in the peer's own environment: requests in, one JSON line each out.

It runs isolated and imports nothing of ours. Each request is a method of `Requests`; what it
returns, if anything, is written as an array. The process says how many seconds of its processor
that took and by how many megabytes it grew; what has to be loaded before is not counted.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


class Requests:
    """Each method is a request, and uses what the requests before have fitted."""

    _forest: Any
    _points: Any
    _predict: Callable[[Any], Any]

    def echo(self, X: Any, *, factor: float = 1.0) -> Any:
        """Return an array times a factor: a test of the process."""
        return X * factor

    def load_treeple(self) -> None:
        """Import the package, and grow a small forest."""
        self.unsupervised_forest(np.random.default_rng(0).normal(size=(60, 3)), n_estimators=2)
        self.proximity()

    def unsupervised_forest(
        self, X: Any, *, n_estimators: int = 100, min_parent: int = 2, max_features: Any = "sqrt",
        criterion: str = "fastbic", seed: int = 0,
    ) -> None:  # fmt: skip
        """Grow treeple's unsupervised oblique forest, of all rows, with its defaults.

        With bootstrap most of its trees are a single leaf. Its fit goes on to compare all pairs and
        to cluster them: pairs are a request of their own, and clusters are not needed.
        """
        from treeple import UnsupervisedObliqueRandomForest

        forest = UnsupervisedObliqueRandomForest(
            n_estimators=n_estimators, criterion=criterion, min_samples_split=min_parent,
            max_features=max_features, bootstrap=False, random_state=seed, n_jobs=1,
        )  # fmt: skip
        forest.compute_similarity_matrix = forest._assign_labels = lambda _: None
        forest.fit(X)
        del forest.compute_similarity_matrix, forest._assign_labels
        self._forest, self._points = forest, X

    def proximity(self) -> Any:
        """Return treeple's share of trees in which two points have one leaf."""
        return self._forest.compute_similarity_matrix(self._points)

    def oblique_forest(
        self, X: Any, y: Any, *, n_estimators: int, max_features: int, seed: int
    ) -> None:
        """Grow treeple's oblique forest."""
        from treeple import ObliqueRandomForestClassifier

        forest = ObliqueRandomForestClassifier(
            n_estimators, max_features=max_features, feature_combinations=1.5, random_state=seed,
            n_jobs=1,
        )  # fmt: skip
        self._predict = forest.fit(X, y).predict

    def patch_forest(
        self, X: Any, y: Any, *, n_estimators: int, max_features: int, smallest: list[int],
        largest: list[int], shape: list[int], seed: int,
    ) -> None:  # fmt: skip
        """Grow treeple's forest of patches."""
        from treeple import PatchObliqueRandomForestClassifier

        forest = PatchObliqueRandomForestClassifier(
            n_estimators, max_features=max_features, random_state=seed, n_jobs=1,
            min_patch_dims=smallest, max_patch_dims=largest, data_dims=shape,
        )  # fmt: skip
        self._predict = forest.fit(X, y).predict

    def load_ydf(self) -> None:
        """Import the package, and grow a small forest."""
        import ydf

        ydf.verbose(0)
        points = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
        labels = (points[:, 0] > 0).astype(np.int64)
        self.sparse_oblique_forest(points, labels, n_estimators=2, max_features=2, seed=0)
        self.classes_of(points)

    def sparse_oblique_forest(
        self, X: Any, y: Any, *, n_estimators: int, max_features: int, seed: int
    ) -> None:
        """Grow Yggdrasil's sparse oblique forest, its trees to the end."""
        import ydf

        learner = ydf.RandomForestLearner(
            label="y", num_trees=n_estimators, split_axis="SPARSE_OBLIQUE",
            sparse_oblique_num_projections_exponent=1.0,
            sparse_oblique_max_num_projections=max_features, max_depth=-1, min_examples=1,
            random_seed=seed, num_threads=1, compute_oob_performances=False,
        )  # fmt: skip
        model = learner.train({"x": X, "y": y})

        def predict(points: Any) -> Any:
            share = model.predict({"x": points})
            return (share > 0.5).astype(np.int64) if share.ndim == 1 else share.argmax(axis=1)

        self._predict = predict

    def classes_of(self, X: Any) -> Any:
        """Return the numbers of the classes of points."""
        return self._predict(X)


def main() -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a package prints is no answer
    requests = Requests()
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer: dict[str, Any] = _answer(requests, asked)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
        print(json.dumps(answer), file=answers, flush=True)


def _answer(requests: Requests, asked: dict[str, Any]) -> dict[str, float]:
    request: Callable[..., Any] = getattr(requests, asked["request"])
    arrays = {name: np.load(path) for name, path in asked["arrays"].items()}
    before = _begin_peak()
    start = time.process_time()
    returned = request(**arrays, **asked["settings"])
    seconds = time.process_time() - start
    grown = _kilobytes("VmHWM") - before
    if returned is not None:
        np.save(asked["returned"], np.asarray(returned))
    return {"seconds": seconds, "megabytes": max(0, grown) * 1024 / 1e6}


def _begin_peak() -> int:
    """Forget the largest size so far, where the system can; return the present one."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return _kilobytes("VmHWM")
    return _kilobytes("VmRSS")


def _kilobytes(name: str) -> int:
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)


if __name__ == "__main__":
    main()
