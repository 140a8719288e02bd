"""Every method of every config runs its smoke size and yields what the experiment declares."""

import ast
import functools
import os
from pathlib import Path

import pytest

from geoforest_cli.estimators.base import classifier as _classifier
from geoforest_cli.study.plan import experiments
from geoforest_cli.testing import ExperimentTests
from geoforest_cli.testing.experiments import first_places, planned
from tests.configs import opened

ROOT = Path(__file__).parents[2]
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))
FILES = sorted((ROOT / "experiments").glob("*.py"))
EXPERIMENTS = {path.stem: experiments.load(path) for path in FILES}
WITH_INNER = [path for path in CONFIGS if EXPERIMENTS[opened.config(path.stem).experiment].inner]
NEEDS_DATA = {"connectome", "connectome_picture", "banknote", "density_ccpp", "density_concrete", "regression_ccpp",
              "regression_concrete", "mnist", "mnist_importance", "smerf_links"}  # fmt: skip
NEVER_HERE = {"galaxy"}


@pytest.fixture(autouse=True)
def folds_drawn_once(monkeypatch):
    """Tuning draws its folds up to five times on samples as small as these."""
    monkeypatch.setattr(_classifier, "_FEW_ROWS", 1)


def _reason_to_skip(path):
    if path.stem in NEVER_HERE:
        return "the file has to be downloaded"
    if path.stem in NEEDS_DATA and "GEOFOREST_DATA" not in os.environ:
        return "GEOFOREST_DATA is not set"
    return ""


@functools.cache
def _first_with_inner():
    """Where each experiment is first asked by each method for values of the same parameters."""
    seen = {}
    for path in WITH_INNER:
        if _reason_to_skip(path):
            continue
        for entry in first_places(planned(path, "smoke")):
            kind = (entry.cell.setting.experiment, entry.cell.setting.use, tuple(entry.inner))
            seen.setdefault(kind, (path, entry.method, entry.variant))
    return frozenset(seen.values())


@pytest.mark.nightly
class TestShipped(ExperimentTests):
    @pytest.fixture(params=CONFIGS, ids=lambda path: path.stem)
    def path(self, request):
        if reason := _reason_to_skip(request.param):
            pytest.skip(reason)
        return request.param

    @pytest.fixture
    def plan(self, path):
        return planned(path, "smoke")

    @pytest.fixture
    def inner_places(self, path, places):
        firsts = _first_with_inner()
        return [entry for entry in places if (path, entry.method, entry.variant) in firsts]


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
        ("neighbor_quality", {"data": "helix"}, "manifold helix"),
        ("neighbor_quality", {"data": "concrete"}, "dataset concrete"),
        ("structured_neighbors", {"data": "circle"}, "simulation circle"),
        ("structured_neighbors", {"data": "digits"}, "dataset digits"),
        ("timing", {"data": "helix"}, "manifold helix"),
    ],
)
def test_what_a_parameter_names_brings_its_version(name, given, used):
    experiment = EXPERIMENTS[name]
    assert list(experiment.used(experiment.params.model_construct(**given))) == [used]


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
    return any(isinstance(part, ast.Name) and part.id == "drawing" for part in node.decorator_list)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_that_computes_is_marked_as_drawing(path):
    """Marked functions are left out of a cell's identity."""
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
