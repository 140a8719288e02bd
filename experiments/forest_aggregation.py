"""Agreement of F forests of T trees with T forests of F trees."""

from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.proximity import LeafCounts, count_leaves
from geoforest_cli.estimators.forests.unsupervised import merge
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import add_noise
from geoforest_cli.problems.manifolds.sample import Sample
from geoforest_cli.study.experiment import Count, Experiment, ManifoldName, Params, Row, Task

Floats = npt.NDArray[np.float64]


class AggregationParams(Params):
    """Parameters of one cell; `trees` is F times T, `forests` F."""

    manifold: ManifoldName
    n: Annotated[int, Field(ge=4)] = 300
    noise_dims: Annotated[int, Field(ge=0)] = 0
    noise_variance: Annotated[float, Field(ge=0)] = 70.0
    trees: Count = 100
    forests: Count = 10

    @model_validator(mode="after")
    def _deals_out(self) -> Self:
        if self.trees % self.forests:
            raise ValueError(f"{self.trees} trees do not make {self.forests} equal forests")
        return self


class ForestAggregation(Experiment[AggregationParams]):
    """Grow F forests of T trees on one sample, deal the same trees out into T forests of F.

    The proximities are averaged over forests (a mean of ratios) and pooled (the counts added up
    first), both ways (Geodesic Forests, section 3.4).
    """

    methods = ("neighbors",)
    yields = ("pooled_difference", "averaged_difference", "undefined_pairs")

    def run_cell(self, task: Task[AggregationParams]) -> list[Row]:
        """Return the largest differences between the two ways, pooled and averaged."""
        params = task.params
        rng = task.rng("sample")
        sample: Sample = MANIFOLDS[params.manifold].load()(params.n, task.sample_kind, rng)
        points = add_noise(sample.points, params.noise_dims, params.noise_variance, rng)
        grown, trees = [], params.trees // params.forests
        for number in range(params.forests):
            forest: GeodesicForest = task.build_method()
            forest.set_params(
                n_estimators=trees, random_state=(task.seed("method") + number) % 2**31
            )
            grown.append(forest.fit(points))
        whole = merge(grown).forest_
        by_forest = np.arange(whole.n_trees).reshape(params.forests, trees)
        leaf_of, in_bag, pairs = whole.leaf_of, whole.in_bag > 0, grown[0].pairs
        ways = [
            [count_leaves(leaf_of[chosen], in_bag[chosen], pairs) for chosen in way]
            for way in (by_forest, by_forest.T)
        ]
        pooled = [_pooled(way).proximity() for way in ways]
        averaged = [_averaged(way) for way in ways]
        undefined = [np.mean([np.isnan(c.proximity()).mean() for c in way]) for way in ways]
        return [
            Row("pooled_difference", _largest(*pooled)),
            Row("averaged_difference", _largest(*averaged)),
            Row("undefined_pairs", float(max(undefined))),
        ]


def _pooled(counts: list[LeafCounts]) -> LeafCounts:
    total = counts[0]
    for one in counts[1:]:
        total += one
    return total


def _averaged(counts: list[LeafCounts]) -> Floats:
    """Average proximities over the forests that define them."""
    total, defined = np.zeros(counts[0].together.shape), np.zeros(counts[0].together.shape)
    for one in counts:
        proximity = one.proximity()
        known = ~np.isnan(proximity)
        total[known] += proximity[known]
        defined += known
    with np.errstate(invalid="ignore"):
        mean: Floats = total / defined
    return mean


def _largest(a: Floats, b: Floats) -> float:
    gaps = np.abs(a - b)
    return float(np.nanmax(gaps)) if not np.isnan(gaps).all() else float("nan")
