"""The Gibbs samplers: draws, invariants of a sweep, and Geweke's joint test."""

import pickle

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.relational.chain import Attributes, start_chain
from geoforest_cli.estimators.relational.estimators import EdgePartition, NodeAttributeModel
from geoforest_cli.estimators.relational.kernels import sweep
from tests.estimator_checks import FIT_ON_A_VECTOR, conventions

NEEDS_A_NETWORK = dict.fromkeys(
    [
        *FIT_ON_A_VECTOR,
        "check_complex_data",
        "check_estimators_empty_data_messages",
        "check_fit2d_1sample",
    ],
    "fits a square, symmetric matrix of zeros and ones, the checks have a table of points",
)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@conventions(
    [EdgePartition(3, n_burnin=3, n_samples=3), NodeAttributeModel(3, n_burnin=3, n_samples=3)],
    failing=lambda estimator: NEEDS_A_NETWORK,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def network(nodes, seed, share=0.3):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((nodes, nodes)) < share, 1)
    return (upper | upper.T).astype(int)


def test_expected_rates_follow_the_memberships():
    rng = np.random.default_rng(4)
    chain = start_chain(network(8, 4), 3, rng)
    for _ in range(3):
        chain.sweep()
    P = sweep.link_probability(chain.phi, chain.lam)
    assert np.allclose(P, 1 - np.exp(-chain.phi @ chain.lam @ chain.phi.T))
    model = start_chain(network(8, 4), 1, rng)
    model.sweep()
    expected = 1 - np.exp(-model.lam[0, 0] * np.outer(model.phi, model.phi))
    assert np.allclose(sweep.link_probability(model.phi, model.lam), expected)


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
        attributes = chain.attributes = Attributes.start(F, communities)
        attributes.weights[:] = rng.gamma(1.0, 1.0, attributes.weights.shape)
        with_ones = np.column_stack([F, np.ones(nodes)])
        attributes.shapes[:] = np.exp(with_ones @ np.log(attributes.weights))
        shapes = attributes.shapes
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

    attributes = chain.attributes
    return np.array(
        [
            *bounded(chain.scalars),
            bounded(chain.r).mean(), bounded(chain.r.sum()), bounded(chain.c).mean(),
            bounded(chain.phi).mean(), bounded(chain.phi[0, 0] + chain.phi[1, 0]),
            bounded(np.diag(chain.lam)).mean(), bounded(chain.lam[0, 1]),
            bounded(chain.a).mean() if attributes is None else bounded(attributes.weights[0]).mean(),
            bounded(attributes.weights[-1]).mean() if attributes is not None else 0.0,
            len(chain.links),
            bounded(chain.phi[0] @ chain.lam @ chain.phi[1]),
        ]
    )  # fmt: skip


@pytest.mark.compiled
@pytest.mark.nightly
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
