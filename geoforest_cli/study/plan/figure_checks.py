"""Names in a config's figures that no row will have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from geoforest_cli.core.suggestions import unknown
from geoforest_cli.core.yaml_loader import KeyPath
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.experiment import Experiment
from geoforest_cli.study.figures.options import Boxes, Curves, Scatter
from geoforest_cli.study.frames import FIXED

__all__ = ["unknown_names"]

# the options that name metrics, and those that name columns
_METRICS = {Curves: ("y",), Boxes: ("y",)}
_COLUMNS = {
    Curves: ("x", "lines", "columns", "rows"),
    Boxes: ("columns",),
    Scatter: ("columns",),
}


def unknown_names(
    options: BaseModel, given: Mapping[str, Any], config: Config, experiment: Experiment[Any]
) -> Iterator[tuple[KeyPath, str]]:
    """Find the metrics and columns of a figure that its experiment and config do not have.

    Parameters
    ----------
    options : BaseModel
        Of a figure; those of an experiment's own kind of figure are not looked at.
    given : mapping
        What the config says of them.
    config : Config
    experiment : Experiment

    Yields
    ------
    tuple
        Where the name stands below the figure, and a sentence.
    """
    kind = next((kind for kind in _COLUMNS if isinstance(options, kind)), None)
    if kind is None:
        return
    columns = [*config.grid, *experiment.detail, "sample", *FIXED]
    columns.remove("value")
    for name in _METRICS.get(kind, ()):
        value = getattr(options, name)
        for i, metric in enumerate(value if isinstance(value, tuple) else [value]):
            if metric is not None and metric not in experiment.yields:
                path: KeyPath = (name, i) if isinstance(given.get(name), list) else (name,)
                yield path, unknown("metric", metric, experiment.yields)
    named: dict[KeyPath, Any] = {(name,): getattr(options, name) for name in _COLUMNS[kind]}
    named |= {("where", name): name for name in getattr(options, "where", {})}
    for path, column in named.items():
        if column is not None and column not in columns:
            yield path, unknown("column", column, columns)
