"""Neighbours of a table in parts: as good as the whole forest's, and the same after any stop."""

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed")

import distributed
from click.testing import CliRunner

from geoforest_cli import LeafMates
from geoforest_cli.cli.main import cli
from geoforest_cli.core import dask_client
from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables import find_neighbors_in_parts
from geoforest_cli.tables.partitioned import steps

K, PARTS = 10, 3
_PATIENCE = 120.0


def helix(n, p=6, seed=1):
    rng = np.random.default_rng(seed)
    t = rng.uniform(0, 1, n)
    points = np.c_[np.cos(12 * t), np.sin(12 * t), 2 * t] + 0.05 * rng.normal(size=(n, 3))
    return t, np.c_[points, rng.normal(size=(n, p - 3))]


def write(folder, points, **more):
    folder.mkdir(exist_ok=True)
    frame = pd.DataFrame(points, columns=[f"x{j}" for j in range(points.shape[1])]).assign(**more)
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), PARTS)):
        frame.iloc[rows].to_parquet(folder / f"p{number}.parquet", index=False)
    return folder


def near_share(t, indices):
    """Share of neighbours among the nearest 1 % of rows along the curve."""
    ranks = np.argsort(np.argsort(t))
    return np.mean(np.abs(ranks[indices] - ranks[:, None]) <= 0.005 * len(t))


def results(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("part-*.parquet"))}


@pytest.fixture(scope="module")
def client():
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as made:
        yield made


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Parts of 900 rows."""
    return write(tmp_path_factory.mktemp("small") / "parts", helix(900)[1])


def find(parts, folder, client, **more):
    options = {"cell_rows": 200, "params": {"n_estimators": 5}, "client": client} | more
    return find_neighbors_in_parts([parts], folder, 5, **options)


@pytest.fixture(scope="module")
def whole(small, client, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "out"
    find(small, folder, client)
    return results(folder)


@pytest.mark.nightly
def test_as_many_neighbours_are_near_as_in_the_whole_table(client, tmp_path):
    t, points = helix(6000)
    index = LeafMates(K, random_state=0).fit(points)
    expected = near_share(t, index.kneighbors(return_distance=False))
    parts = write(tmp_path / "parts", points)
    written = find_neighbors_in_parts([parts], tmp_path / "out", K, client=client, cell_rows=1000)
    lines = pd.concat(map(pd.read_parquet, written))
    assert lines["id"].tolist() == np.repeat(np.arange(6000), K).tolist()
    indices = lines["neighbor"].to_numpy().reshape(-1, K)
    assert near_share(t, indices) > expected - 0.01
    assert (indices != np.arange(6000)[:, None]).all()
    assert all(len(set(row)) == K for row in indices.tolist())
    assert (np.diff(lines["distance"].to_numpy().reshape(-1, K)) >= 0).all()


@pytest.mark.nightly
def test_names_of_rows_stand_for_their_numbers(small, whole, client, tmp_path):
    names = [f"row {number}" for number in range(900)]
    parts = write(tmp_path / "parts", helix(900)[1], name=names)
    find(parts, tmp_path / "out", client, identifier="name")
    for path, expected in zip(sorted((tmp_path / "out").glob("part*")), whole, strict=True):
        named = pd.read_parquet(path)
        (tmp_path / "expected.parquet").write_bytes(whole[expected])
        numbered = pd.read_parquet(tmp_path / "expected.parquet")
        for column in ("id", "neighbor"):
            assert named[column].tolist() == [names[number] for number in numbered[column]]
        assert named["distance"].equals(numbered["distance"])


@pytest.mark.parametrize("step", ["block", "tree", "part"])
@pytest.mark.nightly
def test_a_full_disk_loses_nothing(small, whole, client, tmp_path, monkeypatch, step):
    calls = []
    original = steps.replacing

    def full(path):
        calls.extend([path] * path.name.startswith(step))
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return original(path)

    with monkeypatch.context() as patched:
        patched.setattr(steps, "replacing", full)
        with pytest.raises(OSError, match="No space left"):
            find(small, tmp_path, client)
    kept = [path for path in tmp_path.rglob("*") if path.suffix in {".arrow", ".parquet"}]
    assert kept
    times = {path: path.stat().st_mtime_ns for path in kept}
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", lambda *_, **__: None)
        find(small, tmp_path, client)
    assert all(path.stat().st_mtime_ns == before for path, before in times.items())
    assert results(tmp_path) == whole


def test_a_part_that_was_deleted_comes_back(small, whole, client, tmp_path):
    find(small, tmp_path / "out", client)
    (tmp_path / "out" / "part-00001.parquet").unlink()
    find(small, tmp_path / "out", client)
    assert results(tmp_path / "out") == whole
    said = []
    find(small, tmp_path / "out", client, on_note=said.append)
    assert said == [f"{tmp_path / 'out'}: complete already."]


def _bad(folder, kind):
    path = folder / "p1.parquet"
    frame = pd.read_parquet(path)
    if kind == "unreadable":
        path.write_bytes(b"no table")
        return
    changed = {
        "missing": frame.drop(columns="x3"),
        "more": frame.assign(y=1.0),
        "type": frame.assign(x3=1),
        "empty": frame[:0],
        "nan": frame.assign(x3=frame["x3"].where(frame.index != 7)),
    }
    changed[kind].to_parquet(path, index=False)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("unreadable", "p1.parquet: it cannot be read as Parquet"),
        ("missing", "p1.parquet: the column 'x3' is missing, but double in .*p0.parquet"),
        ("more", "p1.parquet: the column 'y' is double, but missing in .*p0.parquet"),
        ("type", "p1.parquet: the column 'x3' is int64, but double in .*p0.parquet"),
        ("empty", "p1.parquet: it has no rows"),
        ("nan", "p1.parquet: the column 'x3' has a missing or infinite value in row 7 "),
    ],
)
@pytest.mark.nightly
def test_bad_parts_are_refused(small, client, tmp_path, kind, sentence):
    parts = shutil.copytree(small, tmp_path / "parts")
    _bad(parts, kind)
    with pytest.raises(DataError, match=sentence):
        find(parts, tmp_path / "out", client)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--picture", "map.png"], "--picture is not possible for a table in parts"),
        (["--method", "euclidean"], "--method is not possible .*; only leaf_mates is"),
        (["--group", "2"], "--group is not possible"),
    ],
)
def test_what_a_table_in_parts_cannot_have_is_refused(small, tmp_path, words, sentence):
    done = CliRunner().invoke(cli, ["neighbors", str(small), "-o", str(tmp_path / "out"), *words])
    assert done.exit_code == 2
    assert re.search(sentence, done.output)
    assert not (tmp_path / "out").exists()


def test_screen_and_scale_of_the_index_are_not_passed_over(small, client, tmp_path):
    with pytest.raises(UserError, match="screen and scale are those of the whole table"):
        find(small, tmp_path / "out", client, params={"rescale": "none"})


def _command(parts, out, *more):
    words = ["neighbors", str(parts), "-o", str(out), "-k", "5", "--cell-rows", "200"]
    words += ["--param", "n_estimators=5", *more]
    return [sys.executable, "-m", "geoforest_cli", *words]


@pytest.mark.nightly
def test_two_workers_and_killed_processes_change_no_byte(small, whole, tmp_path):
    out = tmp_path / "out"
    driver = subprocess.Popen(_command(small, out, "--jobs", "2"), start_new_session=True)
    until = time.monotonic() + _PATIENCE
    while not list(out.glob("_work/block*.arrow")):
        assert time.monotonic() < until
        assert driver.poll() is None
        time.sleep(0.01)
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    made, cluster = dask_client.start(2)
    try:
        killed = []

        def kill(what, *_):
            if what == "cells" and not killed:
                killed.append(next(iter(made.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        find(small, out, made, on_progress=kill)
    finally:
        dask_client.close(made, cluster)
    assert killed
    assert results(out) == whole
