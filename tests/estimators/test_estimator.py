"""The base of estimators: a field is a parameter."""

import inspect
import json
from dataclasses import field
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import pandas as pd
import pytest
from pydantic import Field

from geoforest_cli.core.errors import DataError, InvalidParameterError, UserError
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import Seed
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


class ShiftedUp(Shifted):
    def __init__(self, by: Annotated[float, Field(gt=0)] = 1.0) -> None:
        super().__init__(by, way="up")


def _names(cls):
    return [(p.name, p.kind.name, p.default) for p in inspect.signature(cls).parameters.values()]


def test_a_field_is_a_parameter_and_keyword_only_by_default():
    assert _names(Shifted) == [
        ("by", "POSITIONAL_OR_KEYWORD", 1.0),
        ("way", "KEYWORD_ONLY", "up"),
        ("random_state", "KEYWORD_ONLY", None),
    ]
    assert Shifted(3.0).get_params() == {"by": 3.0, "way": "up", "random_state": None}
    with pytest.raises(TypeError):
        Shifted(3.0, "down")


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
        Shifted(-1.0).fit([[1.0]])
    assert inspect.signature(Shifted.fit) == inspect.signature(Shifted.fit.__wrapped__)


def _signature(cls):
    parameters = inspect.signature(cls).parameters.values()
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    defaults = {p.name: None if p.default is p.empty else repr(p.default) for p in parameters}
    return {"positional": positional, "defaults": defaults}


def test_signatures_are_those_that_are_published():
    """Names and defaults of every estimator; a change here is one that users see."""
    published = json.loads(SIGNATURES.read_text("utf-8"))
    signatures = {cls.__name__: _signature(cls) for cls in ESTIMATORS if cls.__name__ in published}
    assert signatures == {name: published[name] for name in signatures}
    assert len(signatures) > 45


@pytest.mark.parametrize("dtype", [object, "category", "string"])
def test_text_and_dates_are_refused_by_the_name_of_their_column(dtype):
    frame = pd.DataFrame({"x": np.arange(40.0), "kind": np.arange(40.0)})
    text = frame.assign(kind=pd.Series([None, "a"] * 20, dtype=dtype))
    dates = frame.assign(x=pd.Timestamp("2024-01-01"))
    y = np.arange(40) % 2
    fitted = RandomForestClassifier(3, random_state=0).fit(frame, y)
    for call in (
        GeodesicForest(2).fit,
        lambda X: RandomForestClassifier(2).fit(X=X, y=y),
        fitted.predict, fitted.predict_proba, fitted.apply,
    ):  # fmt: skip
        with pytest.raises(DataError, match=r"the column 'kind' holds text or categories \('a'\)"):
            call(text)
        with pytest.raises(DataError, match="the column 'x' holds dates or durations"):
            call(dates)


def test_seed_and_threads_go_where_a_method_takes_them():
    given = build("geodesic_forest", {"random_state": 5, "n_jobs": 3}, seed=1, n_jobs=2)
    assert (given.random_state, given.n_jobs) == (1, 2)
    plain = build("geodesic_forest", {"n_estimators": 5})
    assert (plain.n_estimators, plain.random_state, plain.n_jobs) == (5, None, None)
    assert build("umap", {}, seed=0, n_jobs=2).random_state == 0
    assert isinstance(build("euclidean", {}, seed=7, n_jobs=2), METHODS["euclidean"].load())
    with pytest.raises(UserError, match="did you mean 'isomap'"):
        build("isomp", {})
