"""Neighbours among any noise: what a cell measures, and how the grid is cut in two."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import NearestNeighbors

from geoforest_cli.problems.datasets import LABELLED
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.study import plan
from geoforest_cli.study.plan import experiments
from tests.configs import opened

ROOT = Path(__file__).parents[2]
EXPERIMENT = experiments.load(ROOT / "experiments" / "neighbor_quality.py")
CONFIG = """\
title: mine
experiment: neighbor_quality
repetitions: 2
grid: {grid}
methods:
  euclidean: {{variants: {{recommended: {{sample: {{clean: {clean}}}}}}}}}
"""


def names_of(config):
    setting = opened.config(config)
    tables = {name for also in setting.also for name in also.get("data", [])}
    return set(setting.grid["data"]), tables


def cells(tmp_path, grid, clean="true"):
    """Rows of every cell, each with its grid point."""
    path = tmp_path / "mine.yaml"
    path.write_text(CONFIG.format(grid=grid, clean=clean))
    whole = plan.load(path)
    results = []
    for entry in whole.entries:
        task = entry.cell.task(entry.inner, whole.experiment)
        rows = {row.metric: row.value for row in whole.experiment.run_cell(task)}
        results.append((task.params, task, rows))
    return results


def test_the_judged_half_has_drawn_shapes_and_targets_only():
    fresh = {"random_clusters", "random_curve", "random_sheet"}
    assert names_of("noise_kinds_choosing") == (set(MANIFOLDS) - fresh, set(LABELLED))
    shapes, tables = names_of("noise_kinds")
    assert shapes == fresh
    assert tables == {
        name
        for name in LABELLED
        if (points := LABELLED[name].load()().points).shape[1] >= 5
        and max(len(np.unique(column)) for column in points.T) >= 10
    }
    targets = {also["target"][0] for also in opened.config("noise_kinds").also if "data" in also}
    assert targets == {"column"}


def test_a_target_is_a_column_in_thirds_that_is_no_feature(tmp_path):
    (params, task, _), (_, other, _) = cells(tmp_path, "{data: [wine], target: [column]}")
    draw = EXPERIMENT.run_cell.__func__.__globals__["draw"]
    points, truth, k = draw(params, task.rng("sample"))
    whole = LABELLED["wine"].load()().points
    assert (points.shape[1], k) == (whole.shape[1] - 1, 10)
    (target,) = (
        j for j in range(whole.shape[1]) if not (whole[:, j] == points.T).all(axis=1).any()
    )
    order = np.argsort(whole[:, target], kind="stable")
    assert np.bincount(truth.labels).min() > 50
    assert len({truth.labels[i] for i in order[:40]}) == 1
    assert not np.array_equal(points, draw(params, other.rng("sample"))[0])


def test_a_share_of_the_clean_precision_is_one_without_noise(tmp_path):
    (_, _, clean), *_ = cells(tmp_path, "{data: [circle], n: [60]}")
    assert clean["of_clean"] == 1
    assert clean["precision"] > 0.9
    (_, _, noisy), *_ = cells(tmp_path, "{data: [circle], n: [60], noise_dims: [50]}")
    assert noisy["of_clean"] == pytest.approx(noisy["precision"] / clean["precision"])
    (_, _, plain), *_ = cells(tmp_path, "{data: [circle], n: [60]}", clean="false")
    assert set(plain) == {"precision", "chance"}


def test_a_twentieth_of_the_points_is_asked_for(tmp_path):
    (params, task, rows), *_ = cells(tmp_path, "{data: [plane], n: [100]}")
    points, truth, k = EXPERIMENT.run_cell.__func__.__globals__["draw"](params, task.rng("sample"))
    assert k == 5
    assert rows["chance"] == pytest.approx(5 / 99)
    # on a plane the nearest along it are the nearest in space
    assert rows["precision"] == 1
    np.testing.assert_allclose(NearestNeighbors(n_neighbors=5).fit(points).kneighbors()[0][:, 0],
                               np.sort(truth.distances(), axis=1)[:, 1])  # fmt: skip


def test_in_a_table_rows_of_the_own_class_are_counted(tmp_path):
    (_, _, rows), *_ = cells(tmp_path, "{data: [iris], n: [500]}")
    points, classes = load_iris(return_X_y=True)
    lists = NearestNeighbors(n_neighbors=10).fit(points).kneighbors(return_distance=False)
    # ties are broken at random
    assert rows["precision"] == pytest.approx(np.mean(classes[lists] == classes[:, None]), abs=0.01)
    assert rows["chance"] == pytest.approx(49 / 149)


def test_noise_is_the_same_under_transforms_the_sample_always(tmp_path):
    draws = EXPERIMENT.run_cell.__func__.__globals__
    drawn = cells(
        tmp_path,
        "{data: [circle], n: [50], noise_dims: [4], noise_kind: [normal, uniform], transform: [none, cube]}",
    )
    tables = {}
    for params, task, _ in drawn:
        points, _, _ = draws["draw"](params, task.rng("sample"))
        wide = draws["noisy"](points, params, task.seed("sample"))
        key = params.noise_kind, params.transform, task.seed("sample")
        tables[key] = points, wide
    for (kind, _, seed), (points, wide) in tables.items():
        raw = tables[kind, "none", seed][1]
        assert np.array_equal(points, tables["normal", "none", seed][0])
        assert np.array_equal(np.argsort(wide, axis=0), np.argsort(raw, axis=0))
        assert np.array_equal(raw[:, :2], points)
