"""Noise columns, rotation and rescaling."""

import math
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import numpy as np

from geoforest_cli.problems.manifolds.sample import Floats

NoiseKind: TypeAlias = Literal[
    "normal", "t3", "uniform", "permuted", "factors", "laplace", "lognormal", "chi_square", "t2",
    "poisson", "uneven", "two_normals", "mixed",
]  # fmt: skip
_Draw: TypeAlias = Callable[[tuple[int, int], float, np.random.Generator], Floats]
Transform: TypeAlias = Literal["none", "exp", "cube", "units"]
_FACTORS = 5
_T2_QUARTILE = math.sqrt(2.0 / 3.0)  # upper quartile of Student's t with two degrees of freedom
_NORMAL_QUARTILE = 0.6744897501960817
_UNEVEN = np.array([0.0, 1.0, 3.0, 9.0])
_SHARES = np.array([0.4, 0.3, 0.2, 0.1])
_CENTRE = 3.0  # of either of two normals, in their standard deviations
_DECADES = 3.0  # a change of units is by a factor of 10^-3 to 10^3


def add_noise(
    points: Floats,
    dims: int,
    variance: float,
    rng: np.random.Generator,
    kind: NoiseKind = "normal",
) -> Floats:
    """Append `dims` columns of noise to points (N, p).

    The 70 of the paper is the variance of normal columns (Geodesic Forests, section 4); the other
    kinds are ours.

    Parameters
    ----------
    points : (N, p)
    dims : int
    variance : float
        Of every noise column; permuted ones have that of the column which they copy, and those of
        Student's t with two degrees of freedom, whose variance is infinite, the quartiles of a
        normal with it.
    rng : numpy.random.Generator
    kind : {"normal", "t3", "uniform", "permuted", "factors", ...}
        N(0, variance); Student's t with three degrees of freedom; uniform; copies of the columns
        of `points` in turn, each in an order of its own, so that no marginal tells them from the
        signal; or sums of five hidden normal factors, half of the variance, and a normal rest,
        half of it, so that the noise columns depend on one another. Further "laplace",
        "lognormal" (exp of a standard normal), "chi_square" (3 degrees of freedom), "t2"
        (Student's t with two), "poisson" (mean 3), "uneven" (0, 1, 3 and 9 with chances .4, .3,
        .2 and .1), "two_normals" (in equal shares, six standard deviations apart) and "mixed" (each
        column of another of these, drawn at random; no copies and no factors).

    Examples
    --------
    >>> points = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]])
    >>> rng = np.random.default_rng(0)
    >>> np.sort(add_noise(points, 3, 70.0, rng, "permuted"), axis=0)[:, 2:].tolist()
    [[1.0, 5.0, 1.0], [2.0, 6.0, 2.0], [3.0, 7.0, 3.0]]
    """
    return np.hstack([points, _noise(points, dims, variance, rng, kind)])


def add_noise_like(
    points: Floats, dims: int, rng: np.random.Generator, kind: NoiseKind = "normal"
) -> Floats:
    """Append `dims` columns of noise, each as wide as one of the columns of points (N, p), in turn.

    So neither a column's width nor its mean tells noise from signal; constant columns are passed
    over.

    Examples
    --------
    >>> points = np.array([[0.0, 100.0], [2.0, 300.0]]).repeat(500, axis=0)
    >>> wide = add_noise_like(points, 4, np.random.default_rng(0))
    >>> wide.std(axis=0).round(-1).tolist()
    [0.0, 100.0, 0.0, 100.0, 0.0, 100.0]
    """
    widths = points.std(axis=0)
    varies = widths > 0
    means, widths = points.mean(axis=0)[varies], widths[varies]
    unit = (points[:, varies] - means) / widths
    noise = add_noise(unit, dims, 1.0, rng, kind)[:, unit.shape[1] :]
    return np.hstack([points, noise * np.resize(widths, dims) + np.resize(means, dims)])


def transformed(points: Floats, transform: Transform, rng: np.random.Generator) -> Floats:
    """Change the scale of every column of points (N, p), signal and noise alike.

    Every one of these keeps the order of the values in a column.

    Parameters
    ----------
    points : (N, p)
    transform : {"none", "exp", "cube", "units"}
        exp(z) or z^3 of the standardised columns z, or other units: every column times its own
        factor between 10^-3 and 10^3, uniform on the log scale.
    rng : numpy.random.Generator

    Examples
    --------
    >>> transformed(np.array([[0.0], [2.0]]), "exp", np.random.default_rng(0)).round(3).tolist()
    [[0.368], [2.718]]
    """
    if transform == "none":
        return points
    if transform == "units":
        factors: Floats = 10.0 ** rng.uniform(-_DECADES, _DECADES, points.shape[1])
        return points * factors
    widths = points.std(axis=0)
    unit = (points - points.mean(axis=0)) / np.where(widths > 0, widths, 1.0)
    changed: Floats = np.exp(unit) if transform == "exp" else unit**3
    return changed


def _noise(
    points: Floats, dims: int, variance: float, rng: np.random.Generator, kind: NoiseKind
) -> Floats:
    shape = len(points), dims
    if kind == "permuted":
        return rng.permuted(points[:, np.arange(dims) % points.shape[1]], axis=0)
    if kind == "factors":
        return _factors(shape, variance, rng)
    if kind == "mixed":
        draws = rng.choice(list(_DRAWS), dims)
        columns = [_DRAWS[name]((len(points), 1), variance, rng) for name in draws]
        return np.hstack([np.empty((len(points), 0)), *columns])
    return _DRAWS[kind](shape, variance, rng)


def _factors(shape: tuple[int, int], variance: float, rng: np.random.Generator) -> Floats:
    loadings = rng.normal(size=(_FACTORS, shape[1]))
    loadings /= np.linalg.norm(loadings, axis=0)
    shared = rng.normal(size=(shape[0], _FACTORS)) @ loadings
    columns: Floats = math.sqrt(variance / 2.0) * (shared + rng.normal(size=shape))
    return columns


def _standardised(draw: Callable[[tuple[int, int], np.random.Generator], Floats]) -> _Draw:
    """Return draws of a variance from draws of variance 1."""
    return lambda shape, variance, rng: math.sqrt(variance) * draw(shape, rng)


def _uniform(shape: tuple[int, int], variance: float, rng: np.random.Generator) -> Floats:
    half = math.sqrt(3.0 * variance)
    return rng.uniform(-half, half, size=shape)


def _lognormal(shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    return (rng.lognormal(size=shape) - math.sqrt(math.e)) / math.sqrt((math.e - 1.0) * math.e)


def _chi_square(shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    return (rng.chisquare(3.0, size=shape) - 3.0) / math.sqrt(6.0)


def _t2(shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    columns: Floats = _NORMAL_QUARTILE / _T2_QUARTILE * rng.standard_t(2.0, size=shape)
    return columns


def _poisson(shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    columns: Floats = (rng.poisson(3.0, size=shape).astype(np.float64) - 3.0) / math.sqrt(3.0)
    return columns


def _uneven(shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    mean = float(_SHARES @ _UNEVEN)
    deviation = math.sqrt(float(_SHARES @ (_UNEVEN - mean) ** 2))
    columns: Floats = (rng.choice(_UNEVEN, size=shape, p=_SHARES) - mean) / deviation
    return columns


def _two_normals(shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    centres = rng.choice([-_CENTRE, _CENTRE], size=shape)
    columns: Floats = (centres + rng.normal(size=shape)) / math.sqrt(1.0 + _CENTRE**2)
    return columns


_DRAWS: Mapping[str, _Draw] = {
    "normal": lambda shape, variance, rng: rng.normal(0.0, math.sqrt(variance), size=shape),
    # a t variable with three degrees of freedom has the variance 3
    "t3": lambda shape, variance, rng: math.sqrt(variance / 3.0) * rng.standard_t(3.0, size=shape),
    "uniform": _uniform,
    "laplace": lambda shape, variance, rng: rng.laplace(0.0, math.sqrt(variance / 2.0), size=shape),
    "lognormal": _standardised(_lognormal),
    "chi_square": _standardised(_chi_square),
    "t2": _standardised(_t2),
    "poisson": _standardised(_poisson),
    "uneven": _standardised(_uneven),
    "two_normals": _standardised(_two_normals),
}


def min_max(points: Floats) -> Floats:
    """Bring every column to [0, 1]; a constant column becomes 0."""
    low = points.min(axis=0)
    span = points.max(axis=0) - low
    scaled: Floats = (points - low) / np.where(span > 0, span, 1.0)
    return scaled


def rotate(points: Floats, rng: np.random.Generator) -> Floats:
    """Turn the space of points (N, p) by an orthogonal matrix drawn from the Haar measure.

    Examples
    --------
    >>> turned = rotate(np.eye(3), np.random.default_rng(0))
    >>> bool(np.allclose(turned @ turned.T, np.eye(3)))
    True
    """
    q, r = np.linalg.qr(rng.normal(size=(points.shape[1], points.shape[1])))
    turned: Floats = points @ (q * np.sign(np.diag(r)))
    return turned
