"""Each test of the suites fails for a part that is wrong in one way, and for no other part."""

import inspect
import random

import numpy as np
import pytest
from sklearn.utils import check_random_state

from geoforest_cli.problems.manifolds.sample import Curve, Sample
from geoforest_cli.testing import ExperimentTests, ManifoldTests, MethodTests
from geoforest_cli.testing.experiments import planned


class Right:
    """Distances along the first column."""

    kind = "neighbors"

    def __init__(self, spread: float = 0.0, n_jobs: int | None = None, random_state: int = 0):
        self.spread, self.n_jobs, self.random_state = spread, n_jobs, random_state

    def fit(self, X):
        if np.ndim(X) != 2 or len(X) == 0 or not np.isfinite(np.asarray(X, float)).all():
            raise ValueError("X is a table of finite numbers, with rows")
        self.along_ = X[:, 0]
        return self

    def distances(self):
        return np.abs(self.along_[:, None] - self.along_)


class Unannotated(Right):
    def __init__(self, spread=0.0, random_state: int = 0):
        super().__init__(spread, None, random_state)


class Centring(Right):
    def fit(self, X):
        super().fit(X)
        X -= X.mean(axis=0)
        return self


class Silent(Right):
    def fit(self, X):
        super().fit(X)


class Shaken(Right):
    def distances(self):
        return super().distances() + check_random_state(None).uniform()


class ShakenByPython(Right):
    def distances(self):
        return super().distances() + random.random()


class Threaded(Right):
    def distances(self):
        return super().distances() * self.n_jobs


class Remembering(Right):
    def fit(self, X):
        seen = getattr(self, "seen_", 0)
        super().fit(X)
        self.seen_ = seen + 1
        return self

    def distances(self):
        return super().distances() * self.seen_


class Negative(Right):
    def distances(self):
        return -super().distances()


class Unknown(Right):
    def distances(self):
        return np.full((len(self.along_),) * 2, np.nan)


class Listed(Right):
    """Lists instead of distances."""

    distances = property()  # hides that of its parent: hasattr is false

    def kneighbors(self, n_neighbors=5):
        n = len(self.along_)
        if n_neighbors >= n:
            raise ValueError("too many")
        gaps = Right.distances(self)
        np.fill_diagonal(gaps, np.inf)
        rows = np.argsort(gaps, axis=1, kind="stable")[:, :n_neighbors]
        return np.take_along_axis(gaps, rows, axis=1), rows


class OfItself(Listed):
    def kneighbors(self, n_neighbors=5):
        lengths, rows = super().kneighbors(n_neighbors)
        return lengths, np.c_[np.arange(len(rows)), rows[:, 1:]]


class FarthestFirst(Listed):
    def kneighbors(self, n_neighbors=5):
        lengths, rows = super().kneighbors(n_neighbors)
        return lengths[:, ::-1], rows[:, ::-1]


class Generous(Listed):
    def kneighbors(self, n_neighbors=5):
        return super().kneighbors(min(n_neighbors, len(self.along_) - 1))


class Trusting(Right):
    def fit(self, X):
        self.along_ = np.nan_to_num(np.asarray(X, object)[:, :1].astype(float).ravel())
        return self


class Crashing(Right):
    def fit(self, X):
        super().fit(X)
        if len(X) == 1:
            raise RuntimeError("no spread")
        return self


def failures(suite, *given):
    """The names of the tests that fail."""
    names = set()
    for name, test in inspect.getmembers(suite, inspect.ismethod):
        if name.startswith("test_"):
            try:
                test(*given[: len(inspect.signature(test).parameters)])
            except (Exception, pytest.fail.Exception):
                names.add(name)
    return names


@pytest.mark.parametrize(
    ("method", "failing"),
    [
        (Right, set()),
        (Listed, set()),
        (Unannotated, {"test_configs_can_set_its_parameters"}),
        (Centring, {"test_fit_returns_the_method_and_leaves_the_sample_alone"}),
        (Shaken, {"test_the_seed_decides_all", "test_threads_change_nothing",
                  "test_a_second_fit_forgets_the_first"}),
        (ShakenByPython, {"test_the_seed_decides_all", "test_threads_change_nothing",
                          "test_a_second_fit_forgets_the_first"}),
        (Threaded, {"test_threads_change_nothing"}),
        (Remembering, {"test_a_second_fit_forgets_the_first"}),
        (Negative, {"test_the_outcome_has_its_shape"}),
        (Unknown, {"test_the_outcome_has_its_shape"}),
        (OfItself, {"test_neighbors_are_other_rows"}),
        (FarthestFirst, {"test_neighbors_are_other_rows"}),
        (Generous, {"test_too_many_neighbors_are_refused"}),
        (Trusting, {"test_what_is_no_table_of_numbers_is_refused"}),
        (Crashing, {"test_an_odd_table_ends_in_numbers_or_a_sentence"}),
    ],
)  # fmt: skip
def test_a_wrong_method_fails_where_it_is_wrong(method, failing):
    suite = MethodTests()
    assert failures(suite, suite.subject_of(method)) == failing


def test_what_a_suite_tests_has_to_be_said():
    assert "test_fit_returns_the_method_and_leaves_the_sample_alone" in failures(
        MethodTests(), MethodTests().subject_of(Silent)
    )
    with pytest.raises(TypeError, match=r"^Right: kind is one of neighbors, .*, not 'neighbours'"):
        type("Suite", (MethodTests,), {"kind": "neighbours"})().subject_of(Right)


def curve(n, kind, rng, truth="default", *, shift=0.0, stretch=1.0, wide=0, type_=np.float64):
    t = np.sort(rng.uniform(0, 3, n)) + shift
    points = np.c_[np.cos(t), np.sin(t), np.zeros((n, wide))].astype(type_)
    return Sample(points, t[:, None], Curve(t * stretch))


class Bent:
    """Squares of lengths: a detour is shorter."""

    kind = "continuous"

    def __init__(self, t):
        self.t = t

    def distances(self):
        return (self.t[:, None] - self.t) ** 2 * 100


def bent(n, kind, rng, truth="default"):
    sample = curve(n, kind, rng)
    return Sample(sample.points, sample.latent, Bent(sample.latent[:, 0]))


def plain(n, kind, rng):
    return curve(n, kind, rng)


WRONG = {
    "right": (curve, set()),
    "without a truth": (plain, {"test_it_takes_what_experiments_give"}),
    "32 bits": (lambda n, kind, rng, truth="": curve(n, kind, rng, type_=np.float32),
                {"test_points_have_their_shape", "test_no_way_is_shorter_than_the_straight_line"}),
    "a column more": (lambda n, kind, rng, truth="": curve(n, kind, rng, wide=n % 7),
                      {"test_points_have_their_shape"}),
    "of another chance": (
        lambda n, kind, rng, truth="": curve(n, kind, rng, shift=check_random_state(None).uniform()),
        {"test_the_seed_decides_all"},
    ),
    "too short": (lambda n, kind, rng, truth="": curve(n, kind, rng, stretch=0.5),
                  {"test_no_way_is_shorter_than_the_straight_line"}),
    "detours": (bent, {"test_the_truth_is_a_distance_or_a_label"}),
}  # fmt: skip


@pytest.mark.parametrize(("draw", "failing"), WRONG.values(), ids=WRONG)
def test_a_wrong_manifold_fails_where_it_is_wrong(draw, failing):
    # short ways of `bent` are shorter than the line too
    rest = {"test_no_way_is_shorter_than_the_straight_line"} if draw is bent else set()
    assert failures(ManifoldTests(), draw) - rest == failing


CONFIG = """
title: one experiment
experiment: ./one.py
repetitions: 1
grid: {k: [2, 4]}
methods: {euclidean: {variants: {recommended: {}}}}
"""
CELL = {
    "right": ("Row('share', k / 9, k=k)", set()),
    "another metric": ("Row('shares', k / 9, k=k)", {"test_cells_yield_what_is_declared"}),
    "another column": ("Row('share', k / 9, j=k)", {"test_cells_yield_what_is_declared"}),
    "another status": (
        "Row('share', k / 9, 'fine', k=k)", {"test_cells_yield_what_is_declared"}
    ),
    "no number": ("Row('share', np.nan, k=k)", {"test_cells_yield_what_is_declared"}),
    "of the others": (
        "Row('share', sum(task.params.k), k=k)",
        {"test_inner_values_do_not_depend_on_one_another"},
    ),
    "of another chance": (
        "Row('share', np.random.uniform(), k=k)",
        {"test_inner_values_do_not_depend_on_one_another", "test_a_cell_is_the_same_again"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("row", "failing"), CELL.values(), ids=CELL)
def test_a_wrong_experiment_fails_where_it_is_wrong(tmp_path, row, failing):
    (tmp_path / "one.py").write_text(
        "import numpy as np\n"
        "from geoforest_cli.study.experiment import Experiment, Inner, Params, Row\n\n\n"
        "class OneParams(Params):\n    k: Inner[int]\n\n\n"
        "class One(Experiment[OneParams]):\n    methods = ('neighbors',)\n    yields = ('share',)\n\n"
        f"    def run_cell(self, task):\n        return [{row} for k in task.params.k]\n"
    )
    (tmp_path / "one.yaml").write_text(CONFIG)
    plan = planned(tmp_path / "one.yaml", "paper")
    places = [plan.entries[0]]
    assert failures(ExperimentTests(), plan, places) == failing
