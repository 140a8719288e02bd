"""Methods of neighbours behind a screen."""

import numpy as np
import pytest
from pydantic import ValidationError

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.registry import parameter_model
from geoforest_cli.estimators.baselines.euclidean import Euclidean
from geoforest_cli.estimators.baselines.isomap import Isomap
from geoforest_cli.estimators.methods import METHODS, build
from geoforest_cli.estimators.screening import ScreenedNeighbors


def curve(n=200, noise=30):
    rng = np.random.default_rng(0)
    t = np.linspace(0, 1, n)
    return np.c_[np.cos(4 * t), 50 * rng.normal(size=(n, noise)), np.sin(4 * t)]


@pytest.mark.compiled
def test_the_method_sees_the_columns_that_are_kept():
    table = curve()
    kept = table[:, [0, -1]]
    model = ScreenedNeighbors("euclidean").fit(table)
    assert model.screen_.get_support(indices=True).tolist() == [0, 31]
    plain = Euclidean().fit(kept)
    np.testing.assert_array_equal(model.distances(), plain.distances())
    for new in (None, table[:5]):
        lists = model.kneighbors(new, 3)
        expected = plain.kneighbors(None if new is None else kept[:5], 3)
        np.testing.assert_array_equal(lists[0], expected[0])
        np.testing.assert_array_equal(lists[1], expected[1])
    assert model.kneighbors(n_neighbors=2, return_distance=False).shape == (200, 2)


@pytest.mark.compiled
def test_from_the_table_of_methods():
    model = build("screened", {"method": "isomap", "params": {"n_neighbors": 9}}, seed=3, n_jobs=2)
    assert (model.random_state, model.n_jobs, model.screen) == (3, 2, "both")
    table = curve()
    model.fit(table)
    expected = Isomap(9).fit(table[:, [0, -1]]).distances()
    np.testing.assert_array_equal(model.distances(), expected)
    # a method has what it has
    assert not hasattr(model, "kneighbors")
    assert not hasattr(ScreenedNeighbors("isomap"), "kneighbors")
    assert hasattr(ScreenedNeighbors("flann"), "kneighbors")
    assert not hasattr(ScreenedNeighbors("flann"), "distances")
    assert METHODS["screened"].kind == "neighbors"


def test_nothing_kept_is_everything_kept_and_said():
    table = np.random.default_rng(0).normal(size=(50, 4))
    with pytest.warns(UserWarning, match="^none of the 4 columns is found to depend on another"):
        model = ScreenedNeighbors().fit(table)
    np.testing.assert_array_equal(model.distances(), Euclidean().fit(table).distances())


WRONG = [
    ("isomp", {}, "unknown method 'isomp'; did you mean 'isomap'"),
    ("k_means", {}, "unknown method of neighbours 'k_means'"),
    ("isomap", {"k": 5}, "isomap: unknown parameter 'k' (known: n_neighbors, rescale)"),
    ("isomap", {"n_neighbors": 0}, "isomap: n_neighbors = 0: Input should be greater than"),
]


@pytest.mark.parametrize(("method", "params", "message"), WRONG)
def test_a_method_that_cannot_be(method, params, message):
    with pytest.raises(DataError) as caught:
        ScreenedNeighbors(method, params).fit(np.eye(9))
    assert message in str(caught.value)
    # a config is told before anything runs
    with pytest.raises(ValidationError) as refused:
        parameter_model(ScreenedNeighbors)(method=method, params=params)
    assert message in str(refused.value)
