"""The table of kinds of check."""

from geoforest_cli.registry import Entry, Registry

__all__ = ["CHECKS"]

_HERE = "geoforest_cli.claims"

CHECKS = Registry(
    "check",
    [
        Entry(
            "at_least",
            f"{_HERE}.bounds:AtLeast",
            "a metric is at least a value, or so many times chance",
        ),
        Entry(
            "at_most",
            f"{_HERE}.bounds:AtMost",
            "a metric is at most a value, or so many times chance",
        ),
        Entry(
            "dominates",
            f"{_HERE}.dominance:Dominates",
            "one curve lies above another wherever both are defined",
        ),
        Entry(
            "greater",
            f"{_HERE}.comparison:Greater",
            "one method is better than others on the same samples",
        ),
        Entry(
            "less",
            f"{_HERE}.comparison:Less",
            "one method errs less than others on the same samples",
        ),
        Entry(
            "near",
            f"{_HERE}.bounds:Near",
            "a metric is within a tolerance of a number, or of chance",
        ),
        Entry(
            "published",
            f"{_HERE}.agreement:Published",
            "our mean agrees with the published value at every point",
        ),
        Entry(
            "range",
            f"{_HERE}.spread:Range",
            "a metric varies by no more than a tolerance along a grid axis",
        ),
        Entry(
            "ratio",
            f"{_HERE}.comparison:Ratio",
            "a metric of one method is so many times that of another",
        ),
        Entry("slope", f"{_HERE}.slope:Slope", "a metric grows like a power of a grid parameter"),
    ],
)
