"""Every kind of check on hand-made rows: each verdict, missing cells, one repetition."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import ttest_1samp

from geoforest_cli import claims
from geoforest_cli.claims import CHECKS, intervals
from geoforest_cli.claims.intervals import interval
from geoforest_cli.claims.testing import holm, paired_t
from geoforest_cli.claims.verdicts import Region, combine
from geoforest_cli.errors import UserError

A = {"name": "a", "variant": "as_run"}
B = {"name": "b", "variant": "as_run"}


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


def judge(claim, frame, published=NOTHING):
    base = {"id": "c", "says": "s", "metric": "precision", "method": A}
    base = {k: v for k, v in (base | claim).items() if v is not None}
    return claims.evaluate([base], frame, published)[0]


GOOD = rows({("a", 0): [0.8, 0.82, 0.81], ("b", 0): [0.5, 0.52, 0.5]})
MIXED = rows({("a", 0): [0.8, 0.82, 0.81], ("b", 0): [0.9, 0.92, 0.9]})
NOISY = rows({("a", 0): [0.8, 0.2, 0.5], ("b", 0): [0.5, 0.6, 0.4]})


@pytest.mark.parametrize(
    ("frame", "verdict"),
    [(GOOD, "reproduced"), (MIXED, "not reproduced"), (NOISY, "inconclusive")],
)
def test_greater(frame, verdict):
    found = judge({"check": "greater", "than": [B]}, frame)
    assert found["verdict"] == verdict
    assert found["low"] <= found["estimate"] <= found["high"]
    assert found["n"] == 3
    differences = [a - b for a, b in zip(frame["value"][:3], frame["value"][3:], strict=True)]
    assert found["estimate"] == pytest.approx(np.mean(differences))


def test_all_points_must_hold_and_most_is_enough_where_asked():
    frame = rows({
        ("a", 0): [0.8, 0.81], ("b", 0): [0.5, 0.5],
        ("a", 1): [0.8, 0.81], ("b", 1): [0.6, 0.61],
        ("a", 2): [0.3, 0.31], ("b", 2): [0.5, 0.51],
    })  # fmt: skip
    claim = {"check": "greater", "than": [B]}
    found = judge(claim, frame)
    assert found["verdict"] == "not reproduced"
    assert [p["verdict"] for p in found["points"]].count("reproduced") == 2
    assert "Holds at 2 of 3 points" in found["note"]
    assert judge(claim | {"quantifier": "most"}, frame)["verdict"] == "reproduced"
    assert judge(claim | {"where": {"x": [0, 1]}}, frame)["verdict"] == "reproduced"
    assert judge(claim | {"quantifier": "mean"}, frame)["estimate"] == pytest.approx(
        0.095, abs=0.01
    )


def test_failed_cells_make_a_point_inconclusive_and_are_counted():
    frame = rows({("a", 0): [0.8, None, 0.81], ("b", 0): [0.5, 0.5, 0.5]})
    found = judge({"check": "greater", "than": [B]}, frame)
    assert found["verdict"] == "inconclusive"
    assert found["points"][0]["missing"] == 1
    assert "failed or missing" in found["note"]


def test_one_repetition_has_no_interval():
    frame = rows({("a", 0): [0.8], ("b", 0): [0.5]})
    claim = {"check": "greater", "than": [B]}
    assert judge(claim, frame)["verdict"] == "inconclusive"
    assert judge(claim | {"interval": "none"}, frame)["verdict"] == "reproduced"


def test_nothing_to_judge():
    found = judge({"check": "greater", "than": [B], "where": {"x": 9}}, GOOD)
    assert found["verdict"] == "inconclusive"
    assert found["estimate"] is None


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ({"check": "at_least", "value": 0.7}, "reproduced"),
        ({"check": "at_least", "value": 0.9}, "not reproduced"),
        ({"check": "at_most", "value": 0.9}, "reproduced"),
        ({"check": "near", "target": 0.8, "tolerance": 0.1}, "reproduced"),
        ({"check": "near", "target": 0.5, "tolerance": 0.1}, "not reproduced"),
    ],
)
def test_bounds(claim, verdict):
    assert judge({"where": {"x": 0}} | claim, GOOD)["verdict"] == verdict


def test_chance_as_a_yardstick():
    chance = rows({("a", 0): [0.05] * 3, ("b", 0): [0.05] * 3}, metric="chance")
    frame = pd.concat([GOOD, chance], ignore_index=True)
    assert judge({"check": "at_least", "times_chance": 10}, frame)["verdict"] == "reproduced"
    assert judge({"check": "at_most", "times_chance": 3}, frame)["verdict"] == "not reproduced"
    near = judge({"check": "near", "target": "chance", "tolerance": 0.02}, frame)
    assert near["verdict"] == "not reproduced"


def published(value):
    return pd.DataFrame([{
        "x": 0, "method": "a", "variant": "as_run", "repetition": 0, "metric": "precision",
        "value": value, "status": "ok", "cell": "", "source": "paper: fig",
    }])  # fmt: skip


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.8, "reproduced"), (0.85, "reproduced"), (0.7, "not reproduced")]
)
def test_published(value, verdict):
    claim = {"check": "published", "tolerance": 0.05}
    found = judge(claim, GOOD, published(value))
    assert found["verdict"] == verdict
    assert found["points"][0]["at"]["published"] == value
    assert judge(claim, GOOD)["verdict"] == "inconclusive"


def test_published_values_are_for_as_run_only():
    with pytest.raises(ValidationError, match="as_run"):
        claims.parse({
            "id": "c", "says": "s", "check": "published", "metric": "precision",
            "tolerance": 0.1, "method": {"name": "a", "variant": "recommended"},
        })  # fmt: skip


def test_range_and_slope_and_dominates():
    frame = rows({("a", x): [x**2.0, x**2.0 * 1.01, x**2.0 * 0.99] for x in (1, 2, 4, 8)})
    slope = judge({"check": "slope", "axis": "x", "at_least": 1.9, "at_most": 2.1}, frame)
    assert slope["verdict"] == "reproduced"
    assert slope["estimate"] == pytest.approx(2, abs=1e-6)
    flat = rows({("a", x): [0.5 + 0.01 * x, 0.5 + 0.01 * x + 0.001] for x in (1, 2, 3)})
    narrow = judge({"check": "range", "axis": "x", "tolerance": 0.05}, flat)
    assert narrow["verdict"] == "reproduced"
    assert narrow["estimate"] == pytest.approx(0.02)
    wide = judge({"check": "range", "axis": "x", "tolerance": 0.01}, flat)
    assert wide["verdict"] == "not reproduced"
    curves = []
    for method, lift in (("a", 0.1), ("b", 0.0)):
        for k, precision in ((1, 0.9), (2, 0.7), (3, 0.5)):
            values = {(method, k): [precision, precision + 0.001]}
            curves += [
                rows(values),
                rows({(method, k): [0.2 * k + lift, 0.2 * k + lift + 0.002]}, "recall"),
            ]
    frame = pd.concat(curves, ignore_index=True)
    claim = {"check": "dominates", "metric": None, "x": "precision", "y": "recall", "along": "x"}
    assert judge(claim | {"than": [B]}, frame)["verdict"] == "reproduced"
    assert judge(claim | {"method": B, "than": [A]}, frame)["verdict"] == "not reproduced"


def test_intervals():
    assert interval([]).estimate is None
    t = interval([0.1, 0.2, 0.3, 0.4])
    b = interval([0.1, 0.2, 0.3, 0.4], "bootstrap")
    assert t.estimate == b.estimate == pytest.approx(0.25)
    assert t.low < b.low < b.high < t.high
    assert b == interval([0.1, 0.2, 0.3, 0.4], "bootstrap")
    assert intervals.half_width([1.0]) is None


def test_regions_and_quantifiers():
    assert Region(0, 1).verdict(interval([0.5, 0.5])) == "reproduced"
    assert Region(0, 1).slack(interval([])) == -math.inf
    assert combine([]) == "inconclusive"
    assert combine(["inconclusive", "reproduced"], "most") == "inconclusive"
    assert combine(["not reproduced", "reproduced"], "most") == "not reproduced"


def test_every_check_is_in_the_table_and_unknown_ones_get_a_hint():
    for entry in CHECKS.values():
        assert entry.load().model_fields["check"]
    with pytest.raises(UserError, match="did you mean 'greater'"):
        claims.parse({"check": "graeter"})


def test_less_is_greater_turned_round():
    assert judge({"check": "less", "than": [B]}, MIXED)["verdict"] == "reproduced"
    assert judge({"check": "less", "than": [B]}, GOOD)["verdict"] == "not reproduced"
    assert judge({"check": "less", "than": [B]}, NOISY)["verdict"] == "inconclusive"


def test_ratio():
    frame = rows({("a", 0): [2.0, 2.1, 1.9], ("b", 0): [1.0, 1.0, 1.0]})
    claim = {"check": "ratio", "over": B}
    assert judge(claim | {"at_most": 3.0}, frame)["verdict"] == "reproduced"
    assert judge(claim | {"at_most": 1.5}, frame)["verdict"] == "not reproduced"
    found = judge(claim | {"at_least": 1.5, "at_most": 2.5}, frame)
    assert found["verdict"] == "reproduced"
    assert found["estimate"] == pytest.approx(2.0)
    zero = rows({("a", 0): [2.0, 2.1], ("b", 0): [0.0, 1.0]})
    assert judge(claim | {"at_most": 3.0}, zero)["verdict"] == "inconclusive"
    with pytest.raises(ValidationError, match="at_least"):
        judge(claim, frame)


def test_a_share_of_the_points():
    frame = rows({("a", x): [0.8, 0.81, 0.8] for x in range(4)} | {("a", 4): [0.1, 0.11, 0.1]})
    claim = {"check": "at_least", "value": 0.5}
    assert judge(claim, frame)["verdict"] == "not reproduced"
    found = judge(claim | {"quantifier": 0.8}, frame)
    assert found["verdict"] == "reproduced"
    assert found["estimate"] > 0.5
    assert judge(claim | {"quantifier": 0.9}, frame)["verdict"] == "not reproduced"
    assert combine(["reproduced", "inconclusive"], 0.9) == "inconclusive"


def test_disconnected_rows_are_neither_values_nor_failures():
    frame = rows({("a", 0): [0.8, 0.82, 0.81], ("b", 0): [0.5, 0.52, 0.5]})
    frame.loc[2, ["value", "status"]] = [math.nan, "disconnected"]
    found = judge({"check": "greater", "than": [B]}, frame)
    assert found["verdict"] == "reproduced"
    assert found["n"] == 2
    lost = frame.assign(status="disconnected", value=math.nan)
    assert judge({"check": "greater", "than": [B]}, lost)["verdict"] == "inconclusive"


@given(st.lists(st.floats(0, 0.2), min_size=1, max_size=12), st.sampled_from([0.01, 0.05, 0.1]))
def test_holm_rejects_as_its_definition_says(p_values, alpha):
    found = holm(p_values, alpha)
    rejected, m = set(), len(p_values)
    for rank, i in enumerate(sorted(range(m), key=p_values.__getitem__)):
        if not p_values[i] * (m - rank) < alpha:
            break
        rejected.add(i)
    assert {i for i, test in enumerate(found) if test["p_adjusted"] < alpha} == rejected
    for i, test in enumerate(found):
        # the interval of that level leaves out the margin where the test rejects
        assert (p_values[i] < 1 - test["level"]) == (i in rejected) or math.isclose(
            p_values[i], 1 - test["level"]
        )


@pytest.mark.parametrize("margin", [0.0, 0.4])
def test_paired_t_is_that_of_scipy(margin):
    values = np.random.default_rng(0).normal(0.3, 1.0, 9)
    assert paired_t(list(values), margin) == pytest.approx(ttest_1samp(values, margin).pvalue)
    assert paired_t([0.3, 0.3], 0.3) == 1.0
    assert paired_t([0.3, 0.3]) == 0.0
    assert paired_t([0.3]) == 1.0


def test_many_comparisons_need_more():
    rng = np.random.default_rng(3)
    frame = rows({
        key: list(rng.normal(mean, 0.1, 6))
        for x in range(12) for key, mean in ((("a", x), 0.14), (("b", x), 0.0))
    })  # fmt: skip
    plain = judge({"check": "greater", "than": [B]}, frame)
    corrected = judge({"check": "greater", "than": [B], "adjust": "holm"}, frame)
    held = [[p["verdict"] for p in c["points"]].count("reproduced") for c in (plain, corrected)]
    assert 12 >= held[0] > held[1]
    assert "Holm's correction for 12 comparisons" in corrected["note"]
    for point in corrected["points"]:
        rejected = point["p_adjusted"] < 0.05
        assert (point["verdict"] == "reproduced") == (rejected and point["estimate"] > 0)
