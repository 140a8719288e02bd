"""Every method of every config runs its smoke size and yields what the experiment declares."""

import ast
import functools
import math
import os
from pathlib import Path

import pytest

from geoforest_cli import plan
from geoforest_cli.baselines import _classifier
from geoforest_cli.plan import experiments
from tests.configs import opened

ROOT = Path(__file__).parents[2]
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))
FILES = sorted((ROOT / "experiments").glob("*.py"))
EXPERIMENTS = {path.stem: experiments.load(path) for path in FILES}
WITH_INNER = [path for path in CONFIGS if EXPERIMENTS[opened.config(path.stem).experiment].inner]
NEEDS_DATA = {"connectome", "banknote", "density_ccpp", "density_concrete", "regression_ccpp",
              "regression_concrete", "mnist", "mnist_importance", "smerf_links"}  # fmt: skip
NEVER_HERE = {"galaxy"}


@pytest.fixture(autouse=True)
def folds_drawn_once(monkeypatch):
    """Tuning draws its folds up to five times on samples as small as these."""
    monkeypatch.setattr(_classifier, "_FEW", 1)


def _reason_to_skip(path):
    if path.stem in NEVER_HERE:
        return "the file has to be downloaded"
    if path.stem in NEEDS_DATA and "GEOFOREST_DATA" not in os.environ:
        return "GEOFOREST_DATA is not set"
    return ""


@functools.cache
def _smoke(path):
    return plan.load(path, "smoke")


def _planned(path):
    if reason := _reason_to_skip(path):
        pytest.skip(reason)
    whole = _smoke(path)
    kept = whole.without(whole.unavailable())
    kept.prepare()
    return kept


def _first_places(planned):
    seen = {}
    for place in planned.places:
        seen.setdefault((place.method, place.variant), place)
    return seen.values()


def _rows(planned, place, inner):
    return planned.experiment.run_cell(place.cell.task(inner, planned.experiment))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_method_yields_its_metrics(path):
    planned = _planned(path)
    experiment = planned.experiment
    for place in _first_places(planned):
        rows = _rows(planned, place, place.inner)
        assert {row.metric for row in rows} <= set(experiment.yields)
        assert all(set(row.at) <= {*experiment.inner, *experiment.detail} for row in rows)
        defined = [row.value for row in rows if row.status == "ok"]
        assert not all(math.isnan(value) for value in defined) or not defined


def _told(rows):
    """What the rows say, NaN equal to itself."""
    return sorted((row.metric, repr(float(row.value)), row.status, repr(row.at)) for row in rows)


@functools.cache
def _first_with_inner():
    """Where each experiment is first asked by each method for values of the same parameters."""
    seen = {}
    for path in WITH_INNER:
        if _reason_to_skip(path):
            continue
        for place in _first_places(_smoke(path)):
            kind = (place.cell.setting.experiment, place.cell.setting.use, tuple(place.inner))
            seen.setdefault(kind, (path, place.method, place.variant))
    return frozenset(seen.values())


@pytest.mark.parametrize("path", WITH_INNER, ids=lambda path: path.stem)
def test_inner_values_are_the_same_alone_and_together(path):
    if not any(path == first for first, _, _ in _first_with_inner()):
        return
    planned = _planned(path)
    for place in _first_places(planned):
        if (path, place.method, place.variant) not in _first_with_inner():
            continue
        inner = dict(place.inner)
        if len(inner.get("k", ())) == 1:
            inner["k"] = (3, *inner["k"])
        together = _rows(planned, place, inner)
        for name, values in inner.items():
            alone = [
                row for value in values for row in _rows(planned, place, {**inner, name: (value,)})
            ]
            assert _told(alone) == _told(together)


@pytest.mark.parametrize(
    ("name", "given", "used"),
    [
        ("classification", {"data": "bars"}, "simulation bars"),
        ("classification", {"data": "mnist"}, "dataset mnist"),
        ("dataset_neighbors", {"dataset": "banknote"}, "dataset banknote"),
        ("distance_learning", {"setting": "radial"}, "similarity radial"),
        ("geodesic_clusters", {"data": "ellipses"}, "manifold ellipses"),
        ("geodesic_clusters", {"data": "banknote"}, "dataset banknote"),
        ("geodesic_errors", {"manifold": "torus"}, "manifold torus"),
        ("structured_neighbors", {"data": "circle"}, "simulation circle"),
        ("structured_neighbors", {"data": "digits"}, "dataset digits"),
        ("timing", {"manifold": "helix"}, "manifold helix"),
    ],
)
def test_what_a_parameter_names_brings_its_version(name, given, used):
    experiment = EXPERIMENTS[name]
    assert list(experiment.used(experiment.params.model_construct(**given))) == [used]


def test_dense_truth_needs_a_dense_sample():
    params = EXPERIMENTS["geodesic_errors"].params
    with pytest.raises(ValueError, match="needs dense_n"):
        params(manifold="torus", truth=["dense"])


def test_a_piece_of_a_curve_by_its_middle_is_the_interval():
    params = EXPERIMENTS["geodesic_errors"].params
    assert params(manifold="euler_spiral", middle=1.5).ends() == (1.0, 2.0)
    given = {"manifold": "euler_spiral", "middle": 1.0, "length": 2.0}
    assert params(**given).ends() == params(manifold="euler_spiral", interval="0 to 2").ends()


def test_experiments_that_yield_times_are_measured():
    measured = {name for name, experiment in EXPERIMENTS.items() if experiment.measured}
    timed = {
        name
        for name, experiment in EXPERIMENTS.items()
        if any("seconds" in metric for metric in experiment.yields)
    }
    assert measured == timed


def _is_marked(node):
    return any(isinstance(one, ast.Name) and one.id == "drawing" for one in node.decorator_list)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_that_computes_is_marked_as_drawing(path):
    """What is marked is left out of a cell's identity."""
    marked, used = set(), set()

    class Look(ast.NodeVisitor):
        def visit_FunctionDef(self, node):
            if _is_marked(node):
                marked.add(node.name)
            else:
                self.generic_visit(node)

        def visit_ClassDef(self, node):
            self.visit_FunctionDef(node)

        def visit_Assign(self, node):
            if ast.unparse(node.targets[0]) != "figure":
                self.generic_visit(node)

        def visit_Name(self, node):
            used.add(node.id)

    Look().visit(ast.parse(path.read_text(encoding="utf-8")))
    assert not marked & used
    assert "draw" in marked or "draw" not in vars(type(EXPERIMENTS[path.stem]))
