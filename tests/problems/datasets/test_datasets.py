"""Data sets: the catalogue, downloads with checked hashes, the connectome."""

import hashlib
import os
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import filelock
import numpy as np
import pooch
import pytest
import requests
import scipy.io

from geoforest_cli.core.errors import DataError
from geoforest_cli.problems.datasets import CATALOGUE, DATASETS, drosophila, files, mnist, networks
from geoforest_cli.problems.datasets.embedding import elbows
from geoforest_cli.problems.datasets.files import Dataset, File, data_folder, fetch, locate

HERE = os.environ.get("GEOFOREST_DATA")
needs_data = pytest.mark.skipif(not HERE, reason="GEOFOREST_DATA is not set")


def sha(data):
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("GEOFOREST_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "geoforest" / "data"


def toy(sha256=None, **extra):
    file = File("a.txt", "https://example.org/a.txt", sha256 or sha(b"hello"), **extra)
    return Dataset("toy", "a toy", "tests", (file,), "none", "nobody")


def serve(monkeypatch, content):
    def retrieve(url, known_hash, fname, path, downloader):
        target = path / fname
        target.write_bytes(content)
        if known_hash and known_hash != f"sha256:{sha(content)}":
            raise ValueError("SHA256 hash of downloaded file does not match")
        return str(target)

    monkeypatch.setattr(pooch, "retrieve", retrieve)


def test_the_catalogue_is_complete():
    for name, dataset in CATALOGUE.items():
        assert dataset.name == name
        for file in dataset.files:
            assert len(file.sha256) == 64
            assert file.url.startswith("https://")
            assert (file.member is None) == (file.archive_sha256 is None)
        for text in (dataset.about, dataset.licence, dataset.cite, dataset.used_for):
            assert text
        assert len(dataset.version) == 16
    without_files = {name for name, entry in DATASETS.items() if entry.dataset is None}
    assert without_files == {"digits"}
    for entry in DATASETS.values():
        if entry.dataset is not None:
            assert entry.dataset is CATALOGUE[entry.files]


def test_files_are_downloaded_once(cache, monkeypatch):
    serve(monkeypatch, b"hello")
    assert [p.read_bytes() for p in fetch(toy())] == [b"hello"]
    serve(monkeypatch, b"never asked for again")
    # what is there may lie where nothing can be written, not even a lock
    monkeypatch.setattr(filelock, "FileLock", None)
    assert [p.read_bytes() for p in fetch(toy())] == [b"hello"]
    assert data_folder(toy()) == cache / "toy"


def test_a_wrong_download_is_refused(cache, monkeypatch):
    serve(monkeypatch, b"something else")
    with pytest.raises(DataError, match="is not the file it was"):
        fetch(toy())


@pytest.mark.parametrize("problem", [requests.ConnectionError("x"), OSError("x")])
def test_without_network_the_way_out_is_named(cache, monkeypatch, problem):
    def fail(*_, **__):
        raise problem

    monkeypatch.setattr(pooch, "retrieve", fail)
    with pytest.raises(DataError, match=r"cannot be downloaded .* set \$GEOFOREST_DATA"):
        fetch(toy())


def archive(tmp_path, member=b"hello", name="in/a.txt"):
    path = tmp_path / "made.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(name, member)
    return path.read_bytes()


def test_a_repacked_archive_is_a_warning_a_wrong_member_an_error(cache, tmp_path, monkeypatch):
    serve(monkeypatch, archive(tmp_path))
    with pytest.warns(UserWarning, match="in it is right"):
        fetch(toy(member="in/a.txt", archive_sha256="0" * 64))
    (data_folder(toy()) / "a.txt").unlink()
    with pytest.raises(DataError, match="is expected"):
        fetch(toy(sha256="1" * 64, member="in/a.txt", archive_sha256="0" * 64))
    with pytest.raises(DataError, match="does not hold"):
        fetch(toy(member="in/b.txt", archive_sha256="0" * 64))


def _there(dataset):
    return sorted(p.name for p in data_folder(dataset).iterdir() if not p.name.endswith(".lock"))


def _broken_archives(tmp_path):
    whole = archive(tmp_path, b"hello" * 1000)
    return {
        "no zip": b"<html>not found</html>",
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "flipped": whole.replace(b"hellohello", b"hellohullo", 1),
        "other member": archive(tmp_path, name="in/b.txt"),
        "other content": archive(tmp_path, b"hullo"),
    }


@pytest.mark.parametrize(
    "kind", ["no zip", "empty", "cut", "flipped", "other member", "other content"]
)
def test_after_a_bad_archive_a_good_one_is_fetched(cache, tmp_path, monkeypatch, kind):
    content = archive(tmp_path)
    wanted = toy(member="in/a.txt", archive_sha256=sha(content))
    serve(monkeypatch, _broken_archives(tmp_path)[kind])
    with pytest.raises(DataError):
        fetch(wanted)
    assert _there(wanted) == []
    serve(monkeypatch, content)
    assert [p.read_bytes() for p in fetch(wanted)] == [b"hello"]


def test_two_fetch_at_once_and_one_downloads(cache, monkeypatch):
    asked = []

    def slow(url, known_hash, fname, path, downloader):
        asked.append(url)
        time.sleep(0.3)
        (path / fname).write_bytes(b"hello")
        return path / fname

    monkeypatch.setattr(pooch, "retrieve", slow)
    with ThreadPoolExecutor(3) as pool:
        contents = list(pool.map(lambda _: fetch(toy())[0].read_bytes(), range(3)))
    assert contents == [b"hello"] * 3
    assert len(asked) == 1


def test_a_given_folder_wins_and_is_never_written_to(tmp_path, monkeypatch):
    monkeypatch.setenv("GEOFOREST_DATA", str(tmp_path))
    with pytest.raises(DataError, match="points at a folder without it"):
        fetch(toy())
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "a.txt").write_bytes(b"hullo")
    with pytest.raises(DataError, match=f"{sha(b'hullo')}, but {sha(b'hello')}"):
        fetch(toy())
    (tmp_path / "toy" / "a.txt").write_bytes(b"hello")
    assert fetch(toy()) == [tmp_path / "toy" / "a.txt"]


def test_a_set_that_is_not_here_names_the_command(cache):
    with pytest.raises(DataError, match="geoforest data fetch toy"):
        locate(toy(), toy().files[0])


@needs_data
@pytest.mark.data
def test_the_connectome_is_the_one_of_the_paper():
    graph = drosophila.load("right")
    assert graph.synapses.sum() == 26371
    assert graph.synapses.max() == 65
    names, counts = np.unique(graph.labels, return_counts=True)
    assert dict(zip(names, counts, strict=True)) == {"K": 100, "I": 21, "O": 29, "P": 63}
    assert drosophila.load("left").synapses.sum() == 25322

    A = (graph.synapses > 0).astype(float)
    np.fill_diagonal(A, (A.sum(0) + A.sum(1)) / 212)
    values = np.linalg.svd(A, compute_uv=False)
    np.testing.assert_allclose(values[:6], [66.67, 19.29, 17.22, 9.94, 8.79, 8.73], atol=0.006)
    assert elbows(values[:50]) == [1, 3, 22]
    assert drosophila.right().points.shape == (213, 6)
    assert len(drosophila.left().points) == 209


def test_a_graph_of_the_wrong_size_is_refused(tmp_path, monkeypatch):
    (tmp_path / "right_adjacency.csv").write_text("0 1\n1 0\n")
    (tmp_path / "right_cell_labels.csv").write_text("K\nP\n")
    monkeypatch.setattr(drosophila, "fetch", lambda _: sorted(tmp_path.iterdir()))
    with pytest.raises(DataError, match="not \\(213, 7536\\)"):
        drosophila.load("right")


@needs_data
def test_the_networks_are_those_of_the_paper():
    sizes = {"lazega_cowork": (71, 378, 18, 8), "facebook_ego": (347, 2519, 227, 227),
             "nips234": (234, 598, 100, 100)}  # fmt: skip
    for name, (nodes, links, binary, features) in sizes.items():
        network = DATASETS[name].load()()
        assert network.links.shape == (nodes, nodes)
        assert (network.links == network.links.T).all()
        assert not np.diag(network.links).any()
        assert np.triu(network.links).sum() == links
        assert network.binary.shape == (nodes, binary)
        assert network.features.shape == (nodes, features)
    lawyers = DATASETS["lazega_cowork"].load()()
    assert lawyers.links.sum(axis=0).max() == 28
    # the binary attributes are those of the eight, seniority left out
    status, gender, office = lawyers.features[:, 1], lawyers.features[:, 2], lawyers.features[:, 3]
    expected = [status == 1, status == 2, gender == 1, gender == 2, office == 1]
    assert np.array_equal(lawyers.binary[:, :5].T.astype(bool), np.array(expected))


def test_a_network_of_the_wrong_size_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "nips234.mat"
    scipy.io.savemat(path, {"B": np.zeros((3, 3), np.uint8), "F": np.zeros((3, 2), np.uint8)})
    monkeypatch.setattr(networks, "fetch", lambda _: (path,))
    with pytest.raises(DataError, match="3 nodes, 0 links and 2 attributes, expected 234, 598"):
        networks.nips234()
    scipy.io.savemat(path, {"other": 1})
    with pytest.raises(DataError, match="variables B and F"):
        networks.nips234()


@pytest.fixture
def parser(tmp_path):
    """Write and import a module whose `parse` returns what is asked for."""

    def write(returned):
        path = tmp_path / "parser.py"
        path.write_text(f"import numpy as np\ndef parse():\n    return np.array({returned})\n")
        space = {}
        exec(compile(path.read_text(), str(path), "exec"), space)
        return space["parse"]

    return write


def test_a_parsed_copy_is_read_once(cache, parser):
    assert files.parsed_copy(toy(), parser([1.0])).tolist() == [1]
    (copy,) = (cache.parent / "parsed").glob("*.npy")
    np.save(copy, np.array([5.0]))
    copy.with_suffix(".sha256").write_text(sha(copy.read_bytes()))
    assert files.parsed_copy(toy(), parser([1.0])).tolist() == [5]


def test_a_changed_parser_or_file_is_read_anew(cache, parser):
    assert files.parsed_copy(toy(), parser([1.0])).tolist() == [1]
    assert files.parsed_copy(toy(), parser([2.0])).tolist() == [2]
    for copy in (cache.parent / "parsed").glob("*.npy"):
        np.save(copy, np.array([5.0]))
        copy.with_suffix(".sha256").write_text(sha(copy.read_bytes()))
    assert files.parsed_copy(toy(sha(b"hullo")), parser([2.0])).tolist() == [2]


def test_digits_are_split_in_pairs_of_images_and_labels():
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    pair = mnist.digits()
    assert pair.shape == (8, 8)
    assert np.array_equal(np.concatenate([pair.train, pair.test]), images)
    assert np.array_equal(np.concatenate([pair.train_labels, pair.test_labels]), labels)
    assert len(pair.train) == len(pair.train_labels) == 1197
