"""The folder of a site: what is written, replaced and refused."""

import contextlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.report import site
from geoforest_cli.study.report.site.folder import MANIFEST, publish

NAMES = ("a.txt", "b/c.txt", "b/d.txt", "b/e/f.txt", "g/h.txt")


def files_below(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST
    }


def test_equal_results_give_equal_bytes(whole_results, whole_site, tmp_path):
    again = site.write(whole_results, tmp_path / "again").parent
    assert files_below(again) == files_below(whole_site)


def test_the_command_replaces_an_earlier_site_and_nothing_else(
    whole_results, kept_results, tmp_path
):
    folder = tmp_path / "site"
    site.write(whole_results, folder)
    (folder / "CNAME").write_text("mine")
    done = CliRunner().invoke(cli, ["report", "--results", str(kept_results), "-o", str(folder)])
    assert (done.exit_code, done.stdout) == (0, f"{folder / 'index.html'}\n")
    assert not (folder / "runs" / "noise" / "smoke").exists()
    assert not (folder / "runs" / "noise" / "paper" / "figure.pdf").exists()
    assert (folder / "CNAME").read_text() == "mine"


def test_a_folder_with_other_things_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(UserError, match="holds files that are no site"):
        publish(tmp_path, {Path("index.html"): ""})
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_no_results_are_an_empty_site(tmp_path):
    folder = site.write(tmp_path, tmp_path / "site").parent
    assert "There are no results here yet." in (folder / "index.html").read_text()
    assert "There are no claims here yet." in (folder / "claims.html").read_text()
    with pytest.raises(UserError, match="there is no folder"):
        site.write(tmp_path / "nowhere", tmp_path / "site")


@pytest.mark.parametrize("listed", ['["../victim", "/victim", "site.json"]', '"victim"', "[7]"])
def test_a_list_that_is_not_ours_removes_nothing(listed, tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    (tmp_path / "victim").write_text("mine")
    (folder / "site.json").write_text(f'{{"files": {listed}}}')
    with contextlib.suppress(UserError):
        publish(folder, {})
    assert (tmp_path / "victim").read_text() == "mine"


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(*[st.sets(st.sampled_from(NAMES))] * 3)
def test_a_folder_holds_the_last_site_and_what_is_no_sites(tmp_path_factory, first, lost, second):
    folder = tmp_path_factory.mktemp("published") / "site"
    publish(folder, {Path(name): "old" for name in first})
    (folder / "mine").mkdir()
    (folder / "mine" / "note").write_text("mine")
    for name in first & lost:
        (folder / name).unlink()
    publish(folder, {Path(name): f"new {name}" for name in second})
    wanted = {name: f"new {name}".encode() for name in second}
    assert files_below(folder) == wanted | {"mine/note": b"mine"}
    assert not [path for path in folder.rglob("*") if path.is_dir() and not any(path.iterdir())]
    assert json.loads((folder / MANIFEST).read_text())["files"] == sorted(second)


def test_a_site_that_was_stopped_leaves_no_file_that_the_next_one_does_not_know(tmp_path):
    folder = tmp_path / "site"
    (tmp_path / "source").write_bytes(b"\x00\xff")
    publish(folder, {Path("old"): "é", Path("a"): b"\x01", Path("c/d"): tmp_path / "source"})
    assert files_below(folder) == {"old": "é".encode(), "a": b"\x01", "c/d": b"\x00\xff"}
    with pytest.raises(OSError, match="no such file"):
        publish(folder, {Path("new"): "2", Path("then"): tmp_path / "no such file"})
    assert {"old", "new"} <= files_below(folder).keys()
    publish(folder, {})
    assert files_below(folder) == {}
