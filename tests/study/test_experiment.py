"""The face that the author of an experiment sees: what a class may say, and what is an error."""

import re
from dataclasses import FrozenInstanceError
from typing import Annotated

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pydantic import Field

from geoforest_cli.core.bundled import bundled
from geoforest_cli.core.identity import derive_seed
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.problems.datasets import DATASETS
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.study.experiment import (
    AfterDraw,
    Count,
    Curves,
    Experiment,
    Inner,
    ManifoldName,
    Model,
    Params,
    Row,
    Task,
    Uses,
)


class Sizes(Params):
    manifold: ManifoldName
    n: Count = 50
    data: Annotated[str, Uses(DATASETS, MANIFOLDS)] = "neither"
    rotated: AfterDraw[bool] = False
    turned: AfterDraw[Annotated[float, Field(ge=0)]] = 0.0
    k: Inner[Count] = (5,)
    at: Inner[float] = (0.5, 1.0)


class Halves(Experiment[Sizes]):
    methods = ("neighbors", "metric")
    yields = ("half",)

    def run_cell(self, task):
        return [Row("half", task.params.n / 2)]


def run_cell(self, task):
    return []


def define(*bases, **attributes):
    """Define an experiment with these attributes; a value None leaves one out."""
    given = {"methods": ("neighbors",), "yields": ("half",), "run_cell": run_cell, **attributes}
    bases = bases or (Experiment[Sizes],)
    body = {name: value for name, value in given.items() if value is not None}

    class Base(*bases):
        locals().update(body)

    return Base


def test_what_is_found_out_when_the_class_is_defined():
    assert Halves.params is Sizes
    assert Halves.inner == ("k", "at")
    assert Halves.after_draw == {"rotated", "turned"}
    assert (Halves.version, Halves.detail, Halves.measured) == (1, (), False)
    assert Halves.figure is Curves


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"yeilds": ("x",)}, "has no attribute 'yeilds'; did you mean 'yields'?"),
        ({"zzz": 1}, "has no attribute 'zzz' (known: detail, draw, figure, measured, methods, metric_kinds"),
        # these are found out
        ({"inner": ("k",)}, "has no attribute 'inner'"),
        ({"methods": "neighbors"}, "methods must be a tuple of words, not 'neighbors'"),
        ({"methods": ("neighbours",)},
         "unknown kind of method 'neighbours'; did you mean 'neighbors'? (known: neighbors, "),
        ({"yields": (1,)}, "yields must be a tuple of words, not (1,)"),
        ({"detail": "row"}, "detail must be a tuple of words, not 'row'"),
        ({"version": "2"}, "version must be a whole number and measured True or False"),
        ({"run_cell": None}, "lacks the method run_cell(self, task)"),
    ],
)  # fmt: skip
def test_a_mistake_is_an_error_that_names_it(attributes, words):
    with pytest.raises(TypeError) as caught:
        define(**attributes)
    assert str(caught.value).startswith("Base")
    assert words in str(caught.value)


@pytest.mark.parametrize("base", [Experiment, Experiment[Model], Experiment[int]])
def test_an_experiment_says_its_parameters(base):
    with pytest.raises(TypeError) as caught:
        define(base)
    words = "Base does not say its parameters: class Base(Experiment[MyParams])"
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ({"manifold": "helix"}, {"manifold helix": MANIFOLDS["helix"]}),
        ({"manifold": "helix", "data": "banknote"},
         {"manifold helix": MANIFOLDS["helix"], "dataset banknote": DATASETS["banknote"]}),
        ({"manifold": "helix", "data": "linear"},
         {"manifold helix": MANIFOLDS["helix"], "manifold linear": MANIFOLDS["linear"]}),
    ],
)  # fmt: skip
def test_what_a_cell_uses_comes_from_the_marks(given, used):
    assert Halves.used(Sizes(**given)) == used


def test_what_every_cell_uses_is_used_by_every_cell():
    spiral, helix = MANIFOLDS["euler_spiral"], MANIFOLDS["helix"]
    made = define(uses=(spiral,))
    used = {"always euler_spiral": spiral, "manifold helix": helix}
    assert made.used(Sizes(manifold="helix")) == used


def test_names_within_lists_and_mappings_are_used():
    class Many(Params):
        by_kind: dict[str, list[ManifoldName]] = Field(default_factory=dict)
        maybe: ManifoldName | None = None

    made = define(Experiment[Many])
    assert made.used(Many()) == {}
    used = made.used(Many(by_kind={"linear": ["helix"], "x": ["sphere", "helix"]}))
    assert set(used) == {"manifold helix", "manifold sphere"}
    assert set(made.used(Many(maybe="linear"))) == {"manifold linear"}


def test_a_row_says_where_its_value_belongs():
    row = Row("precision", 0.5, k=10, point="a")
    assert (row.metric, row.value, row.status) == ("precision", 0.5, "ok")
    assert row.at == {"k": 10, "point": "a"}
    assert Row("x", float("nan"), "disconnected").status == "disconnected"
    assert Row("x", 1.0, k=1) == Row("x", 1.0, k=1) != Row("x", 1.0, k=2)
    with pytest.raises(FrozenInstanceError):
        row.value = 1.0
    with pytest.raises(TypeError):
        Row("x")


def test_a_task_knows_its_sample_and_its_method():
    params = Sizes(manifold="helix")
    made = {
        variant: Task(params, "geodesic_forest", {"n_estimators": 7}, variant, 0, 1, 2, 3)
        for variant in ("as_written", "as_run", "recommended", "a_new_one", "zero")
    }
    assert {name: task.sample_kind for name, task in made.items()} == {
        "as_written": "as_written", "as_run": "as_run", "recommended": "as_written",
        "a_new_one": "as_written", "zero": "as_written",
    }  # fmt: skip
    task = made["recommended"]
    assert task.kind == METHODS["geodesic_forest"].kind == "neighbors"
    method = task.build_method()
    assert (method.n_estimators, method.random_state, method.n_jobs) == (7, 2, 1)


@pytest.fixture
def task():
    return Task(Sizes(manifold="helix"), "euclidean", {}, "as_run", 0, 11, 12, 13, 14)


def test_each_purpose_has_the_same_seed_in_all_versions(task):
    purposes = ("sample", "method", "ties", "repetition")
    assert [task.seed(purpose) for purpose in purposes] == [11, 12, 13, 14]
    assert task.seed("ties", 5) == derive_seed(13, 5)
    assert task.seed("sample", "test") == derive_seed("test", 11)
    assert task.seed("sample", "test", 5) == derive_seed("test", 11, 5)


def test_a_generator_is_seeded_for_its_purpose(task):
    expected = np.random.default_rng(derive_seed(13, 5)).normal(size=3)
    assert_array_equal(task.rng("ties", 5).normal(size=3), expected)


def test_a_misspelt_purpose_of_a_seed_is_an_error(task):
    with pytest.raises(
        ValueError, match="unknown purpose of a seed 'sampel'; did you mean 'sample'"
    ):
        task.rng("sampel")


def test_no_experiment_derives_seeds_by_itself():
    for path in sorted(bundled("experiments").glob("*.py")):
        text = path.read_text("utf-8")
        assert "core.identity" not in text, path.name
        assert not re.search(r"task\.\w+_seed", text), path.name
