"""The Euler spiral, and the circle fitted to its points near one of them."""

from typing import Annotated

import numpy as np
from pydantic import Field

from geoforest_cli.estimators.spherelets.spheres import fit_spheres
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.euler_spiral import curve
from geoforest_cli.study.experiment import Experiment, Params, Row, Scatter, Task


class PictureParams(Params):
    """Parameters of one cell: evenly spaced points from 0 to 2, a ball around `at`."""

    n: Annotated[int, Field(ge=10)] = 500
    at: Annotated[float, Field(gt=0, lt=2)] = 1.6
    radius: Annotated[float, Field(gt=0)] = 0.04


class SpiralPicture(Experiment[PictureParams]):
    """Take all points within a ball, and fit the method's circle to them.

    Spherelets, Figure 2a.
    """

    uses = (MANIFOLDS["euler_spiral"],)
    methods = ("local",)
    yields = ("x", "y", "fitted_radius", "points")
    detail = ("point", "group")
    figure = Scatter

    def run_cell(self, task: Task[PictureParams]) -> list[Row]:
        """Return the circle's radius, the number of points in the ball, and what is drawn."""
        params = task.params
        s = np.linspace(0, 2, params.n)
        spiral, centre = curve(s), curve(np.array([params.at]))
        inside = np.linalg.norm(spiral - centre, axis=1) <= params.radius
        ball = spiral[inside & (s != params.at)]
        centred = task.build_method().sphere == "centred"
        near = np.arange(len(ball))[None, :]
        found = fit_spheres(ball, near, 1, at=centre, centred=centred)
        radius = float(found.radius[0])
        angles = np.linspace(0, 2 * np.pi, 200)
        circle = found.centre + radius * np.column_stack([np.cos(angles), np.sin(angles)])
        drawn = {"spiral": spiral, "circle": circle, "ball": ball, "point": centre}
        return [
            Row("fitted_radius", radius),
            Row("points", len(ball)),
            *(
                Row(axis, float(value), point=i, group=group)
                for group, points in drawn.items()
                for axis, values in zip("xy", points.T, strict=True)
                for i, value in enumerate(values)
            ),
        ]
