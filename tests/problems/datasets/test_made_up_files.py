"""Loaders and the embedding, on small files that were made up."""

import gzip
import os

import numpy as np
import pandas as pd
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from geoforest_cli.core.errors import DataError
from geoforest_cli.problems.datasets import drosophila, galaxy, mnist, networks, uci
from geoforest_cli.problems.datasets.embedding import adjacency_spectral_embedding, elbows
from geoforest_cli.problems.datasets.files import Dataset, File


def digraph(n, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    return rng.poisson(2, (n, n)) * (rng.random((n, n)) < share)


def augmented(graph):
    """Without weights and loops, the mean of both degrees' shares on the diagonal."""
    A = np.zeros(graph.shape)
    for i in range(len(graph)):
        for j in range(len(graph)):
            A[i, j] = float(i != j and graph[i, j] > 0)
    for i in range(len(graph)):
        A[i, i] = (A[i].sum() - A[i, i] + A[:, i].sum() - A[i, i]) / (len(graph) - 1)
    return A


@pytest.mark.parametrize("n", [4, 13])
def test_all_features_of_an_embedding_make_up_the_graph(n):
    graph = digraph(n)
    features = adjacency_spectral_embedding(graph, n)
    left, right = features[:, :n], features[:, n:]
    A = augmented(graph)
    np.testing.assert_allclose(left @ right.T, A, atol=1e-12)
    # both sides carry the root of each singular value, in decreasing order
    values = np.sqrt(np.maximum(np.linalg.eigvalsh(A @ A.T)[::-1], 0))
    for side in (left, right):
        np.testing.assert_allclose(side.T @ side, np.diag(values), atol=1e-7)
    assert (left[0] <= 0).all()
    few = adjacency_spectral_embedding(graph, 2)
    np.testing.assert_allclose(few, features[:, [0, 1, n, n + 1]], atol=1e-12)


def likeliest_elbow(values):
    """Zhu and Ghodsi's q: two means, one variance over n - 2."""
    scores = []
    for q in range(1, len(values)):
        means = np.r_[np.full(q, values[:q].mean()), np.full(len(values) - q, values[q:].mean())]
        spread = np.sqrt(np.sum((values - means) ** 2) / max(len(values) - 2, 1))
        scores.append(norm.logpdf(values, means, spread).sum())
    return int(np.argmax(scores)) + 1


@given(st.integers(6, 30), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_elbows_are_the_likeliest_one_after_the_other(n, seed):
    values = np.sort(np.random.default_rng(seed).exponential(size=n))[::-1]
    expected, rest = [], values
    while len(expected) < 3 and len(rest) > 2:
        q = likeliest_elbow(rest)
        expected.append(q + (expected[-1] if expected else 0))
        rest = rest[q:]
    assert elbows(values)[: len(expected)] == expected
    assert elbows(values, 1) == expected[:1]


def test_the_dimension_is_the_second_elbow_of_fifty_values():
    graph = digraph(70, seed=1)
    values = np.linalg.svd(augmented(graph), compute_uv=False)
    first = likeliest_elbow(values[:50])
    second = first + likeliest_elbow(values[first:50])
    # the whole scree has another second elbow
    assert second != first + likeliest_elbow(values[first:])
    assert adjacency_spectral_embedding(graph).shape == (70, 2 * second)


@pytest.fixture
def connectome(tmp_path, monkeypatch):
    """A small graph on each side, as the files of the larva hold it."""
    graphs = {"right": digraph(8), "left": digraph(7, 1)}
    names = {side: [f"{side[0]}{i}" for i in range(len(g))] for side, g in graphs.items()}
    for side, graph in graphs.items():
        np.savetxt(tmp_path / f"{side}_adjacency.csv", graph, fmt="%d")
        (tmp_path / f"{side}_cell_labels.csv").write_text("\n".join(names[side]) + "\n")
    edges = {side: (len(g), int((g > 0).sum())) for side, g in graphs.items()}
    monkeypatch.setattr(drosophila, "_EXPECTED", edges)
    monkeypatch.setattr(drosophila, "fetch", lambda _: sorted(tmp_path.iterdir()))
    return graphs, names


@pytest.mark.parametrize("side", ["right", "left"])
def test_each_side_of_a_connectome_is_embedded(connectome, side):
    graphs, names = connectome
    loaded = drosophila.load(side)
    assert np.array_equal(loaded.synapses, graphs[side])
    embedded = getattr(drosophila, side)()
    assert embedded.labels.tolist() == names[side]
    np.testing.assert_array_equal(embedded.points, adjacency_spectral_embedding(graphs[side]))


def test_a_version_follows_every_name_and_hash():
    def version(name="a", sha256="0", about="toy"):
        file = File(name, "https://example.org", sha256)
        return Dataset("toy", about, "tests", (file,), "none", "nobody").version

    assert version() == version(about="another text")
    assert len({version(), version("b"), version(sha256="1")}) == 3


def test_galaxies_are_read_with_all_digits_of_their_number(tmp_path, monkeypatch):
    path = tmp_path / "galaxies.csv.gz"
    rows = [dict.fromkeys(galaxy.VOTES, share) for share in (0.3, 0.2, 0.1)]
    for i, row in enumerate(rows):
        # 64-bit floats cannot tell these numbers apart
        row |= {"OBJID": 588017703996096564 - i, "SPIRAL": int(i != 1), "ELLIPTICAL": int(i == 1)}
    table = pd.DataFrame(rows)
    table.to_csv(path, index=False)
    monkeypatch.setattr(galaxy, "fetch", lambda _: [path])
    loaded = galaxy.galaxies()
    assert loaded.points[:, 0].tolist() == [0.1, 0.2, 0.3]
    assert loaded.labels.tolist() == ["spiral", "elliptical", "spiral"]
    table.drop(columns="P_MG").to_csv(path, index=False)
    with pytest.raises(DataError, match="'P_MG' is missing"):
        galaxy.galaxies()


def test_images_of_an_idx_file_are_read_row_by_row(tmp_path):
    sizes = b"".join(n.to_bytes(4, "big") for n in (2051, 2, 1, 3))
    path = tmp_path / "images.gz"
    path.write_bytes(gzip.compress(sizes + bytes(range(6))))
    assert mnist.read_idx(path).tolist() == [[[0, 1, 2]], [[3, 4, 5]]]


def test_other_digits_than_the_official_ones_are_refused(monkeypatch):
    def arrays(train, labels):
        images = [np.broadcast_to(np.uint8(0), (n, 28, 28)) for n in (train, 10000)]
        return [images[0], np.array(labels, np.uint8), images[1], np.zeros(10000, np.uint8)]

    monkeypatch.setattr(mnist, "fetch", lambda _: arrays(59999, [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]))
    monkeypatch.setattr(mnist, "read_idx", lambda array: array)
    with pytest.raises(DataError, match="unexpected sizes"):
        mnist.mnist()
    monkeypatch.setattr(mnist, "fetch", lambda _: arrays(60000, [5, 0, 4, 1, 9, 2, 1, 3, 1, 5]))
    with pytest.raises(DataError, match="first training labels"):
        mnist.mnist()


def network(nodes, links, attributes, each):
    """An upper triangle with that many links; every node has `each` attributes."""
    upper = np.zeros((nodes, nodes), np.uint8)
    pairs = np.array(np.triu_indices(nodes, 1))[:, :links]
    upper[pairs[0], pairs[1]] = 1
    binary = np.zeros((nodes, attributes), np.uint8)
    binary[:, :each] = 1
    return upper, binary


def test_a_network_is_made_symmetric(tmp_path, monkeypatch):
    upper, binary = network(234, 598, 100, 5)
    path = tmp_path / "nips234.mat"
    monkeypatch.setattr(networks, "fetch", lambda _: (path,))
    # what stands on or below the diagonal is not read
    scipy.io.savemat(path, {"B": upper + np.eye(234, dtype=np.uint8), "F": binary})
    loaded = networks.nips234()
    assert np.array_equal(loaded.links, np.maximum(upper, upper.T))
    assert np.array_equal(loaded.features, binary)
    binary[7, 9] = 1
    scipy.io.savemat(path, {"B": upper, "F": binary})
    with pytest.raises(DataError, match="five attributes"):
        networks.nips234()


@pytest.fixture
def lawyers(tmp_path, monkeypatch):
    """Write the three files of the lawyers."""
    paths = [tmp_path / name for name in ("lazega-cowork.mat", "ELattr.dat", "ELwork.dat")]
    monkeypatch.setattr(networks, "fetch", lambda _: paths)
    upper, binary = network(71, 378, 18, 7)
    features = np.c_[np.arange(1, 72), np.random.default_rng(0).integers(1, 4, (71, 7))]

    def write(binary=binary, features=features, work=upper):
        scipy.io.savemat(paths[0], {"B": upper, "F": binary})
        np.savetxt(paths[1], features, fmt="%d")
        np.savetxt(paths[2], work, fmt="%d")

    return write, upper, binary, features


def test_lawyers_are_read_from_three_files_that_agree(lawyers):
    write, upper, binary, features = lawyers
    # below the diagonal the two files differ: who named whom
    write(work=upper + np.tril(np.ones((71, 71), int), -1))
    loaded = networks.lazega_cowork()
    assert np.array_equal(loaded.links, upper + upper.T)
    assert np.array_equal(loaded.binary, binary)
    assert np.array_equal(loaded.features, features)
    write(work=upper[::-1])
    with pytest.raises(DataError, match="upper triangle"):
        networks.lazega_cowork()
    write(features=features[::-1])
    with pytest.raises(DataError, match="the first the row's own"):
        networks.lazega_cowork()
    write(binary=1 - binary)
    with pytest.raises(DataError, match="seven attributes"):
        networks.lazega_cowork()


def test_banknotes_of_other_classes_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "banknotes.txt"
    monkeypatch.setattr(uci, "fetch", lambda _: [path])
    table = np.c_[np.arange(1372.0)[:, None] + np.arange(4), np.repeat([0, 1], [762, 610])]
    np.savetxt(path, table, delimiter=",")
    loaded = uci.banknote()
    assert np.array_equal(loaded.points, table[:, :4])
    assert loaded.labels[[0, 761, 762]].tolist() == ["0", "0", "1"]
    table[0, 4] = 1
    np.savetxt(path, table, delimiter=",")
    with pytest.raises(DataError, match="classes 762 and 610"):
        uci.banknote()


@pytest.mark.parametrize(
    ("load", "name", "copy", "rows", "columns", "mean"),
    [
        (uci.ccpp, "ccpp", "ccpp_sheet1.csv", 9568, 4, 454.365),
        (uci.concrete, "concrete", "concrete.csv", 1030, 8, 35.8178),
    ],
)
def test_responses_stand_in_the_last_column(
    tmp_path, monkeypatch, load, name, copy, rows, columns, mean
):
    monkeypatch.setenv("GEOFOREST_DATA", str(tmp_path))
    (tmp_path / name).mkdir()
    table = np.ones((rows, columns + 1)) * np.arange(columns + 1)
    for shift in (0.0009, -0.0009):
        table[:, -1] = mean + shift
        pd.DataFrame(table).to_csv(tmp_path / name / copy, index=False)
        loaded = load()
        assert loaded.points[3].tolist() == list(range(columns))
        assert loaded.response[3] == pytest.approx(mean + shift)
        assert len(loaded.names) == columns
    for shift in (0.0011, -0.0011):
        table[:, -1] = mean + shift
        pd.DataFrame(table).to_csv(tmp_path / name / copy, index=False)
        with pytest.raises(DataError, match=f"expected {rows} rows"):
            load()


needs_data = pytest.mark.skipif(
    "GEOFOREST_DATA" not in os.environ, reason="GEOFOREST_DATA is not set"
)


def test_idx_files(tmp_path):
    path = tmp_path / "labels.gz"
    head = (2049).to_bytes(4, "big") + (3).to_bytes(4, "big")
    path.write_bytes(gzip.compress(head + bytes([7, 8, 9])))
    assert mnist.read_idx(path).tolist() == [7, 8, 9]
    path.write_bytes(gzip.compress(head + bytes([7, 8])))
    with pytest.raises(DataError, match="2 bytes"):
        mnist.read_idx(path)
    path.write_bytes(gzip.compress(b"something else"))
    with pytest.raises(DataError, match="not an idx file"):
        mnist.read_idx(path)
    path.write_bytes(b"plain")
    with pytest.raises(DataError, match="not a gzip file"):
        mnist.read_idx(path)


@needs_data
def test_real_sets_hold_what_they_should(tmp_path, monkeypatch):
    assert np.allclose(uci.banknote().points.mean(axis=0), [0.434, 1.922, 1.398, -1.192], atol=1e-3)
    plant = uci.ccpp()
    assert plant.points[0].tolist() == [14.96, 41.76, 1024.07, 73.17]
    assert plant.response[0] == 463.26
    mixtures = uci.concrete()
    assert mixtures.response.min() == pytest.approx(2.3318, abs=1e-4)
    # the workbook itself, without the derived table beside it
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    original = uci._table("concrete", "no_such_copy.csv")
    assert np.allclose(original[:, :-1], mixtures.points)
    monkeypatch.setattr("pandas.read_excel", lambda *_, **__: pytest.fail("parsed twice"))
    assert np.array_equal(original, uci._table("concrete", "no_such_copy.csv"))
    digits = mnist.mnist()
    assert np.bincount(digits.train_labels).tolist() == [
        5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949
    ]  # fmt: skip
    assert digits.train.mean() == pytest.approx(33.3184, abs=1e-3)
