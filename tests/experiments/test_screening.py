"""Experiments on screens, against what is known beforehand."""

from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.study.experiment import Task
from geoforest_cli.study.plan import experiments

ROOT = Path(__file__).parents[2] / "experiments"


def run(name, method, params, method_params=None, variant="recommended", seed=3):
    experiment = experiments.load(ROOT / f"{name}.py")
    task = Task(
        params=experiment.params.model_validate(params),
        method=method,
        method_params=method_params or {},
        variant=variant,
        repetition=0,
        sample_seed=seed,
        method_seed=seed,
        metric_seed=seed,
    )
    return experiment.run_cell(task)


def values(rows):
    return {row.metric: row.value for row in rows}


def screened(inner):
    return {"method": inner, "params": None, "level": 0.01}


def test_keeping_everything_among_noise():
    row = values(
        run("column_screening", "all_columns", {"manifold": "helix", "n": 60, "noise_dims": 9})
    )
    assert row["kept_share"] == row["power"] == row["all_kept"] == row["false_any"] == 1
    assert row["false_share"] == 0.75
    assert row["found_all"] == 0
    assert row["ranking"] == pytest.approx(0.25)


def test_nothing_but_noise_has_no_power_to_speak_of():
    rows = run(
        "column_screening",
        "pair_screen",
        {"manifold": "none", "n": 60, "noise_dims": 9, "tables": 3},
    )
    undefined = {row.metric for row in rows if row.status == "undefined"}
    assert undefined == {"power", "all_kept", "ranking"}
    everything = values(
        run("column_screening", "all_columns", {"manifold": "none", "n": 60, "noise_dims": 9})
    )
    assert everything["false_share"] == 1


@pytest.mark.parametrize("kind", ["t3", "factors"])
def test_pairs_find_a_helix_in_noise_and_keep_dependent_noise(kind):
    params = {"manifold": "helix", "n": 400, "noise_dims": 12, "noise_kind": kind}
    metrics = values(run("column_screening", "pair_screen", params))
    assert metrics["power"] == 1
    assert (metrics["false_share"] > 0.5) == (kind == "factors")


@pytest.mark.parametrize("rescale", ["none", "min_max"])
def test_behind_a_screen_that_finds_the_signal_nothing_is_lost(rescale):
    params = {"manifold": "helix", "n": 300, "noise_dims": 40, "k": (10,), "rescale": rescale}
    metrics = values(run("manifold_neighbors", "screened", params, screened("euclidean")))
    assert (metrics["power"], metrics["false_share"], metrics["found_all"]) == (1, 0, 1)
    assert metrics["lost"] == 0
    clean = values(
        run("manifold_neighbors", "euclidean", {**params, "noise_dims": 0}, {"rescale": "none"})
    )
    assert metrics["precision"] == clean["precision"]
    noisy = values(run("manifold_neighbors", "euclidean", params, {"rescale": "none"}))
    assert "lost" not in noisy
    assert noisy["precision"] < metrics["precision"]


def test_noise_of_a_table_is_as_wide_as_its_columns():
    experiment = experiments.load(ROOT / "table_neighbors.py")
    make = vars(__import__("sys").modules[type(experiment).__module__])["_table"]
    raw, _ = make(experiment.params(data="digits", noise_dims=100), 0)
    clean, labels = make(experiment.params(data="digits"), 0)
    assert np.array_equal(raw[:, :64], clean)
    widths = clean.std(axis=0)
    assert (raw[:, 64:].std(axis=0) > 0).all()
    expected = np.resize(widths[widths > 0], 100)
    np.testing.assert_allclose(raw[:, 64:].std(axis=0), expected, rtol=0.1)
    assert len(labels) == len(raw)
