"""Slow code for what the search for directions computes."""

import numpy as np


def leave_one_out(points, bandwidth, far):
    """Sums of a Gaussian kernel over all other points nearer than `far`, and their gradients."""
    apart = (points[None] - points[:, None]) / bandwidth
    half = 0.5 * (apart**2).sum(axis=2)
    weights = np.where(half > far, 0.0, np.exp(-half))
    np.fill_diagonal(weights, 0.0)
    return weights.sum(axis=1), (weights[:, :, None] * apart).sum(axis=1)


def log_density(points, bandwidth, few):
    """Log of a kernel density without the point itself, mixed with a normal one."""
    n, q = points.shape
    normal = np.exp(-0.5 * (points**2).sum(axis=1)) / (2 * np.pi) ** (q / 2)
    values = []
    for i in range(n):
        others = np.delete(points, i, axis=0)
        half = 0.5 * (((others - points[i]) / bandwidth) ** 2).sum(axis=1)
        kernel = np.exp(-half).sum() / ((n - 1) * bandwidth**q * (2 * np.pi) ** (q / 2))
        values.append(np.log((1 - few) * kernel + few * normal[i]))
    return np.array(values)


def contrast(y):
    """The z of scores: their mean of exp(-y^2 / 2) less that of a normal, in deviations."""
    values = [np.exp(-(column**2) / 2) for column in y]
    return np.sqrt(len(y)) * (2**-0.5 - np.mean(values)) / 0.12186
