"""Spheres fitted to neighbourhoods, all points at once, and distances along them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.portable import quadrant_angle, singular_vectors

__all__ = ["Guard", "Spheres", "covariance_distances", "fit_spheres", "spherical_distances"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

Guard = Literal["none", "floor", "evidence"]

FLAT = 1e-8  # below this ratio of singular values the chord is right to the last digit
_AT_CENTRE = 1e-12
_BLOCK_NUMBERS = 4_000_000


@dataclass(frozen=True)
class Spheres:
    """One d-dimensional sphere per neighbourhood.

    Attributes
    ----------
    origin : (n, D)
        Mean of the neighbourhood (uncentred) or its point (centred).
    basis : (n, D, d + 1)
        Orthonormal basis V of the sphere's affine subspace.
    local_centre : (n, d + 1)
        Centre in that basis, seen from the origin.
    radius : (n,)
    flat : (n,) bool
        The neighbourhood lies in a d-dimensional plane: there is no sphere, the chord is meant.
    extent : (n,)
        Largest distance of the neighbourhood's points from the origin.
    plane_residual, sphere_residual : (n,)
        Sums of squared distances within the subspace, from the best d-plane and the sphere.
    size : int
        Points of a neighbourhood.
    """

    origin: Floats
    basis: Floats
    local_centre: Floats
    radius: Floats
    flat: npt.NDArray[np.bool_]
    extent: Floats
    plane_residual: Floats
    sphere_residual: Floats
    size: int

    @property
    def supported(self) -> npt.NDArray[np.bool_]:
        """Where the points speak for the sphere: its BIC is below the plane's, and no collapse.

        The sphere has one parameter more. Noise bends a sphere without making its residual
        small enough to pay for that.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = self.size * np.log(self.plane_residual / self.sphere_residual)
        pays: npt.NDArray[np.bool_] = (gain > np.log(self.size)) & ~self.flat & ~self.collapsed
        return pays

    @property
    def centre(self) -> Floats:
        """Centres c = origin + V c_local in the ambient space (n, D); of no meaning where flat."""
        centres: Floats = self.origin + np.einsum("nij,nj->ni", self.basis, self.local_centre)
        return centres

    @property
    def collapsed(self) -> npt.NDArray[np.bool_]:
        """Where the radius is smaller than the neighbourhood: noise has shrunk the fit."""
        return ~self.flat & (self.radius < self.extent)


def fit_spheres(
    points: Floats,
    neighborhoods: Indices,
    d: int,
    *,
    at: Floats | None = None,
    centred: bool = False,
) -> Spheres:
    """Fit the k-osculating sphere of every point to its neighbourhood.

    Uncentred (default), to the point and its neighbours: with Z = P - mu = U S W' and q = d + 1
    columns kept, Y = U_q S_q, l_j = |Y_j|^2, the centre is 1/2 S_q^-1 U_q' (l - mean l) and the
    radius the mean of |Y_j - c|. Centred, through the point itself: the same with Z = X_i - x_i,
    the centre 1/2 S_q^-1 U_q' l and the radius |c|.

    Parameters
    ----------
    points : (n, D)
        Training points.
    neighborhoods : (m, k) int
        Rows of the neighbours, the point itself not among them.
    d : int
        Dimension of the spheres; d + 1 <= D and k >= d + 1.
    at : (m, D), optional
        Points that the neighbourhoods belong to; by default the training points.
    centred : bool

    Returns
    -------
    Spheres

    References
    ----------
    Li and Dunson 2019, Definition 1, Theorem 1 (its sign corrected), Algorithms 1 and 2.

    Examples
    --------
    >>> t = np.linspace(0, 1, 5)
    >>> circle = np.c_[3 * np.cos(t), 3 * np.sin(t)]
    >>> spheres = fit_spheres(circle, np.array([[1, 2, 3, 4]]), 1, at=circle[:1])
    >>> bool(np.isclose(spheres.radius[0], 3)), bool(np.allclose(spheres.centre, 0))
    (True, True)
    """
    at = points if at is None else at
    m, k = neighborhoods.shape
    size, dims = k + (not centred), points.shape[1]
    block = max(1, _BLOCK_NUMBERS // (size * dims))
    parts = [
        _fit(points, neighborhoods[i : i + block], d, at[i : i + block], centred=centred)
        for i in range(0, m, block)
    ]
    joined = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
    fitted: Any = (*joined, size)
    return Spheres(*fitted)


def _fit(
    points: Floats, neighborhoods: Indices, d: int, at: Floats, *, centred: bool
) -> tuple[npt.NDArray[Any], ...]:
    q = d + 1
    nearest = points[neighborhoods]
    if centred:
        origin = at
        offsets = nearest - at[:, None, :]
    else:
        everything = np.concatenate([at[:, None, :], nearest], axis=1)
        origin = everything.mean(axis=1)
        offsets = everything - origin[:, None, :]
    left, sizes, right = _svd(offsets, q)
    local = left * sizes[:, None, :]
    squares = np.einsum("njq,njq->nj", local, local)
    if not centred:
        squares = squares - squares.mean(axis=1, keepdims=True)
    flat = sizes[:, q - 1] <= FLAT * sizes[:, 0]
    safe = np.where(flat[:, None], 1.0, sizes)
    centre = 0.5 * np.einsum("njq,nj->nq", left, squares) / safe
    centre[flat] = 0.0
    gaps = np.linalg.norm(local - centre[:, None, :], axis=2)
    radius = np.linalg.norm(centre, axis=1) if centred else gaps.mean(axis=1)
    extent = np.sqrt(np.einsum("njq,njq->nj", local, local).max(axis=1))
    residual = ((gaps - radius[:, None]) ** 2).sum(axis=1)
    return origin, right, centre, radius, flat, extent, sizes[:, q - 1] ** 2, residual


def _svd(offsets: Floats, q: int) -> tuple[Floats, Floats, Floats]:
    """Thin SVD of a stack of matrices (n, j, D); return U (n, j, q), S (n, q), W (n, D, q)."""
    left, sizes, right = singular_vectors(offsets)
    return left[:, :, :q], sizes[:, :q], right[:, :, :q]


def _arc(a: Floats, b: Floats, radius: Floats) -> Floats:
    """Arc r * angle(a, b) in the stable form; NaN where a or b is zero."""
    norm_a = np.linalg.norm(a, axis=-1, keepdims=True)
    norm_b = np.linalg.norm(b, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        u, v = a / norm_a, b / norm_b
    gap, total = np.linalg.norm(u - v, axis=-1), np.linalg.norm(u + v, axis=-1)
    arcs: Floats = 2.0 * radius * quadrant_angle(gap, total)
    tiny = _AT_CENTRE * radius
    arcs[(norm_a[..., 0] <= tiny) | (norm_b[..., 0] <= tiny)] = np.nan
    return arcs


def spherical_distances(
    spheres: Spheres, at: Floats, targets: Floats, *, guard: Guard = "none"
) -> Floats:
    """Length of the arc between the projections of a point and others on its sphere (equation 1).

    d_S = 2 r atan2(|a - b|, |a + b|) with unit vectors a, b from the centre: arccos loses half
    the digits of small angles.

    Parameters
    ----------
    spheres : Spheres
        One for each point.
    at : (m, D)
        The points.
    targets : (m, k, D)
        The others, one set for each point.
    guard : {"none", "floor", "evidence"}
        "floor": never shorter than the chord. "evidence": the chord where the neighbourhood does
        not support a sphere (`Spheres.supported`), else never shorter than it.

    Returns
    -------
    (m, k) array
        The chord where the neighbourhood is flat or a point falls on the centre; 0 for equal
        points.
    """
    chords = np.linalg.norm(targets - at[:, None, :], axis=2)
    base = spheres.origin + np.einsum("nij,nj->ni", spheres.basis, spheres.local_centre)
    projected = np.einsum("nd,ndq->nq", at - base, spheres.basis)
    others = np.einsum("nkd,ndq->nkq", targets - base[:, None, :], spheres.basis)
    arcs = _arc(projected[:, None, :], others, spheres.radius[:, None])
    chord = spheres.flat[:, None] | np.isnan(arcs)
    if guard == "evidence":
        chord |= ~spheres.supported[:, None]
    arcs[chord] = chords[chord]
    arcs[chords == 0] = 0.0
    return arcs if guard == "none" else np.maximum(arcs, chords)


def covariance_distances(
    points: Floats, tangents_from: Indices, d: int, at: Floats, targets: Floats
) -> Floats:
    """Chord plus |P_perp (y - x)|^2 / (6 |y - x|), the local covariance's correction.

    P_perp projects on the complement of the top d eigenvectors of the neighbourhood's covariance,
    centred at the point.

    Parameters
    ----------
    points : (n, D)
    tangents_from : (m, k_cov) int
        Neighbours that the tangent space is estimated from.
    d : int
    at : (m, D)
    targets : (m, k, D)

    References
    ----------
    Malik, Shen, Wu and Wu 2019, as used by Li and Dunson 2019.
    """
    m, k_cov = tangents_from.shape
    block = max(1, _BLOCK_NUMBERS // (k_cov * points.shape[1]))
    parts = []
    for i in range(0, m, block):
        part = slice(i, i + block)
        offsets = points[tangents_from[part]] - at[part, None, :]
        _, _, tangent = _svd(offsets, d)
        steps = targets[part] - at[part, None, :]
        along = np.einsum("nkd,ndq->nkq", steps, tangent)
        across = steps - np.einsum("nkq,ndq->nkd", along, tangent)
        chord = np.linalg.norm(steps, axis=2)
        with np.errstate(invalid="ignore", divide="ignore"):
            bulge = np.einsum("nkd,nkd->nk", across, across) / (6.0 * chord)
        parts.append(np.where(chord > 0, chord + bulge, 0.0))
    distances: Floats = np.concatenate(parts)
    return distances
