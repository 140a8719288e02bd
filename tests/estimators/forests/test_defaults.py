"""What the rules of a forest stand for: one that changes is a result that changes."""

import math

import numpy as np
import pytest

from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.presets import AS_RUN, AS_WRITTEN
from geoforest_cli.estimators.forests.structured_forest import StructuredGeodesicForest

PAPER = {
    "sampler": "oblique", "n_projections": 4, "max_projections": 0, "min_share": 0.0,
    "shortlist": 0, "child_search_fraction": 1.0, "max_search": 0,
}  # fmt: skip
SEARCH = {
    "sampler": "mixed", "max_projections": 26, "min_share": 0.125, "variance_floor": 0.015,
    "stop_score": 0.0, "min_parent": 63, "shortlist": 10, "child_search_fraction": 0.5, "max_search": 1000,
}  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "rescale", "expected"),
    [
        ({}, "robust", SEARCH),
        ({"criterion": "delta_bic"}, "standard", SEARCH),
        (
            {"criterion": "fast_bic"}, "none",
            PAPER | {"n_nonzeros": 6, "variance_floor": 1e-3, "min_parent": 63, "stop_score": math.inf},
        ),
        (AS_WRITTEN, "none", PAPER | {"n_nonzeros": 2, "variance_floor": 0.0, "min_parent": 100}),
        (AS_RUN, "none", PAPER | {"n_nonzeros": 4, "variance_floor": 0.0, "min_parent": 32}),
    ],
    ids=["default", "delta_bic", "fast_bic", "as written", "as run"],
)  # fmt: skip
def test_what_auto_stands_for(rules, rescale, expected):
    # 1000 rows of ten columns
    forest = GeodesicForest(**rules)
    growth = forest._growth(1000, 10)
    assert {name: getattr(growth, name) for name in expected} == expected
    assert forest._rule("rescale") == rescale
    assert growth.max_depth is None


def test_patches_are_drawn_one_by_one_until_one_is_good():
    forest = StructuredGeodesicForest(2, random_state=0)
    forest.fit(np.random.default_rng(0).normal(size=(30, 16)))
    growth = forest._growth(1000, 16)
    assert (growth.n_projections, growth.max_projections, growth.stop_score) == (1, 80, 0)
    assert (growth.min_share, growth.variance_floor) == (0.125, 0.015)
