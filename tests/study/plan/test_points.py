"""Further grids, grid parameters of methods, samples of variants; one cell at many places."""

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.plan import load
from tests.study.plan.toy import EXPERIMENT, edited, task_of


def changed(toy, old, new):
    toy.write_text(edited(toy.read_text(), (old, new)))
    return toy


def sweep(toy):
    changed(toy, "  k: [5, 10]\n", "  k: [5, 10]\n  min_parent: [10, 20]\n"
                 "also:\n  - {min_parent: [20, 40], manifold: [helix]}\n")  # fmt: skip
    return changed(
        toy,
        "    params: {n_estimators: 10}\n",
        "    params: {n_estimators: 10}\n    from_grid: {min_parent: min_parent}\n",
    )


def places_of(plan, method, variant, **point):
    return [
        p
        for p in plan.entries
        if (p.method, p.variant, p.repetition) == (method, variant, 0)
        and point.items() <= p.point.items()
    ]


def test_further_grids_add_points_once(toy):
    plan = load(sweep(toy))
    points = [tuple(p.point.values()) for p in plan.entries if p.method == "euclidean"]
    assert len(set(points)) == 2 * 2 * 2 + 2
    assert len(points) == 2 * 2 * len(set(points))
    assert plan.config.grid_values["min_parent"] == (10, 20, 40)


def test_a_method_takes_its_parameter_from_the_grid(toy):
    plan = load(sweep(toy))
    runs = places_of(plan, "gf", "as_run")
    assert {(p.point["min_parent"], p.cell.setting.method_params["min_parent"]) for p in runs} == {
        (10, 10), (20, 20), (40, 40)
    }  # fmt: skip
    # a variant's own value wins
    fixed = places_of(plan, "gf", "recommended")
    assert {p.cell.setting.method_params["min_parent"] for p in fixed} == {20}


def test_a_parameter_may_be_both_the_methods_and_the_experiments(toy):
    changed(toy, "use: geodesic_forest\n",
            "use: geodesic_forest\n    from_grid: {variance_floor: noise}\n")  # fmt: skip
    toy.write_text(toy.read_text().replace("1.5]", "0.5]"))
    plan = load(toy)
    for method in ("gf", "euclidean"):
        for p in places_of(plan, method, "as_run"):
            assert task_of(p, plan).params.noise == p.point["noise"]
    taken = {
        p.point["noise"]: p.cell.setting.method_params["variance_floor"]
        for p in places_of(plan, "gf", "as_run")
    }
    assert taken == {0: 0.0, 0.5: 0.5}


@pytest.mark.parametrize(
    ("when", "where"),
    [
        ("{noise: [1.5]}", {("helix", 1.5), ("linear", 1.5)}),
        ("{noise: [1.5], manifold: [helix]}", {("helix", 1.5)}),
        ("{noise: [0, 1.5], manifold: linear}", {("linear", 0), ("linear", 1.5)}),
    ],
)
def test_a_case_applies_where_all_its_values_do(toy, when, where):
    changed(toy, "when: {noise: [1.5]}", f"when: {when}")
    plan = load(toy)
    entries = places_of(plan, "gf", "recommended")
    many = [p for p in entries if p.cell.setting.method_params["n_estimators"] == 30]
    assert {tuple(p.point.values()) for p in many} == where
    # one repetition there, two elsewhere
    both = [p for p in plan.entries if (p.method, p.variant) == ("gf", "recommended")]
    assert len(both) == 8 - len(where)


def test_a_method_that_ignores_an_axis_is_one_cell_at_all_values(toy):
    plan = load(sweep(toy))
    at = {"manifold": "helix", "noise": 0}
    # neither of these two takes min_parent from the grid
    for method, variant in (("euclidean", "as_run"), ("gf", "recommended")):
        same = places_of(plan, method, variant, **at)
        assert [p.point["min_parent"] for p in same] == [10, 20, 40]
        assert len({p.cell.key for p in same}) == 1
    taken = places_of(plan, "gf", "as_run", **at)
    assert len({p.cell.key for p in taken}) == len(taken) == 3
    # 10 points with gf as_run; 4 with the others: euclidean in two variants, gf in one
    per_repetition = 10 + 4 * 3
    assert len(plan.jobs) == 2 * per_repetition - 2  # a case of gf runs once
    assert len(plan.entries) == 2 * (10 * 4) - 5


def test_a_methods_grid_parameter_changes_no_seed(toy):
    plan = load(sweep(toy))
    same = places_of(plan, "gf", "as_run", manifold="helix", noise=0)
    tasks = [task_of(p, plan) for p in same]
    assert len(tasks) == 3
    for name in ("sample_seed", "method_seed", "metric_seed"):
        assert len({getattr(task, name) for task in tasks}) == 1
    assert tasks[0].params.n == 20


def test_a_variant_may_change_the_sample(toy):
    changed(toy, "as_run: {params: {criterion: fast_bic_legacy}}",
                 "as_run: {params: {criterion: fast_bic_legacy}, sample: {n: 30}}")  # fmt: skip
    plan = load(toy)
    (first,) = places_of(plan, "gf", "as_run", manifold="helix", noise=0)
    (written,) = places_of(plan, "gf", "recommended", manifold="helix", noise=0)
    (other,) = places_of(plan, "euclidean", "as_run", manifold="helix", noise=0)
    assert task_of(first, plan).params.n == 30
    assert task_of(written, plan).params.n == 20
    assert task_of(other, plan).sample_seed == task_of(first, plan).sample_seed


def test_a_smaller_profile_has_its_repetitions_in_any_case(write):
    path = write(
        ("repetitions: 2", "repetitions: 8"),
        ("            repetitions: 1\n", "            repetitions: 4\n"),
        ("as_run: {params: {criterion: fast_bic_legacy}}",
         "as_run: {params: {criterion: fast_bic_legacy}, repetitions: 5}"),
        ("    repetitions: 1\n    grid: {noise: [0]}\n", "    repetitions: 2\n"),
    )  # fmt: skip

    def repetitions(plan):
        by_point = {}
        for entry in plan.entries:
            by_point.setdefault((entry.method, entry.variant, entry.point["noise"]), set()).add(
                entry.repetition
            )
        assert all(numbers == set(range(len(numbers))) for numbers in by_point.values())
        return {at: len(numbers) for at, numbers in by_point.items()}

    paper = {
        ("gf", "recommended", 0): 8, ("gf", "recommended", 1.5): 4,
        ("gf", "as_run", 0): 5, ("gf", "as_run", 1.5): 5,
        ("euclidean", "as_written", 0): 8, ("euclidean", "as_written", 1.5): 8,
        ("euclidean", "as_run", 0): 8, ("euclidean", "as_run", 1.5): 8,
    }  # fmt: skip
    assert repetitions(load(path)) == paper
    assert repetitions(load(path, "smoke")) == dict.fromkeys(paper, 2)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("use: geodesic_forest\n", "use: geodesic_forest\n    from_grid: {min_parent: k}\n",
         "unknown grid parameter 'k'"),
        ("methods:\n", "also:\n  - {manifold: [helx]}\nmethods:\n", "did you mean 'helix'"),
    ],
)  # fmt: skip
def test_mistakes_are_found_where_they_stand(toy, old, new, words):
    changed(toy, old, new)
    with pytest.raises(UserError) as caught:
        load(toy)
    assert words in str(caught.value)
    line = str(caught.value).split(":")[1]
    assert line.isdecimal()


def test_what_acts_on_a_drawn_sample_does_not_change_the_draw(write):
    path = write(
        experiment=edited(
            EXPERIMENT,
            ("noise: float", "noise: AfterDraw[float]"),
            ("Count, Exp", "AfterDraw, Count, Exp"),
        )
    )
    plan = load(path)
    same = places_of(plan, "euclidean", "as_run", manifold="helix")
    assert [p.point["noise"] for p in same] == [0, 1.5]
    tasks = [task_of(p, plan) for p in same]
    assert len({task.sample_seed for task in tasks}) == 1
    assert len({task.method_seed for task in tasks}) == 2
    assert len({p.cell.key for p in same}) == 2
