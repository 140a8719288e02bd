"""The methods of the link experiment behind one protocol: fit on what is observed, score pairs."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Annotated, Any, ClassVar, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import Jobs, PositiveInt, Seed
from geoforest_cli.estimators.forests.smerf import Smerf, tuning_grid
from geoforest_cli.estimators.relational.estimators import EdgePartition, NodeAttributeModel
from geoforest_cli.estimators.relational.link_scores import link_scores

__all__ = ["EpmLinks", "NarmLinks", "SmerfLinks"]

Floats = npt.NDArray[np.float64]
PANELS = ("auc_roc", "average_precision")


class Observed(Protocol):
    """Network that a method may see: a `datasets.networks.Network`, with the mask of seen pairs."""

    links: npt.NDArray[Any]
    binary: npt.NDArray[Any]
    features: Floats


class EpmLinks(Estimator):
    """EPM on the observed pairs; attributes are not used.

    Parameters
    ----------
    n_communities, n_burnin, n_samples
        As for `EdgePartition`.
    """

    _model_class: ClassVar[type[EdgePartition]] = EdgePartition

    n_communities: PositiveInt = field(default=100, kw_only=False)
    n_burnin: Annotated[int, Field(ge=0)] = 1500
    n_samples: PositiveInt = 1500
    random_state: Seed = None

    def fit(self, network: Observed, observed: npt.NDArray[np.bool_]) -> Self:
        """Run the chain."""
        params = self.get_params() | {"random_state": _seed(self.random_state)}
        model = self._model_class(**params)
        self._model = model.fit(*self._data(network, observed))
        return self

    def _data(
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

    _model_class = NodeAttributeModel

    exact: bool = False

    def _data(
        self, network: Observed, observed: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[Any], ...]:
        return network.links, observed, network.binary


class SmerfLinks(Estimator):
    """SMERF on the attributes of the nodes whose pairs are all observed.

    The number of candidates and min_parent are chosen twice, by the out-of-bag area under ROC and
    by the out-of-bag average precision: one forest for each metric.

    Parameters
    ----------
    n_estimators : int
    cuts : {"links", "cosine"}
        Trees are cut by links, or by the cosine of two nodes' links, as the authors' program has
        it; predicted are links.
    leaf_points : {"bag", "all"}
        As for `Smerf`.
    n_jobs : int, optional
    """

    n_estimators: PositiveInt = field(default=500, kw_only=False)
    cuts: Literal["links", "cosine"] = "links"
    leaf_points: Literal["bag", "all"] = "bag"
    n_jobs: Jobs = None
    random_state: Seed = None

    def fit(self, network: Observed, observed: npt.NDArray[np.bool_]) -> Self:
        """Grow a forest per setting on the training nodes; keep the best by each metric."""
        training = np.flatnonzero(observed.any(axis=1))
        block = np.ix_(training, training)
        if not (observed[block] | np.eye(len(training), dtype=bool)).all():
            raise DataError("SMERF needs a split by nodes: all pairs of the training nodes")
        distances = 1.0 - network.links[block]
        cuts = distances if self.cuts == "links" else _cosine_distances(network.links[block])
        upper = np.triu_indices(len(training), 1)
        links = network.links[block][upper] > 0
        best = dict.fromkeys(PANELS, -math.inf)
        self._scores: dict[str, Floats] = {}
        self.chosen_: dict[str, dict[str, int]] = {}
        for d, parent in tuning_grid(network.features.shape[1], "axis"):
            forest = Smerf(
                self.n_estimators, projection="axis", max_features=d, min_parent=parent,
                leaf_points=self.leaf_points, n_jobs=self.n_jobs, random_state=self.random_state,
            ).fit(network.features[training], cuts, distances)  # fmt: skip
            distances_out_of_bag = forest.oob_distances_[upper]
            has_distance = np.isfinite(distances_out_of_bag)
            quality = link_scores(links[has_distance], -distances_out_of_bag[has_distance])
            better = [name for name in PANELS if self._beats(quality[name], best[name])]
            if better:
                predicted = 1.0 - forest.pairwise_distances(network.features)
            for name in better:
                best[name] = -1.0 if math.isnan(quality[name]) else quality[name]
                self._scores[name] = predicted
                self.chosen_[name] = forest.best_params_
        return self

    @staticmethod
    def _beats(score: float, best: float) -> bool:
        # without a link among the out-of-bag pairs nothing can be chosen: the first setting stays
        return score > best or (math.isnan(score) and best == -math.inf)

    def scores(self) -> dict[str, Floats]:
        """Return scores (N, N) of the forest chosen by each metric."""
        return self._scores


def _cosine_distances(links: Floats) -> Floats:
    """Return one minus the cosine of every two nodes' links, 1 where a node has none."""
    lengths = np.sqrt((links**2).sum(axis=1))
    unit = links / np.where(lengths > 0, lengths, 1.0)[:, None]
    distances: Floats = 1.0 - unit @ unit.T
    np.fill_diagonal(distances, 0.0)
    return distances


def _seed(random_state: int | None) -> int | None:
    return None if random_state is None else int(random_state) % 2**32
