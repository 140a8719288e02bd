"""Metrics: from a truth and an estimate to numbers; a new one is one line here."""

from geoforest_cli.core.registry import Entry, Registry

_HERE = "geoforest_cli.problems.metrics"

METRICS = Registry(
    "metric",
    [
        Entry(
            "precision",
            f"{_HERE}.geodesic:precision_recall",
            "share of the k retrieved neighbours that are true ones",
        ),
        Entry(
            "recall",
            f"{_HERE}.geodesic:precision_recall",
            "share of the true neighbours that are among the k retrieved",
        ),
        Entry("chance", f"{_HERE}.geodesic:precision_recall", "precision of a random ranking"),
    ],
)
