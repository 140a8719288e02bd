"""Results of a small study, run once; each test gets a copy."""

import shutil
import subprocess

import pytest

from tests.e2e.inside import geoforest

CONFIG = """\
title: Points in a circle, {name}
paper: manifold_forests
artifact: Figure 1
experiment: classification
params: {{data: circle, test: 50}}
repetitions: 3
grid: {{n: [10, 20]}}
methods:
  knn: {{label: Nearest, variants: {{as_written: {{}}}}}}
  logistic: {{variants: {{as_written: {{}}}}}}
profiles: {{smoke: {{repetitions: 2}}}}
sentences:
  best: {{quote: nearest neighbours err less, section: "3"}}
claims:
  - id: knn_errs_less
    sentence: best
    says: Nearest neighbours err less than a line
    check: less
    metric: error
    method: {{name: knn, variant: as_written}}
    than: [{{name: logistic, variant: as_written}}]
figure: {{x: n, y: [error]}}
more_figures: {{decades: {{x: n, y: [error], y_scale: log}}}}
"""
NAMES = ("first", "second")


def commit(folder, message="more"):
    """Commit all files of a folder; return the commit."""
    git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=b"]
    if not (folder / ".git").exists():
        subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", message], check=True)
    asked = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return asked.stdout.strip()


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """A checkout with two configs and, ignored by git, their results."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "configs").mkdir()
    (folder / ".gitignore").write_text("results/\n")
    for name in NAMES:
        (folder / "configs" / f"{name}.yaml").write_text(CONFIG.format(name=name))
    commit(folder)
    for words in (NAMES, ("first", "--profile", "smoke")):
        done = geoforest("run", *words, "--jobs", 1, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def mine(study, tmp_path):
    """A copy of the study."""
    return shutil.copytree(study, tmp_path / "mine")
