"""Parameters are checked in `fit`, in scikit-learn's words, for all estimators alike."""

import inspect
import math
from typing import Annotated, Any

import numpy as np
import pytest
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

import geoforest_cli
from geoforest_cli.core.annotations import choices
from geoforest_cli.core.errors import DataError, InvalidParameterError, Unavailable
from geoforest_cli.core.registry import init_parameters
from geoforest_cli.estimators.base.parameters import check_parameters, describe
from geoforest_cli.estimators.forests.classifiers import RandomForestClassifier, SporfClassifier
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.smerf import Smerf, response_distances
from geoforest_cli.estimators.methods import METHODS

NEEDED = {"image_shape": (2, 2)}  # parameters without a default
TRIED = (0, -1, 2.5, "foo", True, None, float("nan"))
STRICT = ConfigDict(strict=True)


def _estimators():
    names = {}
    for name, entry in METHODS.items():
        try:
            names[entry.load()] = name
        except Unavailable:
            continue
    for name in geoforest_cli.__all__:
        cls = getattr(geoforest_cli, name)
        if isinstance(cls, type) and hasattr(cls, "fit"):
            names.setdefault(cls, name)
    return list(names)


ESTIMATORS = _estimators()


def _parameters(cls):
    return init_parameters(cls).values()


def _with(cls, **given):
    needed = {p.name: NEEDED[p.name] for p in _parameters(cls) if p.default is p.empty}
    return cls(**(needed | given))


def _fit(estimator):
    positional = [
        p
        for p in inspect.signature(estimator.fit).parameters.values()
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    return estimator.fit(*[np.eye(4) for _ in positional])


def _refused(annotation, value):
    try:
        TypeAdapter(annotation, config=STRICT).validate_python(value)
    except ValidationError:
        return True
    return False


def _cases(cls):
    for parameter in _parameters(cls):
        if parameter.annotation is Any or parameter.name in {"params", "method"}:
            continue
        for value in (*TRIED, *(f"{word}_" for word in choices(parameter.annotation))):
            if _refused(parameter.annotation, value):
                yield parameter.name, value


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda c: c.__name__)
def test_what_is_not_allowed_is_refused_by_fit_and_not_before(cls):
    for name, value in _cases(cls):
        estimator = _with(cls, **{name: value})
        with pytest.raises(InvalidParameterError) as caught:
            _fit(estimator)
        message = str(caught.value)
        assert message.startswith(f"The {name!r} parameter of {cls.__name__} must be "), message
        assert f"Got {value!r} instead." in message
        if isinstance(value, str) and value != "foo":
            assert "Did you mean" in message


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda c: c.__name__)
def test_every_parameter_says_its_values_and_takes_numpys(cls):
    of_numpy = {int: np.int32, float: np.float32, bool: np.bool_, tuple: np.array}
    given = {}
    for parameter in _parameters(cls):
        assert parameter.annotation not in {parameter.empty, int, float, str}, parameter.name
        if convert := of_numpy.get(type(parameter.default)):
            given[parameter.name] = convert(parameter.default)
    check_parameters(_with(cls, **given))


def test_parameters_of_a_user_s_own_class():
    class Mine(GeodesicForest):
        def __init__(self, n_estimators=5, *, level: Annotated[float, Field(gt=0)] = 1.0, other=2):
            super().__init__(n_estimators)
            self.level = level
            self.other = other

    Mine(0, other="anything")
    check_parameters(Mine(3, other="anything"))
    with pytest.raises(InvalidParameterError, match="The 'level' parameter of Mine must be a flo"):
        check_parameters(Mine(level=0.0))


def test_bounds_in_words():
    assert describe(Annotated[int, Field(gt=2, lt=5)]) == "an int in the range (2, 5)"
    assert describe(float | None) == "an instance of 'float' or None"
    pair = tuple[Annotated[int, Field(ge=1)], Annotated[float, Field(le=math.inf)]]
    words = "a tuple (an int in the range [1, inf), a float in the range (-inf, inf])"
    assert describe(pair) == words


@pytest.mark.parametrize(
    ("model", "allowed"),
    [
        (GeodesicForest(0), "an int in the range [1, inf). Got 0 instead."),
        (
            GeodesicForest(n_jobs=0),
            "an int in the range (-inf, -1], an int in the range [1, inf) or None. Got 0 instead.",
        ),
        (
            RandomForestClassifier(voting="means"),
            "a str among {'mean', 'majority'}. Got 'means' instead. Did you mean 'mean'?",
        ),
    ],
)
def test_sentences(model, allowed):
    with pytest.raises(InvalidParameterError) as caught:
        model.fit("no table", [0, 1])
    assert str(caught.value).endswith(f" of {type(model).__name__} must be {allowed}")
    assert isinstance(caught.value, DataError)
    assert isinstance(caught.value, ValueError)


X = np.random.default_rng(0).normal(size=(60, 9))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize(
    ("cls", "params", "target"),
    [
        (GeodesicForest, {"n_projections": 2, "projection": "oblique", "max_projections": 7}, ()),
        (GeodesicForest, {"max_projections": 5, "shortlist": 2, "min_parent": 9}, ()),
        (GeodesicForest, {"n_projections": 0.5, "max_projections": 2.5, "nonzeros": 0.2}, ()),
        (RandomForestClassifier, {"max_features": 3}, (Y,)),
        (SporfClassifier, {"max_features": 0.5}, (Y,)),
        (Smerf, {"max_features": 2}, (response_distances(X[:, 0]),)),
    ],
)
def test_numbers_of_numpy_make_the_same_trees(cls, params, target):
    given = {
        name: np.int64(v) if isinstance(v, int) else np.float64(v) if isinstance(v, float) else v
        for name, v in params.items()
    }
    first, second = (
        cls(4, random_state=0, **rules).fit(X, *target).forest_ for rules in (params, given)
    )
    for name in ("features", "threshold", "leaf_of"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
