"""The base of estimators: a field is a parameter."""

import inspect
import json
import pickle
from dataclasses import field
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import pandas as pd
import pytest
from pydantic import Field
from scipy.sparse import csr_array
from sklearn.base import clone

from geoforest_cli.core.errors import DataError, InvalidParameterError, UserError
from geoforest_cli.core.registry import parameter_model
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed
from geoforest_cli.estimators.forests.classifiers import RandomForestClassifier
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.methods import METHODS, build
from tests.estimators.test_parameters import ESTIMATORS

SIGNATURES = Path(__file__).with_name("signatures.json")


class Shifted(Estimator):
    """Moves every point."""

    of_the_class: ClassVar[int] = 3

    by: Annotated[float, Field(ge=0)] = field(default=1.0, kw_only=False)
    way: Literal["up", "down"] = "up"
    random_state: Seed = None

    def fit(self, X, y=None):
        self.points_ = np.asarray(X) + (self.by if self.way == "up" else -self.by)
        return self


class ShiftedTwice(Shifted):
    by: Annotated[float, Field(ge=0)] = field(default=2.0, kw_only=False)
    times: PositiveInt = 2


class ShiftedUp(Shifted):
    def __init__(self, by: Annotated[float, Field(gt=0)] = 1.0) -> None:
        super().__init__(by, way="up")


def _names(cls):
    return [(p.name, p.kind.name, p.default) for p in inspect.signature(cls).parameters.values()]


def test_a_field_is_a_parameter_and_keyword_only_unless_it_says_otherwise():
    assert _names(Shifted) == [
        ("by", "POSITIONAL_OR_KEYWORD", 1.0),
        ("way", "KEYWORD_ONLY", "up"),
        ("random_state", "KEYWORD_ONLY", None),
    ]
    assert Shifted(3.0).get_params() == {"by": 3.0, "way": "up", "random_state": None}
    with pytest.raises(TypeError):
        Shifted(3.0, "down")


def test_a_subclass_adds_its_own_and_changes_defaults():
    assert [name for name, _, _ in _names(ShiftedTwice)] == ["by", "way", "random_state", "times"]
    assert ShiftedTwice().by == 2.0
    with pytest.raises(InvalidParameterError, match="'times' parameter of ShiftedTwice"):
        ShiftedTwice(times=0).fit([[1.0]])


def test_a_subclass_with_fewer_parameters_has_its_own_init():
    assert [name for name, _, _ in _names(ShiftedUp)] == ["by"]
    assert repr(ShiftedUp(2.0)) == "ShiftedUp(by=2.0)"
    assert ShiftedUp(2.0).fit([[1.0]]).points_.tolist() == [[3.0]]
    with pytest.raises(InvalidParameterError, match="a float in the range"):
        ShiftedUp(0.0).fit([[1.0]])


def test_fit_refuses_what_the_annotation_does_not_allow():
    with pytest.raises(InvalidParameterError, match="Did you mean 'down'"):
        Shifted(way="dwn").fit([[1.0]])
    with pytest.raises(UserError):
        ShiftedTwice(-1.0).fit([[1.0]])
    assert inspect.signature(Shifted.fit) == inspect.signature(Shifted.fit.__wrapped__)


def test_copies_are_equal():
    fitted = ShiftedTwice(5.0).fit([[1.0]])
    again = pickle.loads(pickle.dumps(fitted))
    assert again.points_.tolist() == [[6.0]]
    assert clone(fitted).get_params() == fitted.get_params()


def test_a_new_estimator_is_a_method_by_its_name():
    name = f"{__name__}:ShiftedTwice"
    assert METHODS[name].load() is ShiftedTwice
    assert build(name, {"times": 3}, seed=7).get_params()["random_state"] == 7
    assert list(parameter_model(ShiftedTwice).model_fields) == ["by", "way", "times"]


def _signature(cls):
    parameters = inspect.signature(cls).parameters.values()
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    defaults = {p.name: None if p.default is p.empty else repr(p.default) for p in parameters}
    return {"positional": positional, "defaults": defaults}


def test_signatures_are_those_that_are_published():
    """Names and defaults of every estimator; a change here is one that users see."""
    published = json.loads(SIGNATURES.read_text("utf-8"))
    found = {cls.__name__: _signature(cls) for cls in ESTIMATORS if cls.__name__ in published}
    assert found == {name: published[name] for name in found}
    assert len(found) > 45


@pytest.mark.parametrize("dtype", [object, "category", "string"])
def test_data_frames_with_text_are_refused_in_words(dtype):
    frame = pd.DataFrame({"x": [0.0, 1.0], "kind": pd.Series([None, "a"], dtype=dtype)})
    words = r"the column 'kind' holds text or categories \('a'\) where numbers are needed; pandas"
    with pytest.raises(DataError, match=words):
        GeodesicForest(2).fit(frame)
    with pytest.raises(DataError, match=words):
        RandomForestClassifier(2).fit(X=frame, y=[0, 1])


def test_sparse_tables_are_refused_in_words():
    for estimator in (GeodesicForest(2), RandomForestClassifier(2)):
        with pytest.raises(TypeError, match=r"Sparse data .*toarray"):
            estimator.fit(csr_array(np.eye(3)), [0, 1, 0])


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply"])
def test_text_and_dates_in_new_rows_are_named(method):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    fitted = RandomForestClassifier(3, random_state=0).fit(frame, np.arange(40) % 2)
    with pytest.raises(DataError, match="the column 'c' holds text or categories"):
        getattr(fitted, method)(frame.assign(c="q"))
    dates = frame.assign(b=pd.Timestamp("2024-01-01"))
    for call in (getattr(fitted, method), lambda X: RandomForestClassifier(3).fit(X, [0, 1] * 20)):
        with pytest.raises(DataError, match="the column 'b' holds dates or durations"):
            call(dates)


def test_weights_of_another_length_are_refused_beside_those_of_classes():
    X = np.random.default_rng(0).normal(size=(40, 3))
    forest = RandomForestClassifier(3, class_weight="balanced", random_state=0)
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(5,\), expected \(40,\)"):
        forest.fit(X, np.arange(40) % 2, np.ones(5))
