"""The user's mistakes, from the command line: one sentence, its place, exit status 2."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.inside import ROOT, geoforest

WHOLE = (Path(__file__).parent / "whole.yaml").read_text()


def in_a_process(*arguments, cwd=ROOT):
    return subprocess.run(
        [sys.executable, "-m", "geoforest_cli", *map(str, arguments)],
        cwd=cwd, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def refused(*arguments, run=geoforest):
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    sentences = done.stderr.strip().splitlines()
    assert len(sentences) == 1, sentences
    return sentences[0]


@pytest.mark.parametrize(
    ("old", "new", "pattern"),
    [
        ("methods:\n  gf", "metods:\n  gf", r"unknown key 'metods'; did you mean 'methods'\?"),
        ("[linear, helix,", "[linear, helx,", r"x.yaml:\d+:22: .*'helx'; did you mean 'helix'\?"),
        ("{n: 1000,", "{n: 1e-3x,", r"x.yaml:\d+:13: params.n must be a whole number of at least 4, not '1e-3x'"),
        ("n_estimators: 300", "n_estimators: 0", r"n_estimators must be a whole number of at least 1"),
        ("gaussian_mixture]", "gaussian_mixture", r"x.yaml:\d+:\d+: this is not YAML"),
        ("n_neighbors: 9", "n_neighbours: 9", r"did you mean 'n_neighbors'\?"),
        ("check: at_least", "check: at_lest", r"x.yaml:\d+:\d+: .*did you mean 'at_least'\?"),
        ("verdict: {claim: gf_three", "verdict: {claim: gf_tree", r"x.yaml:\d+:22: unknown claim 'gf_tree_times_chance'; did you mean 'gf_three_times_chance'\?"),
        ("refuted: No, ", "", r"x.yaml:\d+:5: the key 'refuted' is missing in answer.words.verdict"),
        ("value: estimate", "value: mean", r"x.yaml:\d+:\d+: unknown value 'mean'.*known: estimate, size, n"),
        ("noise_dims: 5000}", "noise_dim: 5000}", r"x.yaml:\d+:\d+: unknown grid parameter 'noise_dim'; did you mean 'noise_dims'\?"),
        ("ours: {method: gf, variant: recommended, ", "ours: {method: gf, ", r"x.yaml:\d+:\d+: .*give either 'claim', or 'method', 'variant' and 'metric'"),
        ("lead: {claim: gf_beats_all_with_much_noise,", "lead: {claim: gf_beats_all_with_much_noise, method: gf,", r"x.yaml:\d+:\d+: .*give either 'claim', or 'method'"),
        ("{lead} ahead", "{leed} ahead {lead}", r"x.yaml:\d+:9: unknown name in braces 'leed'; did you mean 'lead'\?"),
        ("question: Does GF stay above chance?\n", "", r"x.yaml:\d+:\d+: an answer needs a 'question'"),
        ("artifact: fig4_top", "artifact: fig4_tpo", "did you mean 'fig4_top'"),
    ],
)  # fmt: skip
def test_a_config_with_a_mistake(tmp_path, old, new, pattern):
    assert old in WHOLE
    (tmp_path / "x.yaml").write_text(WHOLE.replace(old, new, 1))
    done = geoforest("run", tmp_path / "x.yaml", "--results", tmp_path)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    sentences = done.stderr.strip().splitlines()
    assert len(sentences) == 1, sentences
    assert re.search(r"x\.yaml:\d+:\d+: ", sentences[0])
    assert re.search(pattern, sentences[0]), sentences[0]
    assert list(tmp_path.iterdir()) == [tmp_path / "x.yaml"]


def test_a_misspelt_config():
    sentence = refused("run", "configs/nosie.yaml")
    assert "no config 'configs/nosie.yaml'; did you mean 'configs/noise.yaml'" in sentence


def test_an_unknown_profile():
    sentence = refused("run", "configs/noise.yaml", "--profile", "smoek")
    assert re.search(r"noise.yaml:\d+:1: unknown profile 'smoek'; did you mean 'smoke'", sentence)


def test_overrides():
    assert "did you mean 'params'?" in refused("run", "noise", "--set", "parms.n=3")
    assert "--set params.n=x" in refused("run", "noise", "--set", "params.n=x")


def test_misspelt_commands_and_options():
    done = in_a_process("rnu", "noise")
    assert done.returncode == 2
    assert "did you mean 'run'?" in done.stderr
    letter = in_a_process("neighbors", "table.csv", "--k", "3")
    assert (letter.returncode, "Did you mean '-k'?" in letter.stderr) == (2, True)
    assert geoforest("run", "noise", "--profil", "smoke").returncode == 2
    assert geoforest("run", "noise", "--json").returncode == 2


def test_missing_data_is_said_before_anything_runs(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "geoforest_cli", "run", "connectome", "--results", tmp_path / "r"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
        env={"PATH": "", "GEOFOREST_DATA": str(tmp_path), "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 2
    assert "right_adjacency.csv is missing" in done.stderr
    assert not (tmp_path / "r").exists()


def test_an_internal_error_is_one_sentence_and_debug_shows_more(tmp_path):
    (tmp_path / "bad.py").write_text("raise RuntimeError('boom')\n")
    (tmp_path / "x.yaml").write_text(WHOLE.replace("manifold_neighbors", "./bad.py"))
    sentence = refused("check", tmp_path / "x.yaml", "--profile", "smoke", run=in_a_process)
    assert "RuntimeError: boom" in sentence
    done = in_a_process("--debug", "run", tmp_path / "x.yaml")
    assert "Traceback" in done.stderr


def test_more_neighbours_than_points(tmp_path):
    """It is said by `check`, for every size of sample that is too small, and not by the cells."""
    text = WHOLE.replace("{n: 1000,", "{n: 40,", 1)
    (tmp_path / "x.yaml").write_text(text)
    done = geoforest("check", tmp_path / "x.yaml", "--profile", "paper")
    assert done.returncode == 2
    assert re.search(r"x\.yaml:\d+:\d+: k=50: 40 points have at most 39 neighbours", done.stderr)
    (tmp_path / "x.yaml").write_text(WHOLE.replace("{n: 1000,", "{n: 51,", 1))
    assert geoforest("check", tmp_path / "x.yaml", "--profile", "paper").returncode == 0
