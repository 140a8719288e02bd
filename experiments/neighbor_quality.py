"""Quality of lists of neighbours on shapes and ordinary tables, whatever the noise."""

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field

from geoforest_cli.core.suggestions import unknown
from geoforest_cli.problems.datasets import LABELLED
from geoforest_cli.problems.datasets.tables import thirds
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import NoiseKind, Transform, add_noise_like, transformed
from geoforest_cli.problems.manifolds.sample import AnyTruth, Components
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.kinds import positive
from geoforest_cli.problems.metrics.ranking import retrieved
from geoforest_cli.study.experiment import AfterDraw, Experiment, Params, Row, Task, Uses

Floats: TypeAlias = npt.NDArray[np.float64]
_ROWS_PER_NEIGHBOR = 20  # of a shape: a twentieth of its points are asked for
_NEIGHBORS = 10  # in a table
_MIN_VALUES_OF_A_TARGET = 10


def _known(name: str) -> str:
    if name not in MANIFOLDS and name not in LABELLED:
        raise ValueError(unknown("shape or table", name, [*MANIFOLDS, *LABELLED]))
    return name


class QualityParams(Params):
    """Parameters of one cell.

    `data` is a manifold, of which n points are drawn at random, or a table with classes, of which
    at most n rows are drawn. Noise columns are as wide as the data's own, in turn; `transform`
    then changes the scale of all columns. With `clean`, the method is also fitted on the same
    rows without noise and without a transform. The target of a table is its classes, or with
    "column" one of its columns of ten values or more, another one in each repetition, cut in
    thirds.
    """

    data: Annotated[str, AfterValidator(_known), Uses(MANIFOLDS, LABELLED)]
    n: Annotated[int, Field(ge=20)] = 500
    target: Literal["class", "column"] = "class"
    noise_dims: AfterDraw[Annotated[int, Field(ge=0)]] = 0
    noise_kind: AfterDraw[NoiseKind] = "normal"
    transform: AfterDraw[Transform] = "none"
    clean: AfterDraw[bool] = False


class NeighborQuality(Experiment[QualityParams]):
    """Draw a shape or a table, append noise columns, fit one method, judge its neighbours.

    Precision is the share of true neighbours among those found: of a shape, the n / 20 nearest
    along it (or the points of its component); of a table, rows of the own class among 10, where a
    numeric target is cut in thirds. `of_clean` is this precision divided by that of the same
    method on the same rows without noise.
    """

    methods = ("neighbors",)
    yields = ("precision", "chance", "of_clean")
    metric_kinds: ClassVar = {"of_clean": positive}

    def run_cell(self, task: Task[QualityParams]) -> list[Row]:
        """Fit one method; return its precision, that by chance, and its share of the clean one."""
        params = task.params
        points, truth, k = draw(params, task.rng("sample"))
        precision, chance = _score(task, noisy(points, params, task.seed("sample")), truth, k)
        rows = [Row("precision", precision), Row("chance", chance)]
        if params.clean:
            without, _ = _score(task, points, truth, k)
            # a method that finds nothing without noise has no share of it to keep
            share = precision / without if without > 0 else np.nan
            rows.append(Row("of_clean", share, status="ok" if without > 0 else "undefined"))
        return rows


def draw(params: QualityParams, rng: np.random.Generator) -> tuple[Floats, AnyTruth, int]:
    """Return points (N, p), their truth and the number of neighbours to ask for."""
    if params.data in MANIFOLDS:
        # the centres of the mixture are its truth: all points of one are near
        truth = "component" if params.data == "gaussian_mixture" else "default"
        sample = MANIFOLDS[params.data].load()(params.n, "as_run", rng, truth=truth)
        return sample.points, sample.truth, params.n // _ROWS_PER_NEIGHBOR
    table = LABELLED[params.data].load()()
    kept = np.sort(rng.permutation(len(table.points))[: params.n])
    points, classes = table.points[kept], table.labels[kept]
    if params.target == "column":
        values = [len(np.unique(column)) for column in points.T]
        column = int(rng.choice(np.flatnonzero(np.array(values) >= _MIN_VALUES_OF_A_TARGET)))
        classes, points = thirds(points[:, column]), np.delete(points, column, axis=1)
    labels = np.unique(classes, return_inverse=True)[1]
    return points[:, np.ptp(points, axis=0) > 0], Components(labels.astype(np.int64)), _NEIGHBORS


def noisy(points: Floats, params: QualityParams, seed: int) -> Floats:
    """Return points (N, p) with their noise columns, on another scale if one is asked for."""
    # one generator for each: the noise is the same under every transform
    noise, scale = (np.random.default_rng([seed, number]) for number in (1, 2))
    wide = add_noise_like(points, params.noise_dims, noise, params.noise_kind)
    return transformed(wide, params.transform, scale)


def _score(task: Task[QualityParams], points: Floats, truth: AnyTruth, k: int) -> Any:
    ties = task.rng("ties")
    near = retrieved(task.build_method().fit(points), k, "random", ties)
    (score,) = precision_recall(truth, near, (k,), "as_written", ties)
    return score.precision, score.chance
