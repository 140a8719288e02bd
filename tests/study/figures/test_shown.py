"""Whole figures of made-up rows, mark by mark.

A change of how figures look is seen in the files of shown/, which
``python -m tests.study.figures.test_shown`` writes.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.plot_style import style
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.figures import curves, maps
from geoforest_cli.study.figures.boxes import draw_boxes
from geoforest_cli.study.figures.context import Context
from geoforest_cli.study.figures.options import Boxes, Curves, Scatter
from geoforest_cli.study.figures.scatter import draw_scatter
from tests.study.figures.described import described

STORED = Path(__file__).with_name("shown")
METHODS = ("geodesic_forest", "isomap", "umap", "euclidean", "urf")


def rows(count=4, methods=METHODS, metrics=("precision",), variants=("recommended",), **grid):
    """Repetitions whose values grow along the grid, and fall from method to method."""
    frame = [{}]
    for name, values in grid.items():
        frame = [{**one, name: value} for one in frame for value in values]
    lines = [
        {**point, "method": method, "variant": variant, "repetition": r, "metric": metric,
         "value": (0.9 - 0.15 * i - 0.04 * v + 0.02 * place + 0.01 * (r + i) ** 2) * 10.0**-m,
         "status": "ok", "cell": ""}
        for place, point in enumerate(frame)
        for i, method in enumerate(methods)
        for v, variant in enumerate(variants)
        for m, metric in enumerate(metrics)
        for r in range(count)
    ]  # fmt: skip
    return pd.DataFrame(lines)


def context(frame, printed=None, failed=None, halves=None, **grid):
    config = Config.model_validate(
        {
            "title": "t", "experiment": "e", "grid": grid or {"n": [10]},
            "methods": {name: {"variants": {"recommended": {}}} for name in METHODS},
        }
    )  # fmt: skip
    theirs = frame.iloc[:0] if printed is None else printed
    lost = pd.DataFrame() if failed is None else failed
    return Context(frame, theirs, config, failed=lost, halves=halves)


def few_lines():
    """Bands, levels, chance, published values, dots where repetitions are few, lost cells."""
    frame = rows(methods=METHODS[:2], variants=("recommended", "as_run"), n=(10, 20, 1000))
    frame = frame[(frame["n"] < 1000) | (frame["repetition"] < 2)]
    chance = rows(1, METHODS[:1], ("chance",), n=(10, 20, 1000))
    printed = rows(1, METHODS[:2], n=(10, 20)).assign(source="Table 1")
    failed = frame.iloc[:3].assign(status=["failed", "missing", "timeout"])
    options = Curves(
        x="n", y=("precision",), levels={"precision": {"Bayes": 0.95, "a coin": 0.5}},
        y_label="precision at k", x_label="sample size",
    )  # fmt: skip
    whole = pd.concat([frame, chance], ignore_index=True)
    return curves.draw(context(whole, printed, failed, n=[10, 20, 1000]), options)


def many_lines():
    """Bars beside each other on a logarithmic axis, panels of metrics with axes of their own."""
    frame = rows(metrics=("precision", "fit_seconds"), n=(10, 100, 2500), noise=(0.0, 0.5))
    options = Curves(
        x="n", y=("precision", "fit_seconds"), columns="metric", rows="noise", scale="log",
        y_scale={"fit_seconds": "log"}, width=6.0, row_height=1.5,
    )  # fmt: skip
    return curves.draw(context(frame, n=[10, 100, 2500], noise=[0.0, 0.5]), options)


def published_without_a_line_of_their_own():
    """They stand at the first line of their method, or else in the middle."""
    variants = ("recommended", "as_written")
    grid = {"noise": (0.0, 0.5), "n": (10, 11, 40)}
    frame = rows(methods=METHODS[:3], variants=variants, **grid)
    frame = frame[(frame["method"] != "isomap") | (frame["variant"] == "as_written")]
    frame = frame[(frame["method"] != "umap") | (frame["noise"] == 0)]
    printed = rows(1, METHODS[:3], variants=("as_run",), noise=(0.0, 0.5), n=(10, 40))
    options = Curves(
        x="n", y=("precision",), columns="noise", scale="linear", y_scale="log", width=5.0
    )
    theirs = printed.assign(source="Table 1")
    return curves.draw(context(frame, theirs, n=[10, 11, 40], noise=[0.0, 0.5]), options)


def names_along_the_axis():
    """Words that are turned, points that are not joined, some of them beyond the axis."""
    kinds = [f"a_kind_of_noise_{letter}" for letter in "abcdefgh"]
    frame = rows(methods=METHODS[:3], kind=kinds)
    printed = rows(1, METHODS[:1], kind=kinds[:2]).assign(source="Table 1")
    options = Curves(x="kind", y=("precision",), limits=(0.6, 1.0), rows="sample", columns=None)
    return curves.draw(context(frame, printed, kind=kinds), options)


def values_as_lines():
    frame = rows(methods=METHODS[:1], n=(10, 20), depth=(1, 2, 4))
    options = Curves(
        x="n", y=("precision",), lines="depth", scale="linear", where={"method": METHODS[0]}
    )
    return curves.draw(context(frame, n=[10, 20], depth=[1, 2, 4]), options)


def means_with_their_halves():
    frame = rows(1, METHODS[:2], n=(10, 20, 40))
    halves = pd.Series(np.linspace(0.01, 0.05, len(frame)), index=frame.index)
    halves.iloc[0] = np.nan
    options = Curves(x="n", y=("precision",), y_scale="log", scale="linear")
    return curves.draw(context(frame, halves=halves, n=[10, 20, 40]), options)


def a_heat_map():
    frame = rows(variants=("recommended", "as_written"), n=(10, 20), noise=(0.0, 0.5))
    frame = frame[(frame["method"] != "umap") | (frame["variant"] == "recommended")]
    frame = frame[(frame["method"] != "isomap") | (frame["n"] == 10)]
    chance = rows(1, METHODS[:1], ("chance",), n=(10, 20), noise=(0.0, 0.5))
    options = Curves(x="n", y=("precision",), kind="heat", columns="noise")
    whole = pd.concat([frame, chance], ignore_index=True)
    return curves.draw(context(whole, n=[10, 20], noise=[0.0, 0.5]), options)


def a_heat_map_in_rows():
    values = [f"a_long_name_{i}" for i in range(9)]
    frame = rows(methods=METHODS[:2], metrics=("precision", "rmse"), kind=values)
    options = Curves(x="kind", y=("precision", "rmse"), kind="heat", rows="metric", width=4.0)
    return curves.draw(context(frame, kind=values), options)


def shades_over_two_parameters():
    frame = rows(2, METHODS[:2], n=(10, 20, 40), noise=(0.0, 0.5), k=(1, 2))
    frame = frame[(frame["n"] < 40) | (frame["noise"] == 0)]
    options = Curves(x="n", y=("precision",), rows="method", columns="k")
    return maps.draw(context(frame, n=[10, 20, 40], noise=[0.0, 0.5]), options, "noise")


def boxes():
    frame = pd.concat([
        rows(6, METHODS[:1], n=(10, 20)), rows(3, METHODS[1:2], n=(10,)),
        rows(31, METHODS[2:3], n=(20,)), rows(30, METHODS[3:4], n=(20,)),
    ], ignore_index=True)  # fmt: skip
    options = Boxes(y="precision", columns="n", limits=(0.0, 1.5), labels={"10": "few"})
    return draw_boxes(context(frame, n=[10, 20]), options)


def points():
    parts = [
        rows(2, METHODS[:3], (metric,), point=(0, 1, 2, 3)).assign(group=group)
        for metric in "xy"
        for group in ("truth", "found")
    ]
    failed = parts[0].iloc[:2].assign(status="failed")
    options = Scatter(
        columns="method", lines=("truth",), across=2, labels={"truth": "the truth"},
        x_label="east", y_label="north",
    )  # fmt: skip
    return draw_scatter(context(pd.concat(parts, ignore_index=True), failed=failed), options)


FIGURES = {
    made.__name__: made
    for made in (
        few_lines, many_lines, published_without_a_line_of_their_own, names_along_the_axis,
        values_as_lines, means_with_their_halves, a_heat_map, a_heat_map_in_rows,
        shades_over_two_parameters, boxes, points,
    )
}  # fmt: skip


def shown(name):
    with style():
        return list(described(FIGURES[name](), places=name != "boxes"))


@pytest.mark.parametrize("name", FIGURES)
def test_figures_look_as_they_did(name):
    assert shown(name) == (STORED / f"{name}.txt").read_text("utf-8").splitlines()


if __name__ == "__main__":
    for one in FIGURES:
        (STORED / f"{one}.txt").write_text("\n".join(shown(one)) + "\n", "utf-8")
