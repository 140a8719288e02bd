"""Every method of every config runs its smoke size and yields what the experiment declares."""

import math
import os
from pathlib import Path

import pytest

from geoforest_cli import config

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))
NEEDS_DATA = {"connectome", "banknote", "density_ccpp", "density_concrete", "regression_ccpp",
              "regression_concrete", "mnist", "mnist_importance", "smerf_links"}  # fmt: skip
NEVER_HERE = {"galaxy"}


def _first_cells(plan):
    seen = {}
    for cell in plan.without(plan.unavailable()).cells:
        seen.setdefault((cell.method, cell.variant), cell)
    return seen.values()


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_method_yields_its_metrics(path):
    if path.stem in NEVER_HERE:
        pytest.skip("the file has to be downloaded")
    if path.stem in NEEDS_DATA and "GEOFOREST_DATA" not in os.environ:
        pytest.skip("GEOFOREST_DATA is not set")
    plan = config.load(path, "smoke")
    plan.prepare()
    for cell in _first_cells(plan):
        rows = plan.experiment.run_cell(cell.task())
        assert {row["metric"] for row in rows} <= set(plan.experiment.YIELDS)
        allowed = {"metric", "value", "status", *cell.inner, *cell.detail}
        assert all(set(row) <= allowed for row in rows)
        defined = [row["value"] for row in rows if row.get("status", "ok") == "ok"]
        assert not all(math.isnan(value) for value in defined) or not defined
