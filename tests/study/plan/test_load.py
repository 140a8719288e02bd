"""From a config to cells: expansion, profiles, overrides; mistakes and their places."""

import pickle

import pytest

from geoforest_cli.core.errors import ConfigError, ConfigErrors, UserError
from geoforest_cli.core.registry import parameter_model
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.study.config.artifacts import find
from geoforest_cli.study.plan import load
from tests.study.plan.toy import EXPERIMENT, edited, keys, task_of

FOREST = parameter_model(METHODS["geodesic_forest"].load())().model_dump()


def test_cells_are_points_times_methods_variants_and_repetitions(write):
    plan = load(write())
    # 4 points x (gf recommended 2 or 1, gf as_run 2, euclidean 2 x 2)
    assert len(plan.entries) == 2 * (2 + 2 + 4) + 2 * (1 + 2 + 4)
    assert plan.grid_columns == ("manifold", "noise", "k")
    assert plan.name == "toy_config"
    entry = plan.entries[0]
    assert entry.point == {"manifold": "helix", "noise": 0}
    assert entry.inner == {"k": (5, 10)}
    setting = entry.cell.setting
    assert setting.method_params == {**FOREST, "n_estimators": 10, "min_parent": 20}
    assert setting.params == {"manifold": "helix", "n": 20, "noise": 0.0}
    assert setting.inner_names == ("k",)
    assert entry.describe() == "gf (recommended), manifold=helix, noise=0.0, repetition 0"
    assert len(set(keys(plan).values())) == len(plan.entries) == len(plan.jobs)
    assert all(len(key) == 24 for key in plan.jobs)
    assert [job.key for job in plan.jobs.values()] == list(plan.jobs)


def test_cases_change_parameters_where_they_apply(write):
    plan = load(write())
    noisy = [p for p in plan.entries if p.method == "gf" and p.point["noise"] == 1.5]
    trees = {p.variant: p.cell.setting.method_params["n_estimators"] for p in noisy}
    assert trees == {"recommended": 30, "as_run": 10}


def test_a_plan_says_its_size_and_why_it_judges_no_paper(write):
    path = write()
    paper, smoke = load(path), load(path, "smoke")
    assert (paper.size, paper.caution) == ("paper", "")
    assert smoke.size == "smoke"
    assert smoke.caution == "profile smoke: too small to judge the paper"
    changed = load(path, overrides=["params.n=30", "seed=4"])
    assert changed.size == "paper-changed"
    words = "changed by --set params.n=30 --set seed=4: it does not judge the paper"
    assert changed.caution == words


def test_overrides_are_validated_like_the_file(write):
    path = write()
    plan = load(path, overrides=["params.n=30", "methods.gf.params.n_estimators=7"])
    assert plan.config.params == {"n": 30}
    assert plan.entries[0].cell.setting.method_params["n_estimators"] == 7
    assert load(path, overrides=["grid.noise=[2]"]).entries[0].point["noise"] == 2
    for wrong, words in [
        ("params.n=3x", "--set params.n=3x: .*n must be a whole number"),
        ("param.n=3", "unknown key 'param'; did you mean 'params'"),
        ("methods.fg.label=x", "unknown key of methods 'fg'; did you mean 'gf'"),
        ("params.n.x=3", "params.n is a list or a single value"),
        ("params.m=3", "unknown key 'm'"),
        ("nonsense", "an override is KEY=VALUE"),
        ("grid.noise.0=1", "grid.noise is a list or a single value"),
        ("params.n=[", "--set"),
    ]:
        with pytest.raises(UserError, match=words):
            load(path, overrides=[wrong])


def test_tasks_build_their_method_seeded_and_single_threaded(write):
    plan = load(write())
    job = pickle.loads(pickle.dumps(next(iter(plan.jobs.values()))))
    task = job.cell.task(job.inner, plan.experiment)
    method = task.build_method()
    assert method.random_state == task.method_seed
    assert method.n_jobs == 1
    assert method.n_estimators == 10
    assert task.params.model_dump() == {"manifold": "helix", "n": 20, "noise": 0.0, "k": (5, 10)}
    assert task.kind == "neighbors"
    euclidean = task_of(next(p for p in plan.entries if p.method == "euclidean"), plan)
    assert type(euclidean.build_method()).__name__ == "Euclidean"


@pytest.mark.parametrize(
    ("old", "new", "at", "words"),
    [
        ("title:", "titel:", "titel", "unknown key 'titel'; did you mean 'title'?"),
        ("[helix,", "[helx,", "helx", "unknown manifold 'helx'; did you mean 'helix'?"),
        ("{n: 20}", "{n: 2}", "2}", "params.n must be a whole number of at least 4, not 2"),
        ("use: geodesic_forest", "use: geodesic_forst", "geodesic_forst", "did you mean 'geodesic_forest'?"),
        ("min_parent", "min_parnt", "min_parnt", "unknown key 'min_parnt'; did you mean 'min_parent'?"),
        ("fast_bic_legacy", "fast_bik", "fast_bik", "did you mean 'fast_bic'?"),
        ("when: {noise:", "when: {nois:", "nois:", "unknown grid parameter 'nois'"),
        ("[1.5]}", "[1.6]}", "1.6", "unknown value of noise 1.6"),
        ("experiment: ./toy.py", "experiment: ./tyo.py", "./tyo.py", r"unknown file of an experiment './tyo.py'; did you mean './toy.py'"),
        ("repetitions: 2", "repetitions: 0", "0\nparams", "repetitions must be a whole number of at least 1, not 0"),
        ("as_written: {}, as_run", "as_writen: {}, as_run", "as_writen", "did you mean 'as_written'?"),
        ("noise: [0, 1.5]", "noise: [0, 1.5, 0]", "0]\n  k", "duplicate value 0 in grid.noise"),
        ("noise: [0, 1.5]", "noise: []", "[]", "must be a list that is not empty, not []"),
        ("{n: 20}", "{n: 20, noise: 3}", "noise: 3", "'noise' is set in both params and grid"),
        ("  k: [5, 10]\n", "", "grid:", "the key 'k' is missing in grid"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_at_its_place(write, old, new, at, words):
    path = write((old, new))
    before = path.read_text().partition(at)[0] if at else ""
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    with pytest.raises(UserError) as caught:
        load(path)
    [sentence] = caught.value.sentences
    assert words in sentence
    assert sentence.startswith(f"{path}:{line}:{column}: ")


def test_a_left_out_method_may_still_be_named_by_claims(write):
    plan = load(write(), "tiny")
    assert {"gf", "euclidean"} == set(plan.config.methods)
    with pytest.raises(ConfigErrors, match="leave_out leaves no method"):
        load(write(("[gf]", "[gf, euclidean]")), "tiny")


CLASS_LINE = EXPERIMENT[: EXPERIMENT.index("class Toy(")].count("\n") + 1


@pytest.mark.parametrize(
    ("experiment", "words"),
    [
        ("x = 1\n1/0", r"toy.py:2: the module cannot be imported \(ZeroDivisionError"),
        ("def", r"toy.py:1: the module cannot be imported \(SyntaxError"),
        ("x = 1", r"toy.py: an experiment's file defines one subclass .*; here there is none$"),
        (EXPERIMENT + "\n\nclass Two(Toy):\n    def run_cell(self, task):\n        return []\n",
         r"toy.py: an experiment's file defines one subclass .*; here there is Toy and Two$"),
        (edited(EXPERIMENT, ("Experiment[ToyParams]", "Experiment")),
         rf"toy.py:{CLASS_LINE}: .*does not say its parameters: class Toy\(Experiment\[MyParams\]\)"),
        (edited(EXPERIMENT, ("    yields =", "    yeilds =")),
         rf"toy.py:{CLASS_LINE}: .*TypeError: Toy has no attribute 'yeilds'; did you mean 'yields'\?"),
    ],
)  # fmt: skip
def test_a_broken_experiment_is_one_sentence(write, experiment, words):
    with pytest.raises(ConfigError, match=words) as caught:
        load(write(experiment=experiment))
    assert len(caught.value.sentences) == 1
    assert "\n" not in str(caught.value)


def test_a_method_of_another_kind_is_refused(write):
    experiment = edited(EXPERIMENT, ('"neighbors"', '"classifier"'))
    with pytest.raises(UserError, match="of kind neighbors; this experiment takes classifier"):
        load(write(experiment=experiment))


def test_files_beside_a_config_are_not_run_by_their_name(write, tmp_path):
    by_name = ("experiment: ./toy.py", "experiment: toy")
    said = (
        r"toy_config.yaml:3:13: unknown experiment 'toy'; a file beside .* by its path, './toy.py'"
    )
    with pytest.raises(ConfigError, match=said):
        load(write(by_name))
    for folder in ("experiments", "elsewhere/experiments"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "toy.py").write_text("raise SystemExit('this ran')")
    # a folder `experiments` next to that of a config counts only if that is named `configs`
    with pytest.raises(ConfigError, match=said):
        load(write(by_name, folder=tmp_path / "elsewhere" / "mine"))
    assert len(load(write(by_name, folder=tmp_path / "whole" / "configs")).entries) > 0


def test_what_stands_in_the_place_of_our_experiment_is_named(write, tmp_path, capsys):
    from geoforest_cli.cli.main import cli

    path = write(("experiment: ./toy.py", "experiment: timing"), folder=tmp_path / "configs")
    (tmp_path / "experiments").mkdir()
    (path.parent / "toy.py").rename(tmp_path / "experiments" / "timing.py")
    (note,) = load(path).notes
    assert (
        note
        == f"the experiment timing is the file {tmp_path / 'experiments' / 'timing.py'}, not geoforest's own"
    )
    # of itself the command would keep the name of its help option, and others see it
    cli.main(["check", str(path)], standalone_mode=False)
    assert capsys.readouterr().err == f"Note: {note}\n"
    assert load("bench_forest").notes == ()


@pytest.mark.parametrize(
    ("repetitions", "values", "said"),
    [
        (1_000_000_000, 2, r":5:1: these are \d+ cells, 4 grid points with 4000000000 repetitions of all"),
        (250, 1_000, r":7:1: these are 2000000 cells, 2000 grid points with 1000 repetitions"),
    ],
)  # fmt: skip
def test_more_cells_than_can_be_listed_are_refused(write, repetitions, values, said):
    many = f"noise: {[0, 1.5, *range(2, values)]}"
    path = write(("repetitions: 2", f"repetitions: {repetitions}"), ("noise: [0, 1.5]", many))
    with pytest.raises(ConfigError, match=said):
        load(path)


def test_a_config_in_the_current_folder_needs_no_ending(tmp_path, monkeypatch):
    (tmp_path / "mine.yaml").write_text("extends: noise\n")
    (tmp_path / "noise.yaml").write_text("extends: noise\n")
    monkeypatch.chdir(tmp_path)
    assert find("mine").name == "mine.yaml"
    assert find("mine.yaml").name == "mine.yaml"
    assert find("noise").resolve().parent != tmp_path  # a known name is what it was


@pytest.mark.parametrize(
    ("message", "position"), [("unknown parameter 'n'", "6:10"), ("n is unknown", "6:13")]
)
def test_checkers_speak_of_what_is_unknown_and_else_of_its_value(write, message, position):
    with pytest.raises(ConfigErrors, match=f":{position}: {message}"):
        load(write(), checkers=[lambda _: [(("params", "n"), message)]])
