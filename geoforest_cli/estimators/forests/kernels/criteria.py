"""The table of split criteria."""

from typing import Any, NamedTuple

from geoforest_cli.estimators.forests.kernels.fast_bic import DeltaBic, FastBic, MeanBic
from geoforest_cli.estimators.forests.kernels.gini import Gini
from geoforest_cli.estimators.forests.kernels.legacy_bic import FastBicLegacy
from geoforest_cli.estimators.forests.kernels.mixture_bic import MclustBic, MclustBicLegacy
from geoforest_cli.estimators.forests.kernels.pairwise import Pairwise
from geoforest_cli.estimators.forests.kernels.two_means import TwoMeans
from geoforest_cli.estimators.forests.kernels.variance import Variance


class Criterion(NamedTuple):
    """A criterion.

    Attributes
    ----------
    data : type
        The named tuple of what it looks at, for which its kernels are registered. Its fields after
        those of `Points` are targets: labels, response or pairs.
    stepped : bool
        It knows columns that are recorded in steps.
    """

    data: Any
    stepped: bool = False


CRITERIA = {
    "two_means": Criterion(TwoMeans),
    "fast_bic": Criterion(FastBic),
    "delta_bic": Criterion(DeltaBic, stepped=True),
    "mean_bic": Criterion(MeanBic, stepped=True),
    "fast_bic_legacy": Criterion(FastBicLegacy),
    "mclust_bic": Criterion(MclustBic),
    "mclust_bic_legacy": Criterion(MclustBicLegacy),
    "gini": Criterion(Gini),
    "variance": Criterion(Variance),
    "pairwise": Criterion(Pairwise),
}
