"""Score that the authors' R program computes under the name Fast-BIC (as_run)."""

import math

import numpy as np

from geoforest_cli.core.jit import inlined_kernel, inner_kernel
from geoforest_cli.estimators.forests.kernels.criterion import scan
from geoforest_cli.estimators.forests.kernels.fast_bic import ROUGH, rough_log
from geoforest_cli.estimators.forests.kernels.rules import Points

_PI_AS_RUN = 3.14
_LN_TWO_PI = math.log(2.0 * _PI_AS_RUN)
_LEAST_ROUGH = 1e-300  # rough logarithms know no smaller numbers


class FastBicLegacy(Points):
    """Data of the program's Fast-BIC."""


@inner_kernel
def _spread(x, low, high, mean, origin, sums, squares):
    """Sum of (x - mean)^2 over x[low:high], exactly zero where all equal the mean.

    sums and squares are prefix sums of x - origin.
    """
    if high <= low:
        return 0.0
    if x[low] == x[high - 1]:
        return (high - low) * (x[low] - mean) ** 2
    s = sums[high] - sums[low]
    q = squares[high] - squares[low]
    shift = mean - origin
    return max(q - 2.0 * shift * s + (high - low) * shift * shift, 0.0)


@inner_kernel
def _score(n1, n2, v1, v2):
    n = n1 + n2
    prior = -n1 * math.log(n1 / n) - n2 * math.log(n2 / n)
    width = 0.5 * n1 * math.log(2.0 * _PI_AS_RUN * v1) + 0.5 * n2 * math.log(2.0 * _PI_AS_RUN * v2)
    return 2.0 * (prior + width + 0.5 * n) + 5.0 * math.log(n)


@scan.register(FastBicLegacy)
@inlined_kernel
def fast_bic_legacy(data, values, limits):
    """Best cut by the program's loop, its index lag and its handling of zeros included.

    As in `fast_bic`, rough logarithms rule out most cuts, and only the others get exact ones.

    After a skipped cut the position counter stands still while the running sums move on:
    from then on the left mean holds one value too many. Exact zeros are taken out, count
    as points at 0 on the left, and set the first best score to a sum of squares. Cuts
    between equal values are allowed; such a cut may separate nothing, and the node is
    then a leaf.
    """
    z, w, x, sums, squares = values.z, values.w, values.centred, values.sums, values.squares
    logs, mantissas = data.tables.logs.exact, data.tables.logs.rough
    zeros, k = 0, 0
    total = 0.0
    for i in range(values.m):
        if z[i] == 0.0:
            zeros += w[i]
            continue
        for _ in range(w[i]):
            x[k] = z[i]
            total += z[i]
            k += 1
    if k == 0:
        return np.inf, np.inf, np.nan
    n = zeros + k
    constant = n * (_LN_TWO_PI + 1.0 + 2.0 * logs[n]) + 5.0 * logs[n]
    origin = total / k
    sums[0] = 0.0
    squares[0] = 0.0
    for i in range(k):
        y = x[i] - origin
        sums[i + 1] = sums[i] + y
        squares[i + 1] = squares[i] + y * y
    best, threshold = np.inf, np.nan
    if zeros > 0:
        best = squares[k]
        threshold = 0.5 * x[0]
    left_sum, right_sum = 0.0, total
    index = 1
    for step in range(k - 1):
        left_sum += x[step]
        right_sum -= x[step]
        n1 = zeros + index
        n2 = k - index
        left_mean = left_sum / n1
        right_mean = right_sum / n2
        e1 = _spread(x, 0, index, left_mean, origin, sums, squares)
        e1 += zeros * left_mean * left_mean
        e2 = _spread(x, index, k, right_mean, origin, sums, squares)
        first_cut = zeros == 0 and step == 0
        if first_cut or e1 <= 0.0 or e2 <= 0.0:
            continue
        index += 1
        v1, v2 = e1 / n1, e2 / n2
        if v1 > _LEAST_ROUGH and v2 > _LEAST_ROUGH:
            rough = n1 * (rough_log(v1, mantissas) - 2.0 * logs[n1])
            rough += n2 * (rough_log(v2, mantissas) - 2.0 * logs[n2])
            if constant + rough >= best + n * ROUGH:
                continue
        score = _score(np.float64(n1), np.float64(n2), v1, v2)
        if score < best:
            best = score
            threshold = 0.5 * (x[index - 2] + x[index - 1])
    return best, best, threshold
