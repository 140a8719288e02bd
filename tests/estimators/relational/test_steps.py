"""Single draws and steps of the samplers against the closed forms of what they draw from."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaln

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.relational.chain import Attributes, start_chain
from geoforest_cli.estimators.relational.estimators import EdgePartition, NodeAttributeModel
from geoforest_cli.estimators.relational.kernels import draws, sweep
from geoforest_cli.estimators.relational.predictors import EpmLinks, NarmLinks, SmerfLinks
from geoforest_cli.estimators.relational.splits import node_split, pair_split


def test_draws_of_a_few_customers_events_and_orders():
    rng = np.random.default_rng(0)
    assert np.mean([draws.gamma(rng, 3.0, 2.0) for _ in range(4000)]) == pytest.approx(
        1.5, abs=0.06
    )
    # the second customer opens a table with 2 / 3, the third with 2 / 4
    tables = [draws.crt(rng, 3, 2.0) for _ in range(4000)]
    assert np.mean(tables) == pytest.approx(1 + 2 / 3 + 2 / 4, abs=0.05)
    for rate in (0.7, 1.5):
        ones = np.mean([draws.truncated_poisson(rng, rate) == 1 for _ in range(4000)])
        assert ones == pytest.approx(rate / np.expm1(rate), abs=0.03)
    orders = [tuple(draws.permutation(rng, 3)) for _ in range(3000)]
    found = np.unique(orders, axis=0, return_counts=True)[1]
    np.testing.assert_allclose(found / 3000, 1 / 6, atol=0.03)


def test_counts_of_one_link_are_split_by_the_rates():
    rng = np.random.default_rng(1)
    phi, lam = np.array([[0.5, 1.0], [2.0, 0.2]]), np.array([[0.4, 0.9], [0.9, 0.3]])
    links, m, n = np.array([[0, 1]]), np.zeros((2, 2), np.int64), np.zeros((2, 2), np.int64)
    totals, halves, pairs = [], np.zeros((2, 2)), np.zeros((2, 2))
    for _ in range(4000):
        totals.append(sweep.draw_counts(rng, phi, lam, links, m, n))
        halves += m
        pairs += n
    rates = phi[0][:, None] * lam * phi[1]
    units = rates / -np.expm1(-rates.sum())
    assert np.mean(totals) == pytest.approx(units.sum(), rel=0.05)
    np.testing.assert_allclose(halves / 4000, [units.sum(axis=1), units.sum(axis=0)], rtol=0.08)
    off = units[0, 1] + units[1, 0]
    np.testing.assert_allclose(pairs / 4000, [[units[0, 0], off], [off, units[1, 1]]], rtol=0.15)


def test_memberships_follow_their_counts_and_exposure():
    rng = np.random.default_rng(2)
    K, shapes, members = 40, [], []
    # one node that is seen with itself alone: an exposure of K, one unit in each community
    for _ in range(100):
        phi, a, c = np.ones((1, K)), np.full(1, 0.1), np.ones(1)
        units = np.ones((1, K), np.int64)
        sweep.draw_memberships(rng, phi, np.ones((K, K)), a, c, np.ones((1, 1)), units)
        shapes.append(a[0] * (0.01 + K * np.log1p(K)))
        members.append(phi.mean() * (1 + K) - a[0] - 1)
    # a times its rate has the mean of its shape, 0.01 and one table in each community
    assert np.mean(shapes) == pytest.approx(K + 0.01, rel=0.05)
    assert np.mean(members) == pytest.approx(0, abs=0.06)


def test_given_shapes_are_those_of_the_memberships():
    rng = np.random.default_rng(3)
    K, seen, c = 30, [], np.array([4.0])
    g, m = np.full((1, K), 1.5), np.full((1, K), 2)
    for _ in range(80):
        phi = np.ones((1, K))
        sweep.draw_memberships_given(rng, phi, np.ones((K, K)) / K, c, np.ones((1, 1)), m, g)
        seen.append(phi)
    # an exposure of 1
    assert np.mean(seen) == pytest.approx(3.5 / 5, rel=0.05)
    assert np.var(seen) == pytest.approx(3.5 / 25, rel=0.15)
    many = np.empty(3000)
    sweep.draw_rates_of_nodes(rng, np.full((3000, 2), 0.25), np.full(3000, 2.0), many)
    assert many.mean() == pytest.approx(3 / 1.5, rel=0.05)


def test_attribute_weights_given_one_table_each():
    rng = np.random.default_rng(4)
    K = 600
    # an exposure of 1 at a rate of 1: every node brings ln 2 in each community
    phi, lam, Z = np.ones((3, K)), np.eye(K) / 2, 1 - np.eye(3)
    h, g, m = np.ones((2, K)), np.ones((3, K)), np.ones((3, K), np.int64)
    first, members = np.array([0, 2, 5]), np.array([0, 1, 0, 1, 2])
    known = Attributes(first, members, h, g)
    sweep.draw_attribute_weights(rng, phi, lam, np.ones(3), Z, m, known)
    assert h[0].mean() == pytest.approx((1 + 2) / (1 + 2 * np.log(2)), rel=0.08)
    # the second attribute, of all three, already meets the shapes of the first
    assert np.mean(h[1] * (1 + np.log(2) * (2 * h[0] + 1))) == pytest.approx(1 + 3, rel=0.08)
    np.testing.assert_allclose(g, [h[0] * h[1], h[0] * h[1], h[1]])


def test_exact_moves_keep_the_posterior_of_a_weight():
    rng = np.random.default_rng(5)
    K = 250
    # two attributes: the first of nobody keeps its prior, the second of one known node
    h, g = np.ones((2, K)), np.ones((1, K))
    phi, c = np.full((1, K), 0.6), np.array([3.0])
    first, members, seen = np.array([0, 0, 1]), np.array([0]), []
    for step in range(120):
        sweep.move_attribute_weights(rng, phi, c, Attributes(first, members, h, g))
        if step >= 20:
            seen.append(h.copy())
    found = np.mean(seen, axis=(0, 2))

    def density(x):
        return np.exp(-x + x * np.log(3.0) + (x - 1) * np.log(0.6) - gammaln(x))

    mean = quad(lambda x: x * density(x), 0, 40)[0] / quad(density, 0, 40)[0]
    assert found[0] == pytest.approx(1, abs=0.07)
    assert found[1] == pytest.approx(mean, abs=0.07)
    np.testing.assert_allclose(g[0], h[1])


def test_without_counts_communities_are_drawn_from_their_priors():
    rng = np.random.default_rng(6)
    K, gaps = 3, []
    none, nowhere = np.zeros((K, K), np.int64), np.zeros((K, K))
    for _ in range(1500):
        scalars, r = np.array([6.0, 2.0, 3.0, 4.0]), np.full(K, 0.5)
        lam = np.ones((K, K))
        sweep.draw_communities(rng, lam, r, none, nowhere, scalars)
        gamma0, c0, epsilon, beta = scalars
        prior = np.outer(r, r)
        np.fill_diagonal(prior, r * epsilon)
        lower = np.tril_indices(K)
        # a gamma variable times its rate has the mean of its shape
        gaps.append([
            r.mean() * 2 - 6 / K,
            c0 * (1 + r.sum()) - (1 + gamma0),
            (lam[lower] * 4 - prior[lower]).mean(),
            # the weight of the inside is near 0 mostly, and seldom large
            (np.diag(lam) * 4 - np.diag(prior)).mean() * (epsilon < 1),
            beta * (1 + lam[lower].sum()) - (1 + prior[lower].sum()),
        ])  # fmt: skip
        assert np.array_equal(lam, lam.T)
    error = np.std(gaps, axis=0) / np.sqrt(len(gaps))
    assert np.abs(np.mean(gaps, axis=0) / error).max() < 4
    assert error[0] < 0.03


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


def test_one_loop_is_enough_to_refuse_a_network():
    A = ring()
    A[3, 3] = 1
    with pytest.raises(DataError, match="links of nodes to themselves"):
        start_chain(A, 2, np.random.default_rng(0))


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
    told = NodeAttributeModel(**sizes, exact=exact).fit(Seen.links, observed, F=Seen.binary)
    for metric in ("auc_roc", "average_precision"):
        assert np.array_equal(epm[metric], expected)
        assert np.array_equal(narm[metric], told.probabilities_)


# pairs of five nodes; four links at the ranks 2, 3, 4 and 5, or 1, 2, 3 and 10
RANKS = {2: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 3: [4, 1, 2, 3, 10, 5, 6, 7, 8, 9]}


class Forest:
    """Stands in for a forest: the first setting ranks better by area, the second by precision."""

    def __init__(self, n_estimators, *, max_features, min_parent, **_):
        self.best_params_ = {"max_features": max_features, "min_parent": min_parent}
        self._d = max_features

    def fit(self, X, distances):
        assert len(X) == len(distances) == 5
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
    ("first", "second", "chosen"),
    [
        (RANKS[2], RANKS[2], 2),
        ([np.nan] * 10, [np.nan] * 10, 2),
        ([np.nan] * 10, RANKS[2], 3),
        (RANKS[2], [np.nan] * 10, 2),
    ],
)
def test_of_equally_good_settings_the_first_is_kept(monkeypatch, first, second, chosen):
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
    assert [params["max_features"] for params in fitted.chosen_.values()] == [chosen, chosen]
    assert {np.unique(scores).item() for scores in fitted.scores().values()} == {1 - chosen}


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
