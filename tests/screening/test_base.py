"""From p-values to columns: the level, the adjustment, who is judged, what is passed on."""

import numpy as np
import pytest
from scipy.stats import norm

from geoforest_cli.errors import DataError
from geoforest_cli.screening import ColumnScreen, ForestScreen, PairScreen, ScreenedNeighbors
from geoforest_cli.screening.base import Screen, Verdicts
from geoforest_cli.screening.rivals import KurtosisScreen, LaplacianScreen, VarianceScreen


class Told(Screen):
    """A screen that finds what it is told."""

    def __init__(
        self, pvalues=(), unjudged=(), scores=None, partners=None, *, level=0.05, adjust="fwer"
    ):
        self.pvalues = pvalues
        self.unjudged = unjudged
        self.scores = scores
        self.partners = partners
        self.level = level
        self.adjust = adjust

    def _judge(self, table):
        p = table.shape[1]
        judged = ~np.isin(np.arange(p), self.unjudged)
        scores = np.arange(1.0, 1.0 + p) if self.scores is None else np.array(self.scores)
        partners = None if self.partners is None else np.array(self.partners)
        return Verdicts.of(scores, np.array(self.pvalues), judged, partners)


def told(pvalues, *unjudged, **rules):
    return Told(pvalues, unjudged, **rules).fit(np.eye(len(pvalues)))


def test_a_column_exactly_at_the_level_is_kept():
    screen = told([0.25, 0.125, 0.03125], level=0.25)
    assert screen.adjusted_.tolist() == [0.25, 0.25, 0.09375]
    assert screen.get_support().all()
    assert told([0.25, 0.125, 0.03125], level=0.2499).get_support().tolist() == [False, False, True]


def test_the_adjustment_is_the_one_asked_for():
    pvalues = [0.01, 0.03, 0.02]
    holm, false_discoveries = (
        told(pvalues, level=0.031, adjust=adjust) for adjust in ("fwer", "fdr")
    )
    np.testing.assert_allclose(holm.adjusted_, [0.03, 0.04, 0.04])
    np.testing.assert_allclose(false_discoveries.adjusted_, [0.03, 0.03, 0.03])
    assert holm.get_support().tolist() == [True, False, False]
    assert false_discoveries.get_support().all()


def test_columns_that_cannot_be_judged_are_no_tests():
    screen = told([0.025, 0.02, 0.01, 0.025], 2, level=0.06)
    assert screen.pvalues_[2] == screen.adjusted_[2] == 1
    assert screen.scores_.tolist() == [1, 2, 0, 4]
    np.testing.assert_allclose(screen.adjusted_, [0.06, 0.06, 1, 0.06])
    assert screen.partners_.tolist() == [-1] * 4
    with pytest.raises(DataError, match=r"^level = 1, but"):
        told([0.5], level=1)


class Both(ColumnScreen):
    """Both screens, as they are told."""

    told: tuple[Told, Told]

    def _screens(self):
        return list(self.told)


def test_either_of_two_screens_at_half_the_level():
    screen = Both()
    screen.told = (
        Told([0.01, 0.7, 0.2, 0.5, 0.0], [3], [2.0, -1, 1, 0, 50], [1, 0, 4, 4, 0]),
        Told([0.04, 0.6, 0.02, 0.3, 0.1], [1, 4], [2.5, -1, 2, 0, 3]),
    )
    screen.fit(np.eye(5))
    np.testing.assert_allclose(screen.pvalues_, [0.02, 1, 0.04, 0.6, 0])
    smallest = norm.isf([0.01, 0.7, 0.02, 0.3])
    np.testing.assert_allclose(screen.scores_, [*smallest, 50])
    # each is judged by one of the two at least
    np.testing.assert_allclose(screen.adjusted_, [0.08, 1, 0.12, 1, 0])
    assert screen.partners_.tolist() == [1, 0, 4, 4, 0]


def test_the_front_door_passes_on_what_it_is_told():
    rules = {
        "level": 0.2, "adjust": "fdr", "bins": 5, "rounds": 3, "n_jobs": 2, "random_state": 8,
    }  # fmt: skip
    pairs, forest = ColumnScreen("both", null="permutation", **rules)._screens()
    assert isinstance(pairs, PairScreen)
    assert isinstance(forest, ForestScreen)
    assert pairs.null == "permutation"
    for screen in (pairs, forest):
        assert {name: screen.get_params()[name] for name in rules} == rules


DEFAULTS = {
    ColumnScreen: {
        "method": "both", "level": 0.01, "adjust": "fwer", "bins": "auto", "null": "analytic",
        "rounds": 1, "n_jobs": None, "random_state": None,
    },
    PairScreen: {
        "level": 0.01, "adjust": "fwer", "bins": "auto", "null": "analytic", "permutations": 200,
        "rounds": 1, "n_jobs": None, "random_state": None,
    },
    ForestScreen: {
        "level": 0.01, "adjust": "fwer", "bins": "auto", "halves": 30, "trees": 4, "rounds": 1,
        "n_jobs": None, "random_state": None,
    },
    ScreenedNeighbors: {
        "method": "euclidean", "params": None, "screen": "both", "level": 0.01, "adjust": "fwer",
        "n_jobs": None, "random_state": None,
    },
    KurtosisScreen: {"level": 0.01, "adjust": "fwer"},
    VarianceScreen: {"level": 0.01, "adjust": "fwer"},
    LaplacianScreen: {
        "n_neighbors": 5, "rescale": "standardise", "level": 0.01, "adjust": "fwer",
        "random_state": None,
    },
}  # fmt: skip


@pytest.mark.parametrize("screen", DEFAULTS)
def test_the_defaults_are_those_that_are_measured(screen):
    assert screen().get_params() == DEFAULTS[screen]
