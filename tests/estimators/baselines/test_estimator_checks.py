"""scikit-learn's own checks of the baselines."""

import importlib.util

import numpy as np
import pytest

from geoforest_cli.estimators.baselines.classifiers import (
    GradientBoosting,
    KNeighbors,
    LinearSvm,
    LogisticRegression,
    Mlp,
    RbfSvm,
)
from geoforest_cli.estimators.baselines.cnn import Cnn
from geoforest_cli.estimators.baselines.euclidean import Euclidean
from geoforest_cli.estimators.baselines.flann import Flann
from geoforest_cli.estimators.baselines.isomap import Isomap
from geoforest_cli.estimators.baselines.k_means import KMeans
from geoforest_cli.estimators.baselines.metric_learning import Bilinear, Mahalanobis
from geoforest_cli.estimators.baselines.nearest import (
    ComponentsNeighbors,
    ForestOfResponse,
    PlainNeighbors,
)
from geoforest_cli.estimators.baselines.peers import (
    ScikitForest,
    ScikitIsomap,
    TreepleMorf,
    TreepleSporf,
    YdfOblique,
)
from geoforest_cli.estimators.baselines.projected import (
    Correlation,
    Cosine,
    FirstComponents,
    NormalScores,
    PrincipalComponents,
)
from geoforest_cli.estimators.baselines.regression_forest import RegressionForest
from geoforest_cli.estimators.baselines.umap import Umap
from tests.estimator_checks import FIT_ON_A_VECTOR, conventions

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.SkipTestWarning",
    # scikit-learn's Isomap joins the pieces of its graph
    "ignore:The number of connected components",
    "ignore::scipy.sparse.SparseEfficiencyWarning",
)


class MahalanobisOfResponse(Mahalanobis):
    """Learns from the gaps of a response, for checks that have one number per row."""

    def fit(self, X, y):
        response = np.real(y).astype(float).reshape(-1)
        return super().fit(X, np.abs(response[:, None] - response))


class BilinearOfResponse(Bilinear):
    """Learns from the gaps of a response, for checks that have one number per row."""

    def fit(self, X, y):
        response = np.real(y).astype(float).reshape(-1)
        return super().fit(X, np.abs(response[:, None] - response))


class FoldedOnce(KNeighbors):
    """Tuned by one draw of folds, as of 200 rows or more: the checks have a few dozen."""

    _most_repeats = 1


_PAIRS = "needs the distances of all pairs, the checks have one number per row"
NEEDS_PAIRS = dict.fromkeys(FIT_ON_A_VECTOR, _PAIRS)
OPTIONAL = {
    Cnn: ("torch", Cnn(image_shape=(1, 10))),
    TreepleSporf: ("treeple", TreepleSporf(3)),
    TreepleMorf: ("treeple", TreepleMorf(3, image_shape=(1, 10))),
    YdfOblique: ("ydf", YdfOblique(3)),
}
WITHOUT_PACKAGE = dict.fromkeys(
    [
        *NEEDS_PAIRS,
        "check_classifier_data_not_an_array",
        "check_classifiers_classes",
        "check_classifiers_one_label",
        "check_classifiers_train",
        "check_fit2d_1sample",
        "check_supervised_y_2d",
    ],
    "fits with a package that is not installed",
)


def failing(estimator):
    if type(estimator) in {Mahalanobis, Bilinear}:
        return NEEDS_PAIRS
    if type(estimator) is ComponentsNeighbors:
        return {"check_estimators_nan_inf": "learns from classes, this check gives it numbers"}
    if type(estimator) in OPTIONAL:
        return WITHOUT_PACKAGE
    return {}


@conventions(
    [
        Euclidean(),
        Flann(),
        PrincipalComponents(random_state=0),
        Correlation(),
        Cosine(),
        FirstComponents(1, random_state=0),
        NormalScores(),
        Isomap(),
        ScikitIsomap(5),
        Umap(5, random_state=0),
        KMeans(starts=1),
        LogisticRegression(),
        LinearSvm(),
        RbfSvm(),
        KNeighbors(),
        Mlp(max_iter=50),
        GradientBoosting(max_iter=10),
        ScikitForest(5),
        FoldedOnce(tune=True, budget=2),
        PlainNeighbors(),
        ComponentsNeighbors(),
        ForestOfResponse(10),
        RegressionForest(10),
        Mahalanobis(),
        Bilinear(),
        MahalanobisOfResponse(iterations=100),
        BilinearOfResponse(),
    ],
    failing,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@conventions(
    [
        estimator
        for package, estimator in OPTIONAL.values()
        if importlib.util.find_spec(package) is None
    ],
    failing,
)
def test_conventions_of_what_is_not_installed(estimator, check):
    check(estimator)
