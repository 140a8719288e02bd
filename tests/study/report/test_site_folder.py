"""The folder of a site: what is written, replaced and refused."""

import pytest
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.report import site


def files_below(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_equal_results_give_equal_bytes(whole_results, whole_site, tmp_path):
    again = site.write(whole_results, tmp_path / "again").parent
    contents = [
        {path.relative_to(folder): data for path, data in files_below(folder).items()}
        for folder in (again, whole_site)
    ]
    assert contents[0] == contents[1]


def test_the_command_replaces_an_earlier_site_and_nothing_else(
    whole_results, kept_results, tmp_path
):
    folder = tmp_path / "site"
    site.write(whole_results, folder)
    (folder / "CNAME").write_text("mine")
    result = CliRunner().invoke(cli, ["report", "--results", str(kept_results), "-o", str(folder)])
    assert (result.exit_code, result.stdout) == (0, f"{folder / 'index.html'}\n")
    assert not (folder / "runs" / "noise" / "smoke").exists()
    assert (folder / "CNAME").read_text() == "mine"


def test_a_folder_with_other_things_is_refused(kept_results, tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(UserError, match="holds files that are no site"):
        site.write(kept_results, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_no_results_are_an_empty_site(tmp_path):
    folder = site.write(tmp_path, tmp_path / "site").parent
    assert "There are no results here yet." in (folder / "index.html").read_text()
    assert "There are no claims here yet." in (folder / "claims.html").read_text()
    with pytest.raises(UserError, match="there is no folder"):
        site.write(tmp_path / "nowhere", tmp_path / "site")
