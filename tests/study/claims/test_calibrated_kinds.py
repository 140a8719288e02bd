"""Wrong verdicts of every kind of check with every quantifier, from rows to verdict.

A simulated claim has four points. Each lies so far within its bound (`DEEP`), on it (0), or so far
beyond it (-DEEP), in standard deviations of a repetition, whatever the kind makes of that.
"""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.study.claims import decision
from geoforest_cli.study.claims.decision import ALPHA
from geoforest_cli.study.claims.kinds import CHECKS
from geoforest_cli.study.claims.validation import parse
from geoforest_cli.study.claims.verdicts import decide
from geoforest_cli.study.frames import Table

pytestmark = pytest.mark.nightly
SIMULATIONS, REPETITIONS, POINTS, DEEP = 100, 5, 4, 20.0
MOST = ALPHA + 4 * math.sqrt(ALPHA * (1 - ALPHA) / SIMULATIONS)
QUANTIFIERS = ("all", "most", 0.5, "mean")
A, B, C = ({"name": name, "variant": "as_run"} for name in "abc")


def rows(method, values, metric="m", variant="as_run", **columns):
    """Rows of one method from values by simulation, point and repetition."""
    claim, point, repetition = (one.ravel() for one in np.indices(values.shape))
    return pd.DataFrame({
        "claim": claim, "point": point, **columns, "method": method, "variant": variant,
        "repetition": repetition, "metric": metric, "value": values.ravel(), "status": "ok",
    })  # fmt: skip


def bare(values):
    return rows("a", values)


def over_chance(values):
    return [rows("a", 0.5 + 0.01 * values), rows("a", np.full_like(values, 0.1), "chance")]


def of_two_rivals(values):
    """The second rival shares the noise of the first and is the one that lies where it should."""
    return [rows("a", values), rows("b", 0 * values - 3 * DEEP), rows("c", 0 * values)]


def along_an_axis(values):
    """Three values of the axis; the last is `values` from the first."""
    noise = np.random.default_rng(1).standard_normal((3, *values.shape)) * 0.1
    return [
        rows("a", share * values + one, x=x)
        for x, (share, one) in enumerate(zip((0, 0.5, 1), noise, strict=True))
    ]


def leads(values):
    """A method whose lead at x = 0 and 1 is larger than that at 2, by `values` on the mean."""
    noise = np.random.default_rng(2).standard_normal(values.shape)
    return [
        *(
            rows("a", height, x=x)
            for x, height in enumerate((values + noise, values - noise, 0 * noise))
        ),
        *(rows("b", 0 * values, x=x) for x in range(3)),
    ]


def powers(values):
    return [rows("a", x ** (1 + 0.01 * values), x=x) for x in (1, 2, 4)]


# name -> the claim, its rows, whether it wants large values, and its bound
KINDS = {
    "at_least": ({"value": 0.0}, bare, 1, 0.0),
    "at_least, times chance": (
        {"check": "at_least", "times_chance": 5.0}, over_chance, 1, 0.0,
    ),
    "at_most": ({"value": 0.0}, bare, -1, 0.0),
    "near": ({"target": 0.0, "tolerance": DEEP}, bare, -1, DEEP),
    "greater": ({"than": [B, C]}, of_two_rivals, 1, 0.0),
    "less": (
        {"than": [B, C]}, lambda values: [frame.assign(value=-frame["value"])
        for frame in of_two_rivals(-values)], -1, 0.0,
    ),
    "ratio": (
        {"over": B, "at_most": 1.0},
        lambda values: [rows("a", 1 + 0.01 * values), rows("b", np.ones_like(values))], -1, 0.0,
    ),
    "range": ({"axis": "x", "tolerance": DEEP}, along_an_axis, -1, DEEP),
    "interaction": (
        {"axis": "x", "at": [0, 1], "against": [2], "better": "greater", "than": [B]}, leads, 1, 0.0,
    ),
    "slope": ({"axis": "x", "at_most": 1.0}, powers, -1, 0.0),
}  # fmt: skip


def test_every_kind_is_here():
    assert {name.partition(",")[0] for name in KINDS} == set(CHECKS)


@pytest.fixture(autouse=True)
def without_advice(monkeypatch):
    """How many repetitions would decide costs more than the decision, and no state is of it."""
    monkeypatch.setattr(decision, "repetitions_needed", lambda *_given, **_more: None)


def states(name, quantifier, depths, simulations=SIMULATIONS):
    """Shares of supported and of refuted claims whose points lie at these depths."""
    fields, make, sign, bound = KINDS[name]
    rng = np.random.default_rng([len(name), *map(ord, str(quantifier))])
    noise = rng.standard_normal((simulations, POINTS, REPETITIONS))
    values = bound + sign * (np.asarray(depths)[:, None] + noise)
    made = make(values)
    frame = made if isinstance(made, pd.DataFrame) else pd.concat(made, ignore_index=True)
    claim = {
        "id": "c", "origin": "ours", "says": "s", "check": name.partition(",")[0],
        "quantifier": quantifier, "method": A, "metric": "m", **fields,
    }  # fmt: skip
    kind = parse(claim)
    found = kind.points(Table(frame))
    decided = [
        decide(list(points), kind.rule()).state
        for _, points in itertools.groupby(found, key=lambda point: point.at["claim"])
    ]
    assert len(decided) == simulations
    return decided.count("supported") / simulations, decided.count("refuted") / simulations


@pytest.mark.parametrize("quantifier", QUANTIFIERS, ids=str)
@pytest.mark.parametrize("name", KINDS)
def test_no_kind_errs_more_often_than_it_says(name, quantifier):
    least = decision.wanted(quantifier, POINTS)
    if quantifier == "mean":
        short = enough = [0.0] * POINTS
    else:
        # one point short, and just enough at their bound, the others lost by far
        short = [DEEP] * (least - 1) + [0.0] * (POINTS - least + 1)
        enough = [0.0] * least + [-DEEP] * (POINTS - least)
    assert states(name, quantifier, short)[0] <= MOST
    assert states(name, quantifier, enough)[1] <= MOST
    assert states(name, quantifier, [DEEP] * POINTS, 5) == (1.0, 0.0)
    assert states(name, quantifier, [-DEEP] * POINTS, 5) == (0.0, 1.0)
