"""Slow, obvious code for the forests: they read like the papers' pseudocode."""

import math
from itertools import count, pairwise

import numpy as np

from tests.naive_scores import delta_bic, one_gaussian

MASK = (1 << 64) - 1


class SplitMix:
    """The kernels' random stream in plain integers."""

    def __init__(self, seed):
        self.state = int(seed) & MASK

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        x = self.state
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
        return x ^ (x >> 31)

    def below(self, bound):
        return int((self.bits() >> 11) / 2**53 * bound)

    def bag(self, n):
        drawn = [self.below(n) for _ in range(n)]
        return np.bincount(drawn, minlength=n)


def axis_candidates(stream, permutation, d):
    candidates = []
    for c in range(d):
        j = c + stream.below(len(permutation) - c)
        permutation[c], permutation[j] = permutation[j], permutation[c]
        candidates.append([(permutation[c], 1.0)])
    return candidates


def oblique_candidates(stream, p, d, n_nonzeros):
    cells = []
    while len(cells) < n_nonzeros:
        cell = stream.below(p * d)
        if cell not in cells:
            cells.append(cell)
    matrix = {}
    for cell in cells:
        sign = 1.0 if stream.bits() & 1 else -1.0
        matrix.setdefault(cell // p, []).append((cell % p, sign))
    return [matrix[c] for c in sorted(matrix)]


def project(X, row, candidate):
    return sum(weight * X[row, feature] for feature, weight in candidate)


def grow_tree(X, seed, score, *, sampler, d, n_nonzeros, min_parent):
    """Algorithm 1 by recursion; returns the leaves as sets of points, and the bag counts."""
    n, p = X.shape
    stream = SplitMix(seed)
    counts = stream.bag(n)
    permutation = list(range(p))

    def build(rows):
        bag = [r for r in rows for _ in range(counts[r])]
        if len(bag) < min_parent or len(set(bag)) < 2:
            return [frozenset(rows)]
        if sampler == "axis":
            candidates = axis_candidates(stream, permutation, d)
        else:
            candidates = oblique_candidates(stream, p, d, n_nonzeros)
        scored = [(*score([project(X, r, c) for r in bag]), c) for c in candidates]
        smallest, threshold, best = math.inf, math.nan, None
        for value, cut, candidate in scored:
            if value < smallest:
                smallest, threshold, best = value, cut, candidate
        if best is None:
            return [frozenset(rows)]
        left = [r for r in rows if project(X, r, best) < threshold]
        right = [r for r in rows if not project(X, r, best) < threshold]
        in_left = sum(counts[r] for r in left)
        if in_left in {0, len(bag)}:
            return [frozenset(rows)]
        return build(left) + build(right)

    return build(list(range(n))), counts


def tree_seed(root, t):
    """The first number of the stream that starts t steps after the root."""
    return SplitMix(root + (t - 1) * 0x9E3779B97F4A7C15).bits()


def mixed_candidate(stream, permutation, seen):
    """A column not drawn before in this node, or the sum or difference of two."""
    p = len(permutation)
    if p == 1 or (seen < p and stream.bits() & 1):
        j = seen + stream.below(p - seen)
        permutation[seen], permutation[j] = permutation[j], permutation[seen]
        return [(permutation[seen], 1.0)]
    i, j = stream.below(p), stream.below(p - 1)
    sign = 1.0 if stream.bits() & 1 else -1.0
    return [(permutation[i], 1.0), (permutation[j if j < i else j + 1], sign)]


def patch_candidate(stream, patches):
    """The pixels of a random rectangle, its size drawn before its corner or after it."""
    H, W = patches.height, patches.width
    (h1, h2), (w1, w2) = patches.heights, patches.widths
    if patches.order == "size_first":
        h, w = h1 + stream.below(h2 - h1 + 1), w1 + stream.below(w2 - w1 + 1)
        u = stream.below(W if patches.wrap else W - w + 1)
        v = stream.below(H if patches.wrap else H - h + 1)
    else:
        u = stream.below(W if patches.wrap else W - w1 + 1)
        v = stream.below(H if patches.wrap else H - h1 + 1)
        w = w1 + stream.below((w2 if patches.wrap else min(w2, W - u)) - w1 + 1)
        h = h1 + stream.below((h2 if patches.wrap else min(h2, H - v)) - h1 + 1)
    return [((v + i) % H * W + (u + j) % W, 1.0) for i in range(h) for j in range(w)]


def smallest_step(values):
    x = sorted(values)
    return min((b - a for a, b in pairwise(x) if b - a > 1e-9 * (x[-1] - x[0])), default=0.0)


def recorded_step(values):
    """The smallest difference, if values repeat and all differences are multiples of it."""
    step = smallest_step(values)
    places = [(x - min(values)) / step for x in values] if step else []
    whole = all(abs(value - round(value)) < 1e-6 for value in places)
    return step if whole and 2 * len({round(p) for p in places}) <= len(values) else 0.0


def step_of(values, steps):
    """Step of a sum of columns with these steps, 0 for those without."""
    if len(steps) > 1 and all(steps):
        return max(*steps, smallest_step(values))
    return max(steps)


def shortlist(X, steps, share, floor, most):
    """Columns of the smallest delta-BIC, of those with three values at least."""
    least = max(1, math.ceil(share * len(X)))
    scores = {
        j: delta_bic(column, floor, least, steps[j] ** 2 / 12)[0]
        for j, column in enumerate(X.T.tolist())
        if len(set(column)) > 2
    }
    return sorted(scores, key=lambda j: scores[j])[:most]


def draws(lists, stream, number):
    """Candidates of one node: of all columns and of those on the list in turns."""
    lists = [columns for columns in lists if len(columns) > 1] or lists[:1]
    seen = [0] * len(lists)
    while True:
        for which, columns in enumerate(lists):
            for _ in range(number):
                candidate = mixed_candidate(stream, columns, seen[which])
                seen[which] += len(candidate) == 1
                yield candidate


def default_rules(X, stream, patches, share, floor, listed):
    """Return what draws a node's candidates, and the steps in which their values are recorded."""
    if patches is None:
        p = X.shape[1]
        steps = [recorded_step(column.tolist()) for column in X.T]
        lists = [list(range(p)), shortlist(X, steps, share, floor, listed)]
        return (
            lambda: draws(lists, stream, math.ceil(math.sqrt(p))),
            lambda values, candidate: step_of(values, [steps[j] for j, _ in candidate]),
        )
    whole = bool((X.round() == X).all())
    return (
        lambda: (patch_candidate(stream, patches) for _ in count()),
        lambda values, _candidate: max(1.0, smallest_step(values)) if whole else 0.0,
    )


def grow_default_tree(
    X, seed, *, min_parent, share, floor, budget, patches=None, patience=1.0, listed=0
):  # fmt: skip
    """Leaves of a tree that draws until two Gaussians explain a candidate better than one.

    It cuts the one of smallest mean-BIC: delta-BIC and half the BIC of one Gaussian, which has the
    variance 1 where values are recorded in steps. Of patches, the one of smallest delta-BIC.
    Children of a node where none is explained better draw less.
    """
    n = len(X)
    stream = SplitMix(seed)
    counts = stream.bag(n)
    begin, step = default_rules(X, stream, patches, share, floor, listed)

    def build(rows, most):
        bag = [r for r in rows for _ in range(counts[r])]
        if len(bag) < min_parent or len(set(bag)) < 2:
            return [frozenset(rows)]
        least = max(1, math.ceil(share * len(bag)))
        smallest, threshold, best = math.inf, math.nan, None
        heirs = max(1, int(most * patience))
        for _, candidate in zip(range(most), begin(), strict=False):
            values = [project(X, r, candidate) for r in bag]
            if len(candidate) > 1 and max(values) - min(values) < 1e-12:
                continue
            h = step(values, candidate)
            delta, cut = delta_bic(values, floor, least, h * h / 12)
            n_bag = len(bag)
            score = delta
            if patches is None and delta < math.inf:
                flat = n_bag * math.log(2 * math.pi) + n_bag + 2 * math.log(n_bag)
                score += (flat if h > 0 else one_gaussian(values)) / 2
            if score < smallest:
                smallest, threshold, best = score, cut, candidate
            if delta < 0:
                heirs = budget
                break
        if best is None:
            return [frozenset(rows)]
        left = [r for r in rows if project(X, r, best) < threshold]
        right = [r for r in rows if not project(X, r, best) < threshold]
        return build(left, heirs) + build(right, heirs)

    return {leaf for leaf in build(list(range(n)), budget) if leaf}


def leaf_counts(leaf_of, eligible=None):
    """L_ij and T_ij by looping over pairs and trees."""
    n_trees, n = leaf_of.shape
    together = np.zeros((n, n), dtype=int)
    trees = np.zeros((n, n), dtype=int)
    for t in range(n_trees):
        for i in range(n):
            for j in range(n):
                if eligible is None or (eligible[t, i] and eligible[t, j]):
                    trees[i, j] += 1
                    together[i, j] += leaf_of[t, i] == leaf_of[t, j]
    return together, trees


def weighted_proximity(leaf_of, in_bag, weights, leaves=None):
    """The proximities of training rows, or of new rows with these leaves, pair by pair."""
    n_trees, n = leaf_of.shape
    new = leaves is not None
    leaves = leaf_of if leaves is None else leaves
    matrix = np.zeros((leaves.shape[1], n))
    for i in range(leaves.shape[1]):
        for j in range(n):
            out = [t for t in range(n_trees) if new or in_bag[t, i] == 0]
            both = [t for t in out if in_bag[t, j] == 0]
            trees = {"oob": both, "gap": out}.get(weights, range(n_trees))
            total = 0.0
            for t in trees:
                mates = leaf_of[t] == leaves[t, i]
                if mates[j]:
                    total += {
                        "uniform": 1, "oob": 1, "kerf": 1 / mates.sum(),
                        "gap": in_bag[t, j] / in_bag[t, mates].sum(),
                    }[weights]  # fmt: skip
            matrix[i, j] = total / len(trees) if len(trees) else np.nan
    if not new and weights in {"uniform", "oob"}:
        np.fill_diagonal(matrix, 1.0)
    return matrix


def impurity_of(y, left):
    """The sum of squares within two sides, by which cuts are ranked as by variance or Gini."""
    return sum(((y[side] - y[side].mean()) ** 2).sum() for side in (left, ~left) if side.any())


def best_cut_with_missing(X, y):
    """The smallest impurity of all cuts of columns, missing values on either side, and its rows."""
    scored = []
    for column in X.T:
        values = np.unique(column[~np.isnan(column)])
        for cut in [-np.inf, *(values[1:] + values[:-1]) / 2, np.inf]:
            for side in (False, True):
                left = np.where(np.isnan(column), side, column < cut)
                if 0 < left.sum() < len(y):
                    scored.append((impurity_of(y, left), left))
    return min(scored, key=lambda entry: entry[0])


def nearest_by_leaves(leaf_of, leaves, row, k, seed, mix):
    """Shares and rows of the k points that share most leaves with a query, one after the other."""
    n_trees, n = leaf_of.shape
    salt = np.uint64(mix(np.uint64(seed), np.int64(row)))
    if row < 0:
        for leaf in leaves:
            salt = np.uint64(mix(salt, np.uint64(leaf)))
    shared = [sum(int(leaf_of[t, j] == leaves[t]) for t in range(n_trees)) for j in range(n)]
    others = [j for j in range(n) if j != row]
    neighbors = sorted(
        (j for j in others if shared[j] > 0),
        key=lambda j: (-shared[j], int(mix(salt, np.uint64(j))) >> 20),
    )[:k]
    rest = [j for j in others if shared[j] == 0]
    missing, draw = k - len(neighbors), n
    drawable = len(rest)
    if 2 * missing <= drawable:
        while len(neighbors) < k:
            draw += 1
            j = int(mix(salt, np.uint64(draw))) % n
            if j in rest:
                rest.remove(j)
                neighbors.append(j)
    else:
        neighbors += sorted(rest, key=lambda j: int(mix(salt, np.uint64(j))))[:missing]
    return [shared[j] for j in neighbors], neighbors
