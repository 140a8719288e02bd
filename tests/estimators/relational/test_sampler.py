"""The Gibbs samplers: draws, invariants of a sweep, and Geweke's joint test."""

import pickle

import numpy as np
import pytest
from scipy.special import digamma
from sklearn.metrics import roc_auc_score

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.relational.chain import Attributes, start_chain
from geoforest_cli.estimators.relational.estimators import EdgePartition, NodeAttributeModel
from geoforest_cli.estimators.relational.kernels import draws, sweep


def network(nodes, seed, share=0.3):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((nodes, nodes)) < share, 1)
    return (upper | upper.T).astype(int)


def blocks(sizes=(15, 15), seed=0):
    rng = np.random.default_rng(seed)
    label = np.repeat(np.arange(len(sizes)), sizes)
    rate = np.where(label[:, None] == label[None, :], 0.6, 0.03)
    upper = np.triu(rng.random(rate.shape) < rate, 1)
    return (upper | upper.T).astype(int), label


@pytest.mark.compiled
@pytest.mark.parametrize(("m", "r"), [(1, 0.3), (4, 0.05), (30, 2.0)])
def test_tables_have_their_mean(m, r):
    rng = np.random.default_rng(0)
    found = [draws.crt(rng, m, r) for _ in range(20_000)]
    assert min(found) >= 1
    expected = r * (digamma(r + m) - digamma(r))
    assert np.mean(found) == pytest.approx(expected, abs=5 * np.std(found) / 141 + 1e-12)
    assert draws.crt(rng, 0, r) == 0


@pytest.mark.compiled
@pytest.mark.parametrize("rate", [0.01, 0.7, 1.5, 20.0])
def test_positive_poisson_has_its_mean(rate):
    rng = np.random.default_rng(1)
    found = [draws.truncated_poisson(rng, rate) for _ in range(20_000)]
    assert min(found) >= 1
    expected = rate / -np.expm1(-rate)
    assert np.mean(found) == pytest.approx(expected, abs=5 * np.std(found) / 141)


def test_degenerate_draws():
    rng = np.random.default_rng(2)
    assert draws.gamma(rng, 0.0, 1.0) == 0.0
    assert draws.gamma(rng, 1e-320, 1.0) >= 0.0
    assert draws.truncated_poisson(rng, 0.0) == 1
    assert draws.pick(rng, np.zeros(4)) == 3
    assert draws.minus_log_share(1e300, 1e-300) == draws.MOST_LOG
    assert draws.minus_log_share(np.e - 1, 1.0) == pytest.approx(1.0)


def test_weighted_draws_follow_their_weights():
    rng = np.random.default_rng(3)
    cumulative = np.cumsum([0.0, 1.0, 0.0, 3.0])
    found = np.bincount([draws.pick(rng, cumulative) for _ in range(4000)], minlength=4)
    assert found[0] == found[2] == 0
    assert found[3] / 4000 == pytest.approx(0.75, abs=0.04)


@pytest.mark.parametrize("seed", range(5))
def test_counts_of_a_sweep_add_up(seed):
    rng = np.random.default_rng(seed)
    chain = start_chain(network(12, seed), 4, rng, observed=network(12, seed + 50, 0.7))
    chain.lam = rng.gamma(1.0, 1.0, (4, 4))
    chain.lam += chain.lam.T
    total = sweep.draw_counts(rng, chain.phi, chain.lam, chain.links, chain.m, chain.n)
    assert (chain.n == chain.n.T).all()
    assert np.triu(chain.n).sum() == total >= len(chain.links)
    assert chain.m.sum() == 2 * total
    assert (chain.m.sum(axis=0) == chain.n.sum(axis=1) + np.diag(chain.n)).all()
    linked = np.zeros(12, bool)
    linked[chain.links.ravel()] = True
    assert ((chain.m.sum(axis=1) > 0) == linked).all()


def test_exposure_of_community_pairs_is_the_double_loop():
    rng = np.random.default_rng(0)
    phi, mask = rng.gamma(1.0, 1.0, (7, 3)), network(7, 1, 0.5).astype(float)
    expected = np.zeros((3, 3))
    for i in range(7):
        for j in range(i + 1, 7):
            for k in range(3):
                for other in range(3):
                    both = phi[i, k] * phi[j, other] + phi[i, other] * phi[j, k]
                    expected[k, other] += mask[i, j] * both / (2 if k == other else 1)
    assert np.allclose(sweep.pair_exposure(phi, mask), expected)


@pytest.mark.parametrize("exact", [False, True])
def test_shapes_are_the_products_of_the_weights(exact):
    rng = np.random.default_rng(1)
    F = rng.integers(0, 2, (9, 5))
    F[:, 3] = 0
    chain = start_chain(network(9, 2), 3, rng, attributes=F)
    chain.exact = exact
    for _ in range(4):
        chain.sweep()
    known = chain.attributes
    with_ones = np.column_stack([F, np.ones(9)])
    assert np.allclose(np.log(known.shapes), with_ones @ np.log(known.weights))
    assert (known.weights[3] > 0).all()
    assert known.weights.shape == (6, 3)


def test_expected_rates_follow_the_memberships():
    rng = np.random.default_rng(4)
    chain = start_chain(network(8, 4), 3, rng)
    for _ in range(3):
        chain.sweep()
    P = sweep.link_probability(chain.phi, chain.lam)
    assert np.allclose(P, 1 - np.exp(-chain.phi @ chain.lam @ chain.phi.T))
    one = start_chain(network(8, 4), 1, rng)
    one.sweep()
    expected = 1 - np.exp(-one.lam[0, 0] * np.outer(one.phi, one.phi))
    assert np.allclose(sweep.link_probability(one.phi, one.lam), expected)


@pytest.mark.parametrize("attributes", [False, True])
def test_hidden_pairs_have_no_influence(attributes):
    A, observed = network(10, 5), network(10, 6, 0.6).astype(bool)
    flipped = np.where(observed, A, 1 - A)
    np.fill_diagonal(flipped, 0)
    F = np.eye(10, 4, dtype=int) if attributes else None
    ends = []
    for links in (A, flipped):
        chain = start_chain(links, 3, np.random.default_rng(7), observed=observed, attributes=F)
        for _ in range(5):
            chain.sweep()
        ends.append(chain)
    assert np.array_equal(ends[0].phi, ends[1].phi)
    assert np.array_equal(ends[0].lam, ends[1].lam)


def test_a_chain_goes_on_after_a_pickle():
    straight = start_chain(network(10, 8), 3, np.random.default_rng(0))
    stopped = pickle.loads(pickle.dumps(straight))
    for _ in range(6):
        straight.sweep()
    for _ in range(3):
        stopped.sweep()
    stopped = pickle.loads(pickle.dumps(stopped))
    for _ in range(3):
        stopped.sweep()
    assert np.array_equal(straight.phi, stopped.phi)
    assert np.array_equal(straight.scalars, stopped.scalars)
    straight.collect()
    assert straight.probabilities.shape == (10, 10)


@pytest.mark.compiled
@pytest.mark.parametrize("model", [EdgePartition, NodeAttributeModel])
def test_planted_blocks_are_found(model):
    A, label = blocks()
    rng = np.random.default_rng(1)
    hidden = np.triu(rng.random(A.shape) < 0.2, 1)
    observed = ~(hidden | hidden.T)
    fitted = model(6, n_burnin=300, n_samples=200, random_state=0)
    if model is NodeAttributeModel:
        fitted.fit(A, observed, F=np.eye(2, dtype=int)[label])
    else:
        fitted.fit(A, observed)
    same = label[:, None] == label[None, :]
    P = fitted.probabilities_
    assert roc_auc_score(same[hidden], P[hidden]) > 0.95
    more = fitted.advance(5)
    assert more.chain_.collected == 205


@pytest.mark.compiled
def test_attributes_place_new_nodes():
    A, label = blocks((20, 20))
    new = np.arange(40) % 4 == 0
    observed = np.outer(~new, ~new)
    model = NodeAttributeModel(6, n_burnin=300, n_samples=300, random_state=0)
    P = model.fit(A, observed, F=np.eye(2, dtype=int)[label]).probabilities_
    pairs = np.triu(np.outer(new, ~new) | np.outer(~new, new), 1)
    same = label[:, None] == label[None, :]
    assert roc_auc_score(same[pairs], P[pairs]) > 0.95


def test_bad_networks_are_refused():
    rng = np.random.default_rng(0)
    good = network(5, 0)
    for bad, words in (
        (good[:4], "square"), (good * 2, "0 and 1"), (np.triu(good), "not symmetric"),
        (good + np.eye(5, dtype=int), "themselves"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=words):
            start_chain(bad, 2, rng)
    with pytest.raises(DataError, match="mask"):
        start_chain(good, 2, rng, observed=np.triu(np.ones((5, 5))))
    with pytest.raises(DataError, match="zeros and ones"):
        start_chain(good, 2, rng, attributes=np.full((5, 2), 3))
    with pytest.raises(DataError, match="4 rows of attributes for 5 nodes"):
        start_chain(good, 2, rng, attributes=np.ones((4, 2), int))
    with pytest.raises(DataError, match="no sweep"):
        _ = start_chain(good, 2, rng).probabilities


# Geweke (2004): parameters and data drawn from the prior keep their joint distribution while sweeps
# alternate with data given parameters, if the sweep is right. Short chains from many draws are
# independent of each other, however slowly a long one would forget where it began


def from_prior(rng, nodes, communities, F):
    chain = start_chain(np.zeros((nodes, nodes), int), communities, rng, attributes=F)
    gamma0, c0, beta = rng.gamma(1.0, 1.0, 3)
    epsilon = rng.gamma(0.01, 100.0)
    chain.scalars[:] = gamma0, c0, epsilon, beta
    chain.r[:] = rng.gamma(gamma0 / communities, 1 / c0, communities)
    for k in range(communities):
        for other in range(k + 1):
            shape = chain.r[k] * (epsilon if k == other else chain.r[other])
            chain.lam[k, other] = chain.lam[other, k] = rng.gamma(shape, 1 / beta)
    chain.c[:] = rng.gamma(1.0, 1.0, nodes)
    if F is None:
        chain.a[:] = rng.gamma(0.01, 100.0, nodes)
        shapes = np.repeat(chain.a[:, None], communities, axis=1)
    else:
        known = chain.attributes = Attributes.start(F, communities)
        known.weights[:] = rng.gamma(1.0, 1.0, known.weights.shape)
        with_ones = np.column_stack([F, np.ones(nodes)])
        known.shapes[:] = np.exp(with_ones @ np.log(known.weights))
        shapes = known.shapes
    chain.phi[:] = rng.gamma(shapes, 1 / chain.c[:, None])
    return chain


NODES, CHAINS, SWEEPS = 6, 1000, 10
PAIRS = np.argwhere(np.triu(np.ones((NODES, NODES)), 1)).astype(np.int64)  # all are observed


def draw_links(chain, rng):
    rate = chain.phi @ chain.lam @ chain.phi.T
    drawn = rng.random(rate.shape) < -np.expm1(-rate)
    chain.links = PAIRS[drawn[PAIRS[:, 0], PAIRS[:, 1]]]


def unbearable(chain):
    return (chain.phi @ chain.lam @ chain.phi.T).sum() > 1e8


def moments(chain):
    """Bounded functions: the priors have hardly any moments."""

    def bounded(x):
        return 1 / (1 + x)

    known = chain.attributes
    return np.array(
        [
            *bounded(chain.scalars),
            bounded(chain.r).mean(), bounded(chain.r.sum()), bounded(chain.c).mean(),
            bounded(chain.phi).mean(), bounded(chain.phi[0, 0] + chain.phi[1, 0]),
            bounded(np.diag(chain.lam)).mean(), bounded(chain.lam[0, 1]),
            bounded(chain.a).mean() if known is None else bounded(known.weights[0]).mean(),
            bounded(known.weights[-1]).mean() if known is not None else 0.0,
            len(chain.links),
            bounded(chain.phi[0] @ chain.lam @ chain.phi[1]),
        ]
    )  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize("attributes", [False, True])
def test_joint_distribution(attributes):
    rng = np.random.default_rng(20)
    F = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [0, 0]]) if attributes else None
    changes = []
    for _ in range(CHAINS):
        chain = from_prior(rng, NODES, 2, F)
        chain.exact = True
        draw_links(chain, rng)
        first = moments(chain)
        for _ in range(SWEEPS):
            # one chain in a hundred would count for minutes: fewer than the test can tell
            if unbearable(chain):
                break
            chain.sweep()
            draw_links(chain, rng)
        changes.append(moments(chain) - first)
    changes = np.array(changes)
    error = changes.std(axis=0, ddof=1) / np.sqrt(CHAINS)
    z = changes.mean(axis=0) / np.where(error > 0, error, 1.0)
    assert np.abs(z).max() < 4, z.round(1)
