"""Names that would leave their folder, or that no table can hold, are refused with their place."""

import pytest
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.config.loading import open_config

TEXT = "title: t\nextends: noise\n"
AWAY = ["../x", "/etc/x", "a b", "a.b", "", "é", "x\n", "=1+1", "a" * 101]


def write(folder, text, name="mine.yaml"):
    path = folder / name
    path.write_text(text)
    return path


def quoted(name):
    return '"' + name.replace("\n", "\\n") + '"'


@pytest.mark.parametrize("name", AWAY)
@pytest.mark.parametrize(
    ("section", "what"), [("more_figures", "figure"), ("profiles", "profile")]
)  # fmt: skip
def test_figures_and_profiles(tmp_path, section, what, name):
    path = write(tmp_path, f"{TEXT}{section}:\n  {quoted(name)}: {{}}\n")
    with pytest.raises(UserError) as caught:
        open_config(path, "smoke")
    assert str(caught.value).startswith(f"{path}:4:3: the name of a {what} is letters A to Z")
    assert str(caught.value).endswith(f"not {name!r}")


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "@x", "-x", "a|b", "a\x1b[2J", "a\nb", ""])
def test_methods(tmp_path, name):
    text = f"{TEXT}methods:\n  {quoted(name)}: {{use: euclidean, variants: {{as_written: {{}}}}}}\n"
    path = write(tmp_path, text.replace("\x1b", "\\x1b"))
    with pytest.raises(UserError, match="the name of a method is letters A to Z") as caught:
        open_config(path, "smoke")
    assert f"{path}:4:3: " in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_profile_and_an_override_cannot_bring_one_in(tmp_path):
    path = write(tmp_path, f"{TEXT}profiles:\n  smoke:\n    more_figures:\n      ../x: {{}}\n")
    with pytest.raises(UserError, match=r"mine\.yaml:6:7: the name of a figure"):
        open_config(path, "smoke")
    open_config(path, "paper")
    with pytest.raises(UserError, match="name of a figure"):
        open_config("noise", "smoke", ["more_figures.a/b={x: k, y: [precision]}"])
    with pytest.raises(UserError, match="name of a figure"):
        open_config("noise", "smoke", ["more_figures={../a: {}}"])


@pytest.mark.parametrize("name", ["...yaml", "a b.yaml"])
def test_the_file_itself(tmp_path, name):
    folder = tmp_path / "configs"
    folder.mkdir()
    path = write(folder, TEXT, name)
    for verb in ("run", "check", "show", "figure"):
        words = [verb, str(path), *(["--results", str(tmp_path / "r")] if verb == "run" else [])]
        done = CliRunner().invoke(cli, words)
        output = f"{done.exception} {done.output}"
        assert done.exit_code != 0
        assert f"the name of a config, here {path.stem!r}, names its folder of results" in output
    assert [path.name for path in tmp_path.iterdir()] == ["configs"]
