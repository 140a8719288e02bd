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
from geoforest_cli.estimators.baselines.plain_smerf import PlainSmerf
from geoforest_cli.estimators.baselines.random_forest import SyntheticForest
from geoforest_cli.estimators.forests.classifiers import RandomForestClassifier, SporfClassifier
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.learned_neighbors import LearnedNeighbors
from geoforest_cli.estimators.forests.smerf import Smerf, response_distances
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.estimators.relational.estimators import EdgePartition
from geoforest_cli.estimators.screening import ColumnScreen
from geoforest_cli.estimators.spherelets.estimators import GraphGeodesic

NEEDED = {"image_shape": (2, 2)}  # parameters without a default
TRIED = (0, -1, 2.5, "foo", True, None, float("nan"))
STRICT = ConfigDict(strict=True)


def _estimators():
    found = {}
    for name, entry in METHODS.items():
        try:
            found[entry.load()] = name
        except Unavailable:
            continue
    for name in geoforest_cli.__all__:
        one = getattr(geoforest_cli, name)
        if isinstance(one, type) and hasattr(one, "fit"):
            found.setdefault(one, name)
    return list(found)


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
        told = str(caught.value)
        assert told.startswith(f"The {name!r} parameter of {cls.__name__} must be "), told
        assert f"Got {value!r} instead." in told
        if isinstance(value, str) and value != "foo":
            assert "Did you mean" in told


def test_there_is_much_to_refuse():
    cases = [(cls, *case) for cls in ESTIMATORS for case in _cases(cls)]
    assert len(ESTIMATORS) > 40
    assert len(cases) > 600
    told = {(cls.__name__, name, value) for cls, name, value in cases if value == 0}
    assert ("GeodesicForest", "n_estimators", 0) in told
    assert ("GeodesicForest", "n_jobs", 0) in told
    assert ("GraphGeodesic", "n_neighbors", 0) in told


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda c: c.__name__)
def test_every_parameter_says_what_it_may_be(cls):
    for parameter in _parameters(cls):
        assert parameter.annotation is not parameter.empty
        assert parameter.annotation not in {int, float, str}, f"{parameter.name}: without bounds"


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda c: c.__name__)
def test_numbers_of_numpy_are_numbers(cls):
    given = {}
    for parameter in _parameters(cls):
        if type(parameter.default) is int:
            given[parameter.name] = np.int32(parameter.default)
        elif type(parameter.default) is float:
            given[parameter.name] = np.float32(parameter.default)
        elif type(parameter.default) is bool:
            given[parameter.name] = np.bool_(parameter.default)
        elif isinstance(parameter.default, tuple):
            given[parameter.name] = np.array(parameter.default)
    check_parameters(_with(cls, **given))


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (
            GeodesicForest(0),
            (
                "The 'n_estimators' parameter of GeodesicForest must be an int in the range [1, inf). "
                "Got 0 instead."
            ),
        ),
        (
            GeodesicForest(n_neighbors=-1),
            (
                "The 'n_neighbors' parameter of GeodesicForest must be an int in the range [1, inf). "
                "Got -1 instead."
            ),
        ),
        (
            GeodesicForest(n_jobs=0),
            (
                "The 'n_jobs' parameter of GeodesicForest must be an int in the range (-inf, -1], an "
                "int in the range [1, inf) or None. Got 0 instead."
            ),
        ),
        (
            RandomForestClassifier(max_features="sqr"),
            (
                "The 'max_features' parameter of RandomForestClassifier must be an int in the range "
                "[1, inf), a str among {'sqrt', 'all'} or a float in the range (0.0, inf). Got 'sqr' "
                "instead. Did you mean 'sqrt'?"
            ),
        ),
        (
            ColumnScreen("pair"),
            (
                "The 'method' parameter of ColumnScreen must be a str among {'pairs', "
                "'correlation', 'forest', 'auto', 'both'}. Got 'pair' instead. Did you mean 'pairs'?"
            ),
        ),
        (
            GraphGeodesic(n_neighbors=2.5),
            (
                "The 'n_neighbors' parameter of GraphGeodesic must be an int in the range [1, inf). "
                "Got 2.5 instead."
            ),
        ),
        (
            EdgePartition(n_burnin=-1),
            (
                "The 'n_burnin' parameter of EdgePartition must be an int in the range [0, inf). "
                "Got -1 instead."
            ),
        ),
    ],
)
def test_sentences(model, sentence):
    with pytest.raises(ValueError, match="parameter of") as caught:
        _fit(model)
    assert str(caught.value) == sentence
    assert isinstance(caught.value, DataError)


def test_parameters_come_before_the_data():
    with pytest.raises(InvalidParameterError):
        GeodesicForest(0).fit("no table")


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
    told = "a tuple (an int in the range [1, inf), a float in the range (-inf, inf])"
    assert describe(pair) == told


RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 9))
X[:, 1] = X[:, 0] ** 2
Y = (X[:, 0] > 0).astype(int)
Z = response_distances(X[:, 0])


def _trees(model):
    forest = model.forest_
    return forest.features.tobytes() + forest.threshold.tobytes() + forest.leaf_of.tobytes()


@pytest.mark.parametrize(
    "params",
    [
        {"n_projections": 2, "projection": "oblique", "max_projections": 7},
        {"max_projections": 5, "shortlist": 2, "min_parent": 9},
        {"n_projections": 0.5, "projection": "oblique", "max_projections": 2.5, "nonzeros": 0.2},
    ],
)
def test_numbers_of_numpy_make_the_same_geodesic_forest(params):
    given = {
        name: np.int64(v) if isinstance(v, int) else np.float64(v) if isinstance(v, float) else v
        for name, v in params.items()
    }
    one, two = (GeodesicForest(4, random_state=0, **rules).fit(X) for rules in (params, given))
    assert _trees(one) == _trees(two)


@pytest.mark.parametrize("rule", [3, 0.5])
@pytest.mark.parametrize("forest", [RandomForestClassifier, SporfClassifier])
def test_numbers_of_numpy_make_the_same_classifier(forest, rule):
    given = np.int64(rule) if isinstance(rule, int) else np.float32(rule)
    one, two = (forest(4, max_features=m, random_state=0).fit(X, Y) for m in (rule, given))
    assert _trees(one) == _trees(two)


def test_numbers_of_numpy_make_the_same_learned_distances():
    for cls, fitted in ((Smerf, (X, Z)), (PlainSmerf, (X, Z)), (SyntheticForest, (X,))):
        name = "n_projections" if cls is SyntheticForest else "max_features"
        one, two = (cls(3, **{name: d}, random_state=0).fit(*fitted) for d in (2, np.int64(2)))
        if cls is SyntheticForest:
            np.testing.assert_array_equal(one.distances(), two.distances())
        else:
            np.testing.assert_array_equal(one.pairwise_distances(X), two.pairwise_distances(X))
    one, two = (
        LearnedNeighbors(n_estimators=3, max_features=d, random_state=0).fit(X, Y)
        for d in (2, np.int64(2))
    )
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
