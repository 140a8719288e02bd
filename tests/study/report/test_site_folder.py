"""The files of a site: how it came about, downloads, earlier sites, damaged outcomes."""

import contextlib
import io
import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.report import site
from geoforest_cli.study.report.site import build, pictures
from geoforest_cli.study.report.site.folder import MANIFEST, publish
from geoforest_cli.study.report.site.runs import read
from tests.study.report.sites import KEPT, Page


def test_a_page_says_how_it_came_about(folder):
    text = (folder / "runs/noise/paper/index.html").read_text()
    assert "<code>geoforest run noise</code>" in text
    assert "geodesic_forest.yaml, which it extends" in text
    assert "<dd>c0</dd>" in text
    assert "1.5 minutes of computing" in text
    assert "@article{one, title = {One &amp; &lt;two&gt;}}" in text
    for variant in ("As written", "As run", "Recommended"):
        assert f'<th scope="col">{variant}</th>' in text
    assert "criterion: fast_bic_legacy" in text


def test_downloads_are_those_that_are_there(whole_site, kept_site):
    for folder, more in (
        (whole_site, {"figure.pdf", "summary.tex", "summary.md"}),
        (kept_site, set()),
    ):
        page = folder / "runs" / "noise" / "paper" / "index.html"
        links = {
            link for link in Page(page.read_text()).links if "/" not in link and "#" not in link
        }
        numbers = {"figure.csv"} if more else {"noise.csv"}
        assert links - {"figure.svg", "noise.svg"} == {*KEPT, *more, *numbers}


def test_a_large_drawing_is_shown_as_pixels_and_offered_whole(whole_results, monkeypatch):
    monkeypatch.setattr(pictures, "_LARGE", 0)
    (run,) = (run for run in read(whole_results) if run.name == "leaderboard")
    files = build.pages([run])
    folder = run.path.parent
    page = Page(files[run.path])
    assert any(one["src"].endswith("leaderboard/smoke/figure.png") for one in page.images)
    assert {"figure.svg", "figure.pdf"} <= set(page.links)
    assert "figure.png" not in page.links
    with Image.open(io.BytesIO(files[folder / "figure.png"])) as shown:
        assert shown.mode == "P"
        assert shown.width <= 1500


def test_the_site_is_small(folder):
    assert sum(path.stat().st_size for path in folder.rglob("*")) < 3_000_000
    for path in folder.rglob("thumbnail.png"):
        with Image.open(path) as image:
            assert image.width <= 320
            assert image.height <= 250


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "1 kB"),
        (1600, "2 kB"),
        (250_400, "250 kB"),
        (1_000_000, "1.0 MB"),
        (2_360_000, "2.4 MB"),
    ],
)
def test_a_download_has_its_size(tmp_path, size, shown):
    (tmp_path / "rows.csv").write_bytes(bytes(size))
    assert build._size(tmp_path / "rows.csv") == shown


def test_a_large_download_is_named_and_not_copied(whole_results, monkeypatch):
    runs = read(whole_results)
    usual = build.pages(runs)
    monkeypatch.setattr(build, "_MAX_DOWNLOAD", 0)
    less = build.pages(runs)
    assert {path for path in usual if path.suffix == ".html"} <= set(less)
    assert set(less) < set(usual)
    assert "too large for this site" in less[runs[0].path]


def test_equal_results_give_equal_bytes(whole_results, whole_site, tmp_path):
    site.write(whole_results, tmp_path / "again")
    names = {path.relative_to(whole_site) for path in whole_site.rglob("*") if path.is_file()}
    assert names == {
        path.relative_to(tmp_path / "again")
        for path in (tmp_path / "again").rglob("*")
        if path.is_file()
    }
    for name in names:
        assert (whole_site / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


def test_an_earlier_site_is_replaced_and_nothing_else(whole_results, kept_results, tmp_path):
    folder = tmp_path / "site"
    site.write(whole_results, folder)
    (folder / "CNAME").write_text("mine")
    site.write(kept_results, folder)
    assert not (folder / "runs" / "noise" / "smoke").exists()
    assert not (folder / "runs" / "noise" / "paper" / "figure.pdf").exists()
    assert (folder / "CNAME").read_text() == "mine"


@pytest.mark.parametrize("listed", ['["../victim", "/victim", "site.json"]', '"victim"', "[7]"])
def test_a_list_that_is_not_ours_removes_nothing(listed, tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    (tmp_path / "victim").write_text("mine")
    (folder / "site.json").write_text(f'{{"files": {listed}}}')
    with contextlib.suppress(UserError):
        publish(folder, {})
    assert (tmp_path / "victim").read_text() == "mine"


def test_a_folder_with_other_things_is_refused(whole_results, tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    done = CliRunner().invoke(cli, ["report", "--results", str(whole_results), "-o", str(tmp_path)])
    assert isinstance(done.exception, UserError)
    assert "holds files that are no site" in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_papers_are_chosen_by_the_names_that_their_claims_have(whole_site):
    claims = (whole_site / "claims.html").read_text("utf-8")
    (papers,) = re.findall(r'<select id="filter-paper".*?</select>', claims)
    offered = set(re.findall(r'<option value="([^"]+)"', papers))
    assert offered == {one["data-paper"] for one in Page(claims).claims}


def test_an_answer_is_counted_for_its_paper(whole_results, kept_results):
    for folder in (whole_results, kept_results):
        answered = [run for run in read(folder) if run.answer]
        assert answered
        assert [run.answer.paper for run in answered] == [run.paper or "ours" for run in answered]


def test_no_results_are_an_empty_site(tmp_path):
    folder = site.write(tmp_path, tmp_path / "site").parent
    assert "There are no results here yet." in (folder / "index.html").read_text()
    assert "There are no claims here yet." in (folder / "claims.html").read_text()
    with pytest.raises(UserError, match="there is no folder"):
        site.write(tmp_path / "nowhere", tmp_path / "site")


def test_a_damaged_outcome_is_named_with_what_writes_it(kept_results, tmp_path):
    for name in (*KEPT, "noise.svg"):
        shutil.copytree(kept_results, tmp_path / name)
        (tmp_path / name / "noise" / name).write_bytes(b"[7]")
        with pytest.raises(
            UserError, match=r"is damaged .*geoforest reference write noise writes it"
        ):
            read(tmp_path / name)


def test_an_outcome_of_a_config_of_ones_own_is_shown(kept_results, tmp_path):
    """Nothing but its files is known: neither its methods nor its axes."""
    folder = tmp_path / "my own & only"
    shutil.copytree(kept_results / "smerf_variance", folder)
    record = json.loads((folder / "provenance.json").read_text())
    record["config"] = {
        "text": "title: Mine <here>\nartifact: Figure 9",
        "overrides": ["params.n=5 6"],
    }
    (folder / "provenance.json").write_text(json.dumps(record))
    found = site.write(tmp_path, tmp_path / "out").parent
    text = (found / "runs" / "my own & only" / "paper" / "index.html").read_text()
    assert "<h1>Mine &lt;here&gt;</h1>" in text
    assert "geoforest run &#39;my own &amp; only&#39; --set &#39;params.n=5 6&#39;" in text
    assert (
        'href="runs/my%20own%20%26%20only/paper/index.html"' in (found / "index.html").read_text()
    )
    claims = (found / "claims.html").read_text()
    (shown,) = {one["data-paper"] for one in Page(claims).claims}
    assert shown == "none"  # and not "", which stands for all papers
    assert '<option value="none">' in claims


NAMES = ("a.txt", "b/c.txt", "b/d.txt", "b/e/f.txt", "g/h.txt")


def files_below(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST
    }


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sets(st.sampled_from(NAMES)),
    st.sets(st.sampled_from(NAMES)),
    st.sets(st.sampled_from(NAMES)),
)
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
    empty = [path for path in folder.rglob("*") if path.is_dir() and not any(path.iterdir())]
    assert not empty
    listed = json.loads((folder / MANIFEST).read_text())["files"]
    assert listed == sorted(second)


def test_what_is_published_is_text_bytes_or_a_file_that_is_copied(tmp_path):
    (tmp_path / "source").write_bytes(b"\x00\xff")
    files = {Path("a"): "é", Path("b"): b"\x01", Path("c/d"): tmp_path / "source"}
    publish(tmp_path / "site", files)
    assert files_below(tmp_path / "site") == {
        "a": "é".encode(), "b": b"\x01", "c/d": b"\x00\xff"
    }  # fmt: skip


def test_a_site_that_was_stopped_leaves_no_file_that_the_next_one_does_not_know(tmp_path):
    folder = tmp_path / "site"
    publish(folder, {Path("old"): "1"})
    with pytest.raises(OSError, match="no such file"):
        publish(folder, {Path("new"): "2", Path("then"): tmp_path / "no such file"})
    assert {"old", "new"} <= files_below(folder).keys()
    publish(folder, {})
    assert files_below(folder) == {}


@pytest.mark.parametrize("size", [(900, 100), (100, 900), (30, 20), (320, 250)])
def test_a_small_picture_fits_its_place_and_is_never_larger_than_its_figure(tmp_path, size):
    Image.new("RGBA", size, (0, 0, 0, 0)).save(tmp_path / "figure.png")
    with Image.open(io.BytesIO(pictures.thumbnail(tmp_path / "figure.svg"))) as small:
        width, height = small.size
        assert small.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    factor = min(320 / size[0], 250 / size[1], 1)
    assert (width, height) == pytest.approx([factor * one for one in size], abs=1)
    assert width <= 320
    assert height <= 250
    (tmp_path / "figure.png").write_bytes(b"none")
    assert pictures.thumbnail(tmp_path / "figure.svg") is None


def test_the_text_of_a_config_that_cannot_be_read_says_nothing(kept_results, tmp_path):
    for name, text in (
        ("one", "title: [a"),
        ("two", "- a"),
        ("three", "title: a\ntitle: b"),
        ("four", ""),
    ):
        folder = tmp_path / name
        shutil.copytree(kept_results / "smerf_variance", folder)
        record = json.loads((folder / "provenance.json").read_text())
        record["config"] = {"text": text}
        (folder / "provenance.json").write_text(json.dumps(record))
    for run in read(tmp_path):
        assert (run.title, run.artifact, run.paper, run.about) == (run.name, "", "", "")


def test_the_paper_of_a_config_may_stand_in_what_it_extends(kept_results, tmp_path):
    for number, (own, parts, paper) in enumerate([
        ("paper: smerf", ["paper: morf"], "smerf"), ("title: a", ["title: b", "paper: morf"], "morf"),
        ("title: a", ["paper: smerf", "paper: morf"], "smerf"), ("title: a", [], ""),
    ]):  # fmt: skip
        folder = tmp_path / str(number)
        shutil.copytree(kept_results / "smerf_variance", folder)
        record = json.loads((folder / "provenance.json").read_text())
        extends = [{"name": "part.yaml", "text": text} for text in parts]
        record["config"] = {"text": own, "extends": extends}
        (folder / "provenance.json").write_text(json.dumps(record))
        assert [run.paper for run in read(tmp_path) if run.name == str(number)] == [paper]


def test_the_main_picture_of_an_outcome_is_first_and_drawings_come_before_pixels(
    kept_results, tmp_path
):
    folder = tmp_path / "zebra"
    shutil.copytree(kept_results / "smerf_variance", folder)
    (folder / "smerf_variance.svg").unlink()
    svg, png = b"<svg viewBox='0 0 1 1'></svg>\n", io.BytesIO()
    Image.new("RGB", (2, 2)).save(png, "PNG")
    for name in ("figure_b", "zebra", "figure_a"):
        (folder / f"{name}.svg").write_bytes(svg)
    for name in ("figure_b", "aside"):
        (folder / f"{name}.png").write_bytes(png.getvalue())
    (run,) = read(tmp_path)
    assert [path.name for path in run.figures.values()] == [
        "zebra.svg", "aside.png", "figure_a.svg", "figure_b.svg"
    ]  # fmt: skip
    for name, content in (("aside.png", png.getvalue()[:-4]), ("zebra.svg", b"<svg>")):
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(content)
        with pytest.raises(UserError, match=rf"{name} is damaged .*it is no whole"):
            read(tmp_path)
        (folder / name).write_bytes(before)


def test_a_page_says_that_its_config_has_changed_where_it_has(whole_results, tmp_path):
    folder = tmp_path / "smerf_variance" / "paper"
    shutil.copytree(whole_results / "smerf_variance" / "paper", folder)
    record = json.loads((folder / "provenance.json").read_text())
    for more, told in (("", False), ("\n# more\n", True)):
        record["config"]["text"] += more
        (folder / "provenance.json").write_text(json.dumps(record))
        (run,) = read(tmp_path)
        assert ("its text has changed since this run" in build.pages([run])[run.path]) == told
