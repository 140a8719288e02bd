"""Third step of finding a cut: the best one of a sorted projection, by its criterion."""

from geoforest_cli._jit import inner_kernel
from geoforest_cli.forests.kernels.fast_bic import fast_bic, two_means
from geoforest_cli.forests.kernels.legacy_bic import fast_bic_legacy
from geoforest_cli.forests.kernels.mixture_bic import mclust_bic
from geoforest_cli.forests.kernels.rules import (
    DELTA_BIC,
    FAST_BIC,
    FAST_BIC_LEGACY,
    MCLUST_BIC_LEGACY,
    MEAN_BIC,
    TWO_MEANS,
)


@inner_kernel
def scan_clusters(
    criterion, z, w, m, n, scratch, sums, squares, min_leaf, floor, rounding, logs, mantissas,
    best,
):  # fmt: skip
    """Judge the sorted projection z[:m] as two clusters; return (score, threshold).

    A criterion may return (inf, nan) for a projection whose best score is not below `best`. The
    others than delta-BIC know no `rounding`: it is 0 then. Mean-BIC is delta-BIC here: it ranks
    candidates, not the cuts of one.
    """
    if criterion == TWO_MEANS:
        return two_means(z, w, m, n, scratch, min_leaf)
    if criterion == FAST_BIC or criterion == DELTA_BIC or criterion == MEAN_BIC:
        relative = criterion != FAST_BIC
        return fast_bic(
            z, w, m, n, scratch, min_leaf, floor, logs, mantissas, relative, best, rounding
        )
    if criterion == FAST_BIC_LEGACY:
        return fast_bic_legacy(z, w, m, scratch, sums, squares, logs, mantissas)
    as_run = criterion == MCLUST_BIC_LEGACY
    return mclust_bic(z, w, m, n, scratch, min_leaf, floor, logs, as_run)
