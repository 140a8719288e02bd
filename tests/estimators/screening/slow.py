"""Slow code for what the screens compute."""

import numpy as np
from scipy.stats import chi2_contingency

from geoforest_cli.estimators.screening.moments import second_moment, third_moment

# columns that are independent of one another
NOISE = {
    "normal": lambda rng, size: rng.normal(size=size),
    "uniform": lambda rng, size: rng.uniform(size=size),
    "lognormal": lambda rng, size: rng.lognormal(size=size),
    "t2": lambda rng, size: rng.standard_t(2, size),
    "counts": lambda rng, size: rng.poisson(2.0, size).astype(float),
    "uneven": lambda rng, size: rng.choice([0.0, 1, 3, 9], size, p=[0.4, 0.3, 0.2, 0.1]),
    "rare": lambda rng, size: (rng.random(size) < rng.uniform(0.01, 0.5, size[1])) * 1.0,
    "gaps": lambda rng, size: np.where(rng.random(size) < 0.3, np.nan, rng.normal(size=size)),
}


def projection(codes):
    """The projection on bins less that on the constants."""
    _, codes, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    return (codes[:, None] == codes) / sizes[codes] - 1 / len(codes)


def eight_sums(A):
    """The sums of `geoforest_cli.estimators.screening.moments`, as they are defined."""
    d, square = np.diag(A), A @ A
    return np.array(
        [
            d.sum() ** 3,
            d.sum() * np.trace(square),
            (square * A.T).sum(),  # the trace of A @ A @ A
            d.sum() * (d**2).sum(),
            (d**3).sum(),
            (A * A * A).sum(),  # many times as quick as A**3
            (d * np.diag(square)).sum(),
            d @ A @ d,
        ]
    )


def moments_of_form(A, B):
    """Mean, variance, skewness of sum_ij A_ij B_s(i)s(j) over permutations s."""
    rows = np.array([float(len(A))])
    mean = np.trace(A) * np.trace(B) / (len(A) - 1)
    squares = [np.array([np.trace(m) ** 2, (m * m).sum(), (np.diag(m) ** 2).sum()]) for m in (A, B)]
    variance = squares[0] @ second_moment(rows)[0] @ squares[1] - mean**2
    third = eight_sums(A) @ third_moment(rows)[0] @ eight_sums(B) - 3 * mean * variance - mean**3
    return mean, variance, third / variance**1.5 if variance > 1e-10 * (1 + mean**2) else np.nan


def cube_root_score(value, mean, variance, skewness):
    """Wilson and Hilferty's z."""
    if not abs(skewness) <= 8:
        return -np.inf
    t = (value - mean) / np.sqrt(variance)
    if abs(skewness) < 1e-6:
        return t
    return 6 / skewness * (np.cbrt(1 + skewness * t / 2) - 1) + skewness / 6


def score_of_table(first, second):
    """The z of two columns of bins, by scipy's chi-square."""
    present = (first >= 0) & (second >= 0)
    n = present.sum()
    parts = [np.unique(codes[present], return_inverse=True)[1] for codes in (first, second)]
    if n < 6 or min(len(set(part)) for part in parts) < 2:
        return -np.inf
    table = np.zeros([part.max() + 1 for part in parts])
    np.add.at(table, tuple(parts), 1)
    value = chi2_contingency(table, correction=False).statistic
    mean, variance, skewness = moments_of_form(*(projection(part) for part in parts))
    return cube_root_score(value, n * mean, n**2 * variance, skewness)


def score_of_pair(first, second):
    """The larger z of the table and of that with neighbouring bins joined."""
    coarse = []
    for codes in (first, second):
        present = codes >= 0
        two = codes.max() == 1
        coarse.append(np.where(present, codes if two else codes // 2, -1))
    return max(score_of_table(first, second), score_of_table(*coarse))
