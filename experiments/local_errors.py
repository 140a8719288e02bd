"""Errors of local distances from one point of an Euler spiral to its neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.estimators.spherelets.estimators import SphericalDistance
from geoforest_cli.estimators.spherelets.spheres import (
    covariance_distances,
    fit_spheres,
    spherical_distances,
)
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.euler_spiral import curve
from geoforest_cli.study.experiment import Experiment, Model, Params, Row, Task, drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from geoforest_cli.study.experiment import Context

Floats = npt.NDArray[np.float64]
Spacing: TypeAlias = Literal["even", "random"]


class LocalParams(Params):
    """Parameters of one cell.

    With `oracle` the sphere is the true osculating circle and the tangent the true one.
    """

    n: Annotated[int, Field(ge=10)] = 500
    at: Annotated[float, Field(gt=0, lt=2)] = 1.6
    radius: Annotated[float, Field(gt=0)] = 0.04
    spacing: Spacing = "even"
    oracle: bool = False


@drawing
class Panels(Model):
    """Spacing that is drawn, and the size in inches."""

    spacing: Spacing = "even"
    width: float = 7.0
    height: float = 2.9


class LocalErrors(Experiment[LocalParams]):
    """Take all points within a ball, fit what the method fits, compare with arc length.

    Spherelets, Figure 2.
    """

    uses = (MANIFOLDS["euler_spiral"],)
    methods = ("local",)
    yields = ("error", "max_error", "mean_error", "slope", "points")
    detail = ("s",)
    figure = Panels

    def run_cell(self, task: Task[LocalParams]) -> list[Row]:
        """Return the error at every neighbour, its largest and mean value, and its order in s."""
        params = task.params
        rng = task.rng("sample")
        if params.spacing == "even":
            s = np.linspace(0, 2, params.n)
        else:
            s = np.sort(rng.uniform(0, 2, params.n))
        centre = curve(np.array([params.at]))
        points = curve(s)
        inside = np.linalg.norm(points - centre, axis=1) <= params.radius
        inside &= s != params.at
        points, s = points[inside], s[inside]
        estimate = _estimate(task.build_method(), points, centre, params)
        arc = np.abs(s - params.at)
        errors = np.abs(estimate - arc)
        seen = errors > 0
        slope = float(np.polyfit(np.log(arc[seen]), np.log(errors[seen]), 1)[0])
        return [
            Row("max_error", float(errors.max())),
            Row("mean_error", float(errors.mean())),
            Row("slope", slope),
            Row("points", len(s)),
            *(
                Row("error", float(error), s=float(place - params.at))
                for place, error in zip(s, errors, strict=True)
            ),
        ]

    @drawing
    def draw(self, context: Context) -> Figure:
        """Draw the error against s, and both in logarithms."""
        from matplotlib.figure import Figure
        from matplotlib.ticker import MultipleLocator, NullFormatter

        from geoforest_cli.study.figures import legend

        options = Panels.model_validate(context.options)
        figure = Figure(figsize=(options.width, 1.0))
        left, right = figure.subplots(1, 2)
        entries = []
        rows = context.rows
        rows = rows[(rows["metric"] == "error") & (rows["repetition"] == 0)]
        if "spacing" in rows.columns:
            rows = rows[rows["spacing"] == options.spacing]
        ends: list[tuple[float, float, str]] = []
        for method in context.methods:
            look = context.looks[method]
            mine = rows[rows["method"] == method].sort_values("s")
            s, error = mine["s"].to_numpy(float), mine["value"].to_numpy(float)
            style: dict[str, Any] = {
                "color": look.color, "marker": look.marker, "linewidth": 1.0, "markersize": 3,
                "markeredgewidth": 0,
            }  # fmt: skip
            left.plot(s, error * 1e6, **style)
            ahead = s > 0
            right.plot(s[ahead], error[ahead], **style)
            entries.append(legend.method_entry(look, context.label(method)))
            ends.append((float(error[ahead][0]), _slope(context, options, method), look.color))
        left.set_xlabel("s - 1.6")
        left.set_ylabel("error of the local distance (1e-6)")
        right.set_xscale("log")
        right.set_yscale("log")
        right.xaxis.set_minor_formatter(NullFormatter())
        right.set_xticks([0.003, 0.01, 0.03], ["0.003", "0.01", "0.03"])
        _slopes(right, ends, float(rows.loc[rows["s"] > 0, "s"].min()))
        _orders(right)
        right.set_ylabel("error (numbers: its fitted order)")
        right.set_xlabel("s - 1.6 > 0")
        left.xaxis.set_major_locator(MultipleLocator(0.02))
        entries.append(legend.entry("orders 3 and 4", **legend.constant(0)))
        legend.finish(figure, options.height, entries)
        return figure


@drawing
def _slope(context: Context, options: Panels, method: str) -> float:
    """The fitted order of a method's error, over both sides of the point."""
    rows = context.rows
    mine = rows[(rows["metric"] == "slope") & (rows["method"] == method)]
    if "spacing" in mine.columns:
        mine = mine[mine["spacing"] == options.spacing]
    return float(mine["value"].mean())


@drawing
def _slopes(axes: Axes, ends: list[tuple[float, float, str]], start: float) -> None:
    """Write the order of every line beside its first point, none over another."""
    axes.set_xlim(left=start / 1.35)
    last = -np.inf
    for error, slope, color in sorted(ends):
        place = max(np.log10(error), last + 0.42)
        last = place
        axes.text(
            start / 1.06, 10**place, f"{slope:.1f}", color=color, fontsize=7,
            ha="right", va="center",
        )  # fmt: skip


@drawing
def _orders(axes: Axes) -> None:
    """Draw thin lines of the orders that the theorems give."""
    from geoforest_cli.study.figures import legend

    low, high = axes.get_xlim()
    bottom, top = axes.get_ylim()
    s = np.array([low, high])
    for order, level in ((3, top / 8), (4, top / 100)):
        axes.plot(s, level * (s / high) ** order, **legend.constant(0))
    axes.set_xlim(low, high)
    axes.set_ylim(bottom, top)


def _estimate(
    method: SphericalDistance, points: Floats, centre: Floats, params: LocalParams
) -> Floats:
    near = np.arange(len(points))[None, :]
    targets = points[None]
    if method.local == "euclidean":
        chords: Floats = np.linalg.norm(points - centre, axis=1)
        return chords
    tangent = np.array([np.cos(params.at**2 / 2), np.sin(params.at**2 / 2)])
    if method.local == "covariance":
        if not params.oracle:
            covariance: Floats = covariance_distances(points, near, 1, centre, targets)[0]
            return covariance
        steps = points - centre
        chord = np.linalg.norm(steps, axis=1)
        across = steps @ np.array([-tangent[1], tangent[0]])
        corrected: Floats = chord + across**2 / (6 * chord)
        return corrected
    if params.oracle:
        middle = centre[0] + np.array([-tangent[1], tangent[0]]) / params.at
        a, b = centre - middle, points - middle
        angle = np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1))
        arcs: Floats = np.abs(angle) / params.at
        return arcs
    spheres = fit_spheres(points, near, 1, at=centre, centred=method.sphere == "centred")
    spherical: Floats = spherical_distances(spheres, centre, targets, guard=method.guard)[0]
    return spherical
