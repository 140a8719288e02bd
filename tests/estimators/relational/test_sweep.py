"""Whole sweeps of the samplers against slow code, which draw the same numbers in turn."""

import copy

import numpy as np
import pytest
from scipy import stats

from geoforest_cli.estimators.relational.chain import start_chain
from geoforest_cli.estimators.relational.kernels import draws, sweep
from tests.values import changeable

SHAPES = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [1, 0], [0, 0], [1, 1]])


def started(seed, *, attributes, exact=False):
    """A chain of seven nodes of which one pair and one node are not seen, some sweeps on."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((7, 7)) < 0.5, 1)
    observed = np.ones((7, 7), bool)
    observed[0, 1] = observed[1, 0] = False
    observed[4] = observed[:, 4] = False
    chain = start_chain(
        (upper | upper.T).astype(int), 3, rng, observed=observed,
        attributes=SHAPES if attributes else None,
    )  # fmt: skip
    chain.exact = exact
    for _ in range(4):
        chain.sweep()
    return chain


def gamma(rng, shape, rate):
    return draws.gamma(rng, float(shape), float(rate))


def crt(rng, count, concentration):
    return draws.crt(rng, int(count), float(concentration))


def logs_of(exposure, rate):
    return np.minimum(np.log1p(exposure / rate), draws.MOST_LOG)


def slow_counts(rng, phi, lam, links):
    m, n = np.zeros_like(phi, dtype=int), np.zeros_like(lam, dtype=int)
    for i, j in links:
        rates = phi[i][:, None] * lam * phi[j]
        for _ in range(draws.truncated_poisson(rng, rates.sum())):
            k = draws.pick(rng, np.cumsum(rates.sum(axis=1)))
            other = draws.pick(rng, np.cumsum(rates[k]))
            m[i, k] += 1
            m[j, other] += 1
            n[k, other] += 1
            n[other, k] += k != other
    return m, n


def slow_memberships(rng, phi, lam, a, c, Z, m):
    for i in draws.permutation(rng, len(phi)):
        s = Z[i] @ phi @ lam
        tables = sum(crt(rng, count, a[i]) for count in m[i])
        a[i] = gamma(rng, 0.01 + tables, 0.01 + logs_of(s, c[i]).sum())
        phi[i] = [gamma(rng, a[i] + m[i, k], c[i] + s[k]) for k in range(len(s))]


def slow_weights(rng, phi, lam, c, Z, m, attributes):
    """Each weight from what it would be with its own shape: of all who have the attribute."""
    _, _, h, g = attributes
    logs = logs_of(Z @ phi @ lam, c[:, None])
    tables = np.array(
        [[crt(rng, m[i, k], g[i, k]) for k in range(len(lam))] for i in range(len(phi))]
    )
    table = np.column_stack([SHAPES, np.ones(7, int)]) > 0
    for column, have in enumerate(table.T):
        without = g[have] / h[column]
        rate = 1 + (without * logs[have]).sum(axis=0)
        shape = 1 + tables[have].sum(axis=0)
        h[column] = [gamma(rng, *pair) for pair in zip(shape, rate, strict=True)]
        g[have] = without * h[column]


def slow_exact_weights(rng, phi, c, attributes):
    """A step on a logarithmic scale, taken with the ratio of the posterior densities."""
    _, _, h, g = attributes
    table = np.column_stack([SHAPES, np.ones(7, int)]) > 0
    members = np.maximum(phi, draws.TINY)
    taken = 0
    for column, have in enumerate(table.T):

        def density(factor, column=column, have=have):
            logs = stats.gamma.logpdf(members[have], g[have] * factor, scale=1 / c[have][:, None])
            # the prior of a weight is exponential, its density on that scale has one factor more
            return logs.sum(axis=0) + np.log(h[column] * factor) - h[column] * factor

        factor = np.exp([rng.standard_normal() for _ in h[column]])
        ratio = density(factor) - density(np.ones(len(factor)))
        accepted = np.log([rng.random() for _ in factor]) < ratio
        taken += accepted.sum()
        factor = np.where(accepted, factor, 1.0)
        h[column] *= factor
        g[have] *= factor
    return taken


def slow_given_memberships(rng, phi, lam, c, Z, m, g):
    for i in draws.permutation(rng, len(phi)):
        s = Z[i] @ phi @ lam
        phi[i] = [gamma(rng, g[i, k] + m[i, k], c[i] + s[k]) for k in range(len(s))]


def slow_exposure(phi, Z):
    theta = np.zeros((phi.shape[1],) * 2)
    for i in range(len(phi)):
        for j in range(i + 1, len(phi)):
            both = Z[i, j] * np.outer(phi[i], phi[j])
            theta += both + both.T - np.diag(np.diag(both))
    return theta


def slow_communities(rng, lam, r, n, theta, scalars):
    K = len(r)
    gamma0, c0, epsilon, beta = scalars
    logs = logs_of(theta, beta)
    tables, exposure = np.zeros(K, int), np.zeros(K)
    for k in draws.permutation(rng, K):
        weights = np.where(np.arange(K) == k, epsilon, r)
        tables[k] = sum(crt(rng, n[k, o], r[k] * weights[o]) for o in range(K))
        exposure[k] = weights @ logs[k]
        r[k] = gamma(rng, gamma0 / K + tables[k], c0 + exposure[k])
    # the concentration: proposed as if the weights were not known, judged by them
    seated = sum(crt(rng, count, gamma0 / K) for count in tables)
    tilt = np.log1p(exposure / c0).mean()
    new = gamma(rng, 1 + seated, 1 + tilt)

    def judged(x):
        weights = np.maximum(r, draws.TINY)
        target = stats.expon.logpdf(x) + stats.gamma.logpdf(weights, x / K, scale=1 / c0).sum()
        return target - stats.gamma.logpdf(x, 1 + seated, scale=1 / (1 + tilt))

    moved = np.log(rng.random()) < judged(new) - judged(gamma0)
    gamma0 = new if moved else gamma0
    c0 = gamma(rng, 1 + gamma0, 1 + r.sum())
    within = sum(crt(rng, n[k, k], epsilon * r[k]) for k in range(K))
    epsilon = gamma(rng, 0.01 + within, 0.01 + r @ np.diag(logs))
    prior = np.outer(r, r)
    np.fill_diagonal(prior, r * epsilon)
    for k in range(K):
        for other in range(k + 1):
            shape = n[k, other] + prior[k, other]
            lam[k, other] = lam[other, k] = gamma(rng, shape, beta + theta[k, other])
    lower = np.tril_indices(K)
    beta = gamma(rng, 1 + prior[lower].sum(), 1 + lam[lower].sum())
    scalars[:] = gamma0, c0, epsilon, beta
    return moved


def slow_sweep(chain):
    rng, phi, lam, c, Z = chain.rng, chain.phi, chain.lam, chain.c, chain.mask
    chain.m[:], chain.n[:] = slow_counts(rng, phi, lam, chain.links)
    attributes = chain.attributes
    moves = 0
    if attributes is None:
        slow_memberships(rng, phi, lam, chain.a, c, Z, chain.m)
        shapes = len(chain.r) * chain.a
    else:
        if chain.exact:
            moves = slow_exact_weights(rng, phi, c, attributes)
        else:
            slow_weights(rng, phi, lam, c, Z, chain.m, attributes)
        slow_given_memberships(rng, phi, lam, c, Z, chain.m, attributes.shapes)
        shapes = attributes.shapes.sum(axis=1)
    c[:] = [gamma(rng, 1 + s, 1 + rate) for s, rate in zip(shapes, phi.sum(1), strict=True)]
    theta = slow_exposure(phi, Z)
    np.testing.assert_allclose(sweep.pair_exposure(phi, Z), theta, rtol=1e-9)
    return moves, slow_communities(rng, lam, chain.r, chain.n, theta, chain.scalars)


@pytest.mark.parametrize(
    ("attributes", "exact"), [(False, False), (True, False), (True, True)], ids=str
)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_sweep_is_that_of_slow_code(attributes, exact, seed):
    chain = started(seed, attributes=attributes, exact=exact)
    sweeps = []
    for _ in range(12):
        slow = copy.deepcopy(chain)
        sweeps.append(slow_sweep(slow))
        chain.sweep()
        assert np.array_equal(chain.m, slow.m)
        assert np.array_equal(chain.n, slow.n)
        for name in ("phi", "a", "c", "lam", "r", "scalars"):
            np.testing.assert_allclose(
                getattr(chain, name), getattr(slow, name), rtol=1e-7, atol=1e-300, err_msg=name
            )
        if attributes:
            np.testing.assert_allclose(chain.attributes.weights, slow.attributes.weights, rtol=1e-7)
            np.testing.assert_allclose(chain.attributes.shapes, slow.attributes.shapes, rtol=1e-7)
        # the next number is the same: neither has drawn more than the other
        assert copy.deepcopy(chain.rng).random() == slow.rng.random()
    # steps that are judged were taken, and were not
    assert {bool(moved) for _, moved in sweeps} == {True, False}
    assert exact == (0 < sum(moves for moves, _ in sweeps) < 12 * 9)


def test_chains_alone_are_changed():
    assert changeable("geoforest_cli.estimators.relational") == {"Chain"}
