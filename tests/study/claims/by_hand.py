"""Rows, printed values and claims made by hand."""

import math

import pandas as pd

from geoforest_cli.study.claims.evaluation import evaluate
from geoforest_cli.study.claims.results import EvaluationContext

A = {"name": "a", "variant": "as_run"}
B = {"name": "b", "variant": "as_run"}
C = {"name": "c", "variant": "as_run"}
GREATER = {"check": "greater", "than": [B]}


def rows(values, metric="precision", **fixed):
    """values: {(method, x): [one value per repetition]}; None is a failed cell."""
    found = []
    for (method, x), series in values.items():
        for repetition, value in enumerate(series):
            failed = value is None
            found.append({
                "x": None if failed and fixed.get("inner") else x,
                "method": method, "variant": "as_run", "repetition": repetition,
                "metric": "" if failed else metric,
                "value": math.nan if failed else value,
                "status": "timeout" if failed else "ok", "cell": f"{method}{x}{repetition}",
            })  # fmt: skip
    return pd.DataFrame(found)


NOTHING = pd.DataFrame(
    columns=["x", "method", "variant", "repetition", "metric", "value", "status", "cell", "source"]
)


def judge(claim, frame, published=NOTHING, **context):
    base = {"id": "c", "origin": "ours", "says": "s", "metric": "precision", "method": A}
    base = {k: v for k, v in (base | claim).items() if v is not None}
    return evaluate([base], frame, published, EvaluationContext(**context))[0]


def published(value, method="a", x=0):
    return pd.DataFrame([{
        "x": x, "method": method, "variant": "as_run", "repetition": 0, "metric": "precision",
        "value": value, "status": "ok", "cell": "", "source": "paper: fig",
    }])  # fmt: skip
