"""Tests that hold for every manifold."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.sample import Components, Sample
from geoforest_cli.testing.chance import same, seeded_globally

__all__ = ["ManifoldTests"]

Draw = Callable[..., Sample]


class ManifoldTests:
    """Tests of a function ``draw(n, kind, rng, truth="default")``.

    Attributes
    ----------
    manifold : callable or str
        The function, or the name that configs use; ``staticmethod(draw)`` in the class.
    sizes : tuple of int
        Numbers of points that are drawn.
    isometric : bool
        No way along the manifold is shorter than the straight line between two points.
    """

    manifold: ClassVar[Any] = None
    sizes: ClassVar[tuple[int, ...]] = (2, 30, 120)
    isometric: ClassVar[bool] = True

    @pytest.fixture
    def draw(self) -> Draw:
        """Return the function that is tested."""
        given = self.manifold
        if given is None:
            raise TypeError(f"{type(self).__name__} must say which manifold: manifold = 'helix'")
        draw: Draw = MANIFOLDS[given].load() if isinstance(given, str) else given
        return draw

    def samples(self, draw: Draw, seed: int = 0) -> list[Sample]:
        """Return a sample of each size and kind."""
        return [
            draw(n, kind, np.random.default_rng(seed))
            for kind in ("as_written", "as_run")
            for n in self.sizes
        ]

    def test_it_takes_what_experiments_give(self, draw: Draw) -> None:
        """The first three arguments in order, and the truth by its name."""
        taken = list(inspect.signature(draw).parameters)
        assert taken[:3] == ["n", "kind", "rng"]
        assert "truth" in taken

    def test_points_have_their_shape(self, draw: Draw) -> None:
        """N finite rows of 64 bits, as many columns for any N, and their coordinates."""
        samples = self.samples(draw)
        for sample, n in zip(samples, self.sizes * 2, strict=True):
            assert isinstance(sample, Sample)
            assert sample.points.shape == (n, samples[0].points.shape[1])
            assert sample.points.dtype == np.float64
            assert np.isfinite(sample.points).all()
            assert sample.latent.ndim == 2
            assert len(sample.latent) == n

    def test_the_seed_decides_all(self, draw: Draw) -> None:
        """A generator of the same seed gives the same sample, whatever else draws."""
        outcomes = []
        for seed in (1, 2):
            with seeded_globally(seed):
                outcomes.append([(each.points, each.latent) for each in self.samples(draw)])
        assert same(*outcomes)

    def test_the_truth_is_a_distance_or_a_label(self, draw: Draw) -> None:
        """Distances are symmetric, zero from a point to itself, and never longer by a detour."""
        for sample in self.samples(draw):
            n = len(sample.points)
            if isinstance(sample.truth, Components):
                assert sample.truth.labels.shape == (n,)
                assert sample.truth.labels.dtype.kind == "i"
                continue
            lengths = sample.truth.distances()
            assert lengths.shape == (n, n)
            assert not np.isnan(lengths).any()
            assert (lengths >= 0).all()
            np.testing.assert_allclose(lengths, lengths.T, atol=1e-9)
            np.testing.assert_allclose(np.diag(lengths), 0, atol=1e-9)
            for middle in range(n):
                detour = lengths[:, [middle]] + lengths[middle]
                assert (lengths <= detour * (1 + 1e-9) + 1e-9).all()

    def test_no_way_is_shorter_than_the_straight_line(self, draw: Draw) -> None:
        """Of the sample as written; an author's program may measure something else."""
        if not self.isometric:
            return
        for n in self.sizes:
            sample = draw(n, "as_written", np.random.default_rng(0))
            if isinstance(sample.truth, Components):
                return
            straight = np.linalg.norm(sample.points[:, None] - sample.points[None], axis=2)
            assert (sample.truth.distances() >= straight * (1 - 1e-6) - 1e-9).all()
