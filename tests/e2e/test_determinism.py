"""The same rows, byte for byte, whatever else is different where and how they are computed."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import geoforest_cli
from geoforest_cli.study import plan as planning
from geoforest_cli.study.engine import driver
from geoforest_cli.study.engine.executors.contract import Outcome, never
from geoforest_cli.study.engine.executors.local import LocalExecutor
from geoforest_cli.study.results.record import read_record

ROOT = Path(__file__).parents[2]

EXPERIMENT = """
from typing import Annotated

import numpy as np
from geoforest_cli.study.experiment import Experiment, Inner, Params, Row, Uses
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.kernels.torus_geodesic import BINS, step_lengths
from geoforest_cli.problems.metrics.ranking import retrieved
from threadpoolctl import threadpool_info

WORDS = {"arc", "ball", "cone", "disc", "edge", "fold", "grid", "helix"}


class FixedParams(Params):
    manifold: Annotated[str, Uses(MANIFOLDS)]
    n: int
    k: Inner[int]


class Fixed(Experiment[FixedParams]):
    methods = ("neighbors",)
    yields = ("far", "product", "order", "threads", "compiled")

    def run_cell(self, task):
        params = task.params
        rng = np.random.default_rng(task.sample_seed)
        sample = MANIFOLDS[params.manifold].load()(params.n, task.sample_kind, rng)
        truth = sample.truth.distances()
        method = task.build_method().fit(sample.points)
        order = sum(place * ord(word[0]) for place, word in enumerate(WORDS))
        threads = max(one["num_threads"] for one in threadpool_info())
        lengths = np.zeros((BINS, 121))
        step_lengths(2.0, rng.uniform(0.5, 1.0), lengths)
        compiled = lengths[task.repetition :: 7].prod(axis=1).sum()
        wide = rng.normal(size=(300, 300))
        rows = []
        for k in params.k:
            found = retrieved(method, k, "random", np.random.default_rng(task.metric_seed + k))
            far = np.take_along_axis(truth, found, axis=1).mean()
            product = np.linalg.eigvalsh(wide @ wide.T)[7]
            values = (far, product, order, threads, compiled)
            rows += [Row(name, float(value), k=k) for name, value in zip(self.yields, values)]
        return rows

    def draw(self, context):
        from geoforest_cli.study.figures.context import NothingToDraw
        raise NothingToDraw("rows are what it is about")
"""
CONFIG = """
title: Fixed
experiment: ./fixed_rows.py
seed: 7
repetitions: 2
timeout: 600
params: {n: 24}
grid: {manifold: [torus, helix], k: [3, 5]}
methods:
  euclidean: {label: "Ä, λ", variants: {as_written: {}}}
"""
FOREST = """
  gf:
    use: geodesic_forest
    variants:
      recommended: {params: {n_estimators: 8}}
      as_written: {params: {n_estimators: 5, nonzeros: 0.5, min_parent: 12}}
  isomap: {variants: {as_written: {}}}
"""
PROFILES = "profiles: {smoke: {}}\n"
RESULTS = ("rows.csv", "summary.csv")
HERE = {
    "PYTHONHASHSEED": "0", "LC_ALL": "C", "LANG": "C", "TZ": "UTC", "OMP_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
}  # fmt: skip


def written(folder):
    folder.mkdir()
    (folder / "fixed_rows.py").write_text(EXPERIMENT)
    (folder / "fixed.yaml").write_text(CONFIG + FOREST + PROFILES, encoding="utf-8")
    # the kernels of tori take ten times as long to compile as one of them
    cold = CONFIG.replace("[torus, helix]", "[helix]")
    (folder / "cold.yaml").write_text(cold + PROFILES, encoding="utf-8")
    return folder


def run(folder, *arguments, jobs="1", **environment):
    done = subprocess.run(
        [sys.executable, "-m", "geoforest_cli", "run", *arguments, "--jobs", jobs],
        cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CI": "true", **HERE, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def files(results, name="fixed"):
    folder = results / name / "paper"
    # the rest of a record says when and where the run was
    judged = read_record(folder).judged.model_dump_json().encode()
    return {"judged": judged, **{file: (folder / file).read_bytes() for file in RESULTS}}


def with_decimal_commas():
    """Return a name of this machine that writes 0,5; else the plain one of another encoding."""
    tool = shutil.which("locale")
    there = (
        subprocess.run([tool, "-a"], capture_output=True, text=True, check=True) if tool else None
    )
    names = there.stdout.split() if there else []
    comma = [name for name in names if name.lower().startswith(("de_", "fr_", "ru_", "es_", "it_"))]
    return (comma or ["C.UTF-8"])[0]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Return what one process computes, one cell after the other, in the order of the plan."""
    folder = written(tmp_path_factory.mktemp("plain") / "here")
    with pytest.warns(UserWarning, match="is not drawn"):
        geoforest_cli.run(folder / "fixed.yaml", results=folder / "results", jobs=1)
    return folder / "results"


def elsewhere(folder):
    """A copy of the configs at another place, a working folder besides, another surrounding."""
    written(folder / "há bc")
    (folder / "besides").mkdir()
    return folder / "besides", {
        "PYTHONHASHSEED": "1", "LC_ALL": with_decimal_commas(), "TZ": "Asia/Tokyo",
        "OMP_NUM_THREADS": "2", "NUMBA_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2",
    }  # fmt: skip


def test_rows_hold_no_trace_of_where_they_were_computed(plain, tmp_path):
    folder, surrounding = elsewhere(tmp_path)
    results = tmp_path / "results"
    run(folder, "../há bc/fixed.yaml", "--results", str(results), jobs="2", **surrounding)
    assert files(results) == files(plain)
    lines = files(plain)["rows.csv"].decode().splitlines()
    assert len(lines) == 1 + 2 * 2 * 2 * 5 * 4
    assert len({line.split(",")[6] for line in lines}) > 25
    assert {line.split(",")[6] for line in lines if ",threads," in line} == {"1.0"}


@pytest.mark.nightly
def test_kernels_compiled_anew_give_the_same_rows(plain, tmp_path):
    folder, surrounding = elsewhere(tmp_path)
    results, cache = tmp_path / "results", tmp_path / "cache"
    surrounding |= {"NUMBA_CACHE_DIR": str(cache), "PYTHONHASHSEED": "random"}
    run(folder, "../há bc/cold.yaml", "--results", str(results), **surrounding)
    header, *lines = files(plain)["rows.csv"].splitlines()
    ours = [header, *(line for line in lines if b"helix" in line and b",euclidean," in line)]
    assert len({line.split(b",")[6] for line in ours if b",compiled," in line}) == 2
    assert files(results, "cold")["rows.csv"].splitlines() == ours
    assert os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" or list(cache.rglob("*.nbc"))


class Shuffled(LocalExecutor):
    """Runs one cell at a time, in an order of its own, and stops early."""

    def __init__(self):
        super().__init__(1)
        self.order, self.most = random.Random(1), 5
        self.ran = []

    def run(self, jobs, stopping=never, draining=never):
        mixed = sorted(jobs, key=lambda job: job.key)
        self.order.shuffle(mixed)
        for job in mixed[: self.most]:
            self.ran.append(job.key)
            for event in super().run([job]):
                yield event
                if isinstance(event, Outcome):
                    assert event.status == "ok", event.error


def test_the_order_of_cells_and_interruptions_do_not_show(plain, tmp_path):
    written(tmp_path / "here")
    plan = planning.load(tmp_path / "here" / "fixed.yaml", "paper", ())
    executor = Shuffled()
    try:
        driver.run(plan, tmp_path / "results", executor)
        assert len(executor.ran) == 5
        executor.most = 99
        driver.run(plan, tmp_path / "results", executor)
    finally:
        executor.close()
    assert sorted(executor.ran) == sorted(plan.jobs)
    assert executor.ran != list(plan.jobs)
    ours = (tmp_path / "results" / "fixed" / "paper" / "rows.csv").read_bytes()
    assert ours == files(plain)["rows.csv"]
