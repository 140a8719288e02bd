"""Parameters that belong together: by criterion, and as the paper and its program have them."""

from typing import Any, Literal

Criterion = Literal[
    "mean_bic", "delta_bic", "fast_bic", "two_means", "mclust_bic", "fast_bic_legacy",
    "mclust_bic_legacy",
]  # fmt: skip
Projection = Literal["mixed", "oblique", "axis"]

# what "auto" stands for: delta-BIC says when to stop searching, and finds no end cuts where sides
# have a least share; for the criteria of the paper end cuts are how they search
BY_DELTA: dict[str, Any] = {
    "projection": "mixed",
    "max_projections": 8.0,
    "shortlist": "auto",
    "patience": 0.5,
    "max_search": 1000,
    "min_share": 0.125,
    "variance_floor": 0.015,
    "rescale": "standard",
    "screen": "auto",
}
# half of mean-BIC compares widths: they must not depend on how far out the farthest values are
BY_MEAN: dict[str, Any] = BY_DELTA | {"rescale": "robust"}
BY_OTHERS: dict[str, Any] = {
    "projection": "oblique",
    "max_projections": None,
    "shortlist": None,
    "patience": 1.0,
    "max_search": None,
    "min_share": 0.0,
    "variance_floor": 1e-3,
    "rescale": "none",
    "screen": None,
}

# what the paper writes and what its authors' program runs, where they say; both without a cap
AS_WRITTEN: dict[str, Any] = {
    "criterion": "fast_bic",
    "projection": "oblique",
    "n_projections": "sqrt",
    "max_projections": None,
    "shortlist": None,
    "patience": 1.0,
    "max_search": None,
    "nonzeros": 0.05,
    "min_parent": 100,
    "min_share": 0.0,
    "variance_floor": 0.0,
    "rescale": "none",
    "screen": None,
}
AS_RUN: dict[str, Any] = AS_WRITTEN | {
    "criterion": "fast_bic_legacy",
    "nonzeros": "one_per_projection",
    "min_parent": "sqrt",
}
