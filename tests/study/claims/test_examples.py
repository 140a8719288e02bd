"""Exact examples of every rule, between the clear cases: numbers by hand or from scipy."""

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError
from scipy import stats

from tests.study.claims.by_hand import A, B, C, judge, published, rows

GREATER = {"check": "greater", "than": [B]}
AT_LEAST = {"check": "at_least", "value": 0.5}


def about(*means, spread=0.001, growth=0.0):
    """Rows of a with these means at x = 0, 1, ..., each in three repetitions."""
    spreads = [spread * (1 + growth * x) for x in range(len(means))]
    return rows(
        {("a", x): [m - s, m, m + s] for x, (m, s) in enumerate(zip(means, spreads, strict=True))}
    )


def test_the_mean_over_points_is_taken_repetition_by_repetition():
    frame = rows({("a", 0): [0.1, 0.2, 0.9], ("a", 1): [0.5, 0.8, 0.3]})
    found = judge({"check": "at_least", "value": 0.1, "quantifier": "mean"}, frame)
    means = [0.3, 0.5, 0.6]
    low, high = stats.t.interval(0.95, 2, np.mean(means), stats.sem(means))
    assert (found["n"], found["level"]) == (3, 0.95)
    assert (found["estimate"], found["low"], found["high"]) == pytest.approx(
        (np.mean(means), low, high)
    )
    assert found["p_support"] == pytest.approx(
        stats.ttest_1samp(means, 0.1, alternative="greater").pvalue
    )


@pytest.mark.parametrize(
    ("means", "verdict", "deciding"),
    [
        ((0.9, 0.1, 0.8, 0.2), "refuted", 3),  # two of four are not most
        ((0.9, 0.1, 0.8, 0.7), "supported", 3),
        ((0.6, 0.9, 0.1, 0.2, 0.8), "supported", 0),
        ((0.3, 0.9, 0.1, 0.2, 0.8), "refuted", 0),
    ],
)
def test_the_point_in_the_middle_decides_what_most_points_do(means, verdict, deciding):
    found = judge(AT_LEAST | {"quantifier": "most"}, about(*means))
    assert found["verdict"] == verdict
    assert found["deciding"] == {"x": deciding}
    assert found["estimate"] == pytest.approx(means[deciding])


def test_two_bounds_are_two_ways_to_be_refuted():
    values = [0.62, 0.66, 0.61]
    near = {"check": "near", "target": 0.5, "tolerance": 0.1}
    found = judge(near, rows({("a", 0): values}))
    beyond = stats.ttest_1samp(values, 0.6, alternative="greater").pvalue
    assert found["p_refute"] == pytest.approx(2 * beyond)
    within = stats.ttest_1samp(values, 0.6, alternative="less").pvalue
    assert found["p_support"] == pytest.approx(within)
    one = judge({"check": "at_most", "value": 0.6}, rows({("a", 0): values}))
    assert one["p_refute"] == pytest.approx(beyond)


def test_every_rival_is_a_way_to_be_refuted_and_must_be_beaten():
    frame = rows({
        ("a", 0): [0.5, 0.6, 0.5], ("b", 0): [0.51, 0.65, 0.53], ("c", 0): [0.4, 0.5, 0.45],
    })  # fmt: skip
    found = judge(GREATER | {"than": [B, C]}, frame)
    ahead = [[-0.01, -0.05, -0.03], [0.1, 0.1, 0.05]]
    p = [stats.ttest_1samp(d, 0, alternative="greater").pvalue for d in ahead]
    assert found["p_support"] == pytest.approx(max(p))
    assert found["p_refute"] == pytest.approx(2 * (1 - p[0]))


def test_exact_values_on_a_closed_bound_hold_and_refute_nothing():
    bound = about(0.5, spread=0.0)
    unclear = rows({("a", 1): [0.4, 0.55, 0.7]})
    for check in ({"check": "at_least", "value": 0.5}, {"check": "at_most", "value": 0.5}):
        assert judge(check | {"interval": "none"}, bound)["verdict"] == "supported"
        assert judge(check, pd.concat([bound, unclear]))["verdict"] == "undecided"
        printed = judge(check | {"origin": "paper"}, bound, published(0.5))["print"]
        assert printed["answer"] == "supported"
    assert judge(GREATER | {"margin": 0.0}, rows({("a", 0): [0.5], ("b", 0): [0.5]}))["low"] is None


@pytest.mark.parametrize(("margin", "verdict"), [(0.25, "supported"), (0.35, "refuted")])
def test_a_lead_must_exceed_its_margin(margin, verdict):
    frame = rows({("a", 0): [0.8, 0.82, 0.81], ("b", 0): [0.5, 0.52, 0.5]})
    assert judge(GREATER | {"margin": margin}, frame)["verdict"] == verdict
    turned = {"check": "less", "method": B, "than": [A], "margin": -margin}
    assert judge(turned, frame)["verdict"] == verdict


def with_chance(values, chance):
    return pd.concat(
        [rows({("a", 0): values}), rows({("a", 0): chance}, metric="chance")], ignore_index=True
    )


def test_ratios_to_chance_and_differences_from_it():
    frame = with_chance([0.2, 0.3, 0.4], [0.1, 0.1, 0.05])
    ratio = judge({"check": "at_least", "times_chance": 1.5}, frame)
    assert ratio["estimate"] == pytest.approx((2 + 3 + 8) / 3)
    near = judge({"check": "near", "target": "chance", "tolerance": 1.0}, frame)
    assert near["estimate"] == pytest.approx((0.1 + 0.2 + 0.35) / 3)


@pytest.mark.parametrize("chance", [[0.05, 0.05, None], [0.05, 0.05, 0.0], [0.05, 0.05]])
def test_chance_that_is_missing_is_missed(chance):
    found = judge({"check": "at_least", "times_chance": 3}, with_chance([0.5, 0.52, 0.51], chance))
    assert found["verdict"] == "not judged"
    assert found["preliminary"] == "supported"
    assert found["n"] == 2
    assert found["points"][0]["missing"] > 0


def test_a_failed_cell_without_inner_values_is_missing_at_each_of_them():
    ours = {("a", x): [0.8, 0.82, 0.81] for x in (0, 1)}
    theirs = {("b", x): [0.5, 0.52] for x in (0, 1)}
    lost = rows({("b", 0): [None]}, inner=True).assign(repetition=2)
    found = judge(GREATER, pd.concat([rows(ours | theirs), lost], ignore_index=True))
    assert [(point["at"]["x"], point["missing"]) for point in found["points"]] == [(0, 1), (1, 1)]
    alone = judge(GREATER, pd.concat([rows(ours), lost], ignore_index=True))
    assert [(point["at"]["x"], point["missing"]) for point in alone["points"]] == [(0, 1), (1, 1)]


@pytest.mark.parametrize("below", [0.0, -1.0])
def test_a_ratio_to_what_is_not_positive_is_none(below):
    frame = rows({("a", 0): [2.0, 2.1, 2.0], ("b", 0): [1.0, 1.0, below]})
    found = judge({"check": "ratio", "over": B, "at_least": 1.5}, frame)
    assert (found["verdict"], found["n"]) == ("not judged", 2)
    assert found["estimate"] == pytest.approx((2.0 * 2.1) ** 0.5)


def test_a_metric_that_falls_along_the_axis_varies():
    found = judge(
        {"check": "range", "axis": "x", "tolerance": 0.1}, about(0.9, 0.7, 0.5, growth=0.5)
    )
    assert found["verdict"] == "refuted"
    assert found["estimate"] == pytest.approx(-0.4)
    assert found["deciding"] == {"x": "2 against 0"}


def test_a_power_law_has_an_exponent_and_a_factor():
    power = {("a", x): [3 * x**0.5, 3.1 * x**0.5, 2.9 * x**0.5] for x in (1, 4, 9)}
    claim = {"check": "slope", "axis": "x", "at_least": 0.4, "at_most": 0.6}
    found = judge(claim, rows(power))
    assert found["verdict"] == "supported"
    assert found["estimate"] == pytest.approx(0.5)
    power["a", 4] = [*power["a", 4][:2], 0.0]
    without = judge(claim, rows(power))
    assert (without["verdict"], without["preliminary"], without["n"]) == (
        "not judged", "supported", 2,
    )  # fmt: skip


def test_a_claim_is_held_against_its_own_variants_print_first():
    claim = {"check": "at_least", "value": 0.5, "origin": "paper"}
    values = {"as_written": 0.9, "as_run": 0.8, "recommended": 0.2}
    printed = pd.concat([published(v).assign(variant=name) for name, v in values.items()])
    largest = {}
    for variant in ("as_run", "as_written"):
        method = {"name": "a", "variant": variant}
        frame = about(0.8, spread=0.0).assign(variant=variant)
        largest[variant] = judge(claim | {"method": method}, frame, printed)["print"]["largest"]
    assert largest == pytest.approx({"as_run": 0.0, "as_written": 0.1})


@pytest.mark.parametrize("given", [{"times_chance": 0.0}, {"times_chance": -1.0}, {},
                                   {"value": 1.0, "times_chance": 1.0}])  # fmt: skip
def test_a_bound_is_one_number_and_a_multiple_is_above_zero(given):
    with pytest.raises(ValidationError):
        judge({"check": "at_least", **given}, rows({("a", 0): [0.5, 0.6]}))


def test_a_slope_counts_what_failed_and_what_has_no_logarithm():
    frame = rows({
        ("a", 1): [1.0, 1.0, 1.01, 1.0], ("a", 2): [4.0, None, 4.0, 4.0],
        ("a", 4): [16.0, 16.0, 16.1, 0.0],
    })  # fmt: skip
    found = judge({"check": "slope", "axis": "x", "at_least": 1.0}, frame)
    assert [(point["missing"], point["n"]) for point in found["points"]] == [(2, 2)]
    assert found["estimate"] == pytest.approx(2.0, abs=0.01)
