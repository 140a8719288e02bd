"""From p-values to columns: the level, the adjustment, who is tested, what is passed on."""

from dataclasses import field
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.screening import (
    ColumnScreen,
    ForestScreen,
    PairScreen,
)
from geoforest_cli.estimators.screening.base import ColumnTests, Level, Screen


class Fixed(Screen):
    """A screen whose results are its parameters."""

    pvalues: Any = field(default=(), kw_only=False)
    untested: Any = field(default=(), kw_only=False)
    scores: Any = field(default=None, kw_only=False)
    partners: Any = field(default=None, kw_only=False)
    level: Level = 0.05

    def _test_columns(self, table):
        p = table.shape[1]
        tested = ~np.isin(np.arange(p), self.untested)
        scores = np.arange(1.0, 1.0 + p) if self.scores is None else np.array(self.scores)
        partners = None if self.partners is None else np.array(self.partners)
        return ColumnTests.of(scores, np.array(self.pvalues), tested, partners)


def fitted(pvalues, *untested, **rules):
    return Fixed(pvalues, untested, **rules).fit(np.eye(len(pvalues)))


def test_a_column_exactly_at_the_level_is_kept():
    screen = fitted([0.25, 0.125, 0.03125], level=0.25)
    assert screen.adjusted_.tolist() == [0.25, 0.25, 0.09375]
    assert screen.get_support().all()
    assert fitted([0.25, 0.125, 0.03125], level=0.2499).get_support().tolist() == [
        False,
        False,
        True,
    ]


def test_the_adjustment_is_the_one_asked_for():
    pvalues = [0.01, 0.03, 0.02]
    holm, false_discoveries = (
        fitted(pvalues, level=0.031, adjust=adjust) for adjust in ("fwer", "fdr")
    )
    np.testing.assert_allclose(holm.adjusted_, [0.03, 0.04, 0.04])
    np.testing.assert_allclose(false_discoveries.adjusted_, [0.03, 0.03, 0.03])
    assert holm.get_support().tolist() == [True, False, False]
    assert false_discoveries.get_support().all()


def test_columns_that_cannot_be_judged_are_no_tests():
    screen = fitted([0.025, 0.02, 0.01, 0.025], 2, level=0.06)
    assert screen.pvalues_[2] == screen.adjusted_[2] == 1
    assert screen.scores_.tolist() == [1, 2, 0, 4]
    np.testing.assert_allclose(screen.adjusted_, [0.06, 0.06, 1, 0.06])
    assert screen.partners_.tolist() == [-1] * 4
    with pytest.raises(DataError, match=r"^The 'level' parameter of Fixed must be a float"):
        fitted([0.5], level=1)


class Both(ColumnScreen):
    """Two screens with fixed results."""

    def _screens(self, p=0):
        return self.fixed


def test_either_of_two_screens_at_half_the_level():
    screen = Both()
    screen.fixed = (
        Fixed([0.01, 0.7, 0.2, 0.5, 0.0], [3], [2.0, -1, 1, 0, 50], [1, 0, 4, 4, 0]),
        Fixed([0.04, 0.6, 0.02, 0.3, 0.1], [1, 4], [2.5, -1, 2, 0, 3]),
    )
    screen.fit(np.eye(5))
    np.testing.assert_allclose(screen.pvalues_, [0.02, 1, 0.04, 0.6, 0])
    smallest = norm.isf([0.01, 0.7, 0.02, 0.3])
    np.testing.assert_allclose(screen.scores_, [*smallest, 50])
    # each is judged by one of the two at least
    np.testing.assert_allclose(screen.adjusted_, [0.08, 1, 0.12, 1, 0])
    # the second names none where it decides
    assert screen.partners_.tolist() == [1, 0, -1, -1, 0]


def test_the_front_door_passes_on_what_it_is_told():
    rules = {"level": 0.2, "adjust": "fdr", "bins": 5, "n_jobs": 2}
    pairs, forest = ColumnScreen("both", random_state=8, **rules)._screens()
    assert isinstance(pairs, PairScreen)
    assert isinstance(forest, ForestScreen)
    assert forest.random_state == 8
    for screen in (pairs, forest):
        assert {name: screen.get_params()[name] for name in rules} == rules
