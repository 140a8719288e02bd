"""Single draws and steps of the samplers against the closed forms of what they draw from."""

import numpy as np
import pytest

from geoforest_cli.estimators.relational.chain import start_chain
from geoforest_cli.estimators.relational.estimators import EdgePartition, NodeAttributeModel
from geoforest_cli.estimators.relational.predictors import EpmLinks, NarmLinks, SmerfLinks
from geoforest_cli.estimators.relational.splits import node_split, pair_split


def ring(n=8):
    A = np.zeros((n, n), int)
    A[np.arange(n), (np.arange(n) + 1) % n] = 1
    return A + A.T


@pytest.mark.parametrize("exact", [None, False, True])
def test_an_estimator_is_the_chain_of_its_numbers_of_sweeps(exact):
    A, F = ring(), np.eye(8, 3, dtype=int)
    if exact is None:
        model = EdgePartition(3, n_burnin=4, n_samples=3, random_state=5).fit(A)
    else:
        model = NodeAttributeModel(3, n_burnin=4, n_samples=3, exact=exact, random_state=5)
        model.fit(A, F=F)
    seed = np.random.RandomState(5).randint(0, 2**32, dtype=np.uint32)
    rng = np.random.default_rng(int(seed))
    chain = start_chain(A, 3, rng, attributes=None if exact is None else F)
    chain.exact = bool(exact)
    seen = []
    for sweeps in range(7):
        chain.sweep()
        if sweeps >= 4:
            seen.append(1 - np.exp(-chain.phi @ chain.lam @ chain.phi.T))
    expected = np.mean(seen, axis=0) * (1 - np.eye(8))
    np.testing.assert_allclose(model.probabilities_, expected, rtol=1e-9, atol=1e-15)
    assert (model.chain_.sweeps, model.chain_.collected) == (7, 3)


def test_a_chain_starts_as_the_programs_do():
    chain = start_chain(ring(), 4, np.random.default_rng(0))
    np.testing.assert_allclose(chain.lam, np.full((4, 4), 1 / 16) + np.eye(4) * 3 / 16)
    assert chain.r.tolist() == [1 / 4] * 4
    assert np.unique(chain.a).tolist() == [0.01]
    assert np.unique(chain.c).tolist() == [1]
    assert chain.scalars.tolist() == [1] * 4
    assert np.array_equal(chain.mask, 1 - np.eye(8))
    assert len(chain.links) == 8


class Seen:
    """A network of a ring whose attributes say which half a node is in."""

    links = ring(12)
    binary = np.repeat(np.eye(2, dtype=int), 6, axis=0)
    features = np.arange(12.0)[:, None] % 6


@pytest.mark.parametrize("exact", [False, True])
def test_predictors_hand_on_what_they_are_given(exact):
    observed = np.ones((12, 12), bool)
    observed[:, 3] = observed[3] = False
    sizes = {"n_communities": 3, "n_burnin": 2, "n_samples": 2, "random_state": 4}
    epm = EpmLinks(**sizes).fit(Seen(), observed).scores()
    expected = EdgePartition(**sizes).fit(Seen.links, observed).probabilities_
    narm = NarmLinks(**sizes, exact=exact).fit(Seen(), observed).scores()
    direct = NodeAttributeModel(**sizes, exact=exact).fit(Seen.links, observed, F=Seen.binary)
    for metric in ("auc_roc", "average_precision"):
        assert np.array_equal(epm[metric], expected)
        assert np.array_equal(narm[metric], direct.probabilities_)


# pairs of five nodes; four links at the ranks 2, 3, 4 and 5, or 1, 2, 3 and 10
RANKS = {2: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 3: [4, 1, 2, 3, 10, 5, 6, 7, 8, 9]}


class Forest:
    """Stands in for a forest: the first setting ranks better by area, the second by precision."""

    def __init__(self, n_estimators, *, max_features, min_parent, **_):
        self.best_params_ = {"max_features": max_features, "min_parent": min_parent}
        self._d = max_features

    def fit(self, X, cuts, distances):
        assert len(X) == len(cuts) == len(distances) == 5
        self.oob_distances_ = np.full((5, 5), np.nan)
        self.oob_distances_[np.triu_indices(5, 1)] = RANKS[self._d]
        return self

    def pairwise_distances(self, X):
        return np.full((len(X), len(X)), float(self._d))


def test_each_metric_chooses_its_own_forest(monkeypatch):
    from geoforest_cli.estimators.relational import predictors

    links = np.zeros((6, 6), int)
    upper = np.array(np.triu_indices(5, 1))
    # the links are the pairs 1 to 4 of the ranks above
    links[tuple(upper[:, 1:5])] = 1
    network = Seen()
    network.links, network.features = links + links.T, np.zeros((6, 1))
    observed = np.zeros((6, 6), bool)
    observed[:5, :5] = ~np.eye(5, dtype=bool)
    monkeypatch.setattr(predictors, "Smerf", Forest)
    monkeypatch.setattr(predictors, "tuning_grid", lambda *_: [(2, 2), (3, 2)])
    fitted = SmerfLinks().fit(network, observed)
    assert fitted.chosen_["auc_roc"]["max_features"] == 2
    assert fitted.chosen_["average_precision"]["max_features"] == 3
    assert np.unique(fitted.scores()["auc_roc"]).tolist() == [-1]
    assert np.unique(fitted.scores()["average_precision"]).tolist() == [-2]


@pytest.mark.parametrize(
    ("first", "second", "best"),
    [
        (RANKS[2], RANKS[2], 2),
        ([np.nan] * 10, [np.nan] * 10, 2),
        ([np.nan] * 10, RANKS[2], 3),
        (RANKS[2], [np.nan] * 10, 2),
    ],
)
def test_of_equally_good_settings_the_first_is_kept(monkeypatch, first, second, best):
    from geoforest_cli.estimators.relational import predictors

    links = np.zeros((5, 5), int)
    links[0, 1] = links[1, 0] = 1
    network = Seen()
    network.links, network.features = links, np.zeros((5, 1))
    monkeypatch.setitem(RANKS, 2, first)
    monkeypatch.setitem(RANKS, 3, second)
    monkeypatch.setattr(predictors, "Smerf", Forest)
    monkeypatch.setattr(predictors, "tuning_grid", lambda *_: [(2, 2), (3, 2)])
    fitted = SmerfLinks().fit(network, ~np.eye(5, dtype=bool))
    assert [params["max_features"] for params in fitted.chosen_.values()] == [best, best]
    assert {np.unique(scores).item() for scores in fitted.scores().values()} == {1 - best}


def test_held_out_pairs_spare_last_links_only_if_asked():
    A = ring(6)
    for seed in range(6):
        observed = pair_split(A, 2, np.random.default_rng(seed), keep_last_link=True)
        # one pair is to stay: links are left to cover every node, and no other pair
        seen = observed & (A > 0)
        assert seen.any(axis=1).all()
        assert np.array_equal(observed, seen)
        free = pair_split(A, 2, np.random.default_rng(seed), keep_last_link=False)
        assert np.triu(free).sum() == 1
    counts = np.zeros(6)
    for seed in range(600):
        counts += node_split(6, 2, np.random.default_rng(seed))
    np.testing.assert_allclose(counts / 600, 2 / 6, atol=0.07)
