"""A config by itself: found, read, its profile laid over it, checked against the schema."""

import pytest

from geoforest_cli.core.errors import ConfigError, ConfigErrors, UserError
from geoforest_cli.study.config import loading as opening
from geoforest_cli.study.config.artifacts import find
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.config.writing import written_out
from tests.study.plan.toy import CONFIG, edited


@pytest.fixture
def write(tmp_path):
    def make(*replacements, name="toy_config.yaml"):
        path = tmp_path / name
        path.write_text(edited(CONFIG, *replacements))
        return path

    return make


def test_a_profile_is_laid_over_the_config(write):
    path = write()
    smoke, paper = open_config(path, "smoke"), open_config(path, "paper")
    assert smoke.config.grid == {"manifold": ("helix", "linear"), "noise": (0,), "k": (5, 10)}
    assert smoke.config.repetitions == 1
    assert smoke.config.methods["gf"].params == {"n_estimators": 2}
    assert paper.config.grid["noise"] == (0, 1.5)
    assert paper.config.repetitions == 2
    assert smoke.base_grid == {"manifold": ["helix", "linear"], "noise": [0, 1.5], "k": [5, 10]}
    assert opening.profiles_of(path) == ("smoke", "paper", "tiny")


def test_what_is_wrong_with_a_profile(write):
    with pytest.raises(ConfigError, match="unknown profile 'smok'; did you mean 'smoke'"):
        open_config(write(), "smok")
    with pytest.raises(ConfigErrors, match="leave_out must be a list"):
        open_config(write(("[gf]", "gf")), "tiny")
    with pytest.raises(ConfigError, match="must be a mapping"):
        open_config(write(("    leave_out: [gf]", "    7")), "tiny")


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
        open_config(path, "paper")


def test_missing_configs_get_a_spelling_hint(write, tmp_path, monkeypatch):
    path = write()
    with pytest.raises(UserError, match=r"did you mean .*toy_config\.yaml"):
        find(path.with_name("toy_confg.yaml"))
    with pytest.raises(UserError, match="did you mean 'noise'"):
        find("nosie")
    with pytest.raises(UserError, match="is a folder"):
        find(tmp_path)
    with pytest.raises(UserError, match=r"no config 'zzzzzz' \('geoforest list configs' lists all"):
        find("zzzzzz")
    monkeypatch.chdir(tmp_path)
    assert find("noise").name == "noise.yaml"


def test_configs_of_the_working_folder_come_first(tmp_path, monkeypatch):
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "noise.yaml").write_text("title: mine\n")
    monkeypatch.chdir(tmp_path)
    assert find("noise").read_text() == "title: mine\n"
    assert known_configs()["connectome"].is_absolute()


def test_a_config_written_out_has_the_cases_that_have_cells(write):
    """A case of values that the profile does not have would be refused where it is read again."""
    two = """cases:
          - {when: {noise: [0, 1.5]}, params: {n_estimators: 3}}
          - {when: {manifold: helix, noise: [1.5]}, params: {n_estimators: 4}}
          - when: {noise: [1.5]}"""
    path = write(("cases:\n          - when: {noise: [1.5]}", two))
    written = write(name="written.yaml")
    written.write_text(written_out(open_config(path, "smoke")))
    whens = [
        case.when
        for case in open_config(written, "paper").config.methods["gf"].variants["recommended"].cases
    ]
    assert whens == [{"noise": (0,)}]
    written.write_text(written_out(open_config(path, "paper")))
    assert open_config(written, "paper").config == open_config(path, "paper").config


def test_a_key_of_the_config_is_changed_before_a_parameter(write):
    path = write()
    named = ["params.seed=3", "seed=7"]
    config = open_config(path, "smoke", named).config
    assert (config.seed, config.params["seed"]) == (7, 3)
    with pytest.raises(ConfigError, match=r"unknown key 'n'; did you mean 'params\.n'"):
        open_config(path, "smoke", ["n=100"])
    with pytest.raises(ConfigError, match=r"unknown key 'noise'; did you mean 'grid\.noise'"):
        open_config(path, "smoke", ["noise=[2]"])
