"""The one place that builds a method."""

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.estimators.methods import METHODS, build


def test_seed_and_threads_go_where_they_are_taken():
    forest = build("geodesic_forest", {"n_estimators": 5}, seed=0, n_jobs=2)
    assert (forest.n_estimators, forest.random_state, forest.n_jobs) == (5, 0, 2)
    given = build("geodesic_forest", {"random_state": 5, "n_jobs": 3}, seed=1, n_jobs=2)
    assert (given.random_state, given.n_jobs) == (1, 2)
    plain = build("geodesic_forest", {})
    assert (plain.random_state, plain.n_jobs) == (None, None)
    assert build("umap", {}, seed=7, n_jobs=2).random_state == 7
    assert isinstance(build("euclidean", {}, seed=7, n_jobs=2), METHODS["euclidean"].load())


def test_names_that_are_not_known():
    with pytest.raises(UserError, match="did you mean 'isomap'"):
        build("isomp", {})
