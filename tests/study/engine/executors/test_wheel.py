"""A checkout and a normal installation of the same commit work for each other."""

import contextlib
import os
import subprocess
import sys

import pytest

from tests.study.engine import toy
from tests.study.engine.executors.clusters import ROOT, Cluster

pytest.importorskip("distributed")
pytest.importorskip("hatchling", reason="hatchling is not installed")
pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A folder in which the wheel of the checkout is installed."""
    folder = tmp_path_factory.mktemp("installation")
    build = ["hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run([sys.executable, "-m", *build], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    install = ["pip", "install", "--no-deps", "--no-index", "--target", str(folder / "site")]
    subprocess.run([sys.executable, "-m", *install, str(wheel)], check=True, capture_output=True)
    return folder / "site"


def _rows(folder, driver, worker):
    """Run the toy experiment with a driver of some sources on a worker of others."""
    (folder / "cluster").mkdir(parents=True)
    toy.make_plan(folder)
    main = "from geoforest_cli.cli.main import main; main()"
    with contextlib.closing(Cluster(folder / "cluster")) as cluster:
        cluster.worker("first", sources=worker)
        words = ["run", "toy.yaml", "--executor", "dask", "--scheduler", cluster.address]
        done = subprocess.run(
            [sys.executable, "-P", "-c", main, *words], cwd=folder, text=True, capture_output=True,
            check=False, env={**os.environ, "PYTHONPATH": str(driver), "CI": "true"}, timeout=300,
        )  # fmt: skip
    assert (done.returncode, "gets no cells" in done.stderr) == (0, False), done.stderr
    return (folder / "results" / "toy" / "paper" / "rows.csv").read_bytes()


def test_a_driver_of_a_checkout_and_a_worker_of_a_wheel_agree(tmp_path, installation):
    there = _rows(tmp_path / "there", ROOT, installation)
    back = _rows(tmp_path / "back", installation, ROOT)
    assert there == back
