"""Geoforest's own methods and manifolds pass the suites that authors of others are given."""

import pytest

from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.testing import ManifoldTests, MethodTests

TREES = {"n_estimators": 5}
CHAIN = {"n_communities": 4, "n_burnin": 3, "n_samples": 3}
SMALL_SETTINGS = {
    **dict.fromkeys(
        ["geodesic_forest", "random_forest", "morf", "sporf", "rf", "sklearn_rf", "smerf",
         "plain_smerf", "smerf_neighbors", "response_forest", "regression_forest", "rf_regressor",
         "smerf_links"],
        TREES,
    ),
    "structured_forest": {**TREES, "image_shape": (2, 2)},
    "morf": {**TREES, "image_shape": (2, 2), "patch_width": (1, 2)},
    "epm": CHAIN,
    "narm": CHAIN,
    "mlp": {"max_iter": 40},
    "boosting": {"max_iter": 5},
    "isomap": {"n_neighbors": 6},
    "first_components": {"n_components": 1},
    "graph_geodesic": {"n_neighbors": 6},
}  # fmt: skip
# peers run in environments of their own, at the price of a process each; baselines pass at night
HERE = [
    pytest.param(name, marks=pytest.mark.nightly if ".baselines." in entry.target else ())
    for name, entry in METHODS.items()
    if not entry.peer
]


class TestMethods(MethodTests):
    @pytest.fixture(params=HERE)
    def subject(self, request):
        if reason := METHODS[request.param].lacking():
            pytest.skip(reason)
        made = self.subject_of(request.param)
        return type(made)(made.cls, made.kind, SMALL_SETTINGS.get(request.param, {}))


class TestManifolds(ManifoldTests):
    sizes = (2, 30, 60)

    @pytest.fixture(params=MANIFOLDS)
    def draw(self, request):
        return MANIFOLDS[request.param].load()
