"""Further grids, grid parameters of methods, samples of variants; one cell at many places."""

from dataclasses import replace

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.identity import derive_seed
from geoforest_cli.estimators.methods import METHODS
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


def test_the_grid_wins_over_the_method_that_takes_from_it(toy):
    changed(sweep(toy), "{n_estimators: 10}", "{n_estimators: 10, min_parent: 7}")
    runs = places_of(load(toy), "gf", "as_run")
    assert {p.cell.setting.method_params["min_parent"] for p in runs} == {10, 20, 40}


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
    found = places_of(plan, "gf", "recommended")
    many = [p for p in found if p.cell.setting.method_params["n_estimators"] == 30]
    assert {tuple(p.point.values()) for p in many} == where
    # one repetition there, two elsewhere
    both = [p for p in plan.entries if (p.method, p.variant) == ("gf", "recommended")]
    assert len(both) == 8 - len(where)


def test_a_case_may_leave_cells_out(toy):
    changed(toy, "            params: {n_estimators: 30}\n            repetitions: 1\n",
            "            leave_out: true\n")  # fmt: skip
    plan = load(toy)
    assert {p.point["noise"] for p in places_of(plan, "gf", "recommended")} == {0}
    assert {p.point["noise"] for p in places_of(plan, "gf", "as_run")} == {0, 1.5}
    assert len(plan.jobs) == len(plan.entries) == 32 - 4


def test_a_method_that_ignores_a_grid_axis_is_one_cell_at_several_places(toy):
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


def test_seeds_of_a_repetition(toy):
    plan = load(toy)
    seeds = {p.repetition: task_of(p, plan).repetition_seed for p in plan.entries}
    assert seeds == {r: derive_seed("repetition", 3, r) for r in (0, 1)}


def test_one_method_under_two_names_is_one_cell_at_two_places(toy):
    changed(
        toy, "  euclidean:\n", "  plain: {use: euclidean, variants: {as_run: {}}}\n  euclidean:\n"
    )
    plan = load(toy)
    (one,) = places_of(plan, "plain", "as_run", manifold="linear", noise=1.5)
    (other,) = places_of(plan, "euclidean", "as_run", manifold="linear", noise=1.5)
    assert one.cell is other.cell
    assert len(plan.entries) == 30 + 8
    assert len(plan.jobs) == 30
    assert len(plan.without(["plain"]).jobs) == 30
    assert len(plan.without(["plain"]).entries) == 30


def test_a_smaller_profile_has_its_repetitions_whatever_variants_and_cases_say(write):
    path = write(
        ("repetitions: 2", "repetitions: 8"),
        ("            repetitions: 1\n", "            repetitions: 4\n"),
        ("as_run: {params: {criterion: fast_bic_legacy}}",
         "as_run: {params: {criterion: fast_bic_legacy}, repetitions: 5}"),
        ("    repetitions: 1\n    grid: {noise: [0]}\n", "    repetitions: 2\n"),
    )  # fmt: skip

    def repetitions(plan):
        found = {}
        for place in plan.entries:
            found.setdefault((place.method, place.variant, place.point["noise"]), set()).add(
                place.repetition
            )
        assert all(numbers == set(range(len(numbers))) for numbers in found.values())
        return {at: len(numbers) for at, numbers in found.items()}

    paper = {
        ("gf", "recommended", 0): 8, ("gf", "recommended", 1.5): 4,
        ("gf", "as_run", 0): 5, ("gf", "as_run", 1.5): 5,
        ("euclidean", "as_written", 0): 8, ("euclidean", "as_written", 1.5): 8,
        ("euclidean", "as_run", 0): 8, ("euclidean", "as_run", 1.5): 8,
    }  # fmt: skip
    assert repetitions(load(path)) == paper
    assert repetitions(load(path, "smoke")) == dict.fromkeys(paper, 2)


def test_params_may_be_lists_and_mappings(write, tmp_path):
    experiment = edited(
        EXPERIMENT,
        ("    noise: float = 1.0\n",
         "    noise: float = 1.0\n    sizes: list[int] = []\n    of: dict[str, list[float]] = {}\n"),
    )  # fmt: skip
    grid = "k: [5, 10]\n  sizes: [[1, 2], [2, 1]]"
    path = write(("k: [5, 10]", grid), ("{n: 20}", "{n: 20, of: {b: [1], a: [2]}}"),
                 experiment=experiment)  # fmt: skip
    plan = load(path)
    plan.prepare()
    assert [p.point["sizes"] for p in places_of(plan, "euclidean", "as_run", noise=0)] == [
        [1, 2], [2, 1], [1, 2], [2, 1]
    ]  # fmt: skip
    assert len(plan.jobs) == len(plan.entries) == 60
    task = task_of(plan.entries[0], plan)
    assert task.params.sizes == [1, 2]
    assert task.params.of == {"a": [2.0], "b": [1.0]}
    other = write(("k: [5, 10]", grid), ("{n: 20}", "{of: {a: [2.0], b: [1]}, n: 20}"),
                  experiment=experiment, folder=tmp_path / "other")  # fmt: skip
    assert keys_of(load(other)) == keys_of(plan)


def keys_of(plan):
    return [place.cell.key for place in plan.entries]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("use: geodesic_forest\n", "use: geodesic_forest\n    from_grid: {min_parnet: noise}\n",
         "did you mean 'min_parent'"),
        ("use: geodesic_forest\n", "use: geodesic_forest\n    from_grid: {min_parent: nois}\n",
         "did you mean 'noise'"),
        ("use: geodesic_forest\n", "use: geodesic_forest\n    from_grid: {min_parent: k}\n",
         "unknown grid parameter 'k'"),
        ("methods:\n", "also:\n  - {nois: [3]}\nmethods:\n", "did you mean 'noise'"),
        ("methods:\n", "also:\n  - {noise: [3, 3]}\nmethods:\n", "duplicate value 3 in also.noise"),
        ("fast_bic_legacy}}", "fast_bic_legacy}, sample: {noise: 3}}", "is set in both sample and grid"),
        ("fast_bic_legacy}}", "fast_bic_legacy}, sample: {n: 1}}", "of at least 4"),
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


def test_a_value_of_the_grid_that_a_method_cannot_take(toy):
    changed(toy, "  k: [5, 10]\n", "  k: [5, 10]\n  min_parent: [1, 20]\n")
    changed(toy, "use: geodesic_forest\n",
            "use: geodesic_forest\n    from_grid: {min_parent: min_parent}\n")  # fmt: skip
    changed(toy, "        params: {min_parent: 20}\n", "")
    with pytest.raises(UserError, match="min_parent"):
        load(toy)


def test_methods_whose_packages_are_missing_are_left_out(toy, monkeypatch):
    lacking = replace(METHODS["euclidean"], needs="no_such_package", install="pip install it")
    monkeypatch.setitem(METHODS._known, "euclidean", lacking)
    plan = load(toy)
    missing = plan.unavailable()
    assert missing == {"euclidean": "no_such_package is not installed (pip install it)"}
    assert {p.method for p in plan.without(missing).entries} == {"gf"}


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


def test_a_further_grid_of_inner_values_adds_them(write):
    from geoforest_cli.study import plan as planning

    plan = planning.load(write(("methods:\n", "also:\n  - {k: [15, 5]}\nmethods:\n")))
    assert {place.inner["k"] for place in plan.entries} == {(5, 10, 15)}
    assert len(
        {(p.method, p.variant, p.repetition, *p.point.values()) for p in plan.entries}
    ) == len(plan.entries)


def test_values_beside_the_grid_are_checked_for_methods_that_take_them(toy):
    changed(sweep(toy), "min_parent: [20, 40]", "min_parent: [20, -40]")
    with pytest.raises(
        UserError, match=r"also\.0\.min_parent must be a whole number of at least 2"
    ) as caught:
        load(toy)
    line = int(str(caught.value).split(":")[1])
    assert "-40" in toy.read_text().splitlines()[line - 1]
