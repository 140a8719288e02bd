"""Distance of a split criterion from the best cut of a projection, and the time it takes."""

import time
import warnings
from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests.kernels.criteria import CRITERIA
from geoforest_cli.estimators.forests.kernels.criterion import scan
from geoforest_cli.estimators.forests.kernels.rules import Limits, Sorted
from geoforest_cli.estimators.forests.tables import shared_tables
from geoforest_cli.study.experiment import Count, Experiment, Params, Row, Task

Floats = npt.NDArray[np.float64]
_CRITERIA = ("fast_bic", "two_means", "delta_bic", "mclust_bic")
_STARTS = 20
_MIN_LEAF = 5
_FLOOR = 1e-3


class SplitParams(Params):
    """Parameters of one cell."""

    shape: Literal["two_clusters", "gaussian", "uniform", "skewed"]
    n: Annotated[int, Field(ge=20)] = 200
    draws: Count = 30


class SplitOptimality(Experiment[SplitParams]):
    """Draw projections, let the criterion's kernel cut each, search the same likelihood.

    Exhaustively: over all cuts for hard assignment, over many starts of EM for the mixture
    (Geodesic Forests, section 3.3).
    """

    methods = ("neighbors",)
    yields = ("largest_gap", "improvable", "microseconds")
    measured = True

    def run_cell(self, task: Task[SplitParams]) -> list[Row]:
        """Return how far the kernel is above the best score, how often, and its median time."""
        params = task.params
        criterion = task.method_params.get("criterion")
        if criterion not in _CRITERIA:
            raise DataError(f"{task.method} cuts by {criterion}, not by {' or '.join(_CRITERIA)}")
        rng = task.rng("sample")
        cut = _kernel(criterion, params.n)
        projections = [_draw(params, rng) for _ in range(params.draws)]
        cut(projections[0])
        scores, seconds = [], []
        for projection in projections:
            start = time.perf_counter()
            score, *_ = cut(projection)
            seconds.append(time.perf_counter() - start)
            scores.append(score)
        if criterion == "mclust_bic":
            best = [_many_starts(z, rng) for z in projections]
        else:
            best = [_exhaustive(criterion, z) for z in projections]
        gaps = np.subtract(scores, best)[np.isfinite(scores)]
        return [
            Row("largest_gap", float(gaps.max())),
            Row("improvable", float((gaps > 0.01).mean())),
            # a mean would show whatever else the machine did meanwhile
            Row("microseconds", float(np.median(seconds)) * 1e6),
        ]


def _draw(params: SplitParams, rng: np.random.Generator) -> Floats:
    n = params.n
    if params.shape == "two_clusters":
        far = rng.random(n) < rng.uniform(0.2, 0.8)
        values = rng.normal(size=n) + far * rng.uniform(2, 6)
    elif params.shape == "gaussian":
        values = rng.normal(size=n)
    elif params.shape == "uniform":
        values = rng.uniform(size=n)
    else:
        values = rng.exponential(size=n)
    return np.sort(values)


def _kernel(criterion: str, n: int) -> Callable[[Floats], tuple[float, float, float]]:
    """Return what cuts a sorted projection: its score first."""
    columns = np.zeros((1, n))
    data = CRITERIA[criterion].data(columns, shared_tables(columns, ranked=False, stepped=0.0))
    order, weights, scratch = np.arange(n, dtype=np.int32), np.ones(n, np.int32), np.empty(n)
    sums, squares = np.empty(n + 1), np.empty(n + 1)
    limits = Limits(_MIN_LEAF, _FLOOR, 0.0, np.inf)
    cut = scan.dispatch(type(data))
    return lambda z: cut(data, Sorted(z, order, weights, n, n, scratch, sums, squares), limits)


def _exhaustive(criterion: str, z: Floats) -> float:
    """Return the smallest score over all cuts, from densities and sums of squares."""
    n, floor = len(z), _FLOOR * z.var()
    scores = []
    for i in range(_MIN_LEAF, n - _MIN_LEAF + 1):
        sides = (z[:i], z[i:])
        if criterion == "two_means":
            scores.append(sum(((side - side.mean()) ** 2).sum() for side in sides))
            continue
        inner = sum(side.var() * len(side) for side in sides) / n
        for spreads, charge in (
            ([max(side.var(), floor) for side in sides], 5),
            ([max(inner, floor)] * 2, 4),
        ):
            # where the floor acts, the quadratic term is that of the plug-in estimate: n
            fitted = sum(
                len(side) * (np.log(len(side) / n) + norm.logpdf(0, scale=np.sqrt(spread)) - 0.5)
                for side, spread in zip(sides, spreads, strict=True)
            )
            scores.append(-2 * fitted + charge * np.log(n))
    best = min(scores)
    if criterion == "delta_bic":
        best -= -2 * norm.logpdf(z, z.mean(), z.std()).sum() + 2 * np.log(n)
    return float(best)


def _many_starts(z: Floats, rng: np.random.Generator) -> float:
    """Return the smallest BIC of two Gaussians, over both models and many starts."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for kind, charge in (("full", 5), ("tied", 4)):
            mixture = GaussianMixture(
                2,
                covariance_type=kind,
                n_init=_STARTS,
                init_params="random_from_data",
                reg_covar=_FLOOR * z.var(),
                random_state=int(rng.integers(2**31)),
            ).fit(z[:, None])
            found.append(-2 * mixture.score(z[:, None]) * len(z) + charge * np.log(len(z)))
    return float(min(found))
