"""Slopes, dominance, ratios and shares as claims."""

import math

import pandas as pd
import pytest
from pydantic import ValidationError

from tests.study.claims.by_hand import GREATER, A, B, C, judge, rows


def test_slope():
    frame = rows({("a", x): [x**2.0, x**2.0 * 1.01, x**2.0 * 0.99] for x in (1, 2, 4, 8)})
    slope = judge({"check": "slope", "axis": "x", "at_least": 1.9, "at_most": 2.1}, frame)
    assert slope["verdict"] == "supported"
    assert slope["estimate"] == pytest.approx(2, abs=1e-6)


def curves(lifts, jitter=0.001):
    found = []
    for method, lift in lifts.items():
        for k, precision in ((1, 0.9), (2, 0.7), (3, 0.5)):
            high = 0.2 * k + (lift(k) if callable(lift) else lift)
            found += [
                rows({(method, k): [precision, precision + 0.001]}),
                rows({(method, k): [high, high + 0.002 + jitter * "abc".index(method)]}, "recall"),
            ]
    return pd.concat(found, ignore_index=True)


DOMINATES = {
    "check": "dominates", "metric": None, "x": "precision", "y": "recall", "along": "x",
    "than": [B],
}  # fmt: skip


def test_dominates():
    frame = curves({"a": 0.1, "b": 0.0})
    found = judge(DOMINATES, frame)
    assert found["verdict"] == "supported"
    assert found["estimate"] == pytest.approx(0.1, abs=0.01)
    assert judge(DOMINATES | {"method": B, "than": [A]}, frame)["verdict"] == "refuted"
    equal = curves({"a": 0.0, "b": 0.0}, jitter=0.0)
    assert judge(DOMINATES | {"interval": "none"}, equal)["verdict"] == "tie"


def test_dominates_where_one_of_two_rivals_crosses():
    frame = curves({"a": 0.1, "b": 0.0, "c": lambda k: 0.3 if k == 3 else 0.0})
    found = judge(DOMINATES | {"than": [B, C]}, frame)
    assert found["verdict"] == "refuted"
    assert found["deciding"]["than"] == "c as_run"
    assert found["deciding"]["precision"] == pytest.approx(0.501, abs=1e-3)
    missing = judge(DOMINATES | {"than": [B, {"name": "d", "variant": "as_run"}]}, frame)
    assert missing["verdict"] == "not judged"
    assert missing["preliminary"] == "supported"


def test_curves_without_a_common_x_are_not_judged():
    frame = curves({"a": 0.1, "b": 0.0})
    away = (frame["method"] == "b") & (frame["metric"] == "precision")
    frame.loc[away, "value"] -= 0.8
    assert judge(DOMINATES, frame)["verdict"] == "not judged"


def test_ratio():
    frame = rows({("a", 0): [2.0, 2.1, 1.9], ("b", 0): [1.0, 1.0, 1.0]})
    claim = {"check": "ratio", "over": B}
    assert judge(claim | {"at_most": 3.0}, frame)["verdict"] == "supported"
    assert judge(claim | {"at_most": 1.5}, frame)["verdict"] == "refuted"
    found = judge(claim | {"at_least": 1.5, "at_most": 2.5}, frame)
    assert found["verdict"] == "supported"
    assert found["estimate"] == pytest.approx(2.0, abs=0.01)
    zero = rows({("a", 0): [2.0, 2.1], ("b", 0): [0.0, 1.0]})
    assert judge(claim | {"at_most": 3.0}, zero)["verdict"] == "not judged"
    with pytest.raises(ValidationError, match="at_least"):
        judge(claim, frame)


def test_a_share_of_the_points():
    frame = rows({("a", x): [0.8, 0.81, 0.8] for x in range(4)} | {("a", 4): [0.1, 0.11, 0.1]})
    claim = {"check": "at_least", "value": 0.5}
    assert judge(claim, frame)["verdict"] == "refuted"
    found = judge(claim | {"quantifier": 0.8}, frame)
    assert found["verdict"] == "supported"
    assert found["estimate"] > 0.5
    assert judge(claim | {"quantifier": 0.9}, frame)["verdict"] == "refuted"


def test_disconnected_rows_are_neither_values_nor_failures():
    frame = rows({("a", 0): [0.8, 0.82, 0.81], ("b", 0): [0.5, 0.52, 0.5]})
    frame.loc[2, ["value", "status"]] = [math.nan, "disconnected"]
    found = judge(GREATER, frame)
    assert found["verdict"] == "supported"
    assert found["n"] == 2
    lost = judge(GREATER, frame.assign(status="disconnected", value=math.nan))
    assert lost["verdict"] == "not judged"
    assert lost["reason"] == "no repetition gave a number"
