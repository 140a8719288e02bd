"""The methods of the link experiment behind one protocol: fit on what is observed, score pairs."""

from __future__ import annotations

import math
from typing import Annotated, Any, Protocol, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.errors import DataError
from geoforest_cli.forests.smerf import Smerf, tuning_grid
from geoforest_cli.metrics.links import link_scores
from geoforest_cli.relational.estimators import EdgePartition, NodeAttributeModel

__all__ = ["EpmLinks", "NarmLinks", "SmerfLinks"]

Floats = npt.NDArray[np.float64]
Positive = Annotated[int, Field(ge=1)]
PANELS = ("auc_roc", "average_precision")


class Observed(Protocol):
    """What a method may see: see `datasets.networks.Network`, and the mask of observed pairs."""

    links: npt.NDArray[Any]
    binary: npt.NDArray[Any]
    features: Floats


class EpmLinks:
    """EPM on the observed pairs; attributes are not used.

    Parameters
    ----------
    n_communities, n_burnin, n_samples
        As for `EdgePartition`.
    """

    def __init__(
        self,
        n_communities: Positive = 100,
        *,
        n_burnin: Annotated[int, Field(ge=0)] = 1500,
        n_samples: Positive = 1500,
        random_state: int | None = None,
    ) -> None:
        self.n_communities = n_communities
        self.n_burnin = n_burnin
        self.n_samples = n_samples
        self.random_state = random_state

    def fit(self, network: Observed, observed: npt.NDArray[np.bool_]) -> Self:
        """Run the chain."""
        self._model = self._estimator(_seed(self.random_state)).fit(*self._told(network, observed))
        return self

    def _estimator(self, seed: int | None) -> EdgePartition:
        return EdgePartition(
            self.n_communities, n_burnin=self.n_burnin, n_samples=self.n_samples,
            random_state=seed,
        )  # fmt: skip

    def _told(
        self, network: Observed, observed: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[Any], ...]:
        return network.links, observed

    def scores(self) -> dict[str, Floats]:
        """Return the link probabilities (N, N), the same for every metric."""
        return dict.fromkeys(PANELS, self._model.probabilities_)


class NarmLinks(EpmLinks):
    """NARM on the observed pairs and the binary attributes.

    Parameters
    ----------
    n_communities, n_burnin, n_samples, exact
        As for `NodeAttributeModel`.
    """

    def __init__(
        self,
        n_communities: Positive = 100,
        *,
        n_burnin: Annotated[int, Field(ge=0)] = 1500,
        n_samples: Positive = 1500,
        exact: bool = False,
        random_state: int | None = None,
    ) -> None:
        super().__init__(
            n_communities, n_burnin=n_burnin, n_samples=n_samples, random_state=random_state
        )
        self.exact = exact

    def _estimator(self, seed: int | None) -> EdgePartition:
        return NodeAttributeModel(
            self.n_communities, n_burnin=self.n_burnin, n_samples=self.n_samples,
            exact=self.exact, random_state=seed,
        )  # fmt: skip

    def _told(
        self, network: Observed, observed: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[Any], ...]:
        return network.links, observed, network.binary


class SmerfLinks:
    """SMERF on the attributes of the nodes whose pairs are all observed.

    The number of candidates and min_parent are chosen twice, by the out-of-bag area under ROC and
    by the out-of-bag average precision: one forest for each metric.

    Parameters
    ----------
    n_estimators : int
    n_jobs : int, optional
    """

    def __init__(
        self,
        n_estimators: Positive = 500,
        *,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, network: Observed, observed: npt.NDArray[np.bool_]) -> Self:
        """Grow a forest per setting on the training nodes; keep the best by each metric."""
        training = np.flatnonzero(observed.any(axis=1))
        block = np.ix_(training, training)
        if not (observed[block] | np.eye(len(training), dtype=bool)).all():
            raise DataError("SMERF needs a split by nodes: all pairs of the training nodes")
        distances = 1.0 - network.links[block]
        upper = np.triu_indices(len(training), 1)
        links = network.links[block][upper] > 0
        best = dict.fromkeys(PANELS, -math.inf)
        self._scores: dict[str, Floats] = {}
        self.chosen_: dict[str, dict[str, int]] = {}
        for d, parent in tuning_grid(network.features.shape[1], "axis"):
            forest = Smerf(
                self.n_estimators, projection="axis", max_features=d, min_parent=parent,
                n_jobs=self.n_jobs, random_state=self.random_state,
            ).fit(network.features[training], distances)  # fmt: skip
            told = forest.oob_distances_[upper]
            known = np.isfinite(told)
            quality = link_scores(links[known], -told[known])
            better = [name for name in PANELS if self._beats(quality[name], best[name])]
            if better:
                predicted = 1.0 - forest.pairwise_distances(network.features)
            for name in better:
                best[name] = -1.0 if math.isnan(quality[name]) else quality[name]
                self._scores[name] = predicted
                self.chosen_[name] = forest.best_params_
        return self

    @staticmethod
    def _beats(found: float, best: float) -> bool:
        # without a link among the out-of-bag pairs nothing can be chosen: the first setting stays
        return found > best or (math.isnan(found) and best == -math.inf)

    def scores(self) -> dict[str, Floats]:
        """Return scores (N, N) of the forest chosen by each metric."""
        return self._scores


def _seed(random_state: int | None) -> int | None:
    return None if random_state is None else int(random_state) % 2**32
