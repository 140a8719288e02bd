"""Rows of a tiny cell of every experiment, as they were: a change of what is computed shows here.

Every case is the smoke profile of a config, made smaller; real data sets are replaced by made-up
ones. Times and memory must be there and positive, everything else is stored. A change that is
meant rewrites the cases it concerns, and no others:
``python -m tests.experiments.test_golden_rows classification link_prediction``.
"""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from geoforest_cli.core import user_modules
from geoforest_cli.problems.datasets.drosophila import Labelled
from geoforest_cli.problems.datasets.networks import Network
from geoforest_cli.problems.datasets.uci import Responses
from geoforest_cli.study import plan
from geoforest_cli.study.plan import experiments

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).with_name("golden_rows.json")
SHIPPED = {path.stem for path in (ROOT / "experiments").glob("*.py")}
MEASURED = ("seconds", "megabytes", "times", "speedup")
MAX_ROWS = 12  # rows of one metric; of more, their number, mean and some of them are stored

SEED = "seed=20200101"  # that of a config may change with its claims
FEW_TREES = "methods.gf.variants.recommended.params.n_estimators=10"
# experiment, and what of it -> config, what makes it smaller, methods, some of them in one variant
# only; umap is left out, which other processors round otherwise
CASES = {
    "sphere_expansion": ("cylinder", ["grid.sphere=[0.5]", "grid.direction=[0.25]"], "sg"),
    "tree_cuts": ("smerf_propositions", ["params.n=30"], "smerf"),
    "classification": ("circle", ["params.test=40", "grid.n=[40]"], "rf morf/as_written knn/as_written"),
    "classifier_timing": ("runtimes", ["params.test=40", "grid.n=[40]"], "rf sporf"),
    "cluster_picture": ("ellipses_picture", ["params.n=30"], "k_means sg"),
    "column_screening": (
        "screening",
        ["params.tables=1", "grid.manifold=[helix]", "grid.n=[300]", "grid.noise_dims=[4]"],
        "pairs variance",
    ),
    "dataset_neighbors": ("connectome", ["grid.k=[5, 9]", FEW_TREES], "gf/recommended euclidean"),
    "dataset_picture": ("connectome_picture", ["params.k=9"], "euclidean"),
    "direction_quality": (
        "directions", ["params.k=9", "grid.n=[120]", "grid.noise_dims=[6]"],
        "directions fobi euclidean",
    ),
    "distance_learning": (
        "smerf_distances", ["params.test=20", "grid.n=[20]", "grid.setting=[regression]"],
        "smerf mahalanobis",
    ),
    "forest_aggregation": (
        "aggregation",
        ["params.n=40", "params.trees=6", "grid.forests=[2]", "grid.manifold=[helix]"],
        "gf_all gf_in_bag gf_oob",
    ),
    "forest_settings": (
        "gf_ablation", ["params.n=40", "grid.setting=[linear]", "grid.noise_dims=[4]", FEW_TREES],
        "gf euclidean",
    ),
    "forest_variance": ("smerf_variance", ["grid.n=[16]"], "one ours"),
    "geodesic_clusters": ("ellipses", [], "k_means sg"),
    "geodesic_errors": ("spiral_noisy", [], "euclidean eg sg"),
    "growth": ("scaling", ["grid.n=[200]"], "gf"),
    "importance_maps": ("digits_importance", ["params.n=30"], "rf morf"),
    "kernel_prediction": ("density_ccpp", ["params.sample=60"], "euclidean sg"),
    "learned_neighbors": ("smerf_knn", ["params.rows=40"], "plain smerf"),
    "link_prediction": ("smerf_links", [], "smerf epm narm"),
    "local_errors": ("spiral_local", ["params.n=200"], "euclidean sg sg_true"),
    "manifold_neighbors": (
        "noise", ["params.n=40", "grid.manifold=[helix]", "grid.noise_dims=[4]", "grid.k=[5, 9]",
         FEW_TREES],
        "gf/recommended isomap euclidean flann",
    ),
    "manifold_views": ("settings", ["params.n=60", "params.k=5", "grid.manifold=[sphere]", FEW_TREES], "gf"),
    "neighbor_quality": (
        "noise_kinds", ["grid.n=[60]", "grid.noise_kind=[lognormal]"],
        "gf euclidean_screened pca correlation",
    ),
    "spiral_picture": ("spiral_picture", ["params.n=200"], "sg"),
    "split_optimality": ("criteria", ["params.draws=2", "grid.n=[20]"], "fast_bic delta_bic"),
    "structured_neighbors": (
        "structured_neighbors", ["params.n=40", "grid.data=[impulse]"],
        "structured_gf euclidean_smoothed",
    ),
    "table_neighbors": (
        "own_tables", ["grid.data=[iris]", "grid.noise_dims=[3]", FEW_TREES],
        "gf/recommended euclidean gf_screened",
    ),
    "timing": ("bench_forest", ["params.n=40", "grid.columns=[5]"], "gf random_forest"),
    "timing: distances, threads, bound": (
        "bench_unsupervised",
        ["params.threaded=40", "grid.n=[40]", "grid.columns=[5]",
         "methods.gf_as_written.params.min_parent=20"],
        "gf gf_as_written",
    ),
    "timing: indicators": ("bench_screening", [], "pair_screen"),
    "timing: local": ("bench_spherelets", ["grid.n=[200]"], "local_sphere sg"),
    "timing: lists": ("bench_neighbors", [], "gf leaf_mates"),
    "timing: predict classes": (
        "bench_supervised", ["params.test=40", "grid.n=[40]"], "rf sporf"
    ),
    "timing: predict distances": ("bench_smerf", ["grid.n=[30]"], "smerf plain_smerf"),
}  # fmt: skip

CONFIG = """\
title: mine
experiment: {}
params: {{table: table.csv, label: kind{}}}
{}
methods: {{{}}}
"""
OWN_CASES = {
    "own_classes": (
        ", test: 0.4", "grid: {scaling: [standardised]}",
        "knn: {variants: {as_written: {}}}, rf: {variants: {as_written: {}}}",
    ),
    "own_neighbors": (
        "", "grid: {k: [3, 8]}",
        "gf: {use: geodesic_forest, params: {n_estimators: 9}, variants: {recommended: {}}}",
    ),
}  # fmt: skip
NAMES = sorted({**CASES, **OWN_CASES})


def three_classes(rng):
    """Clouds of three classes in three columns, the last of them noise."""
    labels = np.repeat(["p", "q", "r"], [20, 24, 16])
    points = rng.normal(size=(60, 3))
    points[:, 0] += 2 * (labels == "q")
    points[:, 1] -= 3 * (labels == "r")
    return points, labels


def made_up(name):
    """A small data set of the kind that an experiment reads."""
    rng = np.random.default_rng(7)
    points, labels = three_classes(rng)
    if name in {"dataset_neighbors", "dataset_picture"}:
        return Labelled(points, labels)
    if name == "kernel_prediction":
        t = rng.uniform(0, 3, 80)
        curve = np.c_[t, np.sin(t)] + rng.normal(0, 0.05, (80, 2))
        return Responses(curve, t**2 + rng.normal(0, 0.1, 80), ("t", "sine"))
    upper = np.triu(rng.random((60, 60)) < 0.2 + 0.5 * (labels[:, None] == labels), 1)
    links = (upper | upper.T)[::2, ::2]
    return Network(links.astype(np.uint8), np.zeros((30, 0), dtype=np.uint8), points[::2])


def planned(name, folder):
    """The plan of a case."""
    if name in OWN_CASES:
        points, labels = three_classes(np.random.default_rng(7))
        lines = [
            ",".join([*map(repr, map(float, p)), k]) for p, k in zip(points, labels, strict=True)
        ]
        (folder / "table.csv").write_text("\n".join(["a,b,c,kind", *lines]) + "\n")
        path = folder / "mine.yaml"
        more, grid, methods = OWN_CASES[name]
        path.write_text(CONFIG.format(name, more, grid, methods))
        return plan.load(path)
    config, smaller, methods = CASES[name]
    whole = plan.load(ROOT / "configs" / f"{config}.yaml", "smoke", [SEED, *smaller])
    assert whole.experiment.params.__module__ == type(whole.experiment).__module__
    wanted = [method.partition("/")[::2] for method in methods.split()]
    kept = whole.without(set(whole.config.methods) - {method for method, _ in wanted})
    variants = {method: variant for method, variant in wanted if variant}
    places = [e for e in kept.entries if variants.get(e.method, e.variant) == e.variant]
    return replace(kept, entries=tuple(places))


def rows_of(name, folder):
    """Method and variant -> the rows of its first cell, each as a key and a value."""
    whole = planned(name, folder)
    scope = whole.experiment.run_cell.__func__.__globals__
    before = scope.get("DATASETS")
    if name in {"dataset_neighbors", "dataset_picture", "kernel_prediction", "link_prediction"}:
        data = made_up(name)
        entry = SimpleNamespace(load=lambda: lambda: data)
        scope["DATASETS"] = {str(word): entry for word in _words(whole)}
        _forget(scope)
    try:
        rows = {}
        for cell in whole.entries:
            key = f"{cell.method} {cell.variant}"
            if key not in rows:
                with user_modules.searched_in(*cell.cell.setting.folders):
                    task = cell.cell.task(cell.inner, whole.experiment)
                    rows[key] = whole.experiment.run_cell(task)
        return rows
    finally:
        if before is not None:
            scope["DATASETS"] = before
            _forget(scope)


def _forget(scope):
    """Empty the caches of an experiment: another test of this process may have read real data."""
    for thing in list(scope.values()):
        if callable(getattr(thing, "cache_clear", None)):
            thing.cache_clear()


def _words(whole):
    given = [
        *whole.config.params.values(),
        *(v for many in whole.config.grid.values() for v in many),
    ]
    return [word for word in given if isinstance(word, str)]


def summary(rows):
    """Metric and place -> value, or why there is none; many rows of one metric in short."""
    by_metric = {}
    for row in rows:
        at = " ".join(f"{name}={value}" for name, value in sorted(row.at.items()))
        value = float(row.value) if row.status == "ok" else row.status
        if any(word in row.metric for word in MEASURED):
            value = "measured" if row.value > 0 else "nothing"
        by_metric.setdefault(row.metric, []).append((f"{row.metric} {at}".strip(), value))
    facts = {}
    for metric, values in by_metric.items():
        if len(values) <= MAX_ROWS:
            facts |= dict(values)
            continue
        numbers = [value for _, value in values if not isinstance(value, str)]
        facts |= {f"{metric}: rows": len(values), f"{metric}: numbers": len(numbers)}
        facts[f"{metric}: mean"] = math.fsum(numbers) / len(numbers)
        facts |= dict(values[:: len(values) // 4])
    return facts


def words(rows):
    """The names of all rows, and what is said where there is no number."""
    return {
        name: value if isinstance(value, str) else "nan" if math.isnan(value) else "number"
        for name, value in rows.items()
    }


def numbers(rows):
    return {name: rows[name] for name, said in words(rows).items() if said == "number"}


def test_every_experiment_has_a_case():
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    assert set(NAMES) == set(stored)
    assert {name.partition(":")[0] for name in NAMES} == SHIPPED


@pytest.mark.parametrize(
    "name",
    [
        # stages of benches need kernels of their own, and those of pynndescent
        pytest.param(name, marks=pytest.mark.nightly)
        if ": " in name or name == "link_prediction"
        else name
        for name in NAMES
    ],
)
def test_rows_are_what_they_were(name, tmp_path):
    stored = json.loads(STORED.read_text(encoding="utf-8"))[name]
    summaries = {key: summary(rows) for key, rows in rows_of(name, tmp_path).items()}
    assert summaries.keys() == stored.keys()
    for key, rows in summaries.items():
        assert words(rows) == words(stored[key]), key
        assert set(numbers(rows)) == set(numbers(stored[key]))
        for row, value in numbers(rows).items():
            # distances that tie but for the last digit change places between processors
            away = 0.01 if row.startswith("true_rank") else 1e-9
            assert value == pytest.approx(stored[key][row], rel=1e-6, abs=away), (key, row)


def test_what_is_stored_are_the_metrics_of_the_experiment():
    """A metric that no case yields would be pinned nowhere."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    for name, methods in stored.items():
        names = set(experiments.load(ROOT / "experiments" / f"{name.partition(':')[0]}.py").yields)
        seen = {row.split()[0].removesuffix(":") for rows in methods.values() for row in rows}
        assert seen <= names, name


if __name__ == "__main__":  # pragma: no cover
    import tempfile

    kept = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    for case in sys.argv[1:] or NAMES:
        with tempfile.TemporaryDirectory() as folder:
            again = rows_of(case, Path(folder))
            kept[case] = {key: summary(rows) for key, rows in again.items()}
    STORED.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n", encoding="utf-8")
