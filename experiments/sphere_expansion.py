"""Spherical distances along geodesics of a cylinder, and the cubic term of their error."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from geoforest_cli.study.experiment import Experiment, Params, Row, Task

__all__ = ["SphereExpansion"]

Curvature = Annotated[float, Field(ge=0, le=1)]


class ExpansionParams(Params):
    """Parameters of one cell.

    `sphere` is the curvature of a sphere that touches a cylinder of radius 1, `direction` the
    normal curvature of the geodesic (1 around the cylinder, 0 along it), `distance` its length.
    """

    sphere: Annotated[float, Field(gt=0, le=1)]
    direction: Curvature
    distance: Annotated[float, Field(gt=0, lt=1)] = 0.01


class SphereExpansion(Experiment[ExpansionParams]):
    """Project the end of a geodesic onto the true sphere; compare with the theorem's cubic term.

    Spherelets, Theorem 3 and Corollary 1: the spherical distance is
    ``s - (ky - k0) (ky - 2 k0) s^3 / 6`` up to terms of fourth order.
    """

    methods = ("local",)
    yields = ("coefficient", "departure")
    unit = "seed"

    def run_cell(self, task: Task[ExpansionParams]) -> list[Row]:
        """Return the cubic coefficient of the error, and how far it is from the theorem's."""
        params = task.params
        k0, ky, s = params.sphere, params.direction, params.distance
        # a helix that leaves (1, 0, 0) under the angle whose squared cosine is the curvature
        around, along = np.sqrt(ky) * s, np.sqrt(1 - ky) * s
        start = np.array([1.0, 0.0, 0.0])
        end = np.array([np.cos(around), np.sin(around), along])
        centre = start - start / k0
        a, b = start - centre, end - centre
        # of the angle: arccos loses half of the digits near 0
        angle = np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)
        coefficient = float((angle / k0 - s) / s**3)
        theorem = -(ky - k0) * (ky - 2 * k0) / 6
        return [Row("coefficient", coefficient), Row("departure", abs(coefficient - theorem))]
