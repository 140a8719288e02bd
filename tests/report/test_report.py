"""Figures, tables, claims and the page from hand-made rows."""

import json
import math

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from markupsafe import escape

from geoforest_cli import config, report
from geoforest_cli.report import curves, html, published, style, tables
from geoforest_cli.report.context import Context

mpl.use("Agg")
PLAN = config.load("noise")
GRID = ["manifold", "noise_dims", "k"]


def mock(plan=PLAN, repetitions=3):
    """Rows for every cell of a plan, from a seeded generator."""
    rng = np.random.default_rng(0)
    rows = []
    for cell in plan.cells:
        if cell.repetition >= repetitions:
            continue
        common = {
            **cell.point, "k": 50, "method": cell.method, "variant": cell.variant,
            "repetition": cell.repetition, "status": "ok", "cell": cell.key,
        }  # fmt: skip
        value = 0.9 / (1 + math.log1p(cell.point["noise_dims"])) + 0.01 * rng.normal()
        for metric, v in (("precision", value), ("recall", value), ("chance", 0.05)):
            rows.append({**common, "metric": metric, "value": v})
    columns = [*GRID, "method", "variant", "repetition", "metric", "value", "status", "cell"]
    return pd.DataFrame(rows)[columns]


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "noise"
    folder.mkdir()
    return folder, report.render(PLAN, mock(), folder)


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
        assert claim["verdict"] in {"reproduced", "not reproduced", "inconclusive"}


def test_equal_rows_give_equal_bytes(rendered, tmp_path):
    folder, _ = rendered
    report.render(PLAN, mock(), tmp_path)
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
        with_published["difference"], with_published["mean"] - with_published["published"]
    )
    assert "published" in (folder / "summary.md").read_text()
    assert r"\begin{tabular}" in (folder / "summary.tex").read_text()


def test_missing_and_failed_cells_are_told(tmp_path):
    frame = mock(repetitions=2)
    bad = frame.iloc[[0]].assign(metric="", value=math.nan, status="timeout", k=None, cell="bad")
    report.render(PLAN, pd.concat([frame, bad], ignore_index=True), tmp_path)
    about = json.loads((tmp_path / "report.json").read_text())
    assert {row["status"] for row in about["failed"]} >= {"timeout", "missing"}
    claim = json.loads((tmp_path / "claims.json").read_text())[0]
    assert claim["verdict"] == "inconclusive"


def test_no_rows_no_figure(tmp_path):
    (tmp_path / "figure.svg").write_text("old")
    found = report.render(PLAN, mock().iloc[:0], tmp_path)
    assert not (tmp_path / "figure.svg").exists()
    assert all(claim["verdict"] == "inconclusive" for claim in found)


def test_a_smaller_profile_is_not_measured_against_the_paper(tmp_path):
    smoke = config.load("noise", "smoke")
    frame = mock(smoke, repetitions=2).assign(k=10)
    found = report.render(smoke, frame, tmp_path)
    assert pd.read_csv(tmp_path / "summary.csv")["published"].isna().all()
    assert all(claim["note"].startswith("Profile smoke") for claim in found)
    assert "published" not in (tmp_path / "figure.svg").read_text()


def test_the_page_holds_every_folder_and_escapes_text(rendered):
    folder, found = rendered
    page = html.page(folder.parent)
    assert "<svg" in page
    for claim in found:
        assert escape(claim["says"])[:40] in page
    assert "<script" not in page
    empty = html.page(folder / "nowhere") if (folder / "nowhere").exists() else None
    assert empty is None


def test_the_report_command(rendered, tmp_path):
    from click.testing import CliRunner

    from geoforest_cli.cli.main import cli

    folder, _ = rendered
    target = tmp_path / "page.html"
    done = CliRunner().invoke(cli, ["report", "--results", str(folder.parent), "-o", str(target)])
    assert done.exit_code == 0, done.output
    assert target.read_text().count("<svg") == 1


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
    with pytest.raises(ValueError, match="no numeric grid parameter"):
        curves.default(text)


def test_a_method_looks_the_same_everywhere():
    alone = style.looks({"umap": "umap"})
    among = style.looks({"gf": "geodesic_forest", "umap": "umap", "mine": "mine"})
    assert alone["umap"] == among["umap"]
    assert len({look.color for look in among.values()}) == 3
    assert style.variant_dashes("as_run") != style.variant_dashes("as_written")
    style.variant_dashes("something_else")


def test_labels_of_numbers():
    assert curves.compact(1500) == "1.5k"
    assert curves.compact("helix") == "helix"
    lines = tables.summary(mock(), published.load(PLAN.config.published))
    assert len(lines) == len(lines.drop_duplicates([*GRID, "method", "variant", "metric"]))


def test_methods_of_one_config_have_colours_of_their_own():
    names = {f"method_{i}": f"method_{i}" for i in range(6)}
    found = style.looks(names)
    assert len({look.color for look in found.values()}) == 6
