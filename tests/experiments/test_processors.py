"""Cells of configs on processors with other vector instructions: the same bytes.

Settings of BLAS, NumPy and numba stand in for another processor: each chooses its kernels by the
processor's features, when it is loaded.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.problems.datasets import drosophila
from geoforest_cli.study import plan

ROOT = Path(__file__).parents[2]
VECTORS = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
PLAIN = {
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": " ".join(VECTORS),
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
}
# config -> what makes it smaller, and the methods: UMAP's layouts do differ between processors,
# and forests, whose kernels take minutes to compile anew, do not if their points do not
CASES = {
    "ellipses": (["grid.inner_size=[0.3]"], "k_means euclidean eg cg sg sg_evidence"),
    "connectome": (["grid.k=[9, 30]"], "isomap euclidean"),
}


def made_up(_):
    """A directed graph of 70 vertices in three groups."""
    rng = np.random.default_rng(3)
    kind = np.repeat([0, 1, 2], [30, 25, 15])
    chance = np.array([[0.5, 0.1, 0.2], [0.05, 0.4, 0.3], [0.3, 0.1, 0.6]])[kind][:, kind]
    return drosophila.Connectome((rng.random((70, 70)) < chance).astype(np.int64), kind.astype(str))


def rows_of(config):
    """The rows of the first repetition of each method at each grid point, in full precision."""
    smaller, methods = CASES[config]
    whole = plan.load(ROOT / "configs" / f"{config}.yaml", "smoke", smaller)
    lines = {}
    for entry in whole.entries:
        task = entry.cell.task(entry.inner, whole.experiment)
        if entry.method in methods.split() and task.repetition == 0:
            key = f"{entry.method} {entry.variant} {task.params.model_dump_json()}"
            rows = whole.experiment.run_cell(task)
            lines[key] = [f"{row.metric} {row.at} {row.value!r}" for row in rows]
    return lines


def main():
    drosophila.load = made_up
    results = {config: rows_of(config) for config in sys.argv[1:]}
    results["embedding"] = [value.hex() for value in drosophila.right().points.ravel().tolist()]
    print(json.dumps(results))


@pytest.mark.nightly
@pytest.mark.compiled
def test_rows_do_not_depend_on_vector_instructions(tmp_path):
    def run(**settings):
        done = subprocess.run(
            [sys.executable, "-m", "tests.experiments.test_processors", *CASES], cwd=ROOT,
            env={**os.environ, **settings}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return json.loads(done.stdout)

    here, there = run(), run(**PLAIN, NUMBA_CACHE_DIR=str(tmp_path))
    for config, rows in here.items():
        assert rows == there[config], config
    assert len(here["ellipses"]) == 24
    assert len(here["connectome"]) == 4


if __name__ == "__main__":
    main()
