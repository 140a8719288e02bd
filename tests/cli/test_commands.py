"""Every command is documented; the small ones do what they say."""

import json
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
import yaml
from click.testing import CliRunner

from geoforest_cli.cli import data as data_verb
from geoforest_cli.cli.main import cli
from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.problems.datasets import CATALOGUE
from geoforest_cli.study.session import Study


def walk(command, path=("geoforest",)):
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from walk(command.get_command(context, name), (*path, name))


def test_every_command_and_option_has_help():
    commands = dict(walk(cli))
    assert len(commands) > 9
    for path, command in commands.items():
        assert command.help, path
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, (path, parameter.name)
                default = parameter.default
                if isinstance(default, str | int | float | Path) and not parameter.is_flag:
                    shown = parameter.get_help_extra(click.Context(command, show_default=True))
                    assert "default" in shown or "[default:" in parameter.help, (
                        path,
                        parameter.name,
                    )


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("configs", "noise"),
        ("experiments", "manifold_neighbors"),
        ("methods", "geodesic_forest"),
        ("manifolds", "helix"),
        ("datasets", "drosophila_right"),
        ("metrics", "precision"),
        ("checks", "greater"),
    ],
)
def test_list(kind, name):
    shown = CliRunner().invoke(cli, ["list", kind])
    assert shown.exit_code == 0
    assert any(line.startswith(name) for line in shown.output.splitlines())
    listing = json.loads(CliRunner().invoke(cli, ["list", kind, "--json"]).output)
    assert listing[name]


def test_data_sets_stand_in_a_table_with_licences(tmp_path, monkeypatch):
    monkeypatch.setenv("GEOFOREST_DATA", str(tmp_path))
    (tmp_path / "banknote").mkdir()
    for file in CATALOGUE["banknote"].files:
        (tmp_path / "banknote" / file.name).touch()
    header, *lines = CliRunner().invoke(cli, ["data", "list"]).output.splitlines()
    assert header.split()[:4] == ["name", "here", "licence", "what"]
    assert len(lines) == len(CATALOGUE)
    starts = [header.index(word) for word in ("name", "here", "licence", "what")]
    for line, (name, dataset) in zip(lines, CATALOGUE.items(), strict=True):
        cells = [line[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)]
        here = "yes" if name == "banknote" else "no"
        about = f"{dataset.about} ({dataset.used_for})"
        assert cells == [name, here, dataset.licence, about]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Figure 9", "title: Kernel regression on concrete\n"),
        ("gf-fig4", "title: Precision against the number of noise dimensions\n"),
        ("GF Fig. 4 (bottom)", "title: Precision with a few noise dimensions, columns rescaled\n"),
    ],
)
def test_a_config_is_named_by_its_figure(name, shown):
    assert CliRunner().invoke(cli, ["show", name, "--profile", "smoke"]).output.startswith(shown)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Figure 4", "'Figure 4' is in several configs; run one of morf-fig4 (mnist_importance), "),
        ("Figure 4", "gf-fig4 (noise), gf-fig4-bottom (noise_rescaled), spherelets-fig4 (torus)"),
        ("nosie", "no config 'nosie'; did you mean 'noise', 'noise_low' or 'noise_kinds'? ("),
    ],
)
def test_a_name_that_is_not_one_config_gets_candidates(name, said):
    for verb in ("run", "check"):
        done = CliRunner().invoke(cli, [verb, name])
        assert said in f"{done.exception} {done.output}"


def test_configs_are_listed_with_their_figures():
    lines = CliRunner().invoke(cli, ["list", "configs"]).output.splitlines()
    (noise,) = (line.split(maxsplit=2) for line in lines if line.startswith("noise "))
    assert noise == ["noise", "gf-fig4", "Precision against the number of noise dimensions"]


def test_list_says_what_is_broken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "bad.yaml").write_text("a: [")
    (tmp_path / "configs" / "odd.yaml").write_text("- 1")
    (tmp_path / "configs" / "plain.yaml").write_text("grid: {title: no}\ntitle: 'yes: all'\n")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "bad.py").write_text("def")
    lines = CliRunner().invoke(cli, ["list", "configs"]).output.splitlines()
    assert [
        line.split(maxsplit=1) for line in lines if line.split()[0] in {"bad", "odd", "plain"}
    ] == [
        ["bad", "(not a valid config)"],
        ["odd", "(not a valid config)"],
        ["plain", "yes: all"],
    ]
    assert "not a valid module" in CliRunner().invoke(cli, ["list", "experiments"]).output


@pytest.mark.parametrize("wrong", ["", "first", "second", "first second"])
def test_a_single_wrong_file_is_wrong(monkeypatch, wrong):
    def locate(_, file):
        if file.name in wrong.split():
            raise DataError(f"{file.name} is not what it was")
        return file.name

    files = [SimpleNamespace(name=name) for name in ("first", "second")]
    monkeypatch.setattr(data_verb, "CATALOGUE", {"both": SimpleNamespace(files=files)})
    monkeypatch.setattr(data_verb, "locate", locate)
    done = CliRunner().invoke(cli, ["data", "verify", "both"])
    right = [name for name in ("first", "second") if name not in wrong]
    assert done.output.split() == [word for name in right for word in ("ok", name)]
    if wrong:
        assert isinstance(done.exception, UserError)
        lines = str(done.exception).splitlines()
        assert lines == [f"{name} is not what it was" for name in wrong.split()]
    else:
        assert done.exit_code == 0


def test_check_looks_at_one_profile_where_one_is_asked_for():
    both = CliRunner().invoke(cli, ["check", "circle"])
    smoke = CliRunner().invoke(cli, ["check", "circle", "--profile", "smoke"])
    assert (both.exit_code, smoke.exit_code) == (0, 0)
    assert len(both.output.splitlines()) == 2
    [line] = smoke.output.splitlines()
    assert "circle.yaml (smoke): " in line


def test_check_tells_each_problem_of_profiles_and_configs_once(tmp_path):
    text = (Path(__file__).parents[1] / "e2e" / "whole.yaml").read_text()
    path = tmp_path / "x.yaml"
    # the smoke profile has an n of its own: a mistake in the other must not hide behind it
    path.write_text(text.replace("{n: 1000,", "{n: many,").replace("{n: 200}", "{n: few}"))
    done = CliRunner().invoke(cli, ["check", str(path), "nosie"])
    assert done.exit_code == 2
    sentences = done.stderr.splitlines()
    assert [s for word in ("'many'", "'few'", "nosie") for s in sentences if word in s]
    assert len(sentences) == 3


def test_show_prints_a_config_that_is_one(tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text(
        "title: short\nextends: circle\nmethods: {twin: {use: knn, variants: {as_written: {}}}}\n"
        "claims:\n  - {id: a, says: b, check: less, metric: error,\n"
        "     than: all_others,\n"
        "     method: {name: twin, variant: as_written}}\n"
    )
    shown = CliRunner().invoke(cli, ["show", str(path), "--profile", "smoke", "--set", "seed=3"])
    assert shown.exit_code == 0, shown.output
    assert shown.output.startswith("title: short\n")
    assert "seed: 3\n" in shown.output
    assert not any(word in shown.output for word in ("all_others", "extends", "profiles"))
    long = tmp_path / "long.yaml"
    long.write_text(shown.output)
    checked = CliRunner().invoke(cli, ["check", str(long), "--profile", "paper"])
    assert checked.exit_code == 0, checked.output
    short = CliRunner().invoke(cli, ["check", str(path), "--profile", "smoke", "--set", "seed=3"])
    assert short.output.split(": ")[1] == checked.output.split(": ")[1]


def test_init_counts_what_it_copies(tmp_path, monkeypatch):
    brought = tmp_path / "brought"
    for name in ("configs/a.yaml", "configs/parts/b.yaml", "configs/no.txt", "experiments/e.py"):
        (brought / name).parent.mkdir(parents=True, exist_ok=True)
        (brought / name).write_text(name)
    monkeypatch.setattr("geoforest_cli.cli.init.bundled", lambda kind: brought / kind)
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "there"
    done = CliRunner().invoke(cli, ["init", "there"])
    assert done.output == f"3 files copied to {there}\n"
    assert sorted(str(path.relative_to(there)) for path in there.rglob("*.*")) == [
        "configs/a.yaml", "configs/parts/b.yaml", "experiments/e.py",
    ]  # fmt: skip
    assert (there / "configs" / "parts" / "b.yaml").read_text() == "configs/parts/b.yaml"
    (there / "configs" / "a.yaml").unlink()
    again = str(CliRunner().invoke(cli, ["init", "there"]).exception)
    assert again == "there/configs/parts/b.yaml exists already (2 files in all): --force overwrites"
    (there / "experiments" / "e.py").write_text("mine")
    assert CliRunner().invoke(cli, ["init", "there", "--force"]).exit_code == 0
    assert (there / "experiments" / "e.py").read_text() == "experiments/e.py"


def test_the_template_of_a_study_is_valid_and_its_workflow_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli, ["init", "--template"]).exit_code == 0
    plan = Study.open("mp-fig1", "smoke").plan
    entry = plan.entries[-1]
    assert (plan.path, entry.variant) == (Path("configs/study.yaml"), "recommended")
    with user_modules.searched_in(*plan.folders):
        (row,) = plan.experiment.run_cell(entry.cell.task(entry.inner, plan.experiment))
    assert 0.7 < row.value < 1
    assert len(plan.config.published) == len(plan.config.sentences) == 1
    workflow = yaml.safe_load(Path(".github/workflows/figures.yml").read_text())
    steps = [step["run"].split() for step in workflow["jobs"]["figures"]["steps"] if "run" in step]
    for program, verb, *words in steps:
        if program == "geoforest":
            cli.get_command(None, verb).make_context(verb, words)
