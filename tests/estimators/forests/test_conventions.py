"""Conventions of scikit-learn's forests that ours keep."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_predict

from geoforest_cli.core.errors import InvalidParameterError
from geoforest_cli.estimators.forests.classifiers import RandomForestClassifier, SporfClassifier
from geoforest_cli.estimators.forests.regressor import RandomForestRegressor
from geoforest_cli.estimators.relational.estimators import EdgePartition, NodeAttributeModel
from geoforest_cli.estimators.screening import ColumnScreen

pytestmark = pytest.mark.compiled

X = np.random.default_rng(0).normal(size=(60, 4))
Y = (X[:, 0] > 0).astype(int)


def test_classifiers_give_logarithms_of_probabilities():
    forest = RandomForestClassifier(10, random_state=0).fit(X, Y)
    assert forest.n_classes_ == 2
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(forest.predict_log_proba(X), np.log(forest.predict_proba(X)))
    assert cross_val_predict(forest, X, Y, method="predict_log_proba").shape == (60, 2)


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_rows_in_every_bag_are_told(forest):
    with pytest.warns(UserWarning, match=r"Some inputs do not have OOB scores: \d+ of 60 rows"):
        forest(1, oob_score=True, random_state=0).fit(X, Y)


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_rows_of_no_weight_do_not_count_out_of_the_bag(forest):
    """Two thirds of the rows say the opposite, and have no weight."""
    weight = np.repeat([1.0, 0.0], [20, 40])
    wrong = np.where(weight > 0, Y, 1 - Y)
    fitted = forest(60, oob_score=True, random_state=0).fit(X, wrong, sample_weight=weight)
    assert fitted.oob_score_ > 0.5


def test_out_of_bag_scores_by_a_function():
    forest = RandomForestClassifier(60, oob_score=balanced_accuracy_score, random_state=0).fit(X, Y)
    predicted = forest.oob_decision_function_.argmax(axis=1)
    assert forest.oob_score_ == balanced_accuracy_score(Y, predicted)


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_more_columns_than_there_are_is_refused_for_axis_cuts(forest):
    with pytest.raises(InvalidParameterError, match=r"'max_features'.*Got 2\.5 instead"):
        forest(2, max_features=2.5).fit(X, Y)
    SporfClassifier(2, max_features=2.5).fit(X, Y)


@pytest.mark.parametrize("model", [EdgePartition, NodeAttributeModel])
def test_networks_are_pairwise(model):
    assert model().__sklearn_tags__().input_tags.pairwise


def test_a_screen_checks_its_input_before_what_it_keeps():
    screen = ColumnScreen("pairs").fit(X)
    assert not screen.get_support().any()
    with pytest.raises(ValueError, match="expecting 4 features"):
        screen.transform(X[:, :3])
    with pytest.raises(ValueError, match="No column was kept"):
        screen.transform(X)
