"""Columns of simulated tables that a screen keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field

from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import NoiseKind, add_noise, rotate
from geoforest_cli.problems.manifolds.sample import SampleKind
from geoforest_cli.problems.metrics.screening import ranking, selection_scores
from geoforest_cli.study.experiment import (
    AfterDraw,
    Count,
    Curves,
    Experiment,
    Params,
    Row,
    Task,
    Uses,
    drawing,
)

if TYPE_CHECKING:
    # the digest of this file is a part of its cells' identities
    from matplotlib.figure import Figure  # noqa: F401

    from geoforest_cli.study.experiment import Context  # noqa: F401

_NONE = "none"
_COPIED = "helix"  # whose columns permuted noise copies where there is no manifold


def _manifold_or_none(name: str) -> str:
    return name if name == _NONE else MANIFOLDS.check(name)


class ScreenParams(Params):
    """Parameters of one cell.

    The manifold `none` is a table of nothing but noise; permuted noise then copies a helix. A
    cell's values are means over its `tables`.
    """

    manifold: Annotated[str, AfterValidator(_manifold_or_none), Uses(MANIFOLDS)]
    n: Annotated[int, Field(ge=20)] = 1000
    noise_dims: Annotated[int, Field(ge=0)] = 100
    noise_variance: AfterDraw[Annotated[float, Field(ge=0)]] = 70.0
    noise_kind: AfterDraw[NoiseKind] = "normal"
    rotated: AfterDraw[bool] = False
    tables: Count = 1


@drawing
class Pictures(Curves):
    """As `Curves`."""


class ColumnScreening(Experiment[ScreenParams]):
    """Draw a manifold, append noise columns, ask a screen which columns depend on others.

    The columns of the manifold are wanted, those of the noise are not; after a rotation of the
    whole space every column carries signal. `ranking` is the average precision of the columns'
    scores, which no level enters.
    """

    methods = ("screen",)
    yields = (
        "kept_share", "power", "false_share", "false_any", "all_kept", "found_all", "ranking",
    )  # fmt: skip
    figure = Pictures

    def run_cell(self, task: Task[ScreenParams]) -> list[Row]:
        """Return the means over the cell's tables; what has no meaning there is undefined."""
        told = []
        for i in range(task.params.tables):
            points, signal = _table(task.params, task.sample_kind, task.seed("sample", i))
            screen = task.build_method().fit(points)
            counts = selection_scores(screen.get_support(), signal)._asdict()
            told.append({**counts, "ranking": ranking(screen.scores_, signal)})
        means = {name: float(np.mean([one[name] for one in told])) for name in told[0]}
        return [
            Row(name, value, "undefined" if np.isnan(value) else "ok")
            for name, value in means.items()
        ]


def _table(
    params: ScreenParams, kind: SampleKind, seed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Draw a table (n, p), and which of its columns carry signal (p,)."""
    rng = np.random.default_rng(seed)
    nothing = params.manifold == _NONE
    manifold = MANIFOLDS[_COPIED if nothing else params.manifold].load()
    clean = manifold(params.n, kind, rng).points
    points = add_noise(clean, params.noise_dims, params.noise_variance, rng, params.noise_kind)
    if nothing:
        points = points[:, clean.shape[1] :]
    wanted = points.shape[1] - params.noise_dims
    if params.rotated:
        points, wanted = rotate(points, rng), points.shape[1]
    return points, np.arange(points.shape[1]) < wanted
