"""Rows, published values and claims made by hand."""

import math

import numpy as np
import pandas as pd

from geoforest_cli.study.claims.evaluation import evaluate
from geoforest_cli.study.claims.results import EvaluationContext

A, B, C = ({"name": name, "variant": "as_run"} for name in "abc")
GREATER = {"check": "greater", "than": [B]}
AT_LEAST = {"check": "at_least", "value": 0.5}
SENTENCE = {"quote": "A is best", "section": "3"}
OF = {"sentence": "best"}


def rows(values, metric="precision"):
    """values: {(method, x): [one value per repetition]}; None is a failed cell."""
    return pd.DataFrame([
        {"x": x, "method": method, "variant": "as_run", "repetition": repetition,
         "metric": "" if value is None else metric, "value": math.nan if value is None else value,
         "status": "timeout" if value is None else "ok", "cell": f"{method}{x}{repetition}"}
        for (method, x), series in values.items() for repetition, value in enumerate(series)
    ])  # fmt: skip


def around(means, *, n=4, spread=1e-4, metric="precision"):
    """Rows with these means and deviations: {method: mean, or {x: mean}}."""
    rng = np.random.default_rng(0)
    values = {}
    for method, given in means.items():
        for x, mean in (given if isinstance(given, dict) else {0: given}).items():
            drawn = rng.standard_normal(n)
            values[method, x] = mean + spread * (drawn - drawn.mean()) / drawn.std(ddof=1)
    return rows(values, metric)


def judged(claims, frame, sentences=None, **context):
    """The verdicts of claims that say what differs from `precision of a`."""
    base = {"says": "s", "metric": "precision", "method": A}
    claims = [{"id": f"c{i}", **base, **claim} for i, claim in enumerate(claims)]
    texts = {"best": SENTENCE} if any(claim.get("sentence") for claim in claims) else {}
    texts = texts if sentences is None else sentences
    return evaluate(claims, texts, frame, EvaluationContext(**context))


def judge(claim, frame, **context):
    """The result of one claim."""
    return judged([claim], frame, **context).claims[0]
