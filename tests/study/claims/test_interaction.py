"""A lead that changes along an axis."""

from dataclasses import replace

import numpy as np
import pytest

from geoforest_cli.study.claims import validation
from geoforest_cli.study.plan import load
from tests.study.claims.by_hand import B, C, judge, rows

INTERACTION = {
    "check": "interaction", "axis": "x", "at": [1, 2], "against": [4], "better": "greater",
    "than": [B, C],
}  # fmt: skip


def leading(*leads):
    """Rows of a that is ahead of b by so much at x = 1, 2, 4, and of c by 1 more at 1 and 2."""
    found = {}
    for x, lead in zip((1, 2, 4), leads, strict=True):
        noise = [0.01 * x, -0.02 * x, 0.03 * x]
        found["b", x] = [0.5 + one for one in noise]
        found["c", x] = [0.5 + one - (x < 4) for one in noise]
        found["a", x] = [0.5 + lead + one for one in (0.002, 0.0, -0.001)]
    return rows(found, "m")


@pytest.mark.parametrize(
    ("leads", "better", "verdict"),
    [
        ((3.0, 2.0, 1.0), "greater", "supported"),
        # it may be ahead everywhere, and behind everywhere
        ((1.0, 2.0, 3.0), "greater", "refuted"),
        ((-1.0, -2.0, -3.0), "greater", "supported"),
        # the mean lead decides, not each
        ((0.0, 5.0, 1.0), "greater", "supported"),
        # smaller is better: the lead is b - a
        ((-3.0, -2.0, 3.0), "less", "supported"),
        ((3.0, 2.0, 1.0), "less", "refuted"),
    ],
)
def test_a_lead_changes_along_an_axis(leads, better, verdict):
    found = judge(INTERACTION | {"metric": "m", "better": better}, leading(*leads))
    assert found["verdict"] == verdict


def test_the_change_of_a_lead_is_a_difference_of_means():
    found = judge(INTERACTION | {"metric": "m", "than": [B]}, leading(3.0, 2.0, 1.0))
    changes = []
    for r in range(3):
        a, b = (0.002, 0.0, -0.001)[r], (0.01, -0.02, 0.03)[r]
        changes.append((3 + 2 + 2 * a - b - 2 * b) / 2 - (1 + a - 4 * b))
    assert found["estimate"] == pytest.approx(np.mean(changes))
    assert "at x 1, 2, minus that at 4" in found["quantity"]


def test_a_change_of_a_lead_needs_both_ends():
    frame = leading(3.0, 2.0, 1.0)
    alone = judge(INTERACTION | {"metric": "m"}, frame[frame["x"] < 4])
    assert alone["verdict"] == "not judged"
    # smaller profiles have fewer values
    some = judge(INTERACTION | {"metric": "m"}, frame[frame["x"] != 1])
    assert some["verdict"] == "supported"


def test_values_that_the_grid_lacks_are_named():
    raw = {
        **INTERACTION, "id": "c", "origin": "ours", "says": "s", "metric": "error", "axis": "n",
        "at": [10, 11], "against": [2000], "method": {"name": "morf", "variant": "as_run"},
        "than": [{"name": "rf", "variant": "as_written"}],
    }  # fmt: skip
    plan = load("circle")
    plan = replace(plan, config=plan.config.model_copy(update={"claims": (raw,)}))
    ((place, message),) = validation.checker(plan)
    assert place == ("claims", 0, "at", 1)
    assert message.startswith("unknown value of n '11'")
