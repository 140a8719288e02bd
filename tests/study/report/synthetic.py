"""Rows for any plan, from a seeded generator: figures of the published size without running it."""

import itertools
import math
import zlib

import numpy as np
import pandas as pd

from geoforest_cli.core.plot_style import style
from geoforest_cli.study.figures.context import Context
from geoforest_cli.study.plan import load

DECADES = {
    "relative_frobenius", "max_error", "mean_error", "frobenius", "rmse", "variance", "megabytes"
}  # fmt: skip


def rows(plan, repetitions=None, **fixed):
    """One row per place, inner value and metric; `fixed` metrics have that value everywhere."""
    rng = np.random.default_rng(0)
    experiment, config = plan.experiment, plan.config
    inner = {name: config.grid_values.get(name) or default(plan, name) for name in experiment.inner}
    axes = {options["x"] for options in options_of(plan).values() if "x" in options}
    records = []
    for entry in plan.entries:
        if repetitions is not None and entry.repetition >= repetitions:
            continue
        for values in itertools.product(*inner.values()):
            point = {**entry.point, **dict(zip(inner, values, strict=True))}
            along = [
                list(config.grid_values[x]).index(point[x]) / max(1, len(config.grid_values[x]) - 1)
                for x in axes & set(point) & set(config.grid_values)
            ]
            start, far = zlib.crc32(entry.method.encode()) / 2**32, max(along, default=0.0)
            common = {
                **point, "method": entry.method, "variant": entry.variant,
                "repetition": entry.repetition, "status": "ok", "cell": entry.cell.key,
            }  # fmt: skip
            for metric in experiment.yields:
                noise = rng.normal()
                if "seconds" in metric or metric in DECADES:
                    value = 10 ** (2 * start - 3 - 1.5 * far) * math.exp(0.3 * noise)
                else:
                    value = np.clip(0.95 - far * (0.3 + 0.5 * start) + 0.02 * noise, 0.01, 1)
                records.append(
                    {**common, "metric": metric, "value": fixed.get(metric, float(value))}
                )
    frame = pd.DataFrame(records)
    rest = ["method", "variant", "repetition", "metric", "value", "status", "cell"]
    grid = [name for name in [*plan.grid_columns, *inner] if name in frame.columns]
    return frame[[*dict.fromkeys(grid), *rest]].assign(**dict.fromkeys(experiment.detail, math.nan))


def default(plan, name):
    """The values of an inner parameter that the config does not list."""
    given = plan.config.params.get(name, plan.experiment.params.model_fields[name].default)
    return given if isinstance(given, list | tuple) else (given,)


def options_of(plan):
    """All figure sections of a config by name."""
    return {"figure": plan.config.figure, **plan.config.more_figures}


def drawn(name, figure="figure", profile="paper", change=None, **options):
    """The figure of a config from synthetic rows; `change` may edit them first."""
    plan = load(name, profile)
    frame = rows(plan, **options)
    frame = change(frame) if change else frame
    context = Context(frame, frame.iloc[:0], plan.config, options_of(plan)[figure])
    with style():
        return plan.experiment.draw(context)
