"""The table of kinds of check."""

from geoforest_cli.core.registry import Entry, Registry

__all__ = ["CHECKS"]

_KINDS = (
    ("at_least", "bounds:AtLeast", "a metric is at least a value, or so many times chance"),
    ("at_most", "bounds:AtMost", "a metric is at most a value, or so many times chance"),
    ("greater", "comparison:Greater", "one method is better than others on the same samples"),
    (
        "interaction",
        "interaction:Interaction",
        "a lead is larger at some values of a grid parameter than at others",
    ),
    ("less", "comparison:Less", "one method errs less than others on the same samples"),
    ("near", "bounds:Near", "a metric is within a tolerance of a number, or of chance"),
    ("range", "spread:Range", "a metric varies by no more than a tolerance along a grid axis"),
    ("ratio", "comparison:Ratio", "a metric of one method is so many times that of another"),
    ("slope", "slope:Slope", "a metric grows like a power of a grid parameter"),
)
CHECKS = Registry(
    "check",
    [Entry(name, f"geoforest_cli.study.claims.{path}", about) for name, path, about in _KINDS],
)
