"""Predicting links of a network from links, from attributes, or from both.

One cell hides a part of a network, fits one method and scores the hidden pairs (SMERF, Figure 2).
"""

from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from pydantic import Field

from geoforest_cli import report
from geoforest_cli.config.cells import Task
from geoforest_cli.config.schema import Model
from geoforest_cli.datasets import DATASETS
from geoforest_cli.datasets.networks import Network
from geoforest_cli.metrics.links import link_scores
from geoforest_cli.relational.splits import node_split, pair_split, training_size
from geoforest_cli.report.boxes import Boxes, draw_boxes

VERSION = 1
KIND = "links"
INNER = ("test_pairs",)
YIELDS = ("auc_roc", "average_precision", "auc_pr", "test_links", "observed_links")
Mask = npt.NDArray[np.bool_]


class FigureOptions(report.Curves):
    """As `report.Curves`; with `boxes`, the single repetitions instead, one panel per column."""

    boxes: bool = False


class Params(Model):
    """What one cell of this experiment can be told.

    `fraction` of the nodes are for training. With the split by nodes all their pairs are
    observed, and `test_pairs` have at least one new node (any) or two (both); the splits by pairs
    observe as many pairs anywhere, drawn uniformly or so that every node keeps a link, and test
    all others.
    """

    data: Literal["lazega_cowork", "facebook_ego", "nips234"]
    fraction: Annotated[float, Field(gt=0, lt=1)]
    split: Literal["nodes", "uniform_pairs", "keep_last_link"] = "nodes"
    test_pairs: tuple[Literal["any", "both"], ...] = ("any", "both")


def files(params: Params) -> str | None:
    """Name the data set of the catalogue that a cell reads."""
    return str(DATASETS[params.data].extra["files"])


def _observed(params: Params, network: Network, rng: np.random.Generator) -> Mask:
    nodes = len(network.links)
    size = training_size(nodes, params.fraction)
    if params.split != "nodes":
        keep = params.split == "keep_last_link"
        return pair_split(network.links, size, rng, keep_last_link=keep)
    training = node_split(nodes, size, rng)
    return np.outer(training, training) & ~np.eye(nodes, dtype=bool)


def _tested(params: Params, observed: Mask, reading: str) -> Mask:
    """Mark the test pairs i < j."""
    test = np.triu(~observed, 1)
    if params.split == "nodes" and reading == "both":
        new = ~observed.any(axis=1)
        test &= np.outer(new, new)
    return test


def run_cell(task: Task) -> list[dict[str, Any]]:
    """Fit on the observed pairs; score the test pairs by each reading."""
    params: Params = task.params
    network: Network = DATASETS[params.data].load()()
    observed = _observed(params, network, np.random.default_rng(task.sample_seed))
    scores = task.build_method().fit(network, observed).scores()
    seen = int(np.triu(network.links.astype(bool) & observed).sum())
    rows: list[dict[str, Any]] = []
    for reading in params.test_pairs:
        test = _tested(params, observed, reading)
        links = network.links[test].astype(bool)
        by_roc = link_scores(links, scores["auc_roc"][test])
        by_precision = link_scores(links, scores["average_precision"][test])
        found = {**by_precision, "auc_roc": by_roc["auc_roc"]}
        for metric, value in found.items():
            row = {"metric": metric, "value": value, "test_pairs": reading}
            rows.append(row | ({"status": "undefined"} if np.isnan(value) else {}))
        rows.append({"metric": "test_links", "value": int(links.sum()), "test_pairs": reading})
        rows.append({"metric": "observed_links", "value": seen, "test_pairs": reading})
    return rows


def draw(context: report.Context) -> Figure:
    """Draw the curves or boxes that the config's figure section describes."""
    options = FigureOptions(**context.options)
    if not options.boxes:
        return report.draw_curves(context, options)
    shown = Boxes(
        y=options.y[0], columns=options.columns, where=options.where, y_label=options.y_label,
        labels=options.labels, width=options.width,
    )  # fmt: skip
    return draw_boxes(context, shown)
