"""scikit-learn's own checks of all baselines, peers of ours in Python included."""

import numpy as np
import pytest

from geoforest_cli.estimators.baselines.classifiers import KNeighbors
from geoforest_cli.estimators.baselines.metric_learning import Bilinear, Mahalanobis
from geoforest_cli.estimators.baselines.nearest import ComponentsNeighbors
from geoforest_cli.estimators.methods import METHODS, build
from tests.estimator_checks import FIT_ON_A_VECTOR, conventions

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.filterwarnings(
        "ignore::sklearn.exceptions.SkipTestWarning",
        # scikit-learn's Isomap joins the pieces of its graph
        "ignore:The number of connected components",
        "ignore::scipy.sparse.SparseEfficiencyWarning",
    ),
]


def gaps(response):
    response = np.real(response).astype(float).reshape(-1)
    return np.abs(response[:, None] - response)


class MahalanobisOfResponse(Mahalanobis):
    """Learns from the gaps of a response, for checks that have one number per row."""

    def fit(self, X, y):
        return super().fit(X, gaps(y))


class BilinearOfResponse(Bilinear):
    """Learns from the gaps of a response, for checks that have one number per row."""

    def fit(self, X, y):
        return super().fit(X, gaps(y))


class FoldedOnce(KNeighbors):
    """Tuned by one draw of folds, as of 200 rows or more: the checks have a few dozen."""

    _most_repeats = 1


QUICK = {
    "first_components": {"n_components": 1}, "sklearn_isomap": {"n_neighbors": 5},
    "umap": {"n_neighbors": 5}, "k_means": {"starts": 1}, "mlp": {"max_iter": 50},
    "boosting": {"max_iter": 10}, "sklearn_rf": {"n_estimators": 5},
    "response_forest": {"n_estimators": 10}, "regression_forest": {"n_estimators": 10},
}  # fmt: skip
# checked elsewhere, by tests that give them all pairs, or only where their packages are
ELSEWHERE = {"random_forest", "plain_smerf", "cnn", "pynndescent_index"}
_PAIRS = "needs the distances of all pairs, the checks have one number per row"


def failing(estimator):
    if type(estimator) in {Mahalanobis, Bilinear}:
        return dict.fromkeys(FIT_ON_A_VECTOR, _PAIRS)
    if type(estimator) is ComponentsNeighbors:
        return {"check_estimators_nan_inf": "learns from classes, this check gives it numbers"}
    return {}


@conventions(
    [
        *(
            build(name, QUICK.get(name, {}), seed=0 if entry.kind == "neighbors" else None)
            for name, entry in METHODS.items()
            if ".baselines." in entry.target and entry.kind != "screen"
            if not entry.peer and name not in ELSEWHERE
        ),
        FoldedOnce(tune=True, budget=2),
        MahalanobisOfResponse(iterations=100),
        BilinearOfResponse(),
    ],
    failing,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
