"""Errors of local distances from one point of an Euler spiral to its neighbours.

One cell takes all points within a ball, fits what the method fits to them and compares the local
distances with arc length (Spherelets, Figure 2).
"""

from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from pydantic import Field

from geoforest_cli import report
from geoforest_cli.config.cells import Task
from geoforest_cli.config.schema import Model
from geoforest_cli.manifolds.euler_spiral import curve
from geoforest_cli.report import legend
from geoforest_cli.spherelets.spheres import (
    covariance_distances,
    fit_spheres,
    spherical_distances,
)

VERSION = 1
KIND = "local"
INNER = ()
DETAIL = ("s",)
YIELDS = ("error", "max_error", "mean_error", "slope", "points")

Floats = npt.NDArray[np.float64]


class Params(Model):
    """What one cell of this experiment can be told.

    With `oracle` the sphere is the true osculating circle and the tangent the true one.
    """

    n: Annotated[int, Field(ge=10)] = 500
    at: Annotated[float, Field(gt=0, lt=2)] = 1.6
    radius: Annotated[float, Field(gt=0)] = 0.04
    spacing: Literal["even", "random"] = "even"
    oracle: bool = False


class FigureOptions(Model):
    """Which spacing to draw, and the size in inches."""

    spacing: Literal["even", "random"] = "even"
    width: float = 7.0
    height: float = 3.4


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Return the error at every neighbour, its largest and mean value, and its order in s."""
    params: Params = task.params
    rng = np.random.default_rng(task.sample_seed)
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
        {"metric": "max_error", "value": float(errors.max())},
        {"metric": "mean_error", "value": float(errors.mean())},
        {"metric": "slope", "value": slope},
        {"metric": "points", "value": len(s)},
        *(
            {"metric": "error", "value": float(error), "s": float(place - params.at)}
            for place, error in zip(s, errors, strict=True)
        ),
    ]


def _estimate(method: Any, points: Floats, centre: Floats, params: Params) -> Floats:
    near = np.arange(len(points))[None, :]
    targets = points[None]
    if method.local == "euclidean":
        chords: Floats = np.linalg.norm(points - centre, axis=1)
        return chords
    tangent = np.array([np.cos(params.at**2 / 2), np.sin(params.at**2 / 2)])
    if method.local == "covariance":
        if not params.oracle:
            return covariance_distances(points, near, 1, centre, targets)[0]
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
    return spherical_distances(spheres, centre, targets, guard=method.guard)[0]


def draw(context: report.Context) -> Figure:
    """Draw the error against s, and both in logarithms."""
    options = FigureOptions(**context.options)
    figure = Figure(figsize=(options.width, options.height))
    left, right = figure.subplots(1, 2)
    foot = legend.foot(context, options.width)
    figure.subplots_adjust(
        left=0.11, right=0.985, top=0.96, bottom=foot / options.height, wspace=0.27
    )
    keys = legend.Keys()
    rows = context.rows
    rows = rows[(rows["metric"] == "error") & (rows["repetition"] == 0)]
    if "spacing" in rows.columns:
        rows = rows[rows["spacing"] == options.spacing]
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
        keys.add(method, "as_written")
    left.set_xlabel("s - 1.6")
    left.set_ylabel("error of the local distance (1e-6)")
    right.set_xscale("log")
    right.set_yscale("log")
    right.xaxis.set_minor_formatter(NullFormatter())
    right.set_xticks([0.003, 0.01, 0.03], ["0.003", "0.01", "0.03"])
    right.set_ylabel("error of the local distance")
    right.set_xlabel("s - 1.6 > 0")
    legend.place(figure, context, options.width, keys, "")
    return figure
