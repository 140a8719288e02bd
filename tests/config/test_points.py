"""Further grids, grid parameters of methods, samples of variants."""

import pytest

from geoforest_cli import config
from geoforest_cli.config.cells import derive_seed
from geoforest_cli.errors import UserError


def changed(toy, old, new):
    text = toy.read_text()
    assert old in text
    toy.write_text(text.replace(old, new))
    return toy


def sweep(toy):
    changed(toy, "  k: [5, 10]\n", "  k: [5, 10]\n  min_parent: [10, 20]\n"
                 "also:\n  - {min_parent: [20, 40], manifold: [helix]}\n")  # fmt: skip
    return changed(
        toy,
        "    params: {n_estimators: 10}\n",
        "    params: {n_estimators: 10}\n    from_grid: {min_parent: min_parent}\n",
    )


def test_further_grids_add_points_once(toy):
    plan = config.load(sweep(toy))
    points = [tuple(cell.point.values()) for cell in plan.cells if cell.method == "euclidean"]
    assert len(set(points)) == 2 * 2 * 2 + 2
    assert len(points) == 2 * 2 * len(set(points))
    assert plan.config.grid_values["min_parent"] == (10, 20, 40)


def test_a_method_takes_its_parameter_from_the_grid(toy):
    plan = config.load(sweep(toy))
    runs = [c for c in plan.cells if c.method == "gf" and c.variant == "as_run"]
    assert {(c.point["min_parent"], c.method_params["min_parent"]) for c in runs} == {
        (10, 10), (20, 20), (40, 40)
    }  # fmt: skip
    # a variant's own value wins
    fixed = [c for c in plan.cells if c.method == "gf" and c.variant == "recommended"]
    assert {c.method_params["min_parent"] for c in fixed} == {20}


def test_a_methods_grid_parameter_does_not_change_the_sample(toy):
    plan = config.load(sweep(toy))
    same = [
        c
        for c in plan.cells
        if (c.method, c.variant, c.repetition) == ("gf", "as_run", 0)
        and c.point["manifold"] == "helix" and c.point["noise"] == 0
    ]  # fmt: skip
    assert len(same) == 3
    assert len({c.task().sample_seed for c in same}) == 1
    assert len({c.key for c in same}) == 3
    assert same[0].task().params.n == 20


def test_a_variant_may_change_the_sample(toy):
    changed(toy, "as_run: {params: {criterion: fast_bic_legacy}}",
                 "as_run: {params: {criterion: fast_bic_legacy}, sample: {n: 30}}")  # fmt: skip
    plan = config.load(toy)
    tasks = {c.variant: c.task() for c in plan.cells if c.method == "gf" and c.repetition == 0}
    assert tasks["as_run"].params.n == 30
    assert tasks["recommended"].params.n == 20
    other = next(c for c in plan.cells if c.method == "euclidean" and c.variant == "as_run")
    first = next(c for c in plan.cells if c.method == "gf" and c.variant == "as_run")
    assert other.task().sample_seed == first.task().sample_seed


def test_seeds_of_a_repetition(toy):
    plan = config.load(toy)
    seeds = {c.repetition: c.task().repetition_seed for c in plan.cells}
    assert seeds == {r: derive_seed("repetition", 3, r) for r in (0, 1)}


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
        ("methods:\n", "also:\n  - {noise: [3, 3]}\nmethods:\n", "stands twice in also.noise"),
        ("fast_bic_legacy}}", "fast_bic_legacy}, sample: {noise: 3}}", "in sample and in grid"),
        ("fast_bic_legacy}}", "fast_bic_legacy}, sample: {n: 1}}", "of at least 4"),
        ("methods:\n", "also:\n  - {manifold: [helx]}\nmethods:\n", "did you mean 'helix'"),
    ],
)  # fmt: skip
def test_mistakes_are_found_where_they_stand(toy, old, new, words):
    changed(toy, old, new)
    with pytest.raises(UserError) as caught:
        config.load(toy)
    assert words in str(caught.value)
    line = str(caught.value).split(":")[1]
    assert line.isdecimal()


def test_a_value_of_the_grid_that_a_method_cannot_take(toy):
    changed(toy, "  k: [5, 10]\n", "  k: [5, 10]\n  min_parent: [1, 20]\n")
    changed(toy, "use: geodesic_forest\n",
            "use: geodesic_forest\n    from_grid: {min_parent: min_parent}\n")  # fmt: skip
    changed(toy, "        params: {min_parent: 20}\n", "")
    with pytest.raises(UserError, match="min_parent"):
        config.load(toy)


def test_methods_whose_packages_are_missing_are_left_out(toy, monkeypatch):
    from geoforest_cli.methods import METHODS

    extra = METHODS["euclidean"].extra
    monkeypatch.setitem(extra, "needs", "no_such_package")
    monkeypatch.setitem(extra, "install", "pip install it")
    plan = config.load(toy)
    missing = plan.unavailable()
    assert missing["euclidean"].startswith("no_such_package is not installed")
    assert {c.method for c in plan.without(missing).cells} <= {"gf"}


def test_what_acts_on_a_drawn_sample_does_not_change_the_draw(write):
    path = write()
    module = path.parent / "toy.py"
    module.write_text(module.read_text() + '\nAFTER_DRAW = ("noise",)\n')
    plan = config.load(path)
    same = [
        c
        for c in plan.cells
        if (c.method, c.variant, c.repetition) == ("euclidean", "as_run", 0)
        and c.point["manifold"] == "helix"
    ]
    assert len(same) == 2
    assert len({c.task().sample_seed for c in same}) == 1
    assert len({c.key for c in same}) == 2
