"""What a run leaves in its folder, beside what others have put there."""

import json
import shutil
from dataclasses import replace

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.plan import load
from geoforest_cli.study.report.render import render
from geoforest_cli.study.report.site.build import pages
from geoforest_cli.study.report.site.runs import read
from geoforest_cli.study.results import results
from tests.study.report import synthetic

mpl.use("Agg")
PLAN = load("noise", "smoke", ["grid.manifold=helix", "claims=[]", "published=[]"])
ROWS = synthetic.rows(PLAN, repetitions=2)
OPTIONS = {"x": "noise_dims", "y": ["precision"], "where": {"manifold": ["helix"]}}
OTHERS = (
    "figure_for_paper.pptx", "figures.txt", "figure.tex", "figure_mine.svg", "figure_old.v2.svg"
)  # fmt: skip


def with_figures(**more):
    return replace(PLAN, config=PLAN.config.model_copy(update={"more_figures": more}))


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(PLAN.experiment, "draw", lambda context: Figure(figsize=(0.2, 0.2)))


@pytest.fixture
def folder(tmp_path):
    at = tmp_path / "noise" / "smoke"
    at.mkdir(parents=True)
    return at


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_the_files_and_folders_of_others_stay(folder):
    for name in OTHERS:
        (folder / name).write_text("mine")
    (folder / "figures.old").mkdir()
    render(with_figures(one=OPTIONS), ROWS, folder)
    render(with_figures(), ROWS, folder)
    render(PLAN, ROWS.iloc[:0], folder)
    assert {*OTHERS, "figures.old"} <= names(folder)
    assert all((folder / name).read_text() == "mine" for name in OTHERS)
    assert not {"figure.svg", "figure_one.svg"} & names(folder)


def test_what_the_last_run_has_drawn_and_this_one_has_not_goes(folder):
    render(with_figures(one=OPTIONS, two=OPTIONS), ROWS, folder)
    listed = json.loads((folder / "report.json").read_text())["figures"]
    assert listed == ["figure", "figure_one", "figure_two"]
    assert {"figure_one.svg", "figure_two.pdf"} <= names(folder)
    render(with_figures(two=OPTIONS), ROWS, folder)
    assert {name for name in names(folder) if name.startswith("figure")} == {
        f"{stem}.{kind}" for stem in ("figure", "figure_two") for kind in ("svg", "pdf", "png")
    }


@pytest.mark.parametrize("listed", ['["../../victim"]', '["victim"]', '"victim"', "[7]", "{", ""])
def test_a_list_that_is_not_ours_removes_nothing(folder, listed):
    for place in (folder, folder.parent.parent):
        (place / "victim.svg").write_text("mine")
    (folder / "report.json").write_text(f'{{"figures": {listed}}}' if listed else "{")
    render(PLAN, ROWS, folder)
    assert (folder / "victim.svg").exists()
    assert (folder.parent.parent / "victim.svg").exists()


def test_site_and_results_show_the_figures_of_the_run_alone(folder):
    render(with_figures(one=OPTIONS), ROWS, folder)
    (folder / "figure_mine.svg").write_text("<svg><script>alert(1)</script></svg>")
    ROWS.to_parquet(folder / "rows.parquet")
    assert list(results(folder).figures) == ["figure", "figure_one"]
    shown = pages(read(folder.parents[1]))
    assert [path.name for path in shown if "figure" in path.name and path.suffix == ".svg"] == [
        "figure.svg", "figure_one.svg"
    ]  # fmt: skip


WRITTEN = ("claims.json", "report.json", "provenance.json", "rows.parquet", "summary.csv", "figure.svg")  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Results with everything, claims and provenance too."""
    folder = tmp_path_factory.mktemp("whole") / "noise" / "smoke"
    folder.mkdir(parents=True)
    plan = load("noise", "smoke", ["grid.manifold=helix"])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plan.experiment, "draw", lambda context: Figure(figsize=(0.2, 0.2)))
        render(plan, ROWS, folder)
    ROWS.to_parquet(folder / "rows.parquet")
    origin = {"first": "2020-01-01", "last": "2020-01-02", "records": 1}
    made = {"differ": [], "origins": [origin]}
    (folder / "provenance.json").write_text(json.dumps({"made": made}))
    pages(read(folder.parents[1]))
    return folder


def damages(text):
    yield from (text[: len(text) * part // 10] for part in (0, 1, 5, 9))
    yield from (b"\xff\xfe\x00", b"null", b"7", b"[7]", b"{}", b'{"a": [1, {}]}', b"[[1], {}]")
    yield text.replace(b'"', b"'")
    yield text.replace(b":", b": [", 1)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_damaged_file_is_named_in_a_sentence(whole, tmp_path, name):
    """Reading either works or says which file is damaged; nothing else may happen."""
    folder = tmp_path / "noise" / "smoke"
    told = []
    for damage in damages((whole / name).read_bytes()):
        shutil.copytree(whole, folder, dirs_exist_ok=True)
        (folder / name).write_bytes(damage)
        for attempt in (lambda: pages(read(tmp_path)), lambda: results(folder)):
            try:
                attempt()
            except UserError as error:
                told.append(str(error))
    assert len(told) >= 4
    for sentence in told:
        assert sentence.startswith(f"{folder / name} is damaged"), sentence
        assert "geoforest" in sentence
        assert "\n" not in sentence


def test_values_of_a_wrong_kind_are_named(whole, tmp_path):
    folder = tmp_path / "noise" / "smoke"
    shutil.copytree(whole, folder)
    claims = json.loads((folder / "claims.json").read_text())
    for change in (
        {"estimate": "large"},
        {"points": [{}, {}]},
        {"quantifier": "some"},
        {"verdict": "perhaps"},
        {"print": {"answer": "yes"}},
        {"allowed": []},
    ):
        (folder / "claims.json").write_text(json.dumps([{**claims[0], **change}, *claims[1:]]))
        with pytest.raises(UserError, match=r"claims\.json is damaged or of another version"):
            read(tmp_path)
    del claims[0]["says"]
    (folder / "claims.json").write_text(json.dumps(claims))
    with pytest.raises(UserError, match="'says' is missing"):
        results(folder)


def test_what_is_damaged_is_written_again(whole, tmp_path):
    folder = tmp_path / "noise" / "smoke"
    shutil.copytree(whole, folder)
    for name in ("report.json", "claims.json"):
        (folder / name).write_text("{")
    render(PLAN, ROWS, folder)
    assert results(folder).name == "noise"
