"""Files that a run leaves in its folder: figures, tables, claims, and what says which ones."""

import json
import math
import shutil
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.claims.outcome import STATES
from geoforest_cli.study.plan import load
from geoforest_cli.study.report.render import render, with_missing
from geoforest_cli.study.report.site.build import pages
from geoforest_cli.study.report.site.runs import read
from geoforest_cli.study.results.record import read_record
from geoforest_cli.study.results.result import results
from tests.study.report import synthetic
from tests.study.report.sites import facts
from tests.study.results.edits import edit_record

mpl.use("Agg")
OPTIONS = {"x": "noise_dims", "y": ["precision"], "where": {"manifold": ["helix"]}}
PLAN = load("noise", "smoke", ["grid.manifold=helix", "claims=[]", "published=[]"])
PLAN = replace(PLAN, config=PLAN.config.model_copy(update={"figure": OPTIONS}))
ROWS = synthetic.rows(PLAN, repetitions=2)
FACTS = facts(PLAN)
CAUTION = "profile smoke: too small to judge the paper"
OTHERS = (
    "figure_for_paper.pptx", "figures.txt", "figure.tex", "figure_mine.svg", "figure_old.v2.svg"
)  # fmt: skip


def with_claims(plan, *wanted):
    claims = [claim for claim in plan.config.claims if claim["id"] in wanted]
    return replace(plan, config=plan.config.model_copy(update={"claims": claims}))


def with_overrides(plan):
    origins = facts(plan)
    return {**origins, "config": {**origins["config"], "overrides": plan.overrides}}


def with_figures(plan=PLAN, **more):
    return replace(plan, config=plan.config.model_copy(update={"more_figures": more}))


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(PLAN.experiment, "draw", lambda context: Figure(figsize=(0.2, 0.2)))


@pytest.fixture
def folder(tmp_path):
    at = tmp_path / "noise" / "smoke"
    at.mkdir(parents=True)
    return at


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_a_run_leaves_figure_tables_and_claims(whole_results):
    folder = whole_results / "noise" / "paper"
    for name in ("figure.svg", "figure.pdf", "figure.png", "summary.md"):
        assert (folder / name).stat().st_size > 500, name
    record = read_record(folder)
    assert record.caution == ""
    assert {claim.verdict for claim in record.claims} <= set(STATES)
    assert {part for item in record.sentences for part in item.parts} < {
        item.id for item in record.claims
    }
    table = pd.read_csv(folder / "summary.csv").dropna(subset=["published"])
    assert set(table["variant"]) == {"as_run"}
    np.testing.assert_allclose(
        table["difference"],
        table["mean"] - table["published"],
        atol=1e-7,  # each is rounded by itself
    )
    for name in ("figure.svg", "summary.md"):
        assert "too small" not in (folder / name).read_text()


@pytest.mark.parametrize(
    ("profile", "overrides", "caution"),
    [
        ("smoke", [], CAUTION),
        pytest.param(
            "paper",
            ["params.n=60"],
            "changed by --set params.n=60: it does not judge the paper",
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_what_does_not_judge_the_paper_says_so_everywhere(profile, overrides, caution, tmp_path):
    plan = load("noise", profile, ["grid.manifold=helix", "grid.noise_dims=[10, 10000]"])
    plan = with_claims(plan, "euclidean_degrades_fastest", "gf_three_times_chance")
    plan = replace(plan, overrides=overrides, config=plan.config.model_copy(update={"figure": OPTIONS}))  # fmt: skip
    folder = tmp_path / "noise" / plan.size
    folder.mkdir(parents=True)
    rows = synthetic.rows(plan, repetitions=2)
    plan = with_figures(plan, again=OPTIONS)
    record = render(plan, rows, folder, with_overrides(plan))
    assert record.caution == caution
    judged = {
        (item.verdict, item.reason) for item in (*record.claims, *record.sentences) if item.reason
    }
    assert judged == {("not judged", caution)}
    assert len(record.claims) == 2
    assert read_record(folder).judged.caution == caution
    assert f"{plan.config.title} ({caution})" in (folder / "summary.md").read_text()
    for name in ("figure.svg", "figure_again.svg"):
        assert (folder / name).read_text().count(caution) == 1
    assert pd.read_csv(folder / "summary.csv")["published"].isna().all() == (profile == "smoke")
    page = pages(read(tmp_path))[folder.relative_to(tmp_path).parent.parent / "runs" / "noise" / plan.size / "index.html"]  # fmt: skip
    assert f"{caution.capitalize()}. Verdicts and deviations below say nothing" in page
    assert f": {caution}</h2>" in page


def test_equal_rows_give_equal_bytes(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        render(PLAN, ROWS, tmp_path / name, FACTS)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


@pytest.mark.usefixtures("quick")
def test_missing_and_failed_cells_are_told(folder):
    plan = with_claims(load("noise", "smoke", ["grid.manifold=helix"]), "gf_three_times_chance")
    bad = ROWS.iloc[[0]].assign(metric="", value=math.nan, status="timeout", cell="bad")
    done = ROWS[ROWS["repetition"] == 0]
    record = render(plan, pd.concat([done, bad], ignore_index=True), folder, FACTS)
    assert [claim.verdict for claim in record.claims] == ["not judged"]
    [claim] = render(plan, ROWS.iloc[:0], folder, FACTS).claims
    assert (claim.verdict, claim.preliminary) == ("not judged", None)
    assert not (folder / "figure.svg").exists()


def test_a_cell_without_a_row_is_a_missing_row():
    cells = [entry.cell.key for entry in PLAN.entries]
    frame = ROWS[ROWS["cell"].isin(cells[:5])]
    whole = with_missing(PLAN, frame)
    assert whole.iloc[: len(frame)]["value"].tolist() == frame["value"].tolist()
    added = whole.iloc[len(frame) :]
    assert added["cell"].tolist() == [key for key in cells if key not in cells[:5]]
    assert set(added["status"]) == {"missing"}
    assert added["value"].isna().all()


@pytest.mark.usefixtures("quick")
def test_a_method_whose_package_is_missing_is_the_reason(folder):
    plan = load("noise", "paper", ["grid.manifold=helix", "grid.noise_dims=[10, 10000]"])
    plan = with_claims(plan, "umap_at_chance", "gf_three_times_chance")
    lacking = {"umap": "umap needs the package umap-learn"}
    rows = synthetic.rows(plan, repetitions=5)
    kept = rows[rows["method"] != "umap"]
    record = render(replace(plan.without(lacking), overrides=()), kept, folder, FACTS, lacking)
    reason = "umap was left out: umap needs the package umap-learn"
    assert record.judged.claim("umap_at_chance").verdict == "not judged"
    assert record.judged.claim("umap_at_chance").reason == reason
    assert record.judged.claim("gf_three_times_chance").reason != reason


@pytest.mark.nightly
@pytest.mark.usefixtures("quick")
def test_only_figures_of_the_last_run_are_removed(folder):
    for name in OTHERS:
        (folder / name).write_text("mine")
    listed = list(render(with_figures(one=OPTIONS, two=OPTIONS), ROWS, folder, FACTS).figures)
    assert listed == ["figure", "figure_one", "figure_two"]
    assert list(results(folder).figures) == listed
    assert [path.stem for path in read(folder.parents[1])[0].figures] == listed
    assert {"figure_one.svg", "figure_two.pdf"} <= names(folder)
    render(with_figures(two=OPTIONS), ROWS, folder, FACTS)
    assert {name for name in names(folder) if name.startswith("figure")} - set(OTHERS) == {
        f"{stem}.{kind}" for stem in ("figure", "figure_two") for kind in ("svg", "pdf", "png")
    }
    render(PLAN, ROWS.iloc[:0], folder, FACTS)
    assert not {"figure.svg", "figure_two.svg"} & names(folder)
    assert all((folder / name).read_text() == "mine" for name in OTHERS)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("listed", ['["../../victim"]', '["victim"]', '"victim"', "[7]"])
def test_a_list_that_is_not_ours_removes_nothing(folder, listed):
    for target in (folder, folder.parent.parent):
        (target / "victim.svg").write_text("mine")
    render(PLAN, ROWS, folder, FACTS)
    edit_record(folder, lambda content: content.update(figures=json.loads(listed)))
    render(PLAN, ROWS, folder, FACTS)
    assert (folder / "victim.svg").exists()
    assert (folder.parent.parent / "victim.svg").exists()


def test_a_figure_without_rows_is_a_warning_others_are_drawn(folder):
    nowhere = OPTIONS | {"where": {"manifold": ["nowhere"]}}
    (folder / "figure_empty.svg").write_text("old")
    with pytest.warns(UserWarning, match="noise: figure_empty is not drawn: there are no rows"):
        render(with_figures(empty=nowhere), ROWS, folder, FACTS)
    assert {"figure.svg"} <= names(folder)
    assert "figure_empty.svg" not in names(folder)


WRITTEN = ("record.json", "rows.parquet", "summary.csv")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Results with everything, claims and provenance too."""
    folder = tmp_path_factory.mktemp("whole") / "noise" / "smoke"
    folder.mkdir(parents=True)
    plan = load("noise", "smoke", ["grid.manifold=helix"])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plan.experiment, "draw", lambda context: Figure(figsize=(0.2, 0.2)))
        render(plan, ROWS, folder, FACTS)
    return folder


def damages(text):
    yield from (text[: len(text) * part // 10] for part in (0, 5, 9))
    yield from (b"\xff\xfe\x00", b"null", b"[7]", b"{}", b'{"a": [1, {}]}', b"[[1], {}]")
    yield text.replace(b":", b": [", 1)


@pytest.mark.nightly
@pytest.mark.parametrize("name", WRITTEN)
def test_a_damaged_file_is_named_in_a_sentence(whole, tmp_path, name):
    """Reading either works or says which file is damaged; nothing else may happen."""
    folder = tmp_path / "noise" / "smoke"
    sentences = []
    for damage in damages((whole / name).read_bytes()):
        shutil.copytree(whole, folder, dirs_exist_ok=True)
        (folder / name).write_bytes(damage)
        for attempt in (lambda: pages(read(tmp_path)), lambda: results(folder)):
            try:
                attempt()
            except UserError as error:
                sentences.append(str(error))
    assert len(sentences) >= 4
    for sentence in sentences:
        assert sentence.startswith(f"{folder / name} is damaged"), sentence
        assert "geoforest" in sentence
        assert "\n" not in sentence
