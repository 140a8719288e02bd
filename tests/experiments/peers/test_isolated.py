"""Peers in environments of their own: here an environment stands for one that is this one."""

import subprocess
import sys
import types

import numpy as np
import pytest

from geoforest_cli.core.errors import Unavailable
from geoforest_cli.estimators.baselines import isolated
from geoforest_cli.estimators.baselines.forests import (
    TreepleForest,
    TreepleMorf,
    TreepleSporf,
    YdfOblique,
)
from geoforest_cli.estimators.baselines.isolated import Peer, Session, peers
from geoforest_cli.estimators.methods import METHODS

X = np.random.default_rng(0).normal(size=(50, 3))
Y = np.where(X[:, 0] > 0, "up", "down")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def here(cache):
    """An environment for treeple whose interpreter is this one."""
    peer = Peer("treeple")
    peer.python.parent.mkdir(parents=True)
    peer.python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    peer.python.chmod(0o755)
    (peer.folder / "complete").touch()
    return peer


def test_each_peer_is_pinned_exactly():
    assert [peer.name for peer in peers()] == ["treeple", "ydf"]
    for peer in peers():
        lines = peer.requirements.read_text().splitlines()
        pins = [line for line in lines if not line.startswith("#")]
        assert all(line.count("==") == 1 for line in pins)
        assert any(line.startswith(f"{peer.name}==") for line in pins)


@pytest.mark.parametrize("name", ["treeple_forest", "treeple_sporf", "treeple_morf", "ydf_oblique"])
def test_a_peer_without_environment_is_left_out_with_a_sentence(cache, name):
    command = "python -m geoforest_cli.estimators.baselines.isolated"
    sentence = f"{name.partition('_')[0]} has no environment of its own here ({command} sets it up)"
    assert METHODS[name].lacking() == sentence
    needed = {"image_shape": (1, 3)} if name == "treeple_morf" else {}
    with pytest.raises(Unavailable, match="no environment of its own"):
        METHODS[name].load()(3, **needed).fit(X, Y)


def test_the_module_sets_up_all_peers_and_the_command_finds_it(cache):
    assert METHODS["treeple_sporf"].load() is TreepleSporf
    code = "import runpy, subprocess, venv, pathlib\n"
    code += "venv.create = lambda folder, **_: pathlib.Path(folder).mkdir(parents=True)\n"
    code += "subprocess.run = lambda command, check: print(command[-1])\n"
    code += f"runpy.run_module({isolated.__name__!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(peer.requirements) for peer in peers()]
    assert not any(peer.lacking() for peer in peers())


def test_an_environment_is_made_once_and_anew_for_other_pins(cache, monkeypatch, tmp_path):
    made, failing = [], [OSError("no network")]

    def create(folder, with_pip):
        assert with_pip
        folder.mkdir(parents=True)

    def install(command, check):
        if failing:
            raise failing.pop()
        made.append(command)

    monkeypatch.setattr(isolated.venv, "create", create)
    monkeypatch.setattr(isolated.subprocess, "run", install)
    monkeypatch.setattr(isolated, "bundled", lambda kind: tmp_path / kind)
    pins = tmp_path / "configs" / "peers" / "thing.txt"
    pins.parent.mkdir(parents=True)
    pins.write_text("thing==1\n")
    with pytest.raises(OSError, match="no network"):
        Peer("thing").set_up()
    for text in ("thing==1\n", "thing==2\n"):
        pins.write_text(text)
        assert Peer("thing").lacking()
        for _ in range(2):
            Peer("thing").set_up()
        assert not Peer("thing").lacking()
    assert len(made) == 2
    assert made[0][-2:] == ["-r", str(pins)]
    assert "--no-deps" in made[0]
    assert made[0][0] != made[1][0]


def test_a_peer_answers_and_lives_on_after_what_it_cannot_do(here, tmp_path, monkeypatch):
    # none of our packages is seen by a peer
    (tmp_path / "numpy.py").write_text("raise ImportError('ours')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    session = Session(here)
    with pytest.raises(Unavailable, match="treeple fails over 'load_treeple': ModuleNotFoundError"):
        session.ask("load_treeple")
    answer = session.ask("echo", {"factor": 2.0}, X=X)
    assert np.array_equal(answer.array, 2 * X)
    assert 0 <= answer.seconds < 60
    assert answer.megabytes >= 0
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        session.ask("echo", X=np.array([{}]))
    session._process.kill()
    session._process.wait()
    with pytest.raises(Unavailable, match="the process of treeple has ended over 'echo'"):
        session.ask("echo", X=X)


def test_a_session_leaves_nothing_behind(here, monkeypatch, tmp_path):
    folder = tmp_path / "between"
    folder.mkdir()
    monkeypatch.setattr(isolated.tempfile, "mkdtemp", lambda prefix: str(folder))
    session = Session(here)
    session.ask("echo", X=X)
    process = session._process
    del session
    assert process.poll() is not None
    assert process.stdin.closed
    assert process.stdout.closed
    assert not folder.exists()


@pytest.fixture
def asked(monkeypatch):
    """Requests to a session that stands for a peer's."""
    requests = []

    class Recorder:
        def __init__(self, peer):
            requests.append(peer.name)

        def ask(self, request, settings=None, **arrays):
            requests.append((request, settings or {}))
            if "y" in arrays:
                assert arrays["y"].tolist() == (Y == "up").tolist()
            answers = {"proximity": np.full((50, 50), 0.25)}
            if request == "classes_of":
                answers = {request: (arrays["X"][:, 0] > 0).astype(float)}
            return types.SimpleNamespace(seconds=1.0, array=answers.get(request))

    monkeypatch.setattr(isolated, "Session", Recorder)
    return requests


def test_the_unsupervised_forest_is_given_its_settings(asked):
    forest = TreepleForest(7, min_parent=9, random_state=2**31 + 4).fit(X)
    assert (forest.distances() == 0.75).all()
    settings = {"n_estimators": 7, "criterion": "fastbic", "min_parent": 9, "seed": 4}
    assert asked == [
        "treeple", ("load_treeple", {}), ("unsupervised_forest", settings), ("proximity", {}),
    ]  # fmt: skip
    assert set(forest.spent) == {"fit", "distances"}


def test_classifiers_are_given_their_settings_and_return_classes(asked):
    sides = {"patch_height": (2, 3), "patch_width": (4, 8)}  # the height comes first
    for method in (
        TreepleSporf(5, max_features=4),
        TreepleMorf(6, image_shape=(1, 3), random_state=7, **sides),
        YdfOblique(8, random_state=2**31),
    ):
        assert (method.fit(X, Y).predict(X) == Y).all()
        assert set(method.spent) == {"fit", "predict"}
    patches = {"smallest": [2, 4], "largest": [3, 8], "shape": [1, 3]}
    assert asked == [
        "treeple", ("load_treeple", {}),
        ("oblique_forest", {"n_estimators": 5, "max_features": 4, "seed": 0}),
        ("classes_of", {}),
        "treeple", ("load_treeple", {}),
        ("patch_forest", {"n_estimators": 6, "max_features": 10, **patches, "seed": 7}),
        ("classes_of", {}),
        "ydf", ("load_ydf", {}),
        ("sparse_oblique_forest", {"n_estimators": 8, "max_features": 10, "seed": 0}),
        ("classes_of", {}),
    ]  # fmt: skip
