"""Values that claims judge, to draw samples from, and the rules for many samples at once.

``measured_values.json`` holds values of runs: the adjusted Rand indices of `ellipses` with even
angles, noise 0.05 and random starts (`--profile smoke --set repetitions=60`), precisions of
`noise_low` on the mixture without noise (40 repetitions of smoke, as written), Spearman
correlations and found columns of `smerf_distances` at 20 points (40 of smoke), seconds of
`runtimes` (40 of smoke, 200 points). Its seconds are of a machine that did other things, too.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from geoforest_cli.problems.metrics.kinds import MetricKind, average, bounded, positive
from geoforest_cli.study.claims import decision
from geoforest_cli.study.claims.bounded import means_above
from geoforest_cli.study.claims.estimates import away_from_ends

__all__ = ["MEASURED", "Floats", "Population", "measured", "p_values", "shapes", "truth"]

Floats = np.ndarray[Any, np.dtype[np.float64]]
Population = tuple[Floats, MetricKind]
MEASURED = Path(__file__).with_name("measured_values.json")
_SEED = 20261123


def shapes() -> dict[str, Population]:
    """Return values of the shapes that claims judge, each with its kind."""
    rng = np.random.default_rng(_SEED)
    scores = np.r_[np.ones(120), rng.uniform(0.8, 1, 50), rng.uniform(-0.1, 0.2, 30)]
    failing = np.r_[rng.normal(0.8, 0.05, 180), rng.uniform(-0.1, 0.1, 20)]
    return {
        "share, true value .95": (np.r_[np.ones(190), np.zeros(10)], bounded()),
        "share, true value .5": (np.r_[np.ones(100), np.zeros(100)], bounded()),
        "clustering score that fails at times": (scores, bounded(-1, 1)),
        "difference of two such scores": (scores - rng.permutation(scores), bounded(-2, 2)),
        "correlation with 10 % failures": (failing, bounded(-1, 1)),
        "average": (rng.normal(0.6, 0.05, 20_000), average()),
        "average near 1": (1 - np.minimum(rng.exponential(0.01, 200), 1), average()),
        "time, lognormal": (np.exp(rng.normal(0, 0.5, 20_000)), positive),
    }


def measured() -> dict[str, Population]:
    """Return values of runs, and their paired differences and ratios, each with its kind."""
    values = {name: np.array(found) for name, found in json.loads(MEASURED.read_text()).items()}
    rand, precision, spearman = bounded(-0.5, 1), average(), bounded(-1, 1)
    sg, evidence = values["rand: sg"], values["rand: sg_evidence"]
    umap, isomap = values["precision: umap"], values["precision: isomap"]
    learned, failed = values["spearman: smerf"], values["spearman: smerf fails"]
    # a tenth of the correlations are those of a setting in which the method fails
    failing = np.r_[learned, learned, learned, failed[: 3 * len(learned) // 9]]
    found, lost = values["found: bilinear"], values["found: radial"]
    ours, theirs = values["seconds: morf"], values["seconds: rf"]
    return {
        "adjusted Rand index": (sg, rand),
        "differences of Rand indices": (sg - evidence, rand.difference()),
        "precision near 1": (umap, precision),
        "differences of precisions": (umap - isomap, precision.difference()),
        "Spearman, one in ten fails": (failing, spearman),
        "differences of correlations": (
            learned - values["spearman: mahalanobis"],
            spearman.difference(),
        ),
        "share that found the columns": (found, bounded()),
        "differences of shares": (found - lost, bounded().difference()),
        "seconds": (ours, positive),
        "ratios of seconds": (ours / theirs, positive),
    }


def truth(population: Population) -> float:
    """Return the mean that a claim is about: of logarithms for what is positive."""
    values, kind = population
    if kind == positive:
        return math.exp(float(np.log(values).mean()))
    return float(values.mean())


def p_values(samples: Floats, kind: MetricKind, bound: float) -> tuple[Floats, Floats]:
    """Return p for means above and below a bound, of samples along the last axis.

    As `geoforest_cli.study.claims.estimates.estimate` tells it of one sample.
    """
    if kind == positive:
        return _student(np.log(samples), math.log(bound))
    above = means_above(samples, bound, kind.low)
    below = means_above(-samples, -bound, -kind.high)
    if kind.name == "average":
        away = away_from_ends(samples, kind)
        by_t = _student(samples[away], bound)
        above[away], below[away] = by_t
    return above, below


def _student(samples: Floats, bound: float) -> tuple[Floats, Floats]:
    mean, error = samples.mean(axis=-1), decision.standard_error(samples)
    freedom = samples.shape[-1] - 1
    above = decision.p_inside(mean, error, freedom, bound, math.inf)
    below = decision.p_inside(mean, error, freedom, -math.inf, bound)
    # equal values have no spread to go by
    return np.where(error > 0, above, 1.0), np.where(error > 0, below, 1.0)
