"""Cell keys and seeds: what they depend on, and what they do not."""

import importlib
from dataclasses import replace

import pytest

from geoforest_cli.problems.datasets import CATALOGUE, DATASETS
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.study.plan import load
from tests.study.plan.toy import EXPERIMENT, edited, keys, moved, seeds, task_of

HALF = "task.params.n / 2"
expanding = importlib.import_module("geoforest_cli.study.plan.expand")


def raised(registry, name, monkeypatch):
    """Give an entry of a registry the next version."""
    entry = registry[name]
    monkeypatch.setitem(registry._all_entries, name, replace(entry, version=entry.version + 1))


def test_a_new_parameter_with_a_default_changes_no_seed(write):
    before = load(write())
    more = edited(EXPERIMENT, ("    noise: float", "    turned: bool = False\n    noise: float"))
    after = load(write(experiment=more))
    assert seeds(after) == seeds(before)
    assert moved(before, after) == set(keys(before))


def test_keys_depend_on_content_only(write):
    plan = load(write())
    cell_keys = set(keys(plan).values())
    more = load(write(("[helix, linear]", "[linear, sphere, helix]")))
    assert cell_keys < set(keys(more).values())
    renamed = load(
        write(("  gf:\n", "  forest:\n"), ("{gf: {", "{forest: {"), ("[gf]", "[forest]"))
    )
    assert set(keys(renamed).values()) == cell_keys
    other_seed = load(write(("seed: 3", "seed: 4")))
    assert not cell_keys & set(keys(other_seed).values())


def test_keys_and_seeds_do_not_know_files_and_folders(write, tmp_path):
    plan = load(write())
    path = write(name="another.yaml", folder=tmp_path / "elsewhere")
    (path.parent / "toy.py").rename(path.parent / "protocol.py")
    path.write_text(edited(path.read_text(), ("experiment: ./toy.py", "experiment: ./protocol.py")))
    other = load(path)
    assert keys(other) == keys(plan)
    assert seeds(other) == seeds(plan)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (HALF, "task.params.n / 3"),
        ('methods = ("neighbors",)', 'methods = ("neighbors", "metric")'),
        ('methods = ("neighbors",)', 'version = 2\n    methods = ("neighbors",)'),
        ("class ToyFigure", "FACTOR = 2\n\n\nclass ToyFigure"),
        # drawing counts as long as nobody says that it only draws
        ("raise AssertionError", "raise NotImplementedError"),
    ],
)
def test_an_edited_experiment_changes_every_key_and_no_seed(write, old, new):
    before = load(write())
    after = load(write(experiment=edited(EXPERIMENT, (old, new))))
    assert moved(before, after) == set(keys(before))
    assert seeds(before) == seeds(after)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    methods =", "    # which kinds\n    methods ="),
        ('"""Halves."""', '"""Halves of what it is given."""'),
        ('        """Halve."""\n', ""),
        ('"""A toy protocol."""\n', '"""Another sentence."""\n'),
        (HALF, "(task . params.n\n                             / 2)"),
        ("class ToyFigure", "@drawing\ndef paint():\n    return 3\n\n\nclass ToyFigure"),
    ],
)
def test_comments_docstrings_layout_and_drawing_change_no_key(write, old, new):
    before = load(write())
    assert keys(load(write(experiment=edited(EXPERIMENT, (old, new))))) == keys(before)


def test_a_helper_beside_the_experiment_is_part_of_its_source(write, tmp_path):
    helped = edited(
        EXPERIMENT, ("class ToyFigure", "from helper import halve\n\n\nclass ToyFigure")
    )
    helper = tmp_path / "helper.py"
    helper.write_text("def halve(n):\n    return n / 2\n")
    before = load(write(experiment=helped))
    helper.write_text("def halve(n):\n    # by two\n    return n / 2\n")
    assert keys(load(write(experiment=helped))) == keys(before)
    helper.write_text("def halve(n):\n    return n / 3\n")
    assert moved(before, load(write(experiment=helped))) == set(keys(before))
    (tmp_path / "unrelated.py").write_text("x = 1\n")
    helper.write_text("def halve(n):\n    return n / 2\n")
    assert keys(load(write(experiment=helped))) == keys(before)


def test_the_version_of_a_manifold_changes_its_cells(write, monkeypatch):
    path = write()
    before = load(path)
    raised(MANIFOLDS, "helix", monkeypatch)
    after = load(path)
    assert moved(before, after) == {at for at in keys(before) if "helix" in at}
    assert seeds(before) == seeds(after)
    raised(MANIFOLDS, "sphere", monkeypatch)
    assert keys(load(path)) == keys(after)


@pytest.mark.parametrize(
    ("annotation", "values"),
    [
        ("ManifoldName | None", "[helix, linear]"),
        ("tuple[ManifoldName, ...]", "[[helix], [linear]]"),
    ],
)
def test_the_version_of_a_manifold_counts_however_it_is_wrapped(
    write, monkeypatch, annotation, values
):
    path = write(
        ("[helix, linear]", values),
        experiment=edited(EXPERIMENT, ("manifold: ManifoldName", f"manifold: {annotation}")),
    )

    def named(plan):
        return [("helix" in str(p.point["manifold"]), p.cell.key) for p in plan.entries]

    before = named(load(path))
    raised(MANIFOLDS, "helix", monkeypatch)
    after = named(load(path))
    assert [old != new for old, new in zip(before, after, strict=True)] == [
        is_helix for is_helix, _ in before
    ]


@pytest.fixture
def on_data(write):
    """A config whose cells read data sets."""
    experiment = edited(
        EXPERIMENT,
        ("    noise: float", "    data: Annotated[str, Uses(DATASETS)] = ''\n    noise: float"),
        ("drawing,\n)", "Uses,\n)\nfrom geoforest_cli.problems.datasets import DATASETS"),
    )
    grid = "  k: [5, 10]\n  data: [banknote, concrete, digits]\n"
    return write(("  k: [5, 10]\n", grid), experiment=experiment)


def test_the_version_of_a_data_set_changes_its_cells(on_data, monkeypatch):
    before = load(on_data)
    assert set(before.data_sets()) == {"banknote", "concrete"}
    for name in ("concrete", "digits"):
        with monkeypatch.context() as patch:
            raised(DATASETS, name, patch)
            after = load(on_data)
        assert moved(before, after) == {at for at in keys(before) if name in at}
        assert seeds(before) == seeds(after)


def test_what_the_sample_of_a_variant_uses_is_part_of_its_cells(write, monkeypatch):
    path = write(
        ("as_written: {}, as_run: {}", "as_written: {}, as_run: {sample: {other: linear}}"),
        ("[helix, linear]", "[helix]"),
        experiment=edited(
            EXPERIMENT, ("    n: Ann", '    other: ManifoldName = "helix"\n    n: Ann')
        ),
    )
    before = load(path)
    assert set(before.used) == {"manifold helix", "manifold linear"}
    raised(MANIFOLDS, "linear", monkeypatch)
    after = load(path)
    assert moved(before, after) == {at for at in keys(before) if at[:2] == ("euclidean", "as_run")}


def test_the_files_of_a_data_set_change_its_cells(on_data, monkeypatch):
    before = load(on_data)
    (file, *rest) = CATALOGUE["concrete"].files
    other = replace(CATALOGUE["concrete"], files=(replace(file, sha256="0" * 64), *rest))
    monkeypatch.setitem(CATALOGUE, "concrete", other)
    assert moved(before, load(on_data)) == {at for at in keys(before) if "concrete" in at}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{n: 20}", "{n: 50}"),
        ("{n_estimators: 10}", "{n_estimators: 10, criterion: mean_bic}"),
        ("{n_estimators: 10}", "{n_estimators: 10, max_depth: null}"),
        ("as_written: {}, as_run", "as_written: {params: {}, sample: {n: 50}}, as_run"),
    ],
)
def test_a_default_written_out_changes_no_key_and_no_seed(write, old, new):
    before = load(write(("{n: 20}", "{}")))
    pairs = [("{n: 20}", "{}"), (old, new)] if old != "{n: 20}" else [(old, new)]
    after = load(write(*pairs))
    assert keys(after) == keys(before)
    assert seeds(after) == seeds(before)


def test_a_further_inner_value_changes_no_key_and_no_seed(write):
    before = load(write())
    after = load(write(("[5, 10]", "[5, 10, 15]")))
    assert keys(after) == keys(before)
    assert seeds(after) == seeds(before)
    assert {job.inner["k"] for job in before.jobs.values()} == {(5, 10)}
    assert {job.inner["k"] for job in after.jobs.values()} == {(5, 10, 15)}


def test_a_cell_with_other_inner_values_elsewhere_is_one_job(write):
    plan = load(write())
    (first, *rest) = plan.entries
    again = replace(first, method="again", inner={"k": (10, 20)})
    both = replace(plan, entries=(first, again, *rest))
    assert len(both.jobs) == len(plan.jobs)
    assert both.jobs[first.cell.key].inner == {"k": (5, 10, 20)}


def test_seeds_tell_repetitions_points_methods_and_roots_apart(write):
    plan = load(write())
    mine = seeds(plan)
    other = seeds(load(write(("seed: 3", "seed: 4"))))
    for name in ("sample", "method", "metric", "repetition"):
        assert not {s[name] for s in mine.values()} & {s[name] for s in other.values()}
        assert all(0 <= s[name] < 2**63 for s in mine.values())
    distinct = {name: len({s[name] for s in mine.values()}) for name in mine[next(iter(mine))]}
    # 4 points x 2 repetitions: a sample for each kind, a method seed for each of two methods, a
    # metric seed for each of four variants but where a case of one has one repetition only
    assert distinct == {"sample": 16, "method": 16, "metric": 30, "repetition": 2}


def test_variants_of_a_method_share_its_seed(write):
    by_cell = seeds(load(write()))
    at = ("helix", 0, 1)
    first, other = by_cell["gf", "recommended", *at], by_cell["gf", "as_run", *at]
    assert first["method"] == other["method"]
    assert first["metric"] != other["metric"]
    assert first["sample"] != other["sample"]
    assert by_cell["euclidean", "as_written", *at]["sample"] == first["sample"]
    assert by_cell["euclidean", "as_run", *at]["sample"] == other["sample"]


def test_a_measured_cell_knows_its_processor(write, monkeypatch):
    timed = edited(EXPERIMENT, ("    yields =", "    measured = True\n    yields ="))
    monkeypatch.setattr(expanding, "processor", lambda: "one")
    path = write(experiment=timed)
    before = load(path)
    monkeypatch.setattr(expanding, "processor", lambda: "two")
    after = load(path)
    assert moved(before, after) == set(keys(before))
    assert seeds(before) == seeds(after)
    plain = load(write())
    monkeypatch.setattr(expanding, "processor", lambda: "three")
    assert keys(load(write())) == keys(plain)


def test_two_projections_are_not_two_times_the_square_root(write):
    first, other, same = (
        load(write(("{n_estimators: 10}", f"{{n_estimators: 10, n_projections: {d}}}")))
        for d in ("2", "2.0", "20e-1")
    )
    assert moved(first, other) == {at for at in keys(first) if at[0] == "gf"}
    assert keys(same) == keys(other)
    value = other.entries[0].cell.setting.method_params["n_projections"]
    assert isinstance(value, float)
    kept = task_of(first.entries[0], first).build_method().n_projections
    assert isinstance(kept, int)


def test_a_float_parameter_is_the_same_however_it_is_written(write):
    def plan(noise, floor):
        text = f"{{n_estimators: 10, variance_floor: {floor}}}"
        when = ("when: {noise: [1.5]}", "when: {noise: [70]}")
        return load(write(("[0, 1.5]", noise), ("{n_estimators: 10}", text), when))

    assert keys(plan("[0, 70]", "0")) == keys(plan("[0.0, 7e+1]", "0.0"))


def test_what_every_cell_uses_is_part_of_its_key(monkeypatch):
    """The spiral of local_errors has no parameter that names it."""
    from geoforest_cli.study import plan as planning

    plan = planning.load("spiral_local", "smoke")
    newer = replace(MANIFOLDS["euler_spiral"], version=99)
    monkeypatch.setattr(type(plan.experiment), "uses", (newer,))
    assert not set(plan.jobs) & set(planning.load("spiral_local", "smoke").jobs)
