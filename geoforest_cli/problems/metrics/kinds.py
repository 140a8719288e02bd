"""What values a metric can take, which decides how its mean is tested."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["METRIC_KINDS", "REAL", "MetricKind", "average", "bounded", "positive"]


@dataclass(frozen=True)
class MetricKind:
    """The kind of a metric's values, one for each repetition.

    Attributes
    ----------
    name : {"real", "average", "bounded", "positive"}
        ``bounded``: within the range, and otherwise of any distribution: shares of 0 and 1, scores
        of clusterings, correlations. ``average``: the mean of many queries or predictions, nearly
        normal unless it is close to an end of the range. ``positive``: times, sizes and ratios,
        compared on the log scale. ``real``: nothing is known.
    low, high : float
        The range.

    Examples
    --------
    >>> bounded(-1, 1).difference()
    MetricKind(name='bounded', low=-2, high=2)
    """

    name: Literal["real", "average", "bounded", "positive"] = "real"
    low: float = -math.inf
    high: float = math.inf

    def difference(self) -> MetricKind:
        """Return the kind of the difference of two values."""
        if self.name in {"real", "positive"}:
            return REAL
        width = self.high - self.low
        return MetricKind(self.name, -width, width)


REAL = MetricKind()
positive = MetricKind("positive", 0.0)


def bounded(low: float = 0.0, high: float = 1.0) -> MetricKind:
    """Return the kind of values of any distribution in a range."""
    return MetricKind("bounded", low, high)


def average(low: float = 0.0, high: float = 1.0) -> MetricKind:
    """Return the kind of means of many values in a range."""
    return MetricKind("average", low, high)


# by the name of the metric; an experiment's `metric_kinds` comes first
METRIC_KINDS: Mapping[str, MetricKind] = {
    **dict.fromkeys(
        (
            "auc_roc", "average_precision", "background", "bayes_error", "chance", "error",
            "false_share", "improvable", "map_10", "precision", "recall", "recall_chance",
            "same_class", "score",
        ),
        average(),
    ),
    **dict.fromkeys(
        (
            "all_kept", "completeness", "false_any", "found", "found_all", "fowlkes_mallows",
            "homogeneity", "kept_share", "power", "ranking", "relevant_found", "v_measure",
        ),
        bounded(),
    ),
    **dict.fromkeys(
        ("adjusted_mutual_information", "lost", "spearman"), bounded(-1.0, 1.0)
    ),
    "adjusted_rand": bounded(-0.5, 1.0),
    **dict.fromkeys(
        (
            "dense_megabytes", "fit_seconds", "megabytes", "microseconds", "neighbors_seconds",
            "predict_seconds", "proximity_seconds", "seconds", "speedup", "test_seconds",
            "times_bound", "times_product", "train_seconds",
        ),
        positive,
    ),
}  # fmt: skip
