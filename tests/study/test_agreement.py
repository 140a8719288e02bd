"""Distances from published values, against a computation one value at a time."""

import math
import statistics

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from geoforest_cli.study.agreement import Agreement, agreement, pooled
from geoforest_cli.study.report import tables

METHODS = ("gf", "umap", "urf", "isomap")


def drawn(seed, lost=0.2):
    """Rows of four methods at six points, and published values of most of them."""
    rng = np.random.default_rng(seed)
    rows, published = [], []
    for shape in ("line", "helix"):
        for k in (5, 10, 20):
            for method in METHODS:
                key = {"shape": shape, "k": k, "method": method, "variant": "as_run",
                       "metric": "precision"}  # fmt: skip
                n = int(rng.integers(1, 5))
                values = np.round(rng.uniform(0.3, 0.9) + rng.normal(0, 0.05, n), 4)
                values = np.full(n, values[0]) if rng.random() < 0.2 else values
                rows += [{**key, "repetition": i, "value": v, "status": "ok", "cell": "c"}
                         for i, v in enumerate(values)]  # fmt: skip
                if rng.random() > lost:
                    value = round(values.mean() + rng.normal(0, 0.08), 2)
                    published.append({**key, "repetition": 0, "value": value, "status": "ok",
                                      "cell": "", "source": "s"})  # fmt: skip
    return pd.DataFrame(rows), pd.DataFrame(published)


def naive(rows, published):
    """Deviations, hits of prediction intervals, and taus, from the rows themselves."""
    keys = ["shape", "k", "method", "metric"]
    samples = {key: list(part["value"]) for key, part in rows.groupby(keys)}
    theirs = {
        tuple(row[name] for name in keys): row["value"] for row in published.to_dict("records")
    }
    deviations, inside, points = [], [], {}
    for key, value in theirs.items():
        values = samples[key]
        mean, n = statistics.fmean(values), len(values)
        deviations.append((abs(mean - value), key))
        if n >= 2 and statistics.stdev(values) > 0:
            reach = stats.t.ppf(0.975, n - 1) * statistics.stdev(values) * math.sqrt(1 + 1 / n)
            inside.append(abs(mean - value) <= reach)
        points.setdefault((key[0], key[1], key[3]), []).append((mean, value))
    taus = [
        stats.kendalltau(*zip(*pairs, strict=True))[0]
        for pairs in points.values()
        if len(pairs) > 1
    ]
    return deviations, inside, [tau for tau in taus if not math.isnan(tau)]


@pytest.mark.parametrize("seed", range(4))
def test_a_summary_agrees_with_its_rows(seed):
    rows, published = drawn(seed)
    result = agreement(tables.summary(rows, published))
    deviations, inside, taus = naive(rows, published)
    sizes = [size for size, _ in deviations]
    assert result.values == len(sizes) == len(published)
    assert result.median == pytest.approx(statistics.median(sizes))
    assert result.percentile_90 == pytest.approx(np.percentile(sizes, 90))
    assert (result.inside, result.intervals) == (sum(inside), len(inside))
    assert result.tau == pytest.approx(statistics.fmean(taus))
    assert result.tau_points == len(taus)
    size, (shape, k, method, metric) = max(deviations)
    largest = result.largest
    assert abs(largest["ours"] - largest["published"]) == pytest.approx(size)
    at = {"shape": shape, "k": k, "method": method, "metric": metric, "variant": "as_run"}
    assert {name: largest[name] for name in at} == at
    assert Agreement.model_validate_json(result.model_dump_json()) == result


def test_values_of_several_configs_are_pooled():
    parts = {f"config{seed}": drawn(seed) for seed in range(3)}
    summaries = {name: tables.summary(*part) for name, part in parts.items()}
    # a column that only one of them has, and one without published values
    summaries["config0"] = summaries["config0"].assign(n=100)
    summaries["none"] = tables.summary(parts["config0"][0])
    result = pooled(summaries)
    naives = [naive(*part) for part in parts.values()]
    sizes = [size for deviations, _, _ in naives for size, _ in deviations]
    assert result.values == len(sizes)
    assert result.median == pytest.approx(statistics.median(sizes))
    assert result.inside == sum(sum(inside) for _, inside, _ in naives)
    assert result.tau == pytest.approx(statistics.fmean(t for _, _, taus in naives for t in taus))
    assert result.largest["config"] in parts
    alone = agreement(summaries["config1"])
    again = pooled({"config1": summaries["config1"]})
    assert again == alone
    assert pooled({}) is None
    assert pooled({"none": summaries["none"], "empty": pd.DataFrame()}) is None


def frame(mean, published, **more):
    columns = {"k": 5, "method": list("abcd")[: len(mean)], "variant": "as_run",
               "metric": "recall_at_k", "half": None, "repetitions": 1}  # fmt: skip
    return pd.DataFrame(columns | {"mean": mean, "published": published} | more)


def test_without_published_values_there_is_none():
    assert agreement(pd.DataFrame()) is None
    assert agreement(frame([0.5, 0.6], [None, None])) is None
    assert agreement(frame([None, 0.6], [0.5, None])) is None


def test_only_what_there_is_is_said():
    result = agreement(frame([0.5], [0.75]))
    assert (result.intervals, result.tau, result.tau_points) == (0, None, 0)
    assert result.sentence({"a": "A"}) == (
        "1 published value: median deviation .25, 90th percentile .25; largest deviation from "
        "a published value: .25, recall at k of A (.5 here, .75 published)"
    )
    # nobody's order is told by equal means, even where the last digits differ
    assert agreement(frame([0.1 + 0.2, 0.3], [0.5, 0.6])).tau is None
    # four methods with a tie on one side
    ties = agreement(frame([0.1, 0.2, 0.2, 0.4], [0.1, 0.2, 0.3, 0.4]))
    assert ties.tau == pytest.approx(stats.kendalltau([1, 2, 2, 4], [1, 2, 3, 4])[0])


def test_the_prediction_interval_is_that_of_one_more_repetition():
    """For 0, 1 and 2 it is 1 ± 4.303 · 1 · sqrt(4/3), that is 4.968."""
    half = 4.302653 / math.sqrt(3)
    for value, inside in ((5.96, 1), (5.98, 0), (-3.96, 1), (-3.98, 0)):
        result = agreement(frame([1.0], [value], half=half, repetitions=3))
        assert (result.inside, result.intervals) == (inside, 1)
