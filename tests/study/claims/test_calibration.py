"""Wrong verdicts of simulated claims at the boundary, for every kind, quantifier and size."""

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.study.claims import decision
from geoforest_cli.study.claims.decision import ALPHA
from tools import error_rates as power

pytestmark = pytest.mark.nightly
SIMULATIONS = 2000
FAR = 50.0


def most(simulations=SIMULATIONS):
    """Four standard errors above a share of simulations that is ALPHA in truth."""
    return ALPHA + 4 * math.sqrt(ALPHA * (1 - ALPHA) / simulations)


MOST = most()

POINTS = (1, 4, 12, 24, 60)
REPETITIONS = (3, 5, 10)
QUANTIFIERS = ("all", "most", 0.9)
above = {"low": 0.0, "high": np.inf, "closed": False}


def wrong(values, least, *, low, high, closed=True, overlap=0.0, prediction=False):
    """Shares of supported and of refuted claims; values: claims x points x contrasts x repetitions."""
    support, refute = power.p_values(
        values, least, low=low, high=high, closed=closed, overlap=overlap, prediction=prediction
    )
    return np.mean(support <= ALPHA), np.mean(refute <= ALPHA)


def gaps(rng, means, repetitions, rivals, simulations=SIMULATIONS):
    """Differences from rivals that share what is compared with them; the means are by point."""
    ours = rng.standard_normal((simulations, len(means), 1, repetitions))
    theirs = rng.standard_normal((simulations, len(means), rivals, repetitions))
    return ours - theirs + np.asarray(means)[:, None, None]


@pytest.mark.parametrize("rivals", [1, 5])
@pytest.mark.parametrize("quantifier", QUANTIFIERS, ids=str)
@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize("points", POINTS)
def test_comparisons_at_their_boundary(points, repetitions, quantifier, rivals):
    """The hardest boundaries: just too few points hold, and just enough."""
    rng = np.random.default_rng([points, repetitions, rivals])
    simulations = SIMULATIONS if points * rivals < 100 else 500
    least = decision.wanted(quantifier, points)
    # one point short: the others hold by far, and so do all rivals but one
    short = [FAR] * (least - 1) + [0.0] * (points - least + 1)
    values = gaps(rng, short, repetitions, rivals, simulations)
    values[:, :, 1:] += FAR
    supported, _ = wrong(values, least, **above)
    assert supported <= most(simulations)
    # enough points, all at their bound against all rivals; the others are lost by far
    enough = [0.0] * least + [-FAR] * (points - least)
    _, refuted = wrong(gaps(rng, enough, repetitions, rivals, simulations), least, **above)
    assert refuted <= most(simulations)


@pytest.mark.parametrize("rivals", [1, 5])
@pytest.mark.parametrize("points", POINTS)
def test_the_mean_over_points_is_held_against_the_best_rival(points, rivals):
    """One rival as good as we are among others far worse; and all of them as good."""
    rng = np.random.default_rng([points, rivals])
    for others in (FAR, 0.0):
        values = gaps(rng, [0.0] * points, 5, rivals)
        values[:, :, 1:] += others
        mean = values.mean(axis=1, keepdims=True)
        supported, refuted = wrong(mean, 1, **above)
        assert supported <= MOST
        assert refuted <= MOST


def test_a_single_comparison_is_wrong_as_often_as_it_says():
    """Neither above nor far below: the test is exact there, and a break of it shows."""
    values = np.random.default_rng(0).standard_normal((40_000, 1, 1, 5))
    support, refute = power.p_values(values, 1, **above)
    for p in (support, refute):
        assert np.mean(p <= ALPHA) == pytest.approx(ALPHA, abs=0.004)


@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize("axis", [2, 4, 8])
@pytest.mark.parametrize("points", [1, 4])
def test_ranges_at_their_boundary(points, axis, repetitions):
    """Half of the axis is higher by exactly the tolerance: many pairs are at their bound."""
    rng = np.random.default_rng([points, axis, repetitions])
    tolerance, pairs = 3.0, list(itertools.combinations(range(axis), 2))
    for flat in (False, True):
        means = np.where(np.arange(axis) < axis // 2, 0.0, tolerance)
        if flat:
            # only one pair is at the bound, as wrong support wants it
            means = np.r_[0.0, np.full(axis - 2, tolerance / 2), tolerance]
        curves = rng.normal(0, 0.3, (SIMULATIONS, points, axis, repetitions)) + means[:, None]
        values = np.stack([curves[:, :, b] - curves[:, :, a] for a, b in pairs], axis=2)
        supported, refuted = wrong(values, points, low=-tolerance, high=tolerance)
        assert supported <= MOST
        assert refuted <= MOST


@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize("points", POINTS)
@pytest.mark.parametrize("width", [0.02, 10.0])
def test_two_bounds(points, repetitions, width):
    """Near a number: at a bound, where the other bound is near or far."""
    rng = np.random.default_rng([points, repetitions])
    noise = rng.standard_normal((SIMULATIONS, points, 1, repetitions))
    supported, refuted = wrong(noise + width, points, low=-width, high=width)
    assert supported <= MOST
    assert refuted <= MOST


@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize("points", POINTS)
def test_published_draws(points, repetitions):
    """Print is one draw; its mean is off by the tolerance."""
    rng = np.random.default_rng([points, repetitions, 1])
    tolerance = 5.0
    ours = rng.standard_normal((SIMULATIONS, points, 1, repetitions)) + tolerance
    printed = rng.standard_normal((SIMULATIONS, points, 1, 1))
    bounds = {"low": -tolerance, "high": tolerance}
    _, refuted = wrong(ours - printed, points, **bounds, prediction=True)
    assert refuted <= MOST
    # support speaks of the printed number itself: at its bound
    supported, _ = wrong(ours, points, **bounds, prediction=True)
    assert supported <= MOST
    if points > 1 and repetitions > 3:
        # the interval of the mean alone would refute far too often
        _, naive = wrong(ours - printed, points, **bounds)
        assert naive > 4 * MOST


@pytest.mark.parametrize("repetitions", REPETITIONS)
def test_points_that_share_their_noise(repetitions):
    rng = np.random.default_rng(repetitions)
    for shared in (0.0, 0.9):
        common = rng.standard_normal((SIMULATIONS, 1, 1, repetitions))
        own = rng.standard_normal((SIMULATIONS, 20, 1, repetitions))
        values = math.sqrt(shared) * common + math.sqrt(1 - shared) * own
        supported, refuted = wrong(values, 20, **above)
        assert supported <= MOST
        assert refuted <= MOST


@pytest.mark.parametrize("test", [0.2, 0.5])
@pytest.mark.parametrize("repetitions", [5, 20, 100])
def test_splits_of_one_table(repetitions, test):
    """Correlated as Nadeau and Bengio assume: the share tested; the naive error is far off."""
    rng = np.random.default_rng([repetitions, int(10 * test)])
    common = rng.standard_normal((SIMULATIONS, 1, 1, 1))
    own = rng.standard_normal((SIMULATIONS, 1, 1, repetitions))
    values = math.sqrt(test) * common + math.sqrt(1 - test) * own
    supported, refuted = wrong(values, 1, **above, overlap=test / (1 - test))
    assert supported <= MOST
    assert refuted <= MOST
    if repetitions > 5:
        naive, _ = wrong(values, 1, **above)
        assert naive > 2 * MOST


def test_skewed_errors_cost_what_the_docs_say():
    """Student's t is exact for normal errors only: the docs state the price at few repetitions."""
    rates = power.skewed_errors()
    assert rates["normal"] == pytest.approx((0.025, 0.025), abs=0.004)
    assert max(rates["difference of exponentials"]) < ALPHA
    low, high = rates["exponential"]
    assert low < ALPHA
    assert 2 * ALPHA < high < 0.15


def numbers(text):
    return [float(one) for one in re.findall(r"\d+(?:\.\d+)?", text)]


def test_the_tables_of_the_docs_are_what_the_code_gives():
    page = (Path(__file__).parents[3] / "docs" / "verdicts.md").read_text(encoding="utf-8")
    shown = re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE)
    for table in power.tables():
        head = table.partition("\n")[0]
        (found,) = (one for one in shown if one.startswith(head))
        # another version of scipy may round a p value the other way
        assert numbers(found) == pytest.approx(numbers(table), abs=0.011)
