"""Predicting links of a network from links, from attributes, or from both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.estimators.relational.link_scores import link_scores
from geoforest_cli.estimators.relational.splits import node_split, pair_split, training_size
from geoforest_cli.problems.datasets import DATASETS
from geoforest_cli.problems.datasets.networks import Network
from geoforest_cli.study.experiment import (
    Boxes,
    Curves,
    Experiment,
    Inner,
    Params,
    Row,
    Task,
    Uses,
    drawing,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from geoforest_cli.study.experiment import Context

Mask = npt.NDArray[np.bool_]
Reading: TypeAlias = Literal["any", "both"]


class LinkParams(Params):
    """Parameters of one cell.

    `fraction` of the nodes are for training. With the split by nodes all their pairs are
    observed, and `test_pairs` have at least one new node (any) or two (both); the splits by pairs
    observe as many pairs anywhere, drawn uniformly or so that every node keeps a link, and test
    all others.
    """

    data: Annotated[Literal["lazega_cowork", "facebook_ego", "nips234"], Uses(DATASETS)]
    fraction: Annotated[float, Field(gt=0, lt=1)]
    split: Literal["nodes", "uniform_pairs", "keep_last_link"] = "nodes"
    test_pairs: Inner[Reading] = ("any", "both")


@drawing
class Pictures(Curves):
    """As `Curves`; with `boxes`, the single repetitions instead, one panel per column."""

    boxes: bool = False


class LinkPrediction(Experiment[LinkParams]):
    """Hide a part of a network, fit one method, score the hidden pairs (SMERF, Figure 2)."""

    methods = ("links",)
    yields = (
        "auc_roc",
        "average_precision",
        "auc_pr",
        "link_share",
        "test_links",
        "observed_links",
    )
    figure = Pictures

    def run_cell(self, task: Task[LinkParams]) -> list[Row]:
        """Fit on the observed pairs; score the test pairs by each reading."""
        params = task.params
        network: Network = DATASETS[params.data].load()()
        observed = _observed(params, network, task.rng("sample"))
        scores = task.build_method().fit(network, observed).scores()
        seen = int(np.triu(network.links.astype(bool) & observed).sum())
        rows = []
        for reading in params.test_pairs:
            test = _tested(params, observed, reading)
            links = network.links[test].astype(bool)
            by_roc = link_scores(links, scores["auc_roc"][test])
            by_precision = link_scores(links, scores["average_precision"][test])
            share = float(links.mean()) if links.size else float("nan")
            found = {**by_precision, "auc_roc": by_roc["auc_roc"], "link_share": share}
            rows += [
                *(
                    Row(m, v, "undefined" if np.isnan(v) else "ok", test_pairs=reading)
                    for m, v in found.items()
                ),
                Row("test_links", int(links.sum()), test_pairs=reading),
                Row("observed_links", seen, test_pairs=reading),
            ]
        return rows

    @drawing
    def draw(self, context: Context) -> Figure:
        """Draw the curves or boxes that the config's figure section describes."""
        options = Pictures.model_validate(context.options) if context.options else None
        if not options or not options.boxes:
            return super().draw(context)
        from geoforest_cli.study.figures.boxes import draw_boxes

        shown = Boxes(
            y=options.y[0], columns=options.columns, where=options.where, y_label=options.y_label,
            labels=options.labels, width=options.width,
        )  # fmt: skip
        return draw_boxes(context, shown)


def _observed(params: LinkParams, network: Network, rng: np.random.Generator) -> Mask:
    nodes = len(network.links)
    size = training_size(nodes, params.fraction)
    if params.split != "nodes":
        keep = params.split == "keep_last_link"
        return pair_split(network.links, size, rng, keep_last_link=keep)
    training = node_split(nodes, size, rng)
    return np.outer(training, training) & ~np.eye(nodes, dtype=bool)


def _tested(params: LinkParams, observed: Mask, reading: Reading) -> Mask:
    """Mark the test pairs i < j."""
    test = np.triu(~observed, 1)
    if params.split == "nodes" and reading == "both":
        new = ~observed.any(axis=1)
        test &= np.outer(new, new)
    return test
