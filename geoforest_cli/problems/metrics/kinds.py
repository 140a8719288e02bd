"""Values that a metric can take, which decides how its mean is tested."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["METRIC_KINDS", "REAL", "MetricKind", "average", "count", "positive"]


@dataclass(frozen=True)
class MetricKind:
    """The kind of a metric's values, one for each repetition.

    Attributes
    ----------
    name : {"real", "average", "count", "positive"}
        ``average``: scores, and means of queries or predictions, in a range. ``count``: shares of
        successes among independent trials. ``positive``: times, sizes and ratios, compared on the
        log scale. ``real``: nothing is known.
    low, high : float
        The range.
    """

    name: Literal["real", "average", "count", "positive"] = "real"
    low: float = -math.inf
    high: float = math.inf


REAL = MetricKind()
positive = MetricKind("positive", 0.0)
count = MetricKind("count", 0.0, 1.0)


def average(low: float = 0.0, high: float = 1.0) -> MetricKind:
    """Return the kind of scores and means in a range."""
    return MetricKind("average", low, high)


# by the name of the metric; an experiment's `metric_kinds` comes first
METRIC_KINDS: Mapping[str, MetricKind] = {
    **dict.fromkeys(
        (
            "auc_roc", "average_precision", "background", "bayes_error", "chance", "completeness",
            "error", "false_share", "found", "fowlkes_mallows", "homogeneity", "improvable",
            "kept_share", "map_10", "power", "precision", "ranking", "recall", "recall_chance",
            "same_class", "score", "v_measure",
        ),
        average(),
    ),
    **dict.fromkeys(
        ("adjusted_mutual_information", "lost", "spearman"), average(-1.0, 1.0)
    ),
    "adjusted_rand": average(-0.5, 1.0),
    **dict.fromkeys(("all_kept", "false_any", "found_all", "relevant_found"), count),
    **dict.fromkeys(
        (
            "dense_megabytes", "fit_seconds", "megabytes", "microseconds", "neighbors_seconds",
            "predict_seconds", "proximity_seconds", "seconds", "speedup", "test_seconds",
            "times_bound", "times_product", "train_seconds",
        ),
        positive,
    ),
}  # fmt: skip
