"""The process of a peer: requests to a made-up package, and answers."""

import json
import subprocess
import sys
import types
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from geoforest_cli.estimators.baselines import peer_process
from geoforest_cli.estimators.baselines.peer_process import Requests

X = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
Y = (X[:, 0] > 0).astype(np.int64)


class Recorded:
    """A forest of a made-up package: it keeps what it is given."""

    made: ClassVar = []

    def __init__(self, *given, **settings):
        self.given, self.settings = given, settings
        Recorded.made.append(self)

    def fit(self, *arrays):
        self.arrays = arrays
        return self

    def predict(self, points):
        return points[:, 0] > 0


class Unsupervised(Recorded):
    """Its fit compares all pairs and names groups, unless it is told not to."""

    compared = 0

    def fit(self, points):
        super().fit(points)
        self._assign_labels(self.compute_similarity_matrix(points))

    def compute_similarity_matrix(self, points):
        Unsupervised.compared += 1
        return np.full((len(points), len(points)), 0.5)

    def _assign_labels(self, similarities):
        raise AssertionError


@pytest.fixture
def treeple(monkeypatch):
    monkeypatch.setattr(Recorded, "made", [])
    monkeypatch.setattr(Unsupervised, "compared", 0)
    package = types.SimpleNamespace(
        UnsupervisedObliqueRandomForest=Unsupervised,
        ObliqueRandomForestClassifier=Recorded,
        PatchObliqueRandomForestClassifier=Recorded,
    )
    monkeypatch.setitem(sys.modules, "treeple", package)
    return Recorded.made


def test_pairs_are_compared_when_asked_for_and_groups_never(treeple):
    requests = Requests()
    requests.unsupervised_forest(X, n_estimators=7, min_parent=9, criterion="twomeans", seed=3)
    (forest,) = treeple
    assert forest.settings == {
        "n_estimators": 7, "criterion": "twomeans", "min_samples_split": 9, "max_features": "sqrt",
        "bootstrap": False, "random_state": 3, "n_jobs": 1,
    }  # fmt: skip
    assert (forest.given, forest.arrays, Unsupervised.compared) == ((), (X,), 0)
    assert requests.proximity().tolist() == [[0.5] * 20] * 20
    assert Unsupervised.compared == 1
    # the package is loaded with a small forest
    requests.load_treeple()
    assert treeple[-1].settings["n_estimators"] == 2
    assert treeple[-1].arrays[0].shape == (60, 3)


def test_classifiers_are_grown_on_one_thread_with_their_settings(treeple):
    requests = Requests()
    requests.oblique_forest(X, Y, n_estimators=5, max_features=4, seed=6)
    assert np.array_equal(requests.classes_of(X), Y)
    sides = {"smallest": [1, 2], "largest": [3, 4], "shape": [5, 6]}
    requests.patch_forest(X, Y, n_estimators=8, max_features=2, seed=7, **sides)
    oblique, patches = treeple
    assert (oblique.given, patches.given) == ((5,), (8,))
    assert oblique.settings == {
        "max_features": 4, "feature_combinations": 1.5, "random_state": 6, "n_jobs": 1,
    }  # fmt: skip
    assert patches.settings == {
        "max_features": 2, "random_state": 7, "n_jobs": 1, "min_patch_dims": [1, 2],
        "max_patch_dims": [3, 4], "data_dims": [5, 6],
    }  # fmt: skip
    assert oblique.arrays == patches.arrays == (X, Y)


@pytest.fixture
def ydf(monkeypatch):
    """Yggdrasil: of two classes its model gives the share of the second, of more each one's."""
    given = []

    class Learner:
        def __init__(self, **settings):
            given.append(settings)

        def train(self, table):
            two = table["y"].max() == 1

            def predict(new):
                first = new["x"][:, 0]
                return first if two else np.stack([-first, first, 0 * first], axis=1)

            return types.SimpleNamespace(predict=predict)

    package = types.SimpleNamespace(RandomForestLearner=Learner, verbose=given.append)
    monkeypatch.setitem(sys.modules, "ydf", package)
    return given


def test_shares_of_classes_become_the_numbers_of_classes(ydf):
    requests = Requests()
    points = np.array([[0.5], [0.51], [-2.0], [0.0]])
    settings = {"n_estimators": 3, "max_features": 2, "seed": 9}
    requests.sparse_oblique_forest(points, np.array([0, 1, 1, 0]), **settings)
    classes = requests.classes_of(points)
    assert (classes.tolist(), classes.dtype) == ([0, 1, 0, 0], np.int64)
    assert ydf == [{
        "label": "y", "num_trees": 3, "split_axis": "SPARSE_OBLIQUE",
        "sparse_oblique_num_projections_exponent": 1.0, "sparse_oblique_max_num_projections": 2,
        "max_depth": -1, "min_examples": 1, "random_seed": 9, "num_threads": 1,
        "compute_oob_performances": False,
    }]  # fmt: skip
    requests.sparse_oblique_forest(points, np.array([0, 1, 2, 0]), **settings)
    assert requests.classes_of(points).tolist() == [1, 1, 0, 0]
    requests.load_ydf()
    quiet, settings = ydf[2:]
    assert (quiet, settings["num_trees"]) == (0, 2)


@pytest.fixture
def sizes(monkeypatch):
    """The largest and the present size of the process, in the lines that Linux has for them."""
    lines = {"VmPeak": 99, "VmHWM": 1000, "VmRSS": 700}
    done = []

    def read(path, encoding):
        assert str(path) == "/proc/self/status"
        return "Name:\tpython\n" + "".join(f"{k}:\t  {v} kB\n" for k, v in lines.items())

    monkeypatch.setattr(peer_process.Path, "read_text", read)
    monkeypatch.setattr(
        peer_process.Path, "write_text", lambda path, text, encoding: done.append((str(path), text))
    )
    lines["forgotten"] = done
    return lines


def asked(tmp_path, request, returned=None, **arrays):
    files = {name: str(tmp_path / f"{name}.npy") for name in arrays}
    for name, array in arrays.items():
        np.save(files[name], array)
    return {"request": request, "settings": {}, "arrays": files, "returned": str(returned)}


def test_growth_is_counted_from_the_size_at_the_start(sizes, tmp_path, monkeypatch):
    forgotten = sizes.pop("forgotten")
    clock = iter([5.0, 7.5, 9.0, 9.0])
    monkeypatch.setattr(peer_process.time, "process_time", lambda: next(clock))
    said = asked(tmp_path, "echo", tmp_path / "found.npy", X=X)
    answer = peer_process._answer(Requests(), said)
    assert answer == {"seconds": 2.5, "megabytes": 300 * 1024 / 1e6}
    assert np.array_equal(np.load(tmp_path / "found.npy"), X)
    assert forgotten == [("/proc/self/clear_refs", "5")]
    sizes["VmHWM"] = 600
    monkeypatch.setattr(Requests, "echo", lambda _: None)
    nothing = peer_process._answer(Requests(), asked(tmp_path, "echo", tmp_path / "none.npy"))
    assert nothing == {"seconds": 0.0, "megabytes": 0.0}
    assert not (tmp_path / "none.npy").exists()

    # where nothing can be forgotten, growth is beyond the largest size
    def refuse(*_, **__):
        raise PermissionError

    monkeypatch.setattr(peer_process.Path, "write_text", refuse)
    assert peer_process._begin_peak() == 600
    assert peer_process._kilobytes("VmSwap") == 0
    monkeypatch.setattr(peer_process.Path, "read_text", refuse)
    assert peer_process._begin_peak() == 0


def test_what_a_package_prints_is_no_answer(tmp_path):
    folder = str(Path(peer_process.__file__).parent)
    code = f"import os, sys; sys.path.insert(0, {folder!r}); import peer_process as process\n"
    code += "process.Requests.echo = lambda _: os.write(1, b'printed') and None\nprocess.main()"
    requests = [json.dumps(asked(tmp_path, request)) for request in ("echo", "fail", "echo")]
    done = subprocess.run(
        [sys.executable, "-c", code], input="\n".join(requests), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [list(answer) for answer in answers] == [
        ["seconds", "megabytes"], ["error"], ["seconds", "megabytes"],
    ]  # fmt: skip
    assert answers[1]["error"].startswith("AttributeError: ")
    assert done.stderr == "printedprinted"
