"""Each criterion kernel against naive code, on random, tied, constant and tiny input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm

from geoforest_cli.estimators.forests.kernels import mixture_bic
from geoforest_cli.estimators.forests.kernels.criteria import CRITERIA
from geoforest_cli.estimators.forests.kernels.criterion import scan
from geoforest_cli.estimators.forests.kernels.fast_bic import (
    QUICK_ERROR,
    ROUGH,
    fast_bic,
    mantissa_logs,
    quick_log,
    rough_log,
)
from geoforest_cli.estimators.forests.kernels.gini import ClassScratch, gini, gini_by_value
from geoforest_cli.estimators.forests.kernels.rules import Limits, Logs, Sorted
from geoforest_cli.estimators.forests.kernels.two_means import middle
from geoforest_cli.estimators.forests.kernels.variance import Variance
from geoforest_cli.estimators.forests.tables import shared_tables
from tests import naive_scores


def judge(criterion, values, labels=None, floor=0.0, min_leaf=1, best=np.inf, rounding=0.0):
    """Run a kernel on raw values: distinct entries with counts, sorted."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    labels = np.zeros(n, int) if labels is None else np.asarray(labels)
    pairs, counts = np.unique(np.c_[values, labels], axis=0, return_counts=True)
    m = len(pairs)
    z, order, w = pairs[:, 0].copy(), np.arange(m, dtype=np.int32), counts.astype(np.int32)
    entries = Sorted(z, order, w, m, n, np.empty(n), np.empty(n + 1), np.empty(n + 1))
    if criterion == "gini":
        label = pairs[:, 1].astype(np.int32)
        score, position = gini(entries, label, classes_of(label, w), min_leaf, True)
        return score, middle(*z[position : position + 2]) if position >= 0 else math.nan
    columns = np.zeros((1, n))
    data = CRITERIA[criterion].data(columns, shared_tables(columns, ranked=False, stepped=0.0))
    limits = Limits(min_leaf, floor, rounding, best)
    score, _, threshold = scan.dispatch(type(data))(data, entries, limits)
    return score, threshold


def classes_of(label, w, whole=(), n_cells=0):
    totals = np.bincount(label, w)
    return ClassScratch(
        totals, np.empty(len(totals)), np.empty(len(totals)), label, np.array(whole, np.int32),
        np.zeros(n_cells, np.int32), w, label,
    )  # fmt: skip


def centred(x):
    """Sorted values with their differences from the mean."""
    m = len(x)
    ones, none = np.ones(m, np.int32), np.empty(0)
    return Sorted(x, np.arange(m, dtype=np.int32), ones, m, m, x - x.mean(), none, none)


def same(ours, theirs):
    if math.isinf(theirs[0]):
        assert math.isinf(ours[0])
        assert math.isnan(ours[1])
        return
    assert ours[0] == pytest.approx(theirs[0], rel=1e-9, abs=1e-8)
    assert ours[1] == pytest.approx(theirs[1], rel=1e-12, abs=1e-12)


_draws = np.random.default_rng(7)
SAMPLES = {
    "normal": _draws.normal(size=60),
    "far_from_origin": _draws.normal(1e4, 1, size=60),
    "two_blobs": np.r_[_draws.normal(0, 1, 30), _draws.normal(10, 0.5, 25)],
    "heavy_tail": _draws.standard_cauchy(50),
    "rounded": _draws.normal(0, 2, 80).round(),
    "bootstrap": _draws.choice(_draws.normal(size=40), 60),
    "two_values": np.r_[np.zeros(5), np.ones(8)],
    "three_points": np.array([1.0, 2.0, 4.0]),
    "two_points": np.array([3.0, 5.0]),
    "constant": np.full(9, 2.5),
    "scaled": np.r_[0.0, 0.0, _draws.uniform(0.01, 1, 40)],
    "negative_and_zero": np.r_[0.0, 0.0, 0.0, _draws.normal(size=30)],
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("min_leaf", [1, 5])
def test_two_means_is_the_smallest_sum_of_squares(name, min_leaf):
    theirs = naive_scores.two_means(SAMPLES[name], min_leaf)
    same(judge("two_means", SAMPLES[name], min_leaf=min_leaf), theirs)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(("floor", "min_leaf"), [(0.0, 1), (1e-3, 1), (1e-3, 5)])
def test_fast_bic_is_the_likelihood_by_definition(name, floor, min_leaf):
    theirs = naive_scores.fast_bic(SAMPLES[name], floor, min_leaf)
    same(judge("fast_bic", SAMPLES[name], floor=floor, min_leaf=min_leaf), theirs)


def test_logarithms_are_never_further_off_than_stated():
    x = np.r_[np.geomspace(1e-300, 1e300, 4001), np.linspace(0.5, 2, 4001)]
    table = mantissa_logs()
    assert max(abs(rough_log(v, table) - math.log(v)) for v in x) <= ROUGH
    assert max(abs(quick_log(v) - math.log(v)) for v in x) <= QUICK_ERROR / 2


def shaped(shape, m, rng):
    cluster = np.where(rng.random(m) < 0.4, rng.normal(0, 1e-4, m), rng.normal(6, 0.05, m))
    return {
        "heavy": rng.standard_t(1.1, size=m),
        "spikes": cluster,
        "ties": rng.integers(0, 9, m).astype(float),
        "far": rng.normal(1e6, 1e-3, m),
        "end": np.r_[rng.normal(size=m - 2), 30.0, 30.001],
        "alone": np.r_[0.0, np.ones(m - 1)],
        "copies": np.repeat(rng.normal(size=3), m)[:m],
        "normal": rng.normal(size=m),
    }[shape]


@given(
    shape=st.sampled_from(("heavy", "spikes", "ties", "far", "end", "alone", "copies", "normal")),
    m=st.integers(3, 300), seed=st.integers(0, 10**6), step=st.sampled_from((0.0, 1.0)),
    rule=st.sampled_from(((0.0, 0.0), (1e-3, 0.0), (0.015, 0.125), (0.015, 0.0), (0.3, 0.0))),
    observed=st.sampled_from((np.inf, 2.0)), relative=st.booleans(),
)  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_quick_scores_change_no_cut_and_no_score(shape, m, seed, step, rule, observed, relative):
    rng = np.random.default_rng(seed)
    z, w = np.sort(shaped(shape, m, rng)), rng.integers(1, 4, m).astype(np.int32)
    n, (floor, share) = int(w.sum()), rule
    logs = np.array([0.0, *map(math.log, range(1, n + 1))])
    limits = Limits(max(1, math.ceil(share * n)), floor, step**2 / 12, observed * n)
    entries = Sorted(
        z, np.arange(m, dtype=np.int32), w, m, n, np.empty(m), np.empty(m + 1), np.empty(m + 1)
    )
    theirs = naive_scores.fast_bic_cut_by_cut(entries, limits, logs, relative)
    score, cut, variance = fast_bic(entries, limits, Logs(logs, mantissa_logs()), relative)
    # to the last bit
    assert (score, repr(float(cut))) == (theirs[0], repr(float(theirs[1])))
    assert variance == pytest.approx(np.average((z - np.average(z, weights=w)) ** 2, weights=w))


def test_only_cuts_below_the_best_so_far_are_reported():
    score, _ = judge("fast_bic", SAMPLES["normal"], floor=1e-3)
    assert judge("fast_bic", SAMPLES["normal"], floor=1e-3, best=score + 1e-6)[0] == score
    assert math.isinf(judge("fast_bic", SAMPLES["normal"], floor=1e-3, best=score)[0])


@pytest.mark.parametrize("name", SAMPLES)
def test_delta_bic_subtracts_one_gaussian(name):
    same(judge("mean_bic", SAMPLES[name], floor=1e-3), naive_scores.mean_bic(SAMPLES[name], 1e-3))
    theirs = naive_scores.delta_bic(SAMPLES[name], 1e-3)
    same(judge("delta_bic", SAMPLES[name], floor=1e-3), theirs)
    for floor, rounding in ((1e-3, 1 / 12), (0.0, 0.2)):
        theirs = naive_scores.delta_bic(SAMPLES[name], floor, rounding=rounding)
        same(judge("delta_bic", SAMPLES[name], floor=floor, rounding=rounding), theirs)


@pytest.mark.parametrize("levels", [2, 3, 5, 10, 40])
@pytest.mark.parametrize("step", [0.01, 1, 7])
def test_evenly_used_steps_are_not_two_clusters(levels, step):
    values = np.repeat(np.arange(levels) * step, 200)
    assert judge("delta_bic", values, floor=0.015)[0] < 0 or levels == 40
    assert judge("delta_bic", values, floor=0.015, rounding=step**2 / 12)[0] > 0
    apart = np.r_[values, values + 5 * levels * step]
    assert judge("delta_bic", apart, floor=0.015, rounding=step**2 / 12)[0] < 0


# the grower, like the program, looks for two different values before it asks
LEGACY = {name: x for name, x in SAMPLES.items() if name not in {"two_values", "constant"}}
LEGACY["smallest"] = 1e-156 * np.r_[1.0, 2.0, 4.0, 7.0, 11.0, 16.0]
for _seed in (1268, 2475, 2978):  # rough logarithms take another cut of these
    LEGACY[f"close {_seed}"] = np.random.default_rng(_seed).normal(size=40)


@pytest.mark.parametrize("name", LEGACY)
def test_legacy_is_the_programs_loop(name):
    same(judge("fast_bic_legacy", LEGACY[name]), naive_scores.fast_bic_legacy(LEGACY[name]))


@pytest.mark.parametrize("equal", [True, False])
def test_em_reaches_a_stationary_likelihood(equal):
    x = np.sort(SAMPLES["two_blobs"] - SAMPLES["two_blobs"].mean())
    fit = mixture_bic.expectation_maximisation(centred(x), 30, 1e-9, equal)
    assert fit[0] == pytest.approx(naive_scores.mixture_log_likelihood(x, *fit[1:]), rel=1e-9)

    def minus_likelihood(free):
        p1, m1, log_v1, m2, log_v2 = free
        v1 = v2 = math.exp(log_v1)
        if not equal:
            v2 = math.exp(log_v2)
        return -naive_scores.mixture_log_likelihood(x, p1, m1, v1, m2, v2)

    p1, m1, v1, m2, v2 = fit[1:]
    start = [p1, m1, math.log(v1), m2, math.log(v2)]
    optimum = minimize(minus_likelihood, start, method="Nelder-Mead", options={"xatol": 1e-9})
    # EM stops when a step gains less than 1e-5 of the likelihood
    assert fit[0] <= -optimum.fun + 1e-9
    assert fit[0] == pytest.approx(-optimum.fun, abs=2e-5 * (1 + abs(optimum.fun)))
    moved = [start[0], start[1] + 0.02, *start[2:]]
    assert minus_likelihood(moved) > -fit[0]


def test_mclust_score_and_threshold_by_definition():
    x = np.sort(SAMPLES["two_blobs"])
    score, threshold = judge("mclust_bic", x, floor=1e-3)
    n = len(x)
    split = int(np.searchsorted(x, naive_scores.two_means(x)[1]))
    least = 1e-3 * np.var(x)
    fits = [
        mixture_bic.expectation_maximisation(centred(x), split, least, equal)
        for equal in (True, False)
    ]
    bics = [-2 * fits[0][0] + 4 * math.log(n), -2 * fits[1][0] + 5 * math.log(n)]
    assert score == pytest.approx(min(bics))
    _, p1, m1, v1, m2, v2 = fits[int(np.argmin(bics))]
    left = p1 * math.exp(-((threshold - x.mean() - m1) ** 2) / (2 * v1)) / math.sqrt(v1)
    right = (1 - p1) * math.exp(-((threshold - x.mean() - m2) ** 2) / (2 * v2)) / math.sqrt(v2)
    assert left == pytest.approx(right, rel=1e-6)


def test_mclust_as_run_prefers_the_widest_and_cuts_at_maxima():
    x = SAMPLES["two_blobs"]
    narrow, threshold = judge("mclust_bic_legacy", x)
    wide, _ = judge("mclust_bic_legacy", 10 * x)
    assert wide < narrow
    # the smaller of the two: the last point of the left blob
    assert threshold == x[x < 5].max()


def test_mclust_on_degenerate_input():
    same(judge("mclust_bic", SAMPLES["constant"], floor=1e-3), (math.inf, math.nan))
    score, threshold = judge("mclust_bic", SAMPLES["two_points"], floor=1e-3)
    # two points a distance of 2 apart, each with half the weight and the floor's variance
    floor = 1e-3
    likelihood = 2 * (math.log(0.5) - 0.5 * math.log(2 * math.pi * floor))
    assert score == pytest.approx(-2 * likelihood + 4 * math.log(2))
    assert threshold == pytest.approx(4.0)


def test_a_mixture_keeps_both_sides_large():
    few = np.r_[np.random.default_rng(0).normal(size=40), 30.0, 31.0]
    for values in (few, -few):
        assert math.isfinite(judge("mclust_bic", values, floor=1e-3, min_leaf=2)[0])
        # the first cut has three on the far side, the mixture has two
        assert math.isinf(judge("mclust_bic", values, floor=1e-3, min_leaf=3)[0])


@pytest.mark.parametrize(("v1", "v2"), [(1.0, 1.0), (0.3, 1.5), (2.0, 0.4)])
@pytest.mark.parametrize("p1", [0.2, 0.5, 0.8])
def test_weighted_densities_are_equal_at_the_crossing(p1, v1, v2):
    at = mixture_bic.crossing(p1, -2.0, v1, 2.0, v2)
    left = p1 * norm.pdf(at, -2, math.sqrt(v1))
    assert left == pytest.approx((1 - p1) * norm.pdf(at, 2, math.sqrt(v2)))
    assert -2 < at < 2
    if v1 == v2:
        assert at == pytest.approx(math.log(p1 / (1 - p1)) / 4)
    # one component dominates everywhere between the means
    assert mixture_bic.crossing(0.999999, 0.0, v1, 0.1, v2) == pytest.approx(0.05)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", ["normal", "rounded", "three_points", "bootstrap"])
def test_gini_is_the_impurity_by_definition(name, classes):
    x = SAMPLES[name]
    y = np.random.default_rng(3).integers(0, classes, len(x))
    y[0] = classes - 1
    same(judge("gini", x, y), naive_scores.gini(x, y))


@pytest.mark.parametrize("min_leaf", [1, 4, 7])
@pytest.mark.parametrize("seed", range(4))
def test_gini_by_rank_and_by_value_keep_both_sides_large(seed, min_leaf):
    stream = np.random.default_rng(seed)
    w = stream.integers(1, 4, 12).astype(np.int32)
    n = int(w.sum())
    # the last entries are of a class of their own: the best cut would leave few on the right
    label = np.r_[stream.integers(0, 2, 10), 2, 2].astype(np.int32)
    bag, classes = np.repeat(np.arange(12), w), np.repeat(label, w)
    theirs = naive_scores.gini(bag, classes, min_leaf)
    entries = centred(np.arange(12.0))._replace(w=w, n=n)
    score, position = gini(entries, label, classes_of(label, w), min_leaf, False)
    same((score, position + 0.5 if position >= 0 else math.nan), theirs)
    order = stream.permutation(12)
    counted = classes_of(label[order], w[order], order + 3, 36)
    entries = entries._replace(w=w[order])
    score, cut = gini_by_value(entries, 3, 11, counted, min_leaf, np.inf)
    same((score, cut - 3), theirs)
    assert not counted.by_value.any()
    assert min((bag < cut - 3).sum(), (bag > cut - 3).sum()) >= min_leaf


@pytest.mark.parametrize("min_leaf", [1, 4])
def test_variance_counts_rows_as_often_as_they_are_in_the_bag(min_leaf):
    y, w = np.random.default_rng(0).normal(size=9), np.array([1, 5, 1, 1, 2, 1, 7, 1, 1], np.int32)
    bag, lost = np.repeat(np.arange(9), w), {}
    for cut in range(1, 9):
        sides = y[bag[bag < cut]], y[bag[bag >= cut]]
        if min(map(len, sides)) >= min_leaf:
            lost[cut - 0.5] = sum(len(side) * side.var() for side in sides)
    score, threshold = variance_cut(y, w, min_leaf)
    assert threshold == min(lost, key=lost.get)
    assert score == pytest.approx(min(lost.values()) - len(bag) * y[bag].var())


@pytest.mark.parametrize("name", ["normal", "rounded", "heavy_tail", "three_points"])
def test_fast_bic_knows_units_and_delta_bic_none(name):
    x = SAMPLES[name]
    delta = [judge("delta_bic", values, floor=1e-3)[0] for values in (x, 3.7 * x - 20)]
    assert delta[1] == pytest.approx(delta[0], rel=1e-6, abs=1e-6)
    plain, scaled = (judge("fast_bic", a * x, floor=1e-3)[0] for a in (1.0, 3.7))
    assert scaled - plain == pytest.approx(len(x) * math.log(3.7**2), rel=1e-6)


def variance_cut(y, w, min_leaf):
    """Score and cut of a response y at places 0, 1, 2, ... that count w times."""
    m = len(y)
    columns = np.zeros((1, m))
    data = Variance(columns, shared_tables(columns, ranked=False, stepped=0.0), y)
    entries = centred(np.arange(float(m)))._replace(w=w, n=int(w.sum()), sums=np.empty(m))
    score, _, cut = scan.dispatch(Variance)(data, entries, Limits(min_leaf, 0.0, 0.0, np.inf))
    return score, cut


def test_of_equally_good_cuts_of_a_response_the_lowest_is_taken():
    # both outer cuts lower the sum of squares by a third
    cut = variance_cut(np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4, np.int32), 1)
    assert cut == (pytest.approx(-1 / 3), 0.5)
