"""Methods and manifolds of one's own: beside the config, and from installed packages."""

import importlib
import importlib.metadata

import pytest

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import ConfigErrors, UserError
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.study.plan import load
from geoforest_cli.study.session import Study
from tests.study.plan.toy import edited, keys, moved, seeds, task_of

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
def user_config(write, tmp_path):
    """Write the toy config with a method of one's own, and its module; return its path."""

    def make(*replacements, method=METHOD, **options):
        path = write(*USE, *replacements, **options)
        (path.parent / "my_module.py").write_text(method)
        (path.parent / "my_curve.py").write_text(CURVE)
        return path

    return make


def is_own(at):
    return at[0] == "gf"


def test_a_method_beside_the_config(user_config):
    plan = load(user_config())
    entry = next(p for p in plan.entries if p.method == "gf" and p.variant == "recommended")
    setting = entry.cell.setting
    assert setting.use == "my_module:Wide"
    assert setting.method_params == {"width": 2.0}
    task = task_of(entry, plan)
    with user_modules.searched_in(*setting.folders):
        assert task.kind == "neighbors"
        method = task.build_method()
    assert type(method).__name__ == "Wide"
    assert (method.width, method.random_state) == (2.0, task.method_seed)
    assert plan.unavailable() == {}


def test_the_source_of_an_own_method_is_part_of_its_cells_only(user_config):
    before = load(user_config())
    after = load(user_config(method=edited(METHOD, ("return self", "return None"))))
    assert moved(before, after) == {at for at in keys(before) if is_own(at)}
    assert seeds(before) == seeds(after)
    commented = edited(METHOD, ("return self", "return self  # fitted"), ("one column", "two"))
    assert keys(load(user_config(method=commented))) == keys(before)


def test_the_source_of_an_own_manifold_is_part_of_its_cells_only(user_config, tmp_path):
    path = user_config(CURVES)
    before = load(path)
    (tmp_path / "my_curve.py").write_text(edited(CURVE, ("return n", "return n + 1")))
    after = load(path)
    assert moved(before, after) == {at for at in keys(before) if "my_curve:draw" in at}
    assert seeds(before) == seeds(after)


@pytest.mark.parametrize(
    ("replacements", "at", "words"),
    [
        ([("my_module:Wide", "my_module:Wdie")], "my_module:Wdie",
         "unknown name in my_module 'Wdie'; did you mean 'Wide'? (known: WIDTH, Wide)"),
        ([("my_module:Wide", "my_modul:Wide")], "my_modul:Wide",
         "unknown method 'my_modul:Wide': there is no module 'my_modul' beside the config"),
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
def test_a_mistake_is_one_sentence_at_its_place(user_config, replacements, at, words):
    path = user_config(*replacements)
    before = path.read_text().partition(at)[0]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    with pytest.raises(ConfigErrors) as caught:
        load(path)
    [sentence] = caught.value.sentences
    assert sentence.startswith(f"{path}:{line}:{column}: ")
    assert words in sentence


@pytest.mark.parametrize("name", ["my_module", "my_curve"])
def test_what_is_edited_after_the_plan_was_made_is_refused(user_config, tmp_path, name):
    plan = load(user_config(CURVES))
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


TRANSFORMER = """
class Shift:
    def __init__(self, by: float = 1.0, random_state=None):
        self.by, self.random_state = by, random_state

    def fit_transform(self, X):
        assert self.random_state < 2**32
        return [[self.by * x[0]] for x in X]
"""


def test_a_transformer_is_a_method_and_variants_are_optional(tmp_path):
    (tmp_path / "mine.py").write_text(TRANSFORMER)
    path = tmp_path / "mine.yaml"
    path.write_text(
        "title: mine\nexperiment: manifold_neighbors\nparams: {manifold: helix, n: 20}\n"
        "grid: {k: [5]}\nmethods:\n  pca: {use: 'sklearn.decomposition:PCA'}\n"
        "  shift: {use: 'mine:Shift', params: {by: 2}}\n  euclidean: {}\n"
        "claims:\n  - {id: a, says: b, check: greater, metric: precision, method: shift, "
        "than: all_others}\n"
    )
    plan = Study.open(path).plan
    assert {entry.variant for entry in plan.entries} == {"recommended"}
    assert [method["name"] for method in plan.config.claims[0]["than"]] == ["pca", "euclidean"]
    pca, shift, _ = (task_of(entry, plan) for entry in plan.entries)
    with user_modules.searched_in(tmp_path):
        assert {pca.kind, shift.kind} == {"neighbors"}
        fitted = shift.build_method().fit([[0.0, 7.0], [3.0, 9.0]])
    assert fitted.distances().tolist() == [[0, 6], [6, 0]]
    versions = [entry.cell.setting.method_version for entry in plan.entries]
    assert versions[0] == f"scikit-learn {importlib.metadata.version('scikit-learn')}"


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
            monkeypatch.delitem(vars(registry), "_all_entries")

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
    entry = next(p for p in before.entries if p.method == "gf" and p.point["manifold"] == "bend")
    assert task_of(entry, before).build_method().width == 2.0
    assert entry.cell.setting.used == {"manifold bend": "outside 1.2"}
    installed("1.3")
    after = load(path)
    assert moved(before, after) == {at for at in keys(before) if at[0] == "gf" or "bend" in at}
    assert seeds(before) == seeds(after)


def test_what_lies_beside_a_config_that_is_extended_is_found(user_config, tmp_path):
    parent = user_config(CURVES)
    folder = tmp_path / "child"
    folder.mkdir()
    child = folder / "child.yaml"
    child.write_text("title: child\nextends: ../toy_config\n")
    plan = load(child)
    assert keys(plan) == keys(load(parent))
    assert plan.parents == (folder / ".." / "toy_config.yaml",)
    setting = next(p.cell.setting for p in plan.entries if p.method == "gf")
    assert setting.folders == (folder.resolve(), tmp_path.resolve())
    entry = next(p for p in plan.entries if p.method == "gf")
    with user_modules.searched_in(*entry.cell.setting.folders):
        assert task_of(entry, plan).build_method().width == 2.0
    # its own come first
    (folder / "my_module.py").write_text(edited(METHOD, ("WIDTH = 3.0", "WIDTH = 4.0")))
    assert moved(load(parent), load(child)) == {at for at in keys(plan) if at[0] == "gf"}
