"""Made-up rows for the claims of a config: every cell, with the values that a test wants."""

import itertools

import numpy as np
import pandas as pd

from geoforest_cli.study.claims.evaluation import evaluate
from geoforest_cli.study.claims.results import EvaluationContext
from geoforest_cli.study.plan import load
from geoforest_cli.study.report import published


def rows(plan, value, metrics, *, spread=0.002, times=1):
    """A row for every place, inner value and metric; `value` maps it to its mean, or to None.

    `times` as many repetitions as the config has.
    """
    rng = np.random.default_rng(0)
    config, params = plan.config, plan.experiment.params.model_fields
    inner = {}
    for name in plan.experiment.inner:
        given = config.grid_values.get(name) or config.params.get(name, params[name].default)
        inner[name] = given if isinstance(given, list | tuple) else (given,)
    records = []
    for entry, values, metric, again in itertools.product(
        plan.entries, list(itertools.product(*inner.values())), metrics, range(times)
    ):
        row = {
            **entry.point, **dict(zip(inner, values, strict=True)),
            "method": entry.method, "variant": entry.variant, "repetition": entry.repetition * times + again,
            "metric": metric, "status": "ok", "cell": entry.cell.key,
        }  # fmt: skip
        mean = value(row)
        if mean is not None:
            records.append({**row, "value": mean + spread * rng.standard_normal()})
    return pd.DataFrame(records)


def printed_by(config):
    """The published values of a config on its grid."""
    return published.within(published.load(config.published), config.grid_values)


def judged(name, value, only, metrics, **options):
    """Id -> what the claims of a config that `only` keeps get on made-up rows."""
    plan = load(name)
    kept = [claim for claim in plan.config.claims if only(claim)]
    around = EvaluationContext(
        unit=plan.config.unit or plan.experiment.unit, split=plan.config.split
    )
    frame = rows(plan, value, metrics, **options)
    results = evaluate(kept, {}, frame, around)
    return {claim.id: claim for claim in results.claims}
