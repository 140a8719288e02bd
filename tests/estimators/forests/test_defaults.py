"""What every forest is unless told otherwise: a default that changes is a result that changes."""

import math

import numpy as np
import pytest

from geoforest_cli.estimators.forests.classifiers import (
    MorfClassifier,
    RandomForestClassifier,
    SporfClassifier,
)
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.geodesic_neighbors import GeodesicNeighbors
from geoforest_cli.estimators.forests.learned_neighbors import LearnedNeighbors
from geoforest_cli.estimators.forests.presets import AS_RUN, AS_WRITTEN
from geoforest_cli.estimators.forests.regressor import RandomForestRegressor
from geoforest_cli.estimators.forests.smerf import Smerf
from geoforest_cli.estimators.forests.structured_forest import StructuredGeodesicForest

TREES = {
    "min_leaf": 1, "max_depth": None, "bootstrap": True, "n_jobs": None, "random_state": None,
}  # fmt: skip
CLUSTERS = TREES | {
    "n_estimators": 300, "max_projections": "auto", "min_parent": "auto", "min_share": "auto",
    "variance_floor": "auto", "max_search": None,
}  # fmt: skip
GEODESIC = CLUSTERS | {
    "criterion": "mean_bic", "projection": "auto", "n_projections": "sqrt",
    "shortlist": "auto", "patience": "auto", "max_search": "auto", "nonzeros": "scattered", "missing": "refuse", "rescale": "auto", "binary_columns": "warn",
}  # fmt: skip
CLASSES = TREES | {
    "n_estimators": 100, "max_features": "sqrt", "min_parent": 2, "voting": "mean",
    "oob_score": False,
}  # fmt: skip
DEFAULTS = {
    GeodesicForest: GEODESIC | {"n_neighbors": 5, "pairs": "all"},
    GeodesicNeighbors: GEODESIC | {"n_neighbors": 15, "mode": "distance"},
    StructuredGeodesicForest: CLUSTERS | {
        "n_neighbors": 5, "pairs": "all", "criterion": "delta_bic", "n_projections": "auto",
        "image_shape": None, "patch_height": "auto", "patch_width": "auto", "wrap": False,
        "order": "size_first",
    },
    RandomForestClassifier: CLASSES | {"missing": "refuse"},
    SporfClassifier: CLASSES | {"missing": "refuse", "nonzeros": "scattered", "density": 1.5},
    MorfClassifier: CLASSES | {
        "image_shape": None, "patch_height": (1, 1), "patch_width": (1, 5), "wrap": False,
        "order": "size_first",
    },
    RandomForestRegressor: TREES | {
        "n_estimators": 100, "projection": "axis", "max_features": 1.0, "min_parent": 2,
        "oob_score": False, "missing": "refuse",
    },
    Smerf: TREES | {
        "n_estimators": 500, "projection": "oblique", "max_features": "sqrt", "min_parent": 2,
        "credit": "full", "tune": False,
    },
    LearnedNeighbors: {
        "n_neighbors": 5, "n_estimators": 200, "max_features": "sqrt", "min_parent": 4,
        "loss": "squared", "vote": "neighbors", "n_jobs": None, "random_state": None,
    },
}  # fmt: skip


@pytest.mark.parametrize("forest", DEFAULTS)
def test_the_defaults_are_those_that_are_measured(forest):
    assert forest().get_params() == DEFAULTS[forest]


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
    assert growth.max_depth == 1 << 30


def test_patches_are_drawn_one_by_one_until_one_is_good():
    forest = StructuredGeodesicForest(2, random_state=0)
    forest.fit(np.random.default_rng(0).normal(size=(30, 16)))
    growth = forest._growth(1000, 16)
    assert (growth.n_projections, growth.max_projections, growth.stop_score) == (1, 80, 0)
    assert (growth.min_share, growth.variance_floor) == (0.125, 0.015)
