"""Shortest paths on a torus of revolution, to near machine precision.

A minimiser has |u2 - u1| <= pi and u monotone: it is a graph v(u), and minimises the integral of
sqrt((R + r cos v)^2 + r^2 v'^2) du. A dynamic programme finds the basin, Newton's method on
straight segments the path in it, two steps of Richardson's
extrapolation the length.
"""

import math

import numpy as np

from geoforest_cli.core.jit import kernel

LAYERS = 40
BINS = 360
SEGMENTS = 48
_REACH = 60  # bins that one layer's step may span
_STEPS = 60
_GRADIENT = 1e-15
_NEAR_TIE = 1e-3
_STEEP = 1e-3  # below this slope the path is a meridian to the fourth order
_FLAT_ANGLE = 1e-6  # below this angle the torus is flat: the curvature costs less than 1e-12


@kernel
def step_lengths(major, minor, table):
    """table[a, s] = length of the straight step from bin a by s - _REACH bins, one layer in u."""
    du = math.pi / LAYERS
    nodes = np.array(
        [-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526]
    )
    weights = np.array(
        [0.34785484513745385, 0.6521451548625461, 0.6521451548625461, 0.34785484513745385]
    )
    width = 2.0 * math.pi / BINS
    for a in range(BINS):
        for s in range(2 * _REACH + 1):
            dv = (s - _REACH) * width
            total = 0.0
            for g in range(4):
                x = 0.5 * (nodes[g] + 1.0)
                ring = major + minor * math.cos(a * width + x * dv)
                total += (
                    0.5 * weights[g] * math.sqrt(ring * ring * du * du + minor * minor * dv * dv)
                )
            table[a, s] = total


@kernel
def basins(start, table, back):
    """Best paths from bin `start` over all layers; back[layer, bin] = shift of the last step."""
    cost = np.full(BINS, np.inf)
    fresh = np.empty(BINS)
    cost[start] = 0.0
    for layer in range(LAYERS):
        for b in range(BINS):
            fresh[b] = np.inf
        for a in range(BINS):
            if cost[a] == np.inf:
                continue
            for s in range(2 * _REACH + 1):
                b = (a + s - _REACH) % BINS
                total = cost[a] + table[a, s]
                if total < fresh[b]:
                    fresh[b] = total
                    back[layer, b] = s - _REACH
        for b in range(BINS):
            cost[b] = fresh[b]


@kernel
def _length(v, n, h, major, minor):
    total = 0.0
    for i in range(n):
        ring = major + minor * math.cos(0.5 * (v[i] + v[i + 1]))
        dv = v[i + 1] - v[i]
        total += math.sqrt(ring * ring * h * h + minor * minor * dv * dv)
    return total


@kernel
def _derivatives(v, n, h, major, minor, gradient, diagonal, off):
    """Gradient and tridiagonal Hessian of the length with respect to v[1:n]; return the length."""
    total = 0.0
    for i in range(n + 1):
        gradient[i] = 0.0
        diagonal[i] = 0.0
        off[i] = 0.0
    m2 = minor * minor
    for i in range(n):
        mid = 0.5 * (v[i] + v[i + 1])
        c, s = math.cos(mid), math.sin(mid)
        ring = major + minor * c
        dv = v[i + 1] - v[i]
        f = math.sqrt(ring * ring * h * h + m2 * dv * dv)
        total += f
        # g = f^2 / 2: its first and second derivatives in mid and dv
        g_m = -ring * minor * s * h * h
        g_mm = (minor * minor * s * s - ring * minor * c) * h * h
        g_d = m2 * dv
        f_m, f_d = g_m / f, g_d / f
        f_mm = g_mm / f - f_m * f_m / f
        f_dd = m2 / f - f_d * f_d / f
        f_md = -f_m * f_d / f
        # mid and dv have derivatives 1/2 and -1 in v[i], 1/2 and 1 in v[i + 1]
        gradient[i] += 0.5 * f_m - f_d
        gradient[i + 1] += 0.5 * f_m + f_d
        diagonal[i] += 0.25 * f_mm - f_md + f_dd
        diagonal[i + 1] += 0.25 * f_mm + f_md + f_dd
        off[i] = 0.25 * f_mm - f_dd
    return total


@kernel
def _polish(v, n, h, major, minor, work):
    """Damped Newton on the inner values of v; return the length."""
    gradient, diagonal, off = work[0], work[1], work[2]
    upper, step, trial = work[3], work[4], work[5]
    damping = 1e-3
    best = _derivatives(v, n, h, major, minor, gradient, diagonal, off)
    for _ in range(_STEPS):
        worst = 0.0
        for i in range(1, n):
            worst = max(worst, abs(gradient[i]))
        if worst < _GRADIENT:
            break
        # Thomas algorithm for (Hessian + damping) step = -gradient
        solvable = True
        for i in range(1, n):
            pivot = diagonal[i] + damping
            if i > 1:
                pivot -= off[i - 1] * upper[i - 1]
            if pivot <= 0.0:
                solvable = False
                break
            upper[i] = off[i] / pivot
            residual = -gradient[i]
            if i > 1:
                residual -= off[i - 1] * step[i - 1]
            step[i] = residual / pivot
        if solvable:
            for i in range(n - 2, 0, -1):
                step[i] -= upper[i] * step[i + 1]
            trial[0], trial[n] = v[0], v[n]
            for i in range(1, n):
                trial[i] = v[i] + step[i]
            length = _length(trial, n, h, major, minor)
            if length <= best:
                for i in range(1, n):
                    v[i] = trial[i]
                damping *= 0.1
                gained = best - length
                best = _derivatives(v, n, h, major, minor, gradient, diagonal, off)
                if gained == 0.0:
                    break
                continue
        damping *= 4.0
        if damping > 1e6:
            break
    return best


@kernel
def _straight(v, n, low, high):
    for i in range(n + 1):
        v[i] = low + (high - low) * i / n


@kernel
def _from_basin(v, n, v1, v2, du, back, work):
    """Lay the dynamic programme's path between the exact ends, on n segments."""
    width = 2.0 * math.pi / BINS
    layers = min(LAYERS, max(1, int(round(du / (math.pi / LAYERS)))))
    b = int(round(v2 / width)) % BINS
    shifts = work[6]
    total = 0.0
    for layer in range(layers - 1, -1, -1):
        shift = back[layer, b]
        shifts[layer] = shift * width
        total += shift * width
        b = (b - shift) % BINS
    # the end's copy nearest to where the path leads
    end = v2 + 2.0 * math.pi * round((v1 + total - v2) / (2.0 * math.pi))
    error = end - (v1 + total)
    path = work[7]
    path[0] = v1
    for layer in range(layers):
        path[layer + 1] = path[layer] + shifts[layer] + error / layers
    for i in range(n + 1):
        x = i * layers / n
        low = min(int(x), layers - 1)
        v[i] = path[low] + (x - low) * (path[low + 1] - path[low])
    v[n] = end


@kernel
def _refined(v, n, fine):
    for i in range(n):
        fine[2 * i] = v[i]
        fine[2 * i + 1] = 0.5 * (v[i] + v[i + 1])
    fine[2 * n] = v[n]


@kernel
def _steep(v1, angle, du, major, minor):
    """Length of a path that all but follows a meridian: v(u) is too steep for Newton there.

    Minimising the integral of ring(v)^2 u'(v)^2 / (2 r) gives u' proportional to 1 / ring^2.
    """
    n = 200
    total = 0.0
    for i in range(n + 1):
        ring = major + minor * math.cos(v1 + angle * i / n)
        weight = 1.0 if i == 0 or i == n else 4.0 if i % 2 == 1 else 2.0
        total += weight / (ring * ring)
    total *= abs(angle) / (3.0 * n)
    return minor * abs(angle) + du * du / (2.0 * minor * total)


@kernel
def pair_distance(u1, v1, u2, v2, major, minor, back, work):
    """Length of the shortest geodesic between two points; `back` belongs to the bin of v1."""
    two_pi = 2.0 * math.pi
    du = abs(u2 - u1) % two_pi
    du = min(du, two_pi - du)
    angle = v2 - v1
    angle -= two_pi * round(angle / two_pi)
    if du < _FLAT_ANGLE and abs(angle) < _FLAT_ANGLE:
        return math.hypot((major + minor * math.cos(v1 + 0.5 * angle)) * du, minor * angle)
    if du * (major + minor) < _STEEP * abs(angle) * minor:
        both = two_pi - abs(angle)
        return min(
            _steep(v1, angle, du, major, minor),
            _steep(v1, -math.copysign(both, angle), du, major, minor),
        )
    n = SEGMENTS
    lengths = np.empty(4)
    for start in range(4):
        path = work[10 + start]
        if start == 0:
            _from_basin(path, n, v1, v2, du, back, work)
        else:
            _straight(path, n, v1, v1 + angle + two_pi * (start - 2))
        lengths[start] = _polish(path, n, du / n, major, minor, work)
    # paths on either side of the cut locus are equally long but for their discretisation
    rough = lengths.min()
    best = np.inf
    for start in range(4):
        if lengths[start] <= rough + _NEAR_TIE and not _seen(lengths, start):
            best = min(best, _extrapolated(work, start, lengths[start], du, major, minor))
    return best


@kernel
def _seen(lengths, start):
    """Return whether an earlier start has led to the same path, by its length."""
    for other in range(start):
        if abs(lengths[other] - lengths[start]) < 1e-13:
            return True
    return False


@kernel
def _extrapolated(work, start, length, du, major, minor):
    """Halve the segments twice and extrapolate the length in their size."""
    n = SEGMENTS
    fine, finest = work[8], work[9]
    _refined(work[10 + start], n, fine)
    once = _polish(fine, 2 * n, du / (2 * n), major, minor, work)
    _refined(fine, 2 * n, finest)
    twice = _polish(finest, 4 * n, du / (4 * n), major, minor, work)
    first, second = once + (once - length) / 3.0, twice + (twice - once) / 3.0
    return second + (second - first) / 15.0


@kernel
def rows_of_distances(u, v, first, last, major, minor, tables, distances):
    """found[i, j] for first <= i < last and j > i; v in [0, 2 pi)."""
    work = np.zeros((14, 4 * SEGMENTS + 2))
    width = 2.0 * math.pi / BINS
    for i in range(first, last):
        back = tables[int(round(v[i] / width)) % BINS]
        for j in range(i + 1, u.shape[0]):
            distances[i, j] = pair_distance(u[i], v[i], u[j], v[j], major, minor, back, work)


@kernel
def all_basins(first, last, table, tables):
    """Fill tables[start] for the bins first..last."""
    for start in range(first, last):
        basins(start, table, tables[start])
