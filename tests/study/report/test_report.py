"""Figures, tables, claims and the site from hand-made rows."""

import json
import math
import re
import shutil
from collections import Counter
from dataclasses import replace
from functools import cache

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from markupsafe import escape

from geoforest_cli.cli.main import cli
from geoforest_cli.core import plot_style as style
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.claims.outcome import STATES
from geoforest_cli.study.figures import curves
from geoforest_cli.study.figures.context import Context, NothingToDraw
from geoforest_cli.study.figures.numbers import claims_text
from geoforest_cli.study.plan import load
from geoforest_cli.study.report import published, tables
from geoforest_cli.study.report.render import render
from geoforest_cli.study.report.site.build import pages
from geoforest_cli.study.report.site.runs import read

mpl.use("Agg")
PLAN = load("noise")
GRID = ["manifold", "noise_dims", "k"]


def mock(plan=PLAN, repetitions=3):
    """Rows at every place of a plan, from a seeded generator."""
    return _mock(repetitions) if plan is PLAN else _drawn(plan, repetitions)


@cache
def _mock(repetitions):
    return _drawn(PLAN, repetitions)


def _drawn(plan, repetitions):
    rng = np.random.default_rng(0)
    rows = []
    for place in plan.entries:
        if place.repetition >= repetitions:
            continue
        common = {
            **place.point, "k": 50, "method": place.method, "variant": place.variant,
            "repetition": place.repetition, "status": "ok", "cell": place.cell.key,
        }  # fmt: skip
        value = 0.9 / (1 + math.log1p(place.point["noise_dims"])) + 0.01 * rng.normal()
        for metric, v in (("precision", value), ("recall", value), ("chance", 0.05)):
            rows.append({**common, "metric": metric, "value": v})
    columns = [*GRID, "method", "variant", "repetition", "metric", "value", "status", "cell"]
    return pd.DataFrame(rows)[columns]


def plainly(plan):
    """The plan with a figure of one panel, for what is not about the figure."""
    figure = {"x": "noise_dims", "y": ["precision"], "where": {"manifold": "helix"}}
    return replace(plan, config=plan.config.model_copy(update={"figure": figure}))


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "noise" / "paper"
    folder.mkdir(parents=True)
    return folder, render(PLAN, mock(), folder)


def test_a_run_leaves_figure_tables_and_claims(rendered):
    folder, found = rendered
    for name in (
        "figure.svg",
        "figure.pdf",
        "figure.png",
        "summary.csv",
        "summary.md",
        "summary.tex",
    ):
        assert (folder / name).stat().st_size > 500, name
    stored = json.loads((folder / "claims.json").read_text())
    assert [c["id"] for c in stored] == [c["id"] for c in found]
    for claim in stored:
        assert {"id", "says", "where", "verdict", "estimate", "low", "high", "n"} <= set(claim)
        assert claim["verdict"] in STATES
        assert claim["origin"] in {"paper", "ours", "agreement"}


def test_equal_rows_give_equal_bytes(rendered, tmp_path):
    folder, _ = rendered
    render(PLAN, mock(), tmp_path)
    for name in ("figure.svg", "claims.json", "summary.csv", "summary.md", "summary.tex"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def test_the_summary_sets_published_values_beside_ours(rendered):
    folder, _ = rendered
    table = pd.read_csv(folder / "summary.csv")
    assert {"mean", "half", "repetitions", "failed", "published", "difference"} <= set(
        table.columns
    )
    with_published = table.dropna(subset=["published"])
    assert set(with_published["variant"]) == {"as_run"}
    np.testing.assert_allclose(
        with_published["difference"],
        with_published["mean"] - with_published["published"],
        atol=1e-7,  # each is rounded by itself
    )
    assert "published" in (folder / "summary.md").read_text()
    assert r"\begin{tabular}" in (folder / "summary.tex").read_text()


def test_missing_and_failed_cells_are_told(tmp_path):
    frame = mock(repetitions=2)
    bad = frame.iloc[[0]].assign(metric="", value=math.nan, status="timeout", k=None, cell="bad")
    plain = plainly(PLAN)
    config = plain.config.model_copy(update={"claims": plain.config.claims[:1]})
    rows = pd.concat([frame, bad], ignore_index=True)
    render(replace(plain, config=config), rows, tmp_path)
    about = json.loads((tmp_path / "report.json").read_text())
    assert {row["status"] for row in about["failed"]} >= {"timeout", "missing"}
    (claim,) = json.loads((tmp_path / "claims.json").read_text())
    assert claim["verdict"] == "not judged"
    assert "cells failed or are missing" in claim["reason"]


def test_no_rows_no_figure(tmp_path):
    (tmp_path / "figure.svg").write_text("old")
    found = render(PLAN, mock().iloc[:0], tmp_path)
    assert not (tmp_path / "figure.svg").exists()
    assert {claim["verdict"] for claim in found} == {"not judged"}
    assert {claim["preliminary"] for claim in found} == {None}


CAUTION = "profile smoke: too small to judge the paper"


@pytest.fixture(scope="module")
def small(rendered):
    """What a smoke run leaves, beside the paper's."""
    folder = rendered[0].parent / "smoke"
    folder.mkdir()
    plan = plainly(load("noise", "smoke"))
    return folder, render(plan, mock(plan, repetitions=2).assign(k=10), folder)


def test_a_smaller_profile_is_not_measured_against_the_paper(small):
    folder, found = small
    assert pd.read_csv(folder / "summary.csv")["published"].isna().all()
    assert "published" not in (folder / "figure.svg").read_text()
    assert found
    assert {claim["caution"] for claim in found} == {CAUTION}
    assert {claim["verdict"] for claim in found} == {"not judged"}
    assert {claim["reason"] for claim in found} == {CAUTION}
    assert {"refuted", "undecided"} <= {claim["preliminary"] for claim in found}
    assert (folder / "claims.json").read_text() == claims_text(found)
    about = json.loads((folder / "report.json").read_text())
    assert (about["profile"], about["caution"]) == ("smoke", CAUTION)


def test_a_smaller_profile_says_so_in_every_title(small):
    folder, _ = small
    title = f"{PLAN.config.title} ({CAUTION})"
    assert title in (folder / "summary.md").read_text()
    assert title in (folder / "summary.tex").read_text()
    assert (folder / "figure.svg").read_text().count(CAUTION) == 1


def test_every_figure_of_a_smaller_profile_carries_the_caution(tmp_path):
    plan = plainly(load("noise", "smoke"))
    more = plan.config.model_copy(update={"more_figures": {"again": dict(plan.config.figure)}})
    render(replace(plan, config=more), mock(plan).assign(k=10), tmp_path)
    for name in ("figure.svg", "figure_again.svg"):
        assert (tmp_path / name).read_text().count(CAUTION) == 1, name


def test_a_changed_config_says_so_too(tmp_path):
    plan = plainly(load("noise", overrides=["params.n=60"]))
    caution = "changed by --set params.n=60: it does not judge the paper"
    folder = tmp_path / "noise" / plan.size
    folder.mkdir(parents=True)
    found = render(plan, mock(plan), folder)
    assert {claim["caution"] for claim in found} == {caution}
    assert {claim["verdict"] for claim in found} == {"not judged"}
    for name in ("summary.md", "summary.tex"):
        assert caution in (folder / name).read_text()
    # an XML comment beside the drawn letters has the text, and cannot hold two hyphens
    assert (folder / "figure.svg").read_text().count(caution.replace("--", "- -")) == 1
    page = site_of(tmp_path)[f"runs/noise/{plan.size}/index.html"]
    assert f"{caution.capitalize()}. Verdicts and differences below say nothing" in page
    assert f'<h2 id="claims">Claims: {caution}</h2>' in page


def test_the_published_size_has_no_caution(rendered):
    folder, found = rendered
    assert {claim["caution"] for claim in found} == {""}
    for name in ("figure.svg", "summary.md", "summary.tex"):
        text = (folder / name).read_text()
        assert "too small" not in text
        assert "does not judge" not in text
    assert f"{PLAN.config.title} (" not in (folder / "summary.md").read_text()


def site_of(results):
    """The pages of a site by their paths."""
    return {path.as_posix(): content for path, content in pages(read(results)).items()}


def test_a_page_holds_its_run_and_escapes_text(rendered):
    folder, found = rendered
    page = site_of(folder.parents[1])["runs/noise/paper/index.html"]
    for claim in found:
        assert escape(re.sub("^(Tested as|Ours): ", "", claim["says"]))[1:40] in page
    assert not re.findall(r"<script(?! src=| type=.application/json.)", page)


def test_profiles_have_pages_of_their_own_the_published_size_first(rendered, small):
    folder, _ = rendered
    runs = read(folder.parents[1])
    assert [(run.profile, run.url) for run in runs] == [
        ("paper", "runs/noise/paper/index.html"), ("smoke", "runs/noise/smoke/index.html")
    ]  # fmt: skip
    found = site_of(folder.parents[1])
    paper, smoke = (found[run.url] for run in runs)
    assert smoke.lower().count(CAUTION) >= 3
    assert CAUTION not in paper.lower()
    assert "those at hand: refuted" in smoke


def test_the_front_page_says_what_became_of_each_paper(rendered):
    folder, found = rendered
    page = site_of(folder.parents[1])["index.html"]
    assert "Paper by paper" in page
    counts = Counter(claim["verdict"] for claim in found if claim["origin"] == "paper")
    said = page[page.index(f"Of {counts.total()} claims") :].split(". Of ")[0]
    assert said.startswith(f"Of {counts.total()} claims about sentences of the paper")
    for state, number in counts.items():
        assert f"{number} {'is' if number == 1 else 'are'} {state}" in said


def test_print_is_held_against_its_own_sentence(rendered):
    """Euclidean distance with ten noise dimensions: in print, too, others have fallen as far."""
    folder, found = rendered
    claim = next(claim for claim in found if claim["id"] == "euclidean_degrades_fastest")
    answer = claim["print"]
    assert (answer["answer"], answer["held"], answer["points"]) == ("refuted", 0, 4)
    page = site_of(folder.parents[1])["runs/noise/paper/index.html"]
    assert "contradict it (at 0 of 4 points)" in page


def test_a_method_whose_package_is_missing_is_the_reason(tmp_path):
    lacking = {"umap": "umap needs the package umap-learn"}
    frame = mock(repetitions=5)
    found = render(
        plainly(PLAN.without(lacking)), frame[frame["method"] != "umap"], tmp_path, lacking
    )
    claims = {claim["id"]: claim for claim in found}
    for name in ("umap_at_chance", "published_umap"):
        assert claims[name]["verdict"] == "not judged"
        assert claims[name]["reason"] == "umap was left out: umap needs the package umap-learn"
    assert claims["published_gf"]["verdict"] != "not judged"


def test_results_of_an_older_version_are_refused_with_the_way_out(rendered, tmp_path):
    folder, _ = rendered
    other = tmp_path / "noise" / "paper"
    shutil.copytree(folder, other)
    old = [{"id": "c", "verdict": "reproduced"}]
    (other / "claims.json").write_text(json.dumps(old))
    with pytest.raises(UserError, match=r"figure noise --profile paper --results .* judges"):
        read(tmp_path)


def test_the_report_command(rendered, tmp_path):
    folder, _ = rendered
    other = tmp_path / "noise" / "paper"
    shutil.copytree(folder, other)
    done = CliRunner().invoke(cli, ["report", "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{tmp_path / 'site' / 'index.html'}\n"
    assert (tmp_path / "site" / "runs" / "noise" / "paper" / "index.html").is_file()


@pytest.mark.parametrize(
    "options",
    [
        {"x": "noise_dims", "y": ("precision",), "columns": "manifold", "rows": "sample"},
        {"x": "noise_dims", "y": ("precision", "recall"), "rows": "metric", "scale": "symlog"},
        {"x": "noise_dims", "y": ("recall",), "x_metric": "precision", "columns": "variant"},
        {"x": "noise_dims", "y": ("precision",), "scale": "linear", "where": {"method": ["gf"]}},
        {"x": "noise_dims", "y": ("precision",), "columns": "method", "chance": None},
    ],
)
def test_curves_of_every_shape(options):
    frame = mock()
    context = Context(frame, published.load(PLAN.config.published), PLAN.config)
    with style.style():
        figure = curves.draw(context, curves.Curves(**options))
    assert figure.axes
    assert any(axes.lines for axes in figure.axes)


def test_default_figure_and_what_cannot_be_drawn():
    context = Context(mock(), published.load(()), PLAN.config)
    chosen = curves.default(context)
    assert chosen.x == "noise_dims"
    assert chosen.columns == "manifold"
    text = Context(mock().drop(columns=["noise_dims", "k"]), published.load(()), PLAN.config)
    # without numbers the values of a text are the axis
    assert curves.default(text).x == "manifold"
    assert curves.draw(text, curves.default(text)).axes
    bare = Context(text.rows.drop(columns=["manifold"]), published.load(()), PLAN.config)
    with pytest.raises(NothingToDraw, match="no grid parameter"):
        curves.default(bare)


def test_a_method_looks_the_same_everywhere():
    alone = style.looks({"umap": "umap"})
    among = style.looks({"gf": "geodesic_forest", "umap": "umap", "mine": "mine"})
    assert alone["umap"] == among["umap"]
    assert len({look.color for look in among.values()}) == 3
    assert style.variant_dashes("as_run") != style.variant_dashes("as_written")
    style.variant_dashes("something_else")


def test_the_summary_has_each_line_once():
    lines = tables.summary(mock(), published.load(PLAN.config.published))
    assert len(lines) == len(lines.drop_duplicates([*GRID, "method", "variant", "metric"]))


def test_methods_of_one_config_have_colours_of_their_own():
    names = {f"method_{i}": f"method_{i}" for i in range(6)}
    found = style.looks(names)
    assert len({look.color for look in found.values()}) == 6


def test_a_figure_without_rows_is_a_warning_and_the_others_are_drawn(tmp_path):
    options = {"x": "noise_dims", "y": ["precision"], "where": {"manifold": ["nowhere"]}}
    plain = plainly(PLAN)
    config = plain.config.model_copy(update={"more_figures": {"empty": options}})
    (tmp_path / "figure_empty.svg").write_text("old")
    with pytest.warns(UserWarning, match="noise: figure_empty is not drawn"):
        render(replace(plain, config=config), mock(), tmp_path)
    assert sorted(path.name for path in tmp_path.glob("figure*")) == [
        "figure.pdf", "figure.png", "figure.svg"
    ]  # fmt: skip


def test_a_figure_whose_filters_leave_nothing_says_so():
    context = Context(mock(), published.load(()), PLAN.config)
    options = curves.Curves(x="noise_dims", y=("precision",), where={"manifold": ["nowhere"]})
    with pytest.raises(NothingToDraw):
        curves.draw(context, options)


def test_a_figure_without_rows_is_left_out_with_a_note(tmp_path):
    """A box per repetition at a grid value that the small profile does not have."""
    plan = load("smerf_links", "smoke")
    columns = [
        *plan.grid_columns,
        "method",
        "variant",
        "repetition",
        "metric",
        "value",
        "status",
        "cell",
    ]
    rows = [
        {
            **place.point, "test_pairs": pairs, "method": place.method, "variant": place.variant,
            "repetition": place.repetition, "metric": "auc_roc", "value": 0.5, "status": "ok",
            "cell": place.cell.key,
        }
        for place in plan.entries
        for pairs in ("any", "both")
    ]  # fmt: skip
    (tmp_path / "figure_nips_at_one_half.svg").write_text("old")
    with pytest.warns(UserWarning, match="figure_nips_at_one_half is not drawn: there are no rows"):
        render(plan, pd.DataFrame(rows)[columns], tmp_path)
    assert (tmp_path / "figure.svg").exists()
    assert not (tmp_path / "figure_nips_at_one_half.svg").exists()
