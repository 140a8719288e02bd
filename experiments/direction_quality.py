"""Quality of neighbours where columns are mixed, and rate of directions in noise."""

from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field

from geoforest_cli.estimators.screening import PairScreen
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import NoiseKind, add_noise
from geoforest_cli.problems.manifolds.sample import AnyTruth
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.ranking import retrieved
from geoforest_cli.study.experiment import AfterDraw, Experiment, Params, Row, Task, Uses

Floats: TypeAlias = npt.NDArray[np.float64]
_NONE = "none"
_COPIED = "helix"  # drawn, and left out, where there is no manifold
_LEAST, _MOST = 1.0, 10.0  # singular values of the matrix that mixes


def _manifold_or_none(name: str) -> str:
    return name if name == _NONE else MANIFOLDS.check(name)


class DirectionParams(Params):
    """Parameters of one cell.

    The manifold `none` is a table of nothing but noise. `mixed` multiplies all columns, signal and
    noise, by a random matrix with singular values from 1 to 10.
    """

    manifold: Annotated[str, AfterValidator(_manifold_or_none), Uses(MANIFOLDS)]
    n: Annotated[int, Field(ge=60)] = 1000
    noise_dims: AfterDraw[Annotated[int, Field(ge=2)]] = 20
    noise_kind: AfterDraw[NoiseKind] = "normal"
    noise_variance: AfterDraw[Annotated[float, Field(ge=0)]] = 70.0
    mixed: AfterDraw[bool] = True
    k: Annotated[int, Field(ge=1)] = 50


class DirectionQuality(Experiment[DirectionParams]):
    """Draw a manifold, append noise columns, mix all columns, judge a method's neighbours.

    Precision is the share of the k nearest along the manifold (or of the own component) among the
    k that are found. `directions` is how many directions a projection has found, `any` whether it
    has found any; `depend` the share of columns that depend on another one by the pair screen.
    """

    methods = ("neighbors",)
    yields = ("precision", "chance", "directions", "any", "depend")

    def run_cell(self, task: Task[DirectionParams]) -> list[Row]:
        """Return precision, unless there is no manifold, and what a projection has found."""
        params = task.params
        points, truth = _table(params, task)
        method = task.build_method().fit(points)
        rows = []
        if params.manifold != _NONE:
            ties = task.rng("ties")
            near = retrieved(method, params.k, "random", ties)
            (score,) = precision_recall(truth, near, (params.k,), "as_written", ties)
            rows += [Row("precision", score.precision), Row("chance", score.chance)]
        found = getattr(method, "n_directions_", None)
        if found is not None:
            kept = PairScreen().fit(points).get_support().mean()
            rows += [Row("directions", found), Row("any", float(found > 0)), Row("depend", kept)]
        return rows


def _table(params: DirectionParams, task: Task[DirectionParams]) -> tuple[Floats, AnyTruth]:
    """Return the points (n, p) and the truth of the manifold."""
    name = _COPIED if params.manifold == _NONE else params.manifold
    # the centres of the mixture are its truth: all points of one are near
    truth = "component" if name == "gaussian_mixture" else "default"
    sample = MANIFOLDS[name].load()(params.n, "as_run", task.rng("sample"), truth=truth)
    clean = sample.points
    noise, mix = (np.random.default_rng([task.seed("sample"), number]) for number in (1, 2))
    points = add_noise(clean, params.noise_dims, params.noise_variance, noise, params.noise_kind)
    if params.manifold == _NONE:
        points = points[:, clean.shape[1] :]
    return (_mixed(points, mix) if params.mixed else points), sample.truth


def _mixed(points: Floats, rng: np.random.Generator) -> Floats:
    p = points.shape[1]
    left, right = (np.linalg.qr(rng.normal(size=(p, p)))[0] for _ in range(2))
    mixed: Floats = points @ (left * np.linspace(_LEAST, _MOST, p)) @ right
    return mixed
