"""Rows, published values and claims made by hand."""

import math

import numpy as np
import pandas as pd

from geoforest_cli.study.claims.evaluation import evaluate
from geoforest_cli.study.claims.results import EvaluationContext

A, B, C = ({"name": name, "variant": "as_run"} for name in "abc")
GREATER = {"check": "greater", "than": [B]}
SENTENCE = {"quote": "A is best", "section": "3"}


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


def around(means, *, n=4, spread=1e-4, metric="precision"):
    """Rows of methods with these means; {method: mean, or {x: mean}}."""
    places = {
        (method, x): mean
        for method, given in means.items()
        for x, mean in (given if isinstance(given, dict) else {0: given}).items()
    }
    rng = np.random.default_rng(0)
    return rows({place: mean + spread * _centred(rng, n) for place, mean in places.items()}, metric)


def _centred(rng, n):
    """Draws whose mean and deviation are 0 and 1."""
    drawn = rng.standard_normal(n)
    return (drawn - drawn.mean()) / drawn.std(ddof=1)


def printed(values, method="a", variant="as_run"):
    """Published precisions: {x: value}."""
    return pd.DataFrame([
        {"x": x, "method": method, "variant": variant, "repetition": 0, "metric": "precision",
         "value": value, "status": "ok", "cell": "", "source": "paper: fig"}
        for x, value in values.items()
    ])  # fmt: skip


def judged(claims, frame, sentences=None, published=None, **context):
    """The verdicts of claims that say what differs from `precision of a`, each with an id."""
    base = {"says": "s", "metric": "precision", "method": A}
    claims = [{"id": f"c{i}", **base, **claim} for i, claim in enumerate(claims)]
    return evaluate(claims, sentences or {}, frame, published, EvaluationContext(**context))


def judge(claim, frame, **context):
    """The result of one claim of ours."""
    return judged([claim], frame, **context).claims[0]
