"""Tests that hold for every method."""

from __future__ import annotations

import contextlib
import inspect
import types
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pytest
from pydantic import ValidationError

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.registry import parameter_model
from geoforest_cli.estimators.methods import KINDS, METHODS, Kind, kind_of
from geoforest_cli.problems.metrics.ranking import retrieved
from geoforest_cli.testing.chance import same, seeded_globally

__all__ = ["MethodTests", "Subject"]

_SPREAD = 1e-9


@dataclass(frozen=True)
class Subject:
    """The method that is tested.

    Attributes
    ----------
    cls : type
    kind : str
    params : mapping
    """

    cls: type
    kind: Kind
    params: Mapping[str, Any]

    def takes(self, name: str) -> bool:
        """Return whether the method has a parameter."""
        return name in inspect.signature(self.cls).parameters

    def build(self, seed: int = 0, n_jobs: int = 1) -> Any:
        """Return a new one, as a cell builds it."""
        engine = {"random_state": seed, "n_jobs": n_jobs}
        given = {name: value for name, value in engine.items() if self.takes(name)}
        return self.cls(**{**self.params, **given})


class SampleNetwork(NamedTuple):
    """A network, as predictors of links are given it."""

    links: npt.NDArray[np.int64]
    binary: npt.NDArray[np.int64]
    features: npt.NDArray[np.float64]


class MethodTests:
    """Tests of a method.

    Attributes
    ----------
    method : type or str
        The class, or the name that configs use.
    params : mapping
        Parameters it is tested with: few trees, say.
    kind : str, optional
        What it does, where neither its class nor the registry says: "neighbors".
    shape : tuple of int
        Rows and columns of the sample.
    """

    method: ClassVar[Any] = None
    params: ClassVar[Mapping[str, Any]] = types.MappingProxyType({})
    kind: ClassVar[Kind | None] = None
    shape: ClassVar[tuple[int, int]] = (40, 4)

    @pytest.fixture
    def subject(self) -> Subject:
        """Return what is tested."""
        if self.method is None:
            raise TypeError(f"{type(self).__name__} must say which method: method = MyMethod")
        return self.subject_of(self.method)

    def subject_of(self, method: type | str) -> Subject:
        """Return a method, given by class or name, with its kind."""
        cls = METHODS[method].load() if isinstance(method, str) else method
        default_kind = kind_of(method) if isinstance(method, str) else getattr(cls, "kind", None)
        kind = self.kind or default_kind
        if kind not in KINDS:
            raise TypeError(f"{cls.__name__}: kind is one of {', '.join(KINDS)}, not {kind!r}")
        return Subject(cls, cast("Kind", kind), self.params)

    def sample(self, subject: Subject, seed: int = 0) -> tuple[Any, ...]:
        """Return the arguments of `fit`: points along a curve, and what is learnt of them."""
        n, p = self.shape
        rng = np.random.default_rng(seed)
        t = np.sort(rng.uniform(0, 3, n))
        X = np.stack([np.cos(t + j) * (1 + j) for j in range(p)], axis=1)
        X += rng.normal(0, 0.05, X.shape)
        if subject.kind in {"classifier", "response"}:
            return X, (t > 1.5).astype(np.int64)
        if subject.kind == "regressor":
            return X, t
        if subject.kind == "metric":
            return X, np.abs(t[:, None] - t)
        if subject.kind == "links":
            links = (np.abs(t[:, None] - t) < 0.5).astype(np.int64) * (1 - np.eye(n, dtype=int))
            visible = np.arange(n) % 5 > 0
            observed = np.outer(visible, visible) & ~np.eye(n, dtype=bool)
            return SampleNetwork(links, links, (X > 0).astype(float)), observed
        return (X,)

    def outcome(self, subject: Subject, method: Any, X: Any) -> Any:
        """Return what a fitted method says: arrays, or lists and mappings of them."""
        if subject.kind == "neighbors":
            if hasattr(method, "distances"):
                return method.distances()
            return method.kneighbors(n_neighbors=5)
        if subject.kind == "clusters":
            return method.clusters(2)
        if subject.kind == "screen":
            return method.get_support(), method.scores_
        if subject.kind == "links":
            return method.scores()
        verbs = {"metric": "pairwise_distances", "local": "transform"}
        return getattr(method, verbs.get(subject.kind, "predict"))(X)

    def fitted(self, subject: Subject, seed: int = 0, n_jobs: int = 1, sample: int = 0) -> Any:
        """Return the outcome of a new method."""
        given = self.sample(subject, sample)
        method = subject.build(seed, n_jobs).fit(*given)
        return self.outcome(subject, method, given[0])

    def test_configs_can_set_its_parameters(self, subject: Subject) -> None:
        """Each is annotated, those given here are valid, and a misspelt one is refused."""
        for name, parameter in inspect.signature(subject.cls).parameters.items():
            assert parameter.annotation is not inspect.Parameter.empty, f"{name} has no annotation"
        model = parameter_model(subject.cls)
        model(**subject.params)
        with pytest.raises(ValidationError):
            model(**{**subject.params, "no_such_parameter": 1})

    def test_fit_returns_the_method_and_leaves_the_sample_alone(self, subject: Subject) -> None:
        """The arrays it is given are those of other methods too."""
        given = self.sample(subject)
        for part in given:
            if isinstance(part, np.ndarray):
                part.setflags(write=False)
        method = subject.build()
        assert method.fit(*given) is method
        assert same(given, self.sample(subject))

    def test_the_seed_decides_all(self, subject: Subject) -> None:
        """The same seed gives the same outcome, whatever else draws."""
        outcomes = []
        for seed in (1, 2):
            with seeded_globally(seed):
                outcomes.append(self.fitted(subject, seed=3))
        assert same(*outcomes)

    def test_threads_change_nothing(self, subject: Subject) -> None:
        """The outcome does not know how many there were."""
        if subject.takes("n_jobs"):
            assert same(self.fitted(subject, n_jobs=2), self.fitted(subject))

    def test_a_second_fit_forgets_the_first(self, subject: Subject) -> None:
        """A second fit is as new."""
        method = subject.build()
        method.fit(*self.sample(subject, 1))
        given = self.sample(subject)
        method.fit(*given)
        assert same(self.outcome(subject, method, given[0]), self.fitted(subject))

    def test_the_outcome_has_its_shape(self, subject: Subject) -> None:
        """A row for each row; distances are not negative, and some are known."""
        n, p = self.shape
        outcome = self.fitted(subject)
        if subject.kind in {"neighbors", "metric"} and isinstance(outcome, np.ndarray):
            assert outcome.shape == (n, n)
            assert subject.kind == "metric" or not (outcome < 0).any()
            assert np.isfinite(outcome[~np.eye(n, dtype=bool)]).any()
        elif subject.kind == "screen":
            assert [np.shape(part) for part in outcome] == [(p,), (p,)]
            assert np.asarray(outcome[0]).dtype == bool
        elif subject.kind in {"classifier", "regressor", "response", "clusters"}:
            assert np.shape(outcome)[0] == n
        elif subject.kind == "local":
            assert np.shape(outcome)[0] == n
            assert not np.isnan(outcome).any()

    def test_neighbors_are_other_rows(self, subject: Subject) -> None:
        """Each once, nearest first, as many as are asked for."""
        if subject.kind != "neighbors":
            return
        n, _ = self.shape
        method = subject.build().fit(*self.sample(subject))
        for k in (1, 5, n - 1):
            rows = retrieved(method, k, "random", np.random.default_rng(0))
            assert rows.shape == (n, k)
            assert ((rows >= 0) & (rows < n)).all()
            assert not (rows == np.arange(n)[:, None]).any()
            assert all(len(set(row)) == k for row in rows.tolist())
        if hasattr(method, "kneighbors"):
            lengths, rows = method.kneighbors(n_neighbors=5)
            assert lengths.shape == rows.shape == (n, 5)
            finite_lengths = np.nan_to_num(lengths, nan=np.inf, posinf=np.inf)
            with np.errstate(invalid="ignore"):
                assert not (np.diff(finite_lengths, axis=1) < -_SPREAD).any()

    def test_too_many_neighbors_are_refused(self, subject: Subject) -> None:
        """There are no more than the other rows."""
        if subject.kind != "neighbors":
            return
        n, _ = self.shape
        method = subject.build().fit(*self.sample(subject))
        if hasattr(method, "kneighbors"):
            with pytest.raises((ValueError, UserError)):
                method.kneighbors(n_neighbors=n)

    def test_what_is_no_table_of_numbers_is_refused(self, subject: Subject) -> None:
        """An error of one sentence: a value that is not finite, a text, no rows at all."""
        X, *learnt = self.sample(subject)
        if not isinstance(X, np.ndarray):
            return
        for name, bad in _spoilt(X, missing=_takes_missing(subject)):
            with pytest.raises((ValueError, UserError)) as caught:
                self.outcome(subject, subject.build().fit(bad, *learnt), bad)
            assert str(caught.value).strip(), name

    def test_an_odd_table_ends_in_numbers_or_a_sentence(self, subject: Subject) -> None:
        """One row, equal rows and a constant column are no reason for a traceback."""
        X, *learnt = self.sample(subject)
        if not isinstance(X, np.ndarray):
            return
        for bad, rest in (
            (X[:1], [part[:1, :1] if part.ndim == 2 else part[:1] for part in learnt]),
            (np.ones_like(X), learnt),
            (np.where(np.arange(X.shape[1]) == 0, 1.0, X), learnt),
        ):
            with warnings.catch_warnings(), contextlib.suppress(ValueError, UserError):
                warnings.simplefilter("ignore")
                self.outcome(subject, subject.build().fit(bad, *rest), bad)


def _takes_missing(subject: Subject) -> bool:
    from sklearn.utils import get_tags

    method = subject.build()
    return hasattr(method, "__sklearn_tags__") and bool(get_tags(method).input_tags.allow_nan)


def _spoilt(X: npt.NDArray[np.float64], *, missing: bool) -> Iterator[tuple[str, Any]]:
    values = {"infinite": np.inf} if missing else {"infinite": np.inf, "missing": np.nan}
    for name, value in values.items():
        bad = X.copy()
        bad[1, 2] = value
        yield name, bad
    text = X.astype(object)
    text[1, 2] = "eleven"
    yield "text", text
    yield "no rows", X[:0]
    yield "one dimension", X[:, 0]
