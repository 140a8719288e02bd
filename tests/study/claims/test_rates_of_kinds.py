"""Wrong verdicts by kind of metric, and the tables of the docs."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.problems.metrics.kinds import average, bounded, positive
from geoforest_cli.study.claims.decision import ALPHA
from geoforest_cli.study.claims.estimates import estimate
from tools.error_rates import POWERS, REPETITIONS, mean_p_values, power_above, shapes, wrong

SIMULATIONS = 2000
pytestmark = pytest.mark.nightly
PAGE = (Path(__file__).parents[3] / "docs" / "verdicts.md").read_text(encoding="utf-8")


def error(rate):
    return math.sqrt(max(rate, 0.0005) * (1 - min(rate, 0.9995)) / SIMULATIONS)


@pytest.mark.parametrize("kind", [bounded(), average(), average(-1, 1), positive])
@pytest.mark.parametrize("n", [3, 5, 12])
def test_many_samples_are_judged_as_one_is(kind, n):
    rng = np.random.default_rng(n)
    samples = np.r_[
        rng.choice([0.9, 1.0], (20, n)), rng.uniform(0.01, 1, (20, n)), rng.normal(0.5, 0.02, (20, n))
    ]  # fmt: skip
    for bound in (0.4, 0.9):
        above, below = mean_p_values(samples, kind, bound)
        one_by_one = [estimate(x, kind) for x in samples]
        assert above.tolist() == pytest.approx([e.p_inside(bound, math.inf) for e in one_by_one])
        assert below.tolist() == pytest.approx([e.p_outside(bound, math.inf) for e in one_by_one])


@pytest.mark.parametrize("n", [3, 5, 10, 20])
def test_lognormal_times_are_called_wrong_as_often_as_said(n):
    rates = wrong(shapes()["time, lognormal"], n, SIMULATIONS)
    assert rates == pytest.approx((ALPHA, ALPHA), abs=4 * error(ALPHA))


def cells(name, column):
    """Numbers in one column of the row of a table of the docs."""
    lines = (line.split("|") for line in PAGE.splitlines() if line.startswith(f"| {name} |"))
    (found,) = (line[column] for line in lines if re.search(r"\d\.\d\d", line[column]))
    return [float(part) for part in found.split("/")]


@pytest.mark.parametrize("name", shapes())
@pytest.mark.parametrize(("place", "n"), [(2, 3), (3, 5), (4, 10)])
def test_the_docs_have_the_errors_of_every_kind(name, place, n):
    above, below, covered = cells(name, place)
    found = wrong(shapes()[name], n, SIMULATIONS)
    assert found[0] == pytest.approx(above, abs=4 * error(above) + 0.0005)
    assert found[1] == pytest.approx(below, abs=4 * error(below) + 0.0005)
    assert covered == pytest.approx(1 - above - below, abs=0.0011)


@pytest.mark.parametrize(("name", "true", "bound", "kind", "draw"), POWERS)
def test_the_docs_have_the_power_of_every_kind(name, true, bound, kind, draw):
    for place, n in enumerate(REPETITIONS[:4], start=4):
        (said,) = cells(f"{name} | {true:g} | {bound:g}", place)
        found = power_above(draw, kind, bound, n, SIMULATIONS)
        assert found == pytest.approx(said, abs=4 * error(said) + 0.005)
