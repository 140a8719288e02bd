"""From a config to cells: expansion, profiles, overrides, keys and seeds."""

import pickle
import sys

import pytest

from geoforest_cli import config
from geoforest_cli.config.cells import canonical, derive_seed
from geoforest_cli.errors import ConfigError, ConfigErrors, UserError
from tests.config.conftest import EXPERIMENT


def test_cells_are_points_times_methods_variants_and_repetitions(write):
    plan = config.load(write())
    # 4 points x (gf recommended 2 or 1, gf as_run 2, euclidean 2 x 2)
    assert len(plan.cells) == 2 * (2 + 2 + 4) + 2 * (1 + 2 + 4)
    assert plan.grid_columns == ("manifold", "noise", "k")
    assert plan.name == "toy_config"
    cell = plan.cells[0]
    assert cell.point == {"manifold": "helix", "noise": 0}
    assert cell.inner == {"k": (5, 10)}
    assert cell.method_params == {"n_estimators": 10, "min_parent": 20}
    assert cell.describe() == "gf (recommended), manifold=helix, noise=0.0, repetition 0"
    assert len({c.key for c in plan.cells}) == len(plan.cells)
    assert all(len(c.key) == 24 for c in plan.cells)


def test_cases_change_parameters_where_they_apply(write):
    plan = config.load(write())
    noisy = [c for c in plan.cells if c.method == "gf" and c.point["noise"] == 1.5]
    trees = {c.variant: c.method_params["n_estimators"] for c in noisy}
    assert trees == {"recommended": 30, "as_run": 10}


def test_profiles_are_laid_over_the_config(write):
    path = write()
    smoke = config.load(path, "smoke")
    assert {c.point["noise"] for c in smoke.cells} == {0}
    assert {c.repetition for c in smoke.cells} == {0}
    gf = next(c for c in smoke.cells if c.method == "gf")
    assert gf.method_params == {"n_estimators": 2, "min_parent": 20}
    assert {c.method for c in config.load(path, "tiny").cells} == {"euclidean"}
    assert config.profiles_of(path) == ("smoke", "paper", "tiny")


def test_overrides_are_validated_like_the_file(write):
    path = write()
    plan = config.load(path, overrides=["params.n=30", "methods.gf.params.n_estimators=7"])
    assert plan.config.params == {"n": 30}
    assert plan.cells[0].method_params["n_estimators"] == 7
    assert config.load(path, overrides=["grid.noise=[2]"]).cells[0].point["noise"] == 2
    assert config.load(path, overrides=["grid.noise.0=9"]).cells[0].point["noise"] == 9
    for wrong, words in [
        ("params.n=3x", "--set params.n=3x: .*n must be a whole number"),
        ("param.n=3", "unknown key 'param'; did you mean 'params'"),
        ("methods.fg.label=x", "unknown key of methods 'fg'; did you mean 'gf'"),
        ("params.n.x=3", "params.n is a single value"),
        ("params.m=3", "unknown key 'm'"),
        ("nonsense", "an override is KEY=VALUE"),
        ("grid.noise.7=1", "grid.noise has no item '7'"),
        ("params.n=[", "--set"),
    ]:
        with pytest.raises(UserError, match=words):
            config.load(path, overrides=[wrong])


def test_keys_depend_on_content_only(write):
    plan = config.load(write())
    keys = {c.key for c in plan.cells}
    more = config.load(write(("[helix, linear]", "[linear, sphere, helix]")))
    assert keys < {c.key for c in more.cells}
    renamed = config.load(
        write(("  gf:\n", "  forest:\n"), ("{gf: {", "{forest: {"), ("[gf]", "[forest]"))
    )
    assert {c.key for c in renamed.cells} == keys
    other_seed = config.load(write(("seed: 3", "seed: 4")))
    assert not keys & {c.key for c in other_seed.cells}


def test_all_methods_see_the_same_sample_and_variants_of_one_kind_too(write):
    plan = config.load(write())
    tasks = {}
    for cell in plan.cells:
        task = cell.task()
        where = (*cell.point.values(), cell.repetition, task.sample_kind)
        tasks.setdefault(where, []).append(task)
    for same in tasks.values():
        assert len({t.sample_seed for t in same}) == 1
        assert len({t.method_seed for t in same}) == len(same)
    assert len({t[0].sample_seed for t in tasks.values()}) == len(tasks)


def test_tasks_build_their_method_seeded_and_single_threaded(write):
    plan = config.load(write())
    task = pickle.loads(pickle.dumps(plan.cells[0])).task()
    method = task.build_method()
    assert method.random_state == task.method_seed
    assert method.n_jobs == 1
    assert method.n_estimators == 10
    assert task.params.manifold == "helix"
    euclidean = next(c for c in plan.cells if c.method == "euclidean").task()
    assert type(euclidean.build_method()).__name__ == "Euclidean"


def test_numbers_hash_by_value():
    assert canonical({"b": 2.0, "a": (1, 2.5)}) == {"a": [1, 2.5], "b": 2}
    assert derive_seed(1, {"n": 2}) == derive_seed(1, {"n": 2.0}) != derive_seed(1, {"n": 3})
    assert 0 <= derive_seed("x") < 2**63


@pytest.mark.parametrize(
    ("old", "new", "at", "words"),
    [
        ("title:", "titel:", "titel", "unknown key 'titel'; did you mean 'title'?"),
        ("use: geodesic", "usse: geodesic", "usse", "unknown key 'usse'; did you mean 'use'?"),
        ("[helix,", "[helx,", "helx", "unknown manifold 'helx'; did you mean 'helix'?"),
        ("{n: 20}", "{n: 1e-3x}", "1e-3x", "params.n must be a whole number of at least 4, not '1e-3x'"),
        ("{n: 20}", "{n: 2}", "2}", "params.n must be a whole number of at least 4, not 2"),
        ("{n: 20}", "{m: 20}", "m: 20", "unknown key 'm'"),
        ("{n: 20}", "{n: no}", "no}", "params.n must be a whole number of at least 4, not 'no'"),
        ("k: [5, 10]", "k: [5, 0]", "0]\nmeth", "grid.k must be a whole number of at least 1, not 0"),
        ("use: geodesic_forest", "use: geodesic_forst", "geodesic_forst", "did you mean 'geodesic_forest'?"),
        ("  euclidean:", "  euclidian:", "euclidian", "did you mean 'euclidean'?"),
        ("min_parent", "min_parnt", "min_parnt", "unknown key 'min_parnt'; did you mean 'min_parent'?"),
        ("fast_bic_legacy", "fast_bik", "fast_bik", "did you mean 'fast_bic'?"),
        ("n_estimators: 10", "n_estimators: 0", "0}\n    variants", "n_estimators must be a whole number of at least 1, not 0"),
        ("when: {noise:", "when: {nois:", "nois:", "unknown grid parameter 'nois'"),
        ("[1.5]}", "[1.6]}", "1.6", "unknown value of noise 1.6"),
        ("experiment: toy", "experiment: tyo", "tyo", "unknown experiment 'tyo'; did you mean 'toy'"),
        ("repetitions: 2", "repetitions: 0", "0\nparams", "repetitions must be a whole number of at least 1, not 0"),
        ("repetitions: 2", "repetitions: true", "true", "must be a whole number of at least 1, not true"),
        ("as_written: {}, as_run", "as_writen: {}, as_run", "as_writen", "did you mean 'as_written'?"),
        ("noise: [0, 1.5]", "noise: [0, 1.5, 0]", "0]\n  k", "the value 0 stands twice in grid.noise"),
        ("noise: [0, 1.5]", "noise: []", "[]", "must be a list that is not empty, not []"),
        ("seed: 3", "memory: 6 Gb!", "6 Gb!", "a size is a number and a unit"),
        ("{n: 20}", "{n: 20, noise: 3}", "noise: 3", "'noise' stands in params and in grid"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_at_its_place(write, old, new, at, words):
    path = write((old, new))
    before = path.read_text().partition(at)[0] if at else ""
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    with pytest.raises(UserError) as caught:
        config.load(path)
    [sentence] = caught.value.sentences
    assert words in sentence
    assert sentence.startswith(f"{path}:{line}:{column}: ")


def test_an_error_in_a_profile_points_at_the_profile(write):
    path = write(("{noise: [0]}", "{noise: [zero]}"))
    config.load(path)
    with pytest.raises(ConfigErrors, match=r":28:20: grid.noise must be a number, not 'zero'"):
        config.load(path, "smoke")
    with pytest.raises(ConfigError, match="unknown profile 'smok'; did you mean 'smoke'"):
        config.load(path, "smok")
    with pytest.raises(ConfigErrors, match="unknown method 'fg'"):
        config.load(write(("[gf]", "[fg]")), "tiny")
    with pytest.raises(ConfigErrors, match="leave_out must be a list"):
        config.load(write(("[gf]", "gf")), "tiny")
    with pytest.raises(ConfigError, match="must be a mapping"):
        config.load(write(("    leave_out: [gf]", "    7")), "tiny")


def test_a_left_out_method_may_still_be_named_by_claims(write):
    plan = config.load(write(), "tiny")
    assert {"gf", "euclidean"} == set(plan.config.methods)
    with pytest.raises(ConfigErrors, match="leave_out leaves no method"):
        config.load(write(("[gf]", "[gf, euclidean]")), "tiny")


def test_overrides_add_what_the_schema_has(write):
    path = write(("params: {n: 20}\n", ""))
    plan = config.load(path, overrides=["params.n=30", "methods.euclidean.params={}"])
    assert plan.config.params == {"n": 30}
    with pytest.raises(ConfigErrors, match=r"--set methods.*: unknown key 'x'"):
        config.load(path, overrides=["methods.euclidean.variants.as_run.params.x=1"])
    with pytest.raises(ConfigError, match=r"the key 'a' stands here twice"):
        config.load(path, overrides=["figure={a: 1, a: 2}"])


def test_a_single_value_stands_for_a_list_of_one(write):
    plan = config.load(write(("[helix, linear]", "helix"), ("noise: [1.5]", "noise: 1.5")))
    assert {cell.point["manifold"] for cell in plan.cells} == {"helix"}
    with pytest.raises(ConfigErrors, match=r":8:13: unknown manifold 'helx'"):
        config.load(write(("[helix, linear]", "helx")))


def test_numbers_are_the_same_however_they_are_written(write):
    one, other = (config.load(write(("[0, 1.5]", text))) for text in ("[0, 1.5]", "[0.0, 15e-1]"))
    assert [c.key for c in one.cells] == [c.key for c in other.cells]
    assert [repr(c.point) for c in one.cells] == [repr(c.point) for c in other.cells]


def test_parameters_are_checked_at_every_grid_point_together(write):
    experiment = EXPERIMENT.replace(
        "class FigureOptions",
        """
    @model_validator(mode="after")
    def _together(self):
        if self.noise > 1 and self.manifold == "linear":
            raise ValueError("no noise on the line")
        return self

class FigureOptions""",
    ).replace("AfterValidator, Field", "AfterValidator, Field, model_validator")
    with pytest.raises(ConfigErrors, match="no noise on the line") as caught:
        config.load(write(experiment=experiment))
    assert len(caught.value.sentences) == 1


def test_inner_parameters_belong_in_the_grid(write):
    with pytest.raises(ConfigErrors, match=r":6:17: 'k' belongs in grid"):
        config.load(write(("  k: [5, 10]\n", ""), ("{n: 20}", "{n: 20, k: [5]}")))
    with pytest.raises(ConfigErrors, match="the key 'k' is missing in grid"):
        config.load(write(("  k: [5, 10]\n", "")))


@pytest.mark.parametrize(
    ("text", "size"), [("6 GB", 6 * 10**9), ("1.5 kb", 1500), ("2 GiB", 2**31), ("7", 7)]
)
def test_sizes(write, text, size):
    assert config.load(write(("seed: 3", f"memory: {text}"))).config.memory == size


def test_a_method_that_cannot_be_imported_is_one_sentence(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "geoforest_cli.baselines.euclidean", None)
    with pytest.raises(ConfigErrors, match=r":23:3: 'euclidean' cannot be loaded here: "):
        config.load(write())


def test_all_problems_are_told_at_once(write):
    with pytest.raises(ConfigErrors) as caught:
        config.load(write(("{n: 20}", "{n: 2}"), ("n_estimators: 10", "n_estimators: 0")))
    assert len(caught.value.sentences) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the config is empty"),
        ("- 1\n", "a config is a mapping"),
        ("title: x\n", "the key 'experiment' is missing"),
        ("profiles: 3\n", "profiles must be a mapping"),
    ],
)
def test_hollow_configs(tmp_path, text, words):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=words):
        config.load(path)


def test_missing_keys_are_named(write):
    with pytest.raises(ConfigErrors) as caught:
        config.load(write(("title: a toy\n", "")))
    assert caught.value.sentences[0].endswith("toy_config.yaml:2:1: the key 'title' is missing")
    with pytest.raises(
        ConfigErrors, match=r":23:3: the key 'variants' is missing in methods\.euclidean"
    ):
        config.load(write(("variants: {as_written: {}, as_run: {}}", "{}")))


def test_missing_configs_get_a_spelling_hint(write, tmp_path, monkeypatch):
    path = write()
    with pytest.raises(UserError, match=r"did you mean .*toy_config\.yaml"):
        config.find(path.with_name("toy_confg.yaml"))
    with pytest.raises(UserError, match="did you mean 'noise'"):
        config.find("nosie")
    with pytest.raises(UserError, match="is a folder"):
        config.find(tmp_path)
    with pytest.raises(UserError, match="known: "):
        config.find("zzzzzz")
    monkeypatch.chdir(tmp_path)
    assert config.find("noise").name == "noise.yaml"


@pytest.mark.parametrize(
    ("experiment", "words"),
    [
        ("x = 1\n1/0", r"toy.py:2: the experiment cannot be imported \(ZeroDivisionError"),
        ("def", r"toy.py:1: the experiment cannot be imported \(SyntaxError"),
        ("raise SystemExit(3)", r"toy.py:1: .*SystemExit: 3"),
        ("x = 1", "lacks VERSION, KIND"),
        (EXPERIMENT.replace('("k",)', '("q",)'), "INNER names 'q'"),
        (EXPERIMENT.replace("class Params(Model)", "class Params"), "Params of an experiment"),
    ],
)
def test_a_broken_experiment_is_one_sentence(write, experiment, words):
    with pytest.raises(UserError, match=words):
        config.load(write(experiment=experiment))


def test_a_method_of_another_kind_is_refused(write):
    with pytest.raises(UserError, match="of kind neighbors; this experiment takes classifier"):
        config.load(write(experiment=EXPERIMENT.replace('"neighbors"', '"classifier"')))


def test_checkers_speak_with_places(write):
    path = write()
    with pytest.raises(ConfigErrors, match=r":2:8: no such title"):
        config.load(path, checkers=[lambda plan: [(("title",), "no such title")]])


def test_figure_options_are_validated(write):
    path = write()
    path.write_text(path.read_text() + "figure: {xx: k}\n")
    with pytest.raises(ConfigErrors, match="unknown key 'xx'"):
        config.load(path)


def test_every_config_of_the_project_is_valid_in_every_profile():
    from geoforest_cli.cli.loading import load

    known = config.known_configs()
    assert {"noise", "connectome"} <= set(known)
    for path in known.values():
        for profile in config.profiles_of(path):
            assert load(path, profile).cells
