"""Methods and manifolds of one's own: beside the config, and from installed packages."""

import importlib
import pickle

import numpy as np
import pytest

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import ConfigErrors, UserError
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.study.plan import load
from tests.study.plan.toy import EXPERIMENT, edited, keys, moved, seeds, task_of

METHOD = '''"""A method."""

WIDTH = 3.0


class Wide:
    """Looks at one column."""

    kind = "neighbors"

    def __init__(self, width: float = WIDTH, random_state: int | None = None):
        self.width = width
        self.random_state = random_state

    def fit(self, X):
        return self
'''

CURVE = '''"""A curve."""

SIZE = 3


def draw(n, kind, rng, truth="default"):
    return n
'''

USE = (
    ("use: geodesic_forest\n    params: {n_estimators: 10}", "use: my_module:Wide"),
    ("params: {min_parent: 20}", "params: {width: 2}"),
    ("params: {n_estimators: 30}", "params: {width: 5.5}"),
    ("{criterion: fast_bic_legacy}", "{}"),
)
CURVES = ("[helix, linear]", "[helix, 'my_curve:draw']")


@pytest.fixture
def own(write, tmp_path):
    """Write the toy config with a method of one's own, and its module; return its path."""

    def make(*replacements, method=METHOD, **options):
        path = write(*USE, *replacements, **options)
        (path.parent / "my_module.py").write_text(method)
        (path.parent / "my_curve.py").write_text(CURVE)
        return path

    return make


def is_own(at):
    return at[0] == "gf"


def test_a_method_beside_the_config(own):
    plan = load(own())
    place = next(p for p in plan.entries if p.method == "gf" and p.variant == "recommended")
    setting = place.cell.setting
    assert setting.use == "my_module:Wide"
    assert setting.method_params == {"width": 2.0}
    task = task_of(place, plan)
    with user_modules.searched_in(*setting.folders):
        assert task.kind == "neighbors"
        method = task.build_method()
    assert type(method).__name__ == "Wide"
    assert (method.width, method.random_state) == (2.0, task.method_seed)
    assert plan.unavailable() == {}


def test_a_manifold_beside_the_config(own):
    plan = load(own(CURVES))
    place = next(p for p in plan.entries if p.point["manifold"] == "my_curve:draw")
    assert task_of(place, plan).params.manifold == "my_curve:draw"
    assert set(plan.used) == {"manifold helix", "manifold my_curve:draw"}
    with user_modules.searched_in(*place.cell.setting.folders):
        assert MANIFOLDS["my_curve:draw"].load()(7, "as_run", None) == 7


def test_jobs_with_things_of_ones_own_can_be_sent_elsewhere(own):
    plan = load(own(CURVES))
    job = pickle.loads(pickle.dumps(list(plan.jobs.values())[-1]))
    assert job.key == list(plan.jobs)[-1]
    with user_modules.searched_in(*job.cell.setting.folders):
        task = job.cell.task(job.inner, plan.experiment)
    assert task.params.manifold == "my_curve:draw"


def test_the_source_of_an_own_method_is_part_of_its_cells_only(own):
    before = load(own())
    after = load(own(method=edited(METHOD, ("return self", "return None"))))
    assert moved(before, after) == {at for at in keys(before) if is_own(at)}
    assert seeds(before) == seeds(after)
    commented = edited(METHOD, ("return self", "return self  # fitted"), ("one column", "two"))
    assert keys(load(own(method=commented))) == keys(before)


def test_what_an_own_method_imports_from_beside_it_counts_too(own, tmp_path):
    helped = "import shared\n" + METHOD
    (tmp_path / "shared.py").write_text("x = 1\n")
    before = load(own(method=helped))
    (tmp_path / "shared.py").write_text("x = 2\n")
    assert moved(before, load(own(method=helped))) == {at for at in keys(before) if is_own(at)}


def test_the_source_of_an_own_manifold_is_part_of_its_cells_only(own, tmp_path):
    path = own(CURVES)
    before = load(path)
    (tmp_path / "my_curve.py").write_text(edited(CURVE, ("return n", "return n + 1")))
    after = load(path)
    assert moved(before, after) == {at for at in keys(before) if "my_curve:draw" in at}
    assert seeds(before) == seeds(after)


def test_equally_named_modules_of_two_folders_do_not_meet(own, tmp_path):
    one = load(own(folder=tmp_path / "one"))
    two = load(own(folder=tmp_path / "two", method=edited(METHOD, ("3.0", "4.0"))))
    assert moved(one, two) == {at for at in keys(one) if is_own(at)}
    widths = []
    for plan in (one, two, one):
        place = next(p for p in plan.entries if p.method == "gf")
        with user_modules.searched_in(*place.cell.setting.folders):
            widths.append(METHODS["my_module:Wide"].load()().width)
    assert widths == [3.0, 4.0, 3.0]


def test_a_default_of_an_own_method_written_out_changes_no_key(own):
    before = load(own(("params: {width: 2}", "params: {}")))
    assert keys(load(own(("params: {width: 2}", "params: {width: 3}")))) == keys(before)


@pytest.mark.parametrize(
    ("replacements", "at", "words"),
    [
        ([("my_module:Wide", "my_module:Wdie")], "my_module:Wdie",
         "unknown name in my_module 'Wdie'; did you mean 'Wide'? (known: WIDTH, Wide)"),
        ([("my_module:Wide", "my_modul:Wide")], "my_modul:Wide",
         "unknown method 'my_modul:Wide': there is no module 'my_modul' beside the config"),
        ([("my_module:Wide", "'my_module:'")], "'my_module:'", "unknown method 'my_module:'"),
        ([("my_module:Wide", "my_module:WIDTH")], "my_module:WIDTH", "'my_module:WIDTH'"),
        ([("width: 2", "widht: 2")], "widht",
         "unknown key 'widht'; did you mean 'width'? (known: width)"),
        ([("width: 2", "width: wide")], "wide}",
         "methods.gf.variants.recommended.params.width must be a number, not 'wide'"),
        ([("[helix, linear]", "[helix, 'my_curve:drwa']")], "'my_curve:drwa'",
         "unknown name in my_curve 'drwa'; did you mean 'draw'? (known: SIZE, draw)"),
        ([("[helix, linear]", "[helix, 'my_curv:draw']")], "'my_curv:draw'",
         "there is no module 'my_curv' beside the config"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_at_its_place(own, replacements, at, words):
    path = own(*replacements)
    before = path.read_text().partition(at)[0]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    with pytest.raises(ConfigErrors) as caught:
        load(path)
    [sentence] = caught.value.sentences
    assert sentence.startswith(f"{path}:{line}:{column}: ")
    assert words in sentence


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("x = 1\n1 / 0\n", "my_module.py:2: the module cannot be imported (ZeroDivisionError"),
        ("x = 1\ndef\n", "my_module.py:2: the module cannot be imported (SyntaxError"),
        ("import no_such_module\n", "my_module.py:1: the module cannot be imported (ModuleNot"),
        (edited(METHOD, ('"neighbors"', '"clusters"')),
         "'my_module:Wide' is a method of kind clusters; this experiment takes neighbors"),
        (edited(METHOD, ("width: float", "width: flaot")), "flaot"),
        ("from __future__ import annotations\n" + edited(METHOD, ("width: float", "width: flaot")),
         "flaot"),
    ],
)  # fmt: skip
def test_a_broken_module_is_one_sentence(own, method, words):
    with pytest.raises(UserError) as caught:
        load(own(method=method))
    [sentence] = caught.value.sentences
    assert words in sentence
    assert "\n" not in sentence


def test_an_own_method_need_not_say_its_kind(own):
    plan = load(own(method=edited(METHOD, ('    kind = "neighbors"\n\n', ""))))
    assert "my_module:Wide" in {p.cell.setting.use for p in plan.entries}


def test_without_its_folder_a_module_is_not_found(own):
    load(own())
    with pytest.raises(UserError, match="there is no module 'my_module'"):
        METHODS["my_module:Wide"]


def test_a_config_that_is_a_link_has_its_modules_where_its_file_is(own, tmp_path):
    path = own(CURVES)
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "linked.yaml"
    link.symlink_to(path)
    plan = load(link)
    assert keys(plan) == keys(load(path))
    assert {p.cell.setting.folders for p in plan.entries} == {(path.parent.resolve(),)}


@pytest.mark.parametrize("name", ["my_module", "my_curve"])
def test_what_is_edited_after_the_plan_was_made_is_refused(own, tmp_path, name):
    plan = load(own(CURVES))
    setting = plan.entries[-1].cell.setting
    mine = next(p.cell.setting for p in plan.entries[::-1] if p.method == "gf")
    assert mine.params["manifold"] == "my_curve:draw"
    with user_modules.searched_in(*mine.folders):
        mine.refuse_changes(mine.code)
        setting.refuse_changes(setting.code)
        with pytest.raises(UserError, match="was edited since this run began: run it again"):
            mine.refuse_changes("another")
        path = tmp_path / f"{name}.py"
        path.write_text(edited(path.read_text(), ("= 3", "= 4")))
        with pytest.raises(UserError, match=f"{name}.* was edited since this run began"):
            mine.refuse_changes(mine.code)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package that brings a method and a manifold; return a function of its version."""

    def make(version):
        site = tmp_path / f"site {version}"
        about = site / f"outside-{version}.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: outside\nVersion: {version}\n"
        )
        (about / "entry_points.txt").write_text(
            "[geoforest.methods]\nwide = outside_wide:Wide\neuclidean = outside_wide:Wide\n"
            "[geoforest.manifolds]\nbend = outside_wide:draw\n"
        )
        (site / "outside_wide.py").write_text(METHOD + CURVE)
        monkeypatch.syspath_prepend(site)
        importlib.invalidate_caches()
        for registry in (METHODS, MANIFOLDS):
            assert len(registry) > 0  # so that there is something to restore
            monkeypatch.delitem(vars(registry), "_known")

    return make


def test_an_entry_point_brings_a_method_and_a_manifold(write, installed):
    from_package = (("my_module:Wide", "wide"),)
    path = write(*((old, edited(new, *from_package) if "my_module" in new else new)
                   for old, new in USE), ("[helix, linear]", "[helix, bend]"))  # fmt: skip
    with pytest.raises(ConfigErrors, match="unknown manifold 'bend'"):
        load(path)
    installed("1.2")
    assert {"wide", "euclidean", "isomap"} <= set(METHODS)
    assert METHODS["wide"].version == METHODS["wide"].version == "outside 1.2"
    assert METHODS["wide"].about == "from the package outside"
    # a name that geoforest has itself stays its own
    assert METHODS["euclidean"].version == 1
    before = load(path)
    place = next(p for p in before.entries if p.method == "gf" and p.point["manifold"] == "bend")
    assert task_of(place, before).build_method().width == 2.0
    assert place.cell.setting.used == {"manifold bend": "outside 1.2"}
    installed("1.3")
    after = load(path)
    assert moved(before, after) == {at for at in keys(before) if at[0] == "gf" or "bend" in at}
    assert seeds(before) == seeds(after)


def test_misspelt_names_know_those_of_packages(write, installed):
    installed("1.2")
    with pytest.raises(ConfigErrors, match="unknown manifold 'bned'; did you mean 'bend'"):
        load(write(("[helix, linear]", "[helix, bned]")))


def test_a_manifold_of_one_own_draws_in_the_experiment(own):
    experiment = edited(
        EXPERIMENT,
        ("task.params.n / 2 * k", "MANIFOLDS[task.params.manifold].load()(3, '', None) * k"),
        (
            "class ToyFigure",
            "from geoforest_cli.problems.manifolds import MANIFOLDS\n\n\nclass ToyFigure",
        ),
    )
    plan = load(own(("[helix, linear]", "my_curve:draw"), experiment=experiment))
    place = plan.entries[0]
    with user_modules.searched_in(*place.cell.setting.folders):
        task = place.cell.task(place.inner, plan.experiment)
        values = [row.value for row in plan.experiment.run_cell(task)]
    assert np.array_equal(values, [15, 30])


def test_what_lies_beside_a_config_that_is_extended_is_found(own, tmp_path):
    parent = own(CURVES)
    folder = tmp_path / "child"
    folder.mkdir()
    child = folder / "child.yaml"
    child.write_text("title: child\nextends: ../toy_config\n")
    plan = load(child)
    assert keys(plan) == keys(load(parent))
    assert plan.parents == (folder / ".." / "toy_config.yaml",)
    setting = next(p.cell.setting for p in plan.entries if p.method == "gf")
    assert setting.folders == (folder.resolve(), tmp_path.resolve())
    place = next(p for p in plan.entries if p.method == "gf")
    with user_modules.searched_in(*place.cell.setting.folders):
        assert task_of(place, plan).build_method().width == 2.0
    # its own come first
    (folder / "my_module.py").write_text(edited(METHOD, ("WIDTH = 3.0", "WIDTH = 4.0")))
    assert moved(load(parent), load(child)) == {at for at in keys(plan) if at[0] == "gf"}
