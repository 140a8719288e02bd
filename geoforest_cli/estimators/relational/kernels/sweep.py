"""One Gibbs sweep of EPM and NARM, in the order of the authors' programs.

Symbols: phi (N, K) memberships, lam (K, K) rates between communities, r (K,) their weights,
c (N,) and a (N,) rates and shapes of phi; Z (N, N) the mask of observed pairs, zero diagonal.
scalars holds gamma0, c0, epsilon, beta.
"""

import math

import numpy as np

from geoforest_cli.core.jit import kernel
from geoforest_cli.estimators.relational.kernels.draws import (
    TINY,
    crt,
    gamma,
    minus_log_share,
    permutation,
    pick,
    truncated_poisson,
)

GAMMA0, C0, EPSILON, BETA = 0, 1, 2, 3


@kernel
def draw_counts(rng, phi, lam, links, m, n):
    """Steps 1 and 2: latent counts of the observed links, split over communities.

    Fills m (N, K) and the symmetric n (K, K), whose diagonal counts units within a community;
    returns the sum of all counts.
    """
    communities = lam.shape[0]
    m[:, :] = 0
    n[:, :] = 0
    expected = phi @ lam
    first, second = np.empty(communities), np.empty(communities)
    total = 0
    for e in range(links.shape[0]):
        i, j = links[e, 0], links[e, 1]
        rate = 0.0
        for k in range(communities):
            rate += phi[i, k] * expected[j, k]
            first[k] = rate
        for _ in range(truncated_poisson(rng, rate)):
            total += 1
            k1 = pick(rng, first)
            below = 0.0
            for k in range(communities):
                below += lam[k1, k] * phi[j, k]
                second[k] = below
            k2 = pick(rng, second)
            m[i, k1] += 1
            m[j, k2] += 1
            n[k1, k2] += 1
            if k1 != k2:
                n[k2, k1] += 1
    return total


@kernel
def _exposure(Z, expected, i, s):
    """s_k = sum over the pairs (i, j) observed of expected[j, k]."""
    s[:] = 0.0
    for j in range(Z.shape[0]):
        if Z[i, j] > 0:
            # loops instead of slices: a slice costs as much as its sum
            for k in range(s.shape[0]):
                s[k] += expected[j, k]


@kernel
def _move_row(phi, lam, expected, i):
    """Let row i of expected = phi lam follow a change of row i of phi."""
    communities = lam.shape[0]
    expected[i, :] = 0.0
    for k in range(communities):
        weight = phi[i, k]
        if weight > 0:
            for other in range(communities):
                expected[i, other] += weight * lam[k, other]


@kernel
def draw_memberships(rng, phi, lam, a, c, Z, m):
    """Step 3 of EPM: a_i with phi summed out, then phi_i, nodes in random order."""
    nodes, communities = phi.shape
    expected, s = phi @ lam, np.empty(communities)
    for i in permutation(rng, nodes):
        _exposure(Z, expected, i, s)
        tables, logs = 0, 0.0
        for k in range(communities):
            tables += crt(rng, m[i, k], a[i])
            logs += minus_log_share(s[k], c[i])
        a[i] = gamma(rng, 0.01 + tables, 0.01 + logs)
        for k in range(communities):
            phi[i, k] = gamma(rng, a[i] + m[i, k], c[i] + s[k])
        _move_row(phi, lam, expected, i)


@kernel
def draw_attribute_weights(rng, phi, lam, c, Z, m, attributes):
    """Steps 3a to 3c of NARM: the weights h (L, K) of the `Attributes`, and g = prod h^f."""
    first, members, h, g = attributes
    nodes, communities = phi.shape
    exposure = Z @ (phi @ lam)
    logs = np.empty((nodes, communities))
    tables = np.zeros((nodes, communities))
    for i in range(nodes):
        for k in range(communities):
            logs[i, k] = minus_log_share(exposure[i, k], c[i])
            tables[i, k] = crt(rng, m[i, k], g[i, k])
    shape, rate = np.empty(communities), np.empty(communities)
    for attribute in range(h.shape[0]):
        have = members[first[attribute] : first[attribute + 1]]
        shape[:] = 1.0
        rate[:] = 0.0
        for i in have:
            for k in range(communities):
                shape[k] += tables[i, k]
                rate[k] += g[i, k] * logs[i, k]
        for k in range(communities):
            shape[k] = gamma(rng, shape[k], 1.0) / (rate[k] + h[attribute, k])
        h[attribute] *= shape
        for i in have:
            for k in range(communities):
                g[i, k] *= shape[k]


@kernel
def move_attribute_weights(rng, phi, c, attributes):
    """Update h given phi: a Metropolis step on ln h_lk for each attribute and community.

    `draw_attribute_weights` sums out the memberships of all nodes at once, although the exposure
    of each node is made of the others' memberships: it leaves the posterior only nearly invariant
    (Geweke's test tells). This step is exact, and moves less.
    """
    first, members, h, g = attributes
    communities = phi.shape[1]
    factor, logs = np.empty(communities), np.empty(communities)
    for attribute in range(h.shape[0]):
        have = members[first[attribute] : first[attribute + 1]]
        for k in range(communities):
            old = h[attribute, k]
            factor[k] = math.exp(rng.standard_normal())
            logs[k] = math.log(factor[k]) - old * (factor[k] - 1.0)
        for i in have:
            for k in range(communities):
                shape = g[i, k]
                gap = shape * (factor[k] - 1.0)
                logs[k] += gap * (math.log(c[i]) + math.log(max(phi[i, k], TINY)))
                logs[k] += math.lgamma(shape) - math.lgamma(shape + gap)
        for k in range(communities):
            if not math.log(max(rng.random(), TINY)) < logs[k]:
                factor[k] = 1.0
        h[attribute] *= factor
        for i in have:
            g[i] *= factor


@kernel
def draw_memberships_given(rng, phi, lam, c, Z, m, g):
    """Step 3d of NARM: phi given its shapes g, nodes in random order."""
    nodes, communities = phi.shape
    expected, s = phi @ lam, np.empty(communities)
    for i in permutation(rng, nodes):
        _exposure(Z, expected, i, s)
        for k in range(communities):
            phi[i, k] = gamma(rng, g[i, k] + m[i, k], c[i] + s[k])
        _move_row(phi, lam, expected, i)


@kernel
def draw_rates_of_nodes(rng, phi, shapes, c):
    """Step 4: c_i, given the sum of the shapes of phi_i."""
    for i in range(phi.shape[0]):
        c[i] = gamma(rng, 1.0 + shapes[i], 1.0 + phi[i].sum())


@kernel
def pair_exposure(phi, Z):
    """Step 5: theta_kl = sum over observed pairs i < j of what multiplies lambda_kl."""
    theta = phi.T @ (Z @ phi)
    for k in range(theta.shape[0]):
        theta[k, k] *= 0.5
        for other in range(k):
            theta[k, other] = theta[other, k]
    return theta


@kernel
def draw_communities(rng, lam, r, n, theta, scalars):
    """Steps 6 to 11: weights of the communities, their hyperparameters, their rates."""
    communities = r.shape[0]
    beta = scalars[BETA]
    logs = np.empty((communities, communities))
    for k in range(communities):
        for other in range(communities):
            logs[k, other] = minus_log_share(theta[k, other], beta)
    tables, exposure = np.zeros(communities), np.zeros(communities)
    for k in permutation(rng, communities):
        for other in range(communities):
            weight = scalars[EPSILON] if other == k else r[other]
            tables[k] += crt(rng, n[k, other], r[k] * weight)
            exposure[k] += weight * logs[k, other]
        r[k] = gamma(rng, scalars[GAMMA0] / communities + tables[k], scalars[C0] + exposure[k])
    _draw_concentration(rng, r, tables, exposure, scalars)
    scalars[C0] = gamma(rng, 1.0 + scalars[GAMMA0], 1.0 + r.sum())
    within, rate = 0.0, 0.01
    for k in range(communities):
        within += crt(rng, n[k, k], scalars[EPSILON] * r[k])
        rate += r[k] * logs[k, k]
    scalars[EPSILON] = gamma(rng, 0.01 + within, rate)
    shapes, total = 1.0, 1.0
    for k in range(communities):
        for other in range(k + 1):
            prior = r[k] * (scalars[EPSILON] if other == k else r[other])
            lam[k, other] = gamma(rng, n[k, other] + prior, beta + theta[k, other])
            lam[other, k] = lam[k, other]
            shapes += prior
            total += lam[k, other]
    scalars[BETA] = gamma(rng, shapes, total)


@kernel
def _draw_concentration(rng, r, tables, exposure, scalars):
    """Step 7: gamma0 by independence Metropolis-Hastings; returns whether it moved."""
    communities = r.shape[0]
    old, c0 = scalars[GAMMA0], scalars[C0]
    seated, tilt = 0.0, 0.0
    for k in range(communities):
        seated += crt(rng, np.int64(tables[k]), old / communities)
        tilt += math.log1p(exposure[k] / c0) / communities
    new = max(gamma(rng, 1.0 + seated, 1.0 + tilt), TINY)
    logs = 0.0
    for k in range(communities):
        logs += (new - old) / communities * (math.log(c0) + math.log(max(r[k], TINY)))
        logs -= math.lgamma(new / communities) - math.lgamma(old / communities)
    logs += seated * (math.log(old) - math.log(new)) - tilt * (old - new)
    if math.log(max(rng.random(), TINY)) < logs:
        scalars[GAMMA0] = new
        return True
    return False


@kernel
def link_probability(phi, lam):
    """Step 12: 1 - exp(-phi lam phi')."""
    return -np.expm1(-((phi @ lam) @ phi.T))
