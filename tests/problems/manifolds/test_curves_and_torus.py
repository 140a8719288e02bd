"""Euler spiral, ellipses, arcs and the torus against closed forms and independent checks."""

import dataclasses
import types
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.problems.manifolds import arc, ellipses, euler_spiral, torus
from geoforest_cli.problems.manifolds.noise import rotate

TorusGeodesic = torus.TorusGeodesic


def test_curves_have_unit_speed():
    s = np.linspace(0.5, 3, 2001)
    for points in (euler_spiral.curve(s), arc.curve(s, 0.7)):
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        assert np.allclose(steps, s[1] - s[0], rtol=1e-5)
    turning = np.diff(np.unwrap(np.arctan2(*np.diff(euler_spiral.curve(s), axis=0).T[::-1])))
    assert np.allclose(turning / (s[1] - s[0]), s[1:-1], rtol=1e-3)


def test_arc_length_of_an_ellipse():
    t = np.linspace(0, 4, 200_001)
    points = np.c_[2 * np.cos(t), np.sin(t)]
    length = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    assert ellipses.arc_length(np.array([4.0]), 2.0)[0] == pytest.approx(length, rel=1e-9)
    assert length == pytest.approx(5.927813814227, rel=1e-8)


def test_points_of_two_ellipses_at_quarters_of_the_way_round():
    sample = ellipses.draw(16, "as_written", np.random.default_rng(0))
    np.testing.assert_allclose(sample.points[[0, 2, 4]], [[2, 0], [0, 1], [-2, 0]], atol=1e-12)
    np.testing.assert_allclose(sample.points[8:], 0.3 * sample.points[:8])
    D, round_it = sample.truth.distances(), 9.688448220547675
    # one, two and three quarters ahead, the last of them one quarter back
    np.testing.assert_allclose(D[0, [2, 4, 6]] / round_it, [1 / 4, 1 / 2, 1 / 4], rtol=1e-12)
    np.testing.assert_allclose(D[8, [10, 12, 14]], 0.3 * D[0, [2, 4, 6]], rtol=1e-12)


def pair(u1, v1, u2, v2):
    return TorusGeodesic(np.array([u1, u2], float), np.array([v1, v2], float)).distances()[0, 1]


def test_torus_where_the_distance_is_known():
    assert pair(0, np.pi, 1, np.pi) == pytest.approx(4, abs=1e-10)
    assert pair(0, np.pi, 3, np.pi) == pytest.approx(12, abs=1e-10)
    # the outer equator is shortest up to the conjugate point at pi sqrt(r (R + r))
    assert pair(0, 0, 1.2, 0) == pytest.approx(7.2, abs=1e-10)
    assert pair(0, 0, np.pi, 0) == pytest.approx(15.82486, abs=1e-5)
    assert pair(0.3, 0.1, 0.3, 2.1) == pytest.approx(2.0, abs=1e-12)
    assert pair(0.3, 0.1, 0.3, 6.2) == pytest.approx(2 * np.pi - 6.1, abs=1e-12)


def test_torus_symmetries_and_triangles():
    rng = np.random.default_rng(5)
    truth = torus.draw(60, "as_written", rng).truth
    D = truth.distances()
    backwards = TorusGeodesic(truth.u[::-1].copy(), truth.v[::-1].copy()).distances(n_jobs=2)
    assert np.allclose(D, backwards[::-1, ::-1], rtol=0, atol=1e-10)
    assert np.allclose(D, TorusGeodesic(truth.u + 2.1, -truth.v).distances(), rtol=0, atol=1e-9)
    i, j, k = rng.integers(0, 60, (3, 10_000))
    assert (D[i, k] <= D[i, j] + D[j, k] + 1e-9).all()
    chords = np.linalg.norm(
        torus.embed(truth.u, truth.v)[:, None] - torus.embed(truth.u, truth.v), axis=2
    )
    assert (chords <= D + 1e-12).all()


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """The distances of a dozen points, and where they are kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(torus, "_WORTH_STORING", 10)
    truth = torus.draw(12, "as_written", np.random.default_rng(0)).truth
    return truth, truth.distances(), tmp_path / "geoforest" / "geodesics"


def test_distances_of_many_points_are_stored(stored, monkeypatch):
    truth, first, folder = stored
    assert np.array_equal(first, TorusGeodesic(truth.u, truth.v).distances())
    monkeypatch.setattr(torus.kernels, "rows_of_distances", _nothing)
    assert np.array_equal(first, truth.distances())
    assert sorted(path.suffix for path in folder.iterdir()) == [".npy", ".sha256"]


@pytest.mark.nightly
@pytest.mark.parametrize("field", ["u", "v", "major", "minor"])
def test_stored_distances_are_those_of_the_same_points_and_torus(stored, monkeypatch, field):
    truth, _, _ = stored
    monkeypatch.setattr(torus.kernels, "rows_of_distances", _nothing)
    other = dataclasses.replace(truth, **{field: np.nextafter(getattr(truth, field), 9)})
    assert not other.distances().any()


@pytest.mark.parametrize("edited", ["kernel", "torus"])
def test_distances_stored_by_other_code_are_not_used(stored, monkeypatch, tmp_path, edited):
    truth, first, folder = stored
    changed = tmp_path / "changed.py"
    module = torus.kernels if edited == "kernel" else torus
    changed.write_text(Path(module.__file__).read_text() + "\nPASSES = 2\n")
    kernels = types.SimpleNamespace(**vars(torus.kernels))
    kernels.rows_of_distances = _nothing
    monkeypatch.setattr(torus, "kernels", kernels)
    assert np.array_equal(first, truth.distances())
    monkeypatch.setattr(kernels if edited == "kernel" else torus, "__file__", str(changed))
    assert not truth.distances().any()
    assert len(list(folder.glob("*.npy"))) == 2


def _nothing(*_):
    """Compute no distance at all."""


def test_rotations_are_drawn_from_the_haar_measure():
    rng = np.random.default_rng(0)
    turns = np.array([rotate(np.eye(3), rng) for _ in range(3000)])
    # every entry has the mean 0 and the variance 1 / 3; half of the turns are reflections
    np.testing.assert_allclose(turns.mean(axis=0), 0, atol=0.05)
    np.testing.assert_allclose((turns**2).mean(axis=0), 1 / 3, atol=0.03)
    assert (np.linalg.det(turns) > 0).mean() == pytest.approx(0.5, abs=0.04)
    assert np.mean(np.trace(turns, axis1=1, axis2=2) ** 2) == pytest.approx(1, abs=0.1)
