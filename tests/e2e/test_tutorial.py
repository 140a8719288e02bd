"""The tutorial, the configs of the docs and the experiment of CONTRIBUTING, run as they stand."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_iris

from geoforest_cli.study.session import Study
from tests.e2e.inside import geoforest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(
    r"`([a-z_]+\.(?:py|yaml|csv))`:[^`]*\n\n```(?:python|yaml|text)\n(.*?)```", re.DOTALL
)
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text()
FILES = dict(NAMED.findall(TUTORIAL))
COMMANDS = {
    part.partition("\n")[0]: "".join(re.findall(r"```sh\n(.*?)```", part, re.DOTALL)).splitlines()
    for part in TUTORIAL.split("\n## ")[1:]
}
SHORT = re.compile(r"```yaml\n(title: (?:Noise on|My flowers).*?)```", re.DOTALL)


@pytest.mark.nightly
def test_the_configs_of_the_docs_are_valid(tmp_path):
    frame = load_iris(as_frame=True).frame.rename(columns={"target": "species"})
    frame.to_csv(tmp_path / "flowers.csv", index=False)
    pages = ("configs.md", "own_data.md")
    texts = [text for page in pages for text in SHORT.findall((ROOT / "docs" / page).read_text())]
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
    assert [method["name"] for method in first.config.claims[1]["than"]] == [
        "isomap", "umap", "random_forest", "euclidean", "flann",
    ]  # fmt: skip


@pytest.fixture
def follow(tmp_path):
    """Write all files of the tutorial, run the commands of one part; return what each says."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)

    def output(part):
        return {command: _said(command, tmp_path) for command in COMMANDS[part]}

    return output


def _said(command, folder):
    program, *words = shlex.split(command)
    if program == "geoforest":
        jobs = ["--jobs", "1"] if words[0] == "run" else []
        done = geoforest(*words, *jobs, cwd=folder)
    else:
        done = subprocess.run(
            [sys.executable, *words, "-q", "-p", "no:cacheprovider"], cwd=folder,
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_tutorial_has_every_file_and_command():
    assert set(FILES) == {
        "lle.py", "spiral.py", "mine.yaml", "longest.py", "ways.yaml", "printed.csv", "test_mine.py"
    }  # fmt: skip
    assert {part for part, commands in COMMANDS.items() if commands} == {
        "A first verdict", "A study", "An experiment", "Tests for all three"
    }  # fmt: skip
    blocks = re.findall(r"^```(\w+)\n", TUTORIAL, re.MULTILINE)
    # nothing but files, commands, what one of them says, and the package below
    assert sorted(blocks) == sorted(
        [*["python"] * 4, *["yaml"] * 2, *["sh"] * 5, *["text"] * 2, "toml"]
    )
    assert all(len(FILES[name].splitlines()) <= 35 for name in FILES)


@pytest.mark.nightly
def test_the_first_verdict_is_the_one_that_is_shown(follow):
    said = follow("A first verdict")
    ((command, shown),) = re.findall(
        r"```sh\n([^`]*)\n```\n\n```text\n(.*?)```", TUTORIAL, re.DOTALL
    )
    verdicts = {tuple(line.split()[:2]) for line in said[command].splitlines()}
    assert {tuple(line.split()[:2]) for line in shown.splitlines()} <= verdicts


@pytest.mark.nightly
def test_three_files_make_a_study(follow, tmp_path):
    follow("A study")
    results = tmp_path / "results" / "mine" / "paper"
    (claim,) = json.loads((results / "record.json").read_text())["claims"]
    assert claim["verdict"] == "supported"
    assert (results / "figure.svg").stat().st_size > 5000
    assert len((results / "rows.csv").read_text().splitlines()) == 1 + 3 * 2 * 3 * 3
    text = (tmp_path / "lle.py").read_text()
    (tmp_path / "lle.py").write_text(text.replace("n_components=1", "n_components=2"))
    again = geoforest("run", "mine.yaml", "--jobs", "1", cwd=tmp_path)
    assert "18 cells (6 run now, 12 kept)" in again.stdout


@pytest.mark.nightly
def test_an_experiment_of_ones_own_is_drawn(follow, tmp_path):
    follow("An experiment")
    rows = pd.read_csv(tmp_path / "results" / "ways" / "paper" / "rows.csv")
    means = rows.groupby(["method", "k"])["value"].mean()
    assert (means.xs(20, level="k") > means.xs(5, level="k")).all()
    folder = tmp_path / "results" / "ways" / "paper"
    assert (folder / "figure.svg").stat().st_size > 5000
    (sentence,) = json.loads((folder / "record.json").read_text())["sentences"]
    assert (sentence["verdict"], sentence["registration"]) == ("supported", "registered")
    assert json.loads((folder / "record.json").read_text())["agreement"]["values"] == 3


@pytest.mark.nightly
def test_the_suites_run_for_ones_own(follow):
    (said,) = follow("Tests for all three").values()
    assert re.search(r"^\d+ passed in", said, re.MULTILINE)


@pytest.mark.nightly
def test_the_experiment_of_the_contributing_page_works(tmp_path):
    from geoforest_cli import run

    text = (ROOT / "CONTRIBUTING.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "width.py").write_text(code)
    (tmp_path / "width.yaml").write_text(
        "title: width\nexperiment: ./width.py\nparams: {manifold: helix, n: 60}\n"
        "grid: {width: [1, 100], k: [5, 10]}\nmethods: {euclidean: {variants: {recommended: {}}}}\n"
    )
    study = run(tmp_path / "width.yaml", results=tmp_path / "results", jobs=1)
    precision = study.rows[study.rows["metric"] == "precision"].set_index(["width", "k"])["value"]
    assert precision[1, 10] > precision[100, 10]
    assert len(study.rows) == 8
    assert study.rows["value"].between(0, 1).all()
    assert study.rows.loc[study.rows["metric"] == "chance", "value"].iloc[0] == pytest.approx(
        5 / 59
    )
