"""Peers in environments of their own: here an environment stands for one that is this one."""

import runpy
import subprocess
import sys
import types
import venv

import numpy as np
import pytest

from geoforest_cli.core.errors import Unavailable
from geoforest_cli.estimators.baselines import isolated
from geoforest_cli.estimators.baselines.isolated import Peer, Session, peers
from geoforest_cli.estimators.baselines.peers import (
    TreepleForest,
    TreepleMorf,
    TreepleSporf,
    YdfOblique,
)
from geoforest_cli.estimators.methods import METHODS
from tests.values import changeable

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
    assert [one.name for one in peers()] == ["forestgeom", "treeple", "ydf"]
    for peer in peers():
        lines = peer.requirements.read_text().splitlines()
        pins = [line for line in lines if not line.startswith("#")]
        assert all(line.count("==") == 1 for line in pins)
        assert any(line.startswith(f"{peer.name}==") for line in pins)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("treeple_forest", TreepleForest(3)),
        ("treeple_sporf", TreepleSporf(3)),
        ("treeple_morf", TreepleMorf(3, image_shape=(1, 3))),
        ("ydf_oblique", YdfOblique(3)),
    ],
)
def test_a_peer_without_its_environment_is_left_out_with_a_sentence(cache, name, method):
    why = " has no environment of its own here (make bench sets it up)"
    assert METHODS[name].lacking() == name.partition("_")[0] + why
    with pytest.raises(Unavailable, match="no environment of its own"):
        method.fit(X, Y)


def test_an_environment_is_made_once_and_anew_for_other_pins(cache, monkeypatch, tmp_path):
    made = []

    def create(folder, with_pip):
        assert with_pip
        folder.mkdir(parents=True)

    monkeypatch.setattr(isolated.venv, "create", create)
    monkeypatch.setattr(isolated.subprocess, "run", lambda command, check: made.append(command))
    pins = tmp_path / "configs" / "peers" / "thing.txt"
    pins.parent.mkdir(parents=True)
    monkeypatch.setattr(isolated, "bundled", lambda kind: tmp_path / kind)
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


def test_all_peers_are_set_up_by_the_module(cache, monkeypatch):
    made = []
    monkeypatch.setattr(venv, "create", lambda folder, **_: folder.mkdir(parents=True))
    monkeypatch.setattr(subprocess, "run", lambda command, check: made.append((command[-1], check)))
    runpy.run_path(isolated.__file__, run_name="__main__")
    assert made == [(str(peer.requirements), True) for peer in peers()]
    assert not any(peer.lacking() for peer in peers())


def test_an_environment_that_was_not_finished_is_made_again(cache, monkeypatch):
    peer = Peer("ydf")

    def fail(command, check):
        raise OSError("no network")

    monkeypatch.setattr(isolated.venv, "create", lambda folder, **_: folder.mkdir(parents=True))
    monkeypatch.setattr(isolated.subprocess, "run", fail)
    for _ in range(2):
        with pytest.raises(OSError, match="no network"):
            peer.set_up()
        assert peer.lacking()


def test_a_peer_answers_with_seconds_and_arrays(here):
    session = Session(here)
    answer = session.ask("echo", {"factor": 2.0}, X=X)
    assert np.array_equal(answer.found, 2 * X)
    assert 0 <= answer.seconds < 60
    assert answer.megabytes >= 0
    assert session.ask("ready").found is None
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        session.ask("echo", X=np.array([{}]))


def test_what_a_peer_cannot_do_is_one_sentence_and_it_lives_on(here):
    session = Session(here)
    with pytest.raises(Unavailable, match="treeple fails over 'load_treeple': ModuleNotFoundError"):
        session.ask("load_treeple")
    assert np.array_equal(session.ask("echo", X=X).found, X)


def test_a_peer_whose_process_is_gone_is_one_sentence(here):
    session = Session(here)
    session._process.kill()
    session._process.wait()
    with pytest.raises(Unavailable, match="the process of treeple has ended over 'ready'"):
        session.ask("ready")


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


def test_none_of_our_packages_is_seen_by_a_peer(here, tmp_path, monkeypatch):
    (tmp_path / "numpy.py").write_text("raise ImportError('ours')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert np.array_equal(Session(here).ask("echo", X=X).found, X)


def test_the_forest_is_asked_for_what_it_is_told(monkeypatch):
    asked = []

    class Recorder:
        def __init__(self, peer):
            asked.append(peer.name)

        def ask(self, request, settings=None, **arrays):
            asked.append((request, settings))
            return types.SimpleNamespace(seconds=1.0, found=np.full((50, 50), 0.25))

    monkeypatch.setattr("geoforest_cli.estimators.baselines.peers.Session", Recorder)
    forest = TreepleForest(7, min_parent=9, random_state=2**31 + 4).fit(X)
    assert (forest.distances() == 0.75).all()
    assert asked == [
        "treeple",
        ("load_treeple", None),
        (
            "unsupervised_forest",
            {"n_estimators": 7, "criterion": "fastbic", "min_parent": 9, "seed": 4},
        ),
        ("proximity", None),
    ]
    assert set(forest.spent) == {"fit", "distances"}


def test_the_sides_of_patches_are_told_with_the_height_first():
    peer = TreepleMorf(5, image_shape=(6, 9), patch_height=(2, 3), patch_width=(4, 8))
    assert peer._settings() == {
        "n_estimators": 5, "max_features": 10, "smallest": [2, 4], "largest": [3, 8],
        "shape": [6, 9],
    }  # fmt: skip


def test_classifiers_are_told_their_settings_and_give_back_classes(monkeypatch):
    asked = []

    class Recorder:
        def __init__(self, peer):
            asked.append(peer.name)

        def ask(self, request, settings=None, **arrays):
            asked.append((request, settings or {}))
            if request == "classes_of":
                return types.SimpleNamespace(found=(arrays["X"][:, 0] > 0).astype(float))
            if "y" in arrays:
                assert arrays["y"].tolist() == (Y == "up").tolist()
            return types.SimpleNamespace(found=None)

    monkeypatch.setattr("geoforest_cli.estimators.baselines.peers.Session", Recorder)
    for method in (
        TreepleSporf(5, max_features=4),
        TreepleMorf(6, image_shape=(1, 3), patch_width=(1, 2), random_state=7),
        YdfOblique(8, random_state=2**31),
    ):
        assert (method.fit(X, Y).predict(X) == Y).all()
        assert set(method.spent) == {"fit", "predict"}
    patches = {"smallest": [1, 1], "largest": [1, 2], "shape": [1, 3]}
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


def test_peers_and_answers_are_not_changed_nodes_of_trees_are():
    assert changeable("geoforest_cli.estimators.baselines") == {"_Node"}


def test_a_session_ends_though_its_folder_is_gone(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    isolated._end(process, str(tmp_path / "gone"))
    assert process.returncode
    assert process.stdin.closed
    assert process.stdout.closed
