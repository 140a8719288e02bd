"""The README's tutorial and the experiment of CONTRIBUTING, executed as they stand."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

from geoforest_cli.study import Study
from tests.e2e.inside import geoforest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`([a-z_]+\.(?:py|yaml))`:\n\n```(?:python|yaml)\n(.*?)```", re.DOTALL)
SHORT = re.compile(r"```yaml\n(title: (?:Noise on|My flowers).*?)```", re.DOTALL)


def test_the_other_configs_of_the_readme_are_valid(tmp_path):
    frame = load_iris(as_frame=True).frame.rename(columns={"target": "species"})
    frame.to_csv(tmp_path / "flowers.csv", index=False)
    texts = SHORT.findall((ROOT / "README.md").read_text())
    assert len(texts) == 2
    for text in texts:
        (tmp_path / "one.yaml").write_text(text)
        plan = Study.open(tmp_path / "one.yaml", "smoke").plan
        assert plan.jobs
    assert plan.used["table flowers.csv"]
    (tmp_path / "one.yaml").write_text(texts[0])
    first = Study.open(tmp_path / "one.yaml").plan
    assert [claim["id"] for claim in first.config.claims] == [
        "gf_beats_graphs", "gf_beats_all",
        "high_isomap_precision", "high_isomap_recall", "high_umap_precision", "high_umap_recall",
    ]  # fmt: skip
    assert [one["name"] for one in first.config.claims[1]["than"]] == [
        "isomap", "umap", "random_forest", "euclidean",
    ]  # fmt: skip


def test_three_files_make_a_study(tmp_path):
    text = (ROOT / "README.md").read_text()
    files = dict(NAMED.findall(text))
    assert set(files) == {"lle.py", "spiral.py", "mine.yaml"}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    (command,) = re.findall(r"^geoforest run mine\.yaml$", text, re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-m", "geoforest_cli", *command.split()[1:], "--jobs", "1"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "results" / "mine" / "paper"
    (claim,) = json.loads((folder / "claims.json").read_text())
    assert claim["verdict"] == "supported"
    assert (folder / "figure.svg").stat().st_size > 5000
    lines = (folder / "rows.csv").read_text().splitlines()
    assert len(lines) == 1 + 3 * 2 * 3 * 3
    edited = (tmp_path / "lle.py").read_text().replace("n_components=1", "n_components=2")
    (tmp_path / "lle.py").write_text(edited)
    again = geoforest(*command.split()[1:], "--jobs", "1", cwd=tmp_path)
    assert "18 cells (6 run now, 12 kept)" in again.stdout


def test_the_experiment_of_the_contributing_page_works(tmp_path):
    from geoforest_cli import run

    text = (ROOT / "CONTRIBUTING.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "width.py").write_text(code)
    (tmp_path / "width.yaml").write_text(
        "title: width\nexperiment: ./width.py\nparams: {manifold: helix, n: 60}\n"
        "grid: {width: [1, 100], k: [5, 10]}\nmethods: {euclidean: {variants: {recommended: {}}}}\n"
    )
    found = run(tmp_path / "width.yaml", results=tmp_path / "results", jobs=1)
    precision = found.rows[found.rows["metric"] == "precision"].set_index(["width", "k"])["value"]
    assert precision[1, 10] > precision[100, 10]
    assert len(found.rows) == 8
    assert found.rows["value"].between(0, 1).all()
    assert found.rows.loc[found.rows["metric"] == "chance", "value"].iloc[0] == pytest.approx(
        5 / 59
    )
