"""The recipe for SLURM in the docs: what it would submit."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly
PAGE = Path(__file__).resolve().parents[4] / "docs" / "cluster.md"


def test_the_job_that_the_recipe_submits():
    pytest.importorskip("dask_jobqueue")
    (code,) = re.findall(
        r"`slurm.py`:\n\n```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    assert '"port": 8786' in code
    space = {"__name__": "slurm"}
    exec(code.replace('"port": 8786', '"port": 0, "dashboard_address": "127.0.0.1:0"'), space)
    with space["make_cluster"]() as cluster:
        address, script = cluster.scheduler_address, cluster.job_script()
    head = [line.removeprefix("#SBATCH ") for line in script.splitlines() if "#SBATCH" in line]
    assert {"-n 1", "--cpus-per-task=8", "-t 02:00:00"} <= set(head)
    (memory,) = (line for line in head if line.startswith("--mem="))
    assert memory == "--mem=30G"
    (command,) = (line for line in script.splitlines() if "distributed.cli.dask_worker" in line)
    words = command.split()
    assert address in words
    assert words[words.index("--nthreads") + 1] == "8"
    assert "--nworkers" not in words  # one
    assert words[words.index("--lifetime") + 1] == "110m"
    assert words[words.index("--lifetime-stagger") + 1] == "8m"
    assert words[words.index("--local-directory") + 1] == "/tmp"
    lifetime, stagger, walltime = 110, 8, 120
    assert lifetime + stagger < walltime
