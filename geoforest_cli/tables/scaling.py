"""When columns of unlike units are brought to one scale, and what a user is told of it."""

from __future__ import annotations

from typing import Literal

from geoforest_cli.estimators.base.scaling import Rescale, Scaling, spread_ratio
from geoforest_cli.tables.messages import as_argument
from geoforest_cli.tables.table import Points

__all__ = ["Rescale", "Scale", "Scaling", "chosen_scale", "scaled"]

Scale = Literal["auto", "none", "standardise", "min_max"]
_MUCH = 10.0  # times: above, the widest column decides lengths alone
# forests cut one column or projection at a time, or bring columns to one scale themselves
_NO_NEED = frozenset(
    {"geodesic_forest", "structured_forest", "adaptive_neighbors", "random_forest", "rf", "sporf",
     "morf", "boosting", "cnn", "treeple_sporf", "treeple_morf", "ydf_oblique"}
)  # fmt: skip
# scikit-learn's trees see no differences below 1e-7
_ALWAYS = frozenset({"logistic", "linear_svm", "rbf_svm", "knn", "mlp", "leaf_mates", "sklearn_rf"})


def chosen_scale(
    method: str, scale: Scale, points: Points, *, images: bool = False
) -> tuple[Rescale, str]:
    """Return how the columns are scaled for a method, and a sentence about it.

    By default ("auto") machines, `knn`, `leaf_mates` and logistic regression get standardised
    columns; methods that measure lengths do where the spreads of the columns differ by more than
    ten times; forests and images, whose pixels share one unit, are left as they are.

    Examples
    --------
    >>> import numpy as np
    >>> chosen_scale("isomap", "auto", np.array([[0.0, 10.0], [1.0, 70.0]]))[0]
    'standardise'
    >>> chosen_scale("isomap", "auto", np.array([[0.0, 10.0], [1.0, 12.0]]))
    ('none', '')
    """
    if method in _NO_NEED or images:
        return ("none" if scale == "auto" else scale), ""
    ratio = spread_ratio(points)
    if scale == "auto":
        if method in _ALWAYS:
            return "standardise", ""
        if ratio <= _MUCH:
            return "none", ""
        return "standardise", (
            f"The spreads of the columns differ by a factor of {ratio:.3g}: each is divided by its "
            f"own ({as_argument('scale', 'none')}: leave them)."
        )
    if scale == "none" and ratio > _MUCH:
        return "none", (
            f"The spreads of the columns differ by a factor of {ratio:.3g}: the widest decide "
            f"({as_argument('scale', 'standardise')}: divide each by its own)."
        )
    return scale, ""


def scaled(points: Points, scale: Rescale) -> Points:
    """Return points on the scale learned on themselves."""
    return Scaling.fit(points, scale).apply(points)
