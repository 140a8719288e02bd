"""Pages that are generated are those that the commands would write, and lead somewhere."""

import io
import re
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from click.testing import CliRunner
from PIL import Image
from scipy import stats

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.report.site import overview, picture
from geoforest_cli.study.report.site.leaderboard import standings
from geoforest_cli.study.report.site.runs import read_run
from geoforest_cli.study.results.record import RunRecord, write_record
from tools.docs import __main__ as written
from tools.docs import absent, changed, leaderboard, outcome, own_tables, regret, screens
from tools.docs.blocks import markers, missing_note, replace_block, summary

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.nightly
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
PAGES = ["README.md", "llms.txt", "CONTRIBUTING.md", *(f"docs/{name}" for name in DOCS)]


@pytest.mark.parametrize(
    ("page", "name", "block"),
    [
        ("README.md", "outcome", outcome.block),
        ("docs/choosing.md", "regret", regret.block),
        ("docs/choosing.md", "own tables", own_tables.block),
        ("docs/choosing.md", "leaderboard", leaderboard.block),
        ("docs/screening.md", "rows needed", screens.block),
        ("docs/verdicts.md", "absent", absent.block),
    ],
)
def test_pages_have_the_tables_of_the_reference(page, name, block, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = Path(page).read_text(encoding="utf-8")
    assert replace_block(text, name, block(Path("results/reference"))) == text


def test_the_page_of_changes_is_that_of_the_reference(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert changed.page(Path("results/reference")) == Path("docs/expected.md").read_text("utf-8")


def test_four_times_the_repetitions_halve_the_interval():
    claim = SimpleNamespace(estimate=1.0, low=-1.0, high=3.0, n=25, allowed=(0.0, None))
    assert changed.repetitions_to_decide(claim) == 100


def test_beyond_its_bound_an_interval_waits_for_the_p():
    p = {"p_support": stats.norm.sf(stats.norm.isf(0.025) / 2), "p_refute": 1.0}
    claim = SimpleNamespace(estimate=1.0, low=0.5, high=1.5, n=25, allowed=(0.0, None), **p)
    assert changed.repetitions_to_decide(claim) == 100


def test_the_default_misses_more_tables_than_shapes():
    cells = regret.regrets(kept_summary("noise_kinds"))[regret.DEFAULT]
    shapes = cells.index.get_level_values("data").str.startswith("random_")
    counts = shapes.sum(), (~shapes).sum()
    within = [
        f"{(cells[part] <= 0.02).mean():.0%}".replace("%", " %") for part in (shapes, ~shapes)
    ]
    page = " ".join((ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").split())
    assert "({} cells and {}):".format(*counts) in page
    whole = f"{100 * (cells <= 0.02).mean():.0f} % of {len(cells)} test cells, {cells.max():.2f}"
    assert f"{whole} behind at worst".replace(" 0.", " .") in page
    assert "{} of the cells of shapes and {} of those of tables".format(*within) in page


def test_what_the_default_misses_of_the_choosing_half():
    cells = regret.regrets(kept_summary("noise_kinds_choosing"))[regret.DEFAULT]
    missed = cells[cells > 0.02].groupby("data").max()
    page = " ".join((ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").split())
    counts = f"Of the {len(cells)} cells", f"it misses {(cells > 0.02).sum()}: parity among factors"
    assert all(count in page for count in counts)
    worst = short(missed[["parity", "sphere10", "helix", "torus"]]).split(", ")
    assert "factors by {}, spheres in ten and five dimensions by .04 to {}, ".format(*worst) in page
    assert worst[2] == worst[3]


def test_what_a_transform_of_all_columns_costs_the_default():
    rows = kept_summary("noise_kinds_choosing").query(
        "method == 'adaptive' and metric == 'precision' and n == 500"
        " and noise_dims == 30 and noise_kind == 'normal'"
    )
    means = rows.pivot(index="data", columns="transform", values="mean")
    change = means.sub(means["none"], axis=0)
    small = change.abs().max(axis=1).round(2) <= 0.08
    page = " ".join((ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").split())
    assert f"by at most .08 on {small.sum()} of {len(small)} shapes" in page
    assert (
        "from {} to {}: stand".format(*short(means.loc["torus", ["none", "units"]]).split(", "))
        in page
    )
    costs = short(-change.loc[["branching_tree", "trefoil", "parity"], "cube"]).split(", ")
    assert (
        "{} of precision on the branching tree, {} on the trefoil and {} on".format(*costs) in page
    )


def kept_summary(name):
    return summary(ROOT / "results" / "reference", name)


def test_pages_say_how_often_the_screen_has_failed():
    rows = pd.read_parquet(ROOT / "results" / "reference" / "noise_screened" / "rows.parquet")
    lost = rows.query("metric == 'lost' and noise_dims > 0 and method == 'euclidean_screened'")
    failures = lost.value[lost.value > 0.01]
    tables = f"in {len(failures)} of {{}}{len(lost)} tables"
    span = f"{short([failures.min()])} to {short([failures.max()])} of"
    for name, words in {
        "choosing": (tables.format("the ") + " with noise", f"{span} the precision was lost"),
        "screening": (tables.format(""), f"lost {span} its precision"),
    }.items():
        page = " ".join((ROOT / "docs" / f"{name}.md").read_text("utf-8").split()).lower()
        assert all(sentence in page for sentence in words)


def test_choosing_says_what_the_screen_has_saved():
    page = " ".join((ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").split())
    rows = kept_summary("noise_screened")
    rows = rows[(rows.metric == "precision") & (rows.noise_dims == 10_000)]
    raw = rows[rows["rescale"] == "none"].set_index("method")
    rows = kept_summary("noise").query("metric == 'precision' and k == 50 and noise_dims == 10_000")
    gf = rows[rows["method"] == "gf"].set_index("variant")
    for words, means in {
        "precision at 50 of": raw.loc["euclidean_screened", "mean"],
        "our Geodesic Forest has": raw.loc["gf", "mean"],
        "on samples as the text describes them it has": gf.loc["recommended", "mean"],
        "The published forest has": gf.loc["as_run", "published"],
    }.items():
        assert f"{words} {short(means)}" in page


def test_screening_says_what_was_kept():
    page = " ".join((ROOT / "docs" / "screening.md").read_text(encoding="utf-8").split())
    rows = kept_summary("screening")
    rows = rows.set_index(["metric", "method", "manifold", "noise_dims", "n"])["mean"].sort_index()
    pairs, forest = rows["power", "pairs"], rows["power", "forest"]
    shares = [f"{pairs['sphere5', noise, 1000]:.0%}"[:-1] for noise in (10, 100, 1000)]
    assert "pairs keep {} % among 10 noise columns, {} % among 100 and {} %".format(*shares) in page
    assert f"({forest['torus', 100, 1000]:.0%}"[:-1] + " % of its columns with 1000 rows" in page
    rotated = kept_summary("screening_noise").query("rotated and metric == 'power'")
    kept = rotated[rotated.method == "pairs"].set_index(["noise_dims", "manifold"])["mean"]
    shares = [short([kept[10, shape]]) for shape in ("helix", "sphere")]
    assert "pairs keep {} of the columns on the helix and {} on the sphere".format(*shares) in page


def short(numbers) -> str:
    """Two digits each, as a page writes numbers below one."""
    return ", ".join(f"{number:.2f}".removeprefix("0") for number in numbers)


def sentence(key, verdict):
    return {
        "key": key, "quote": "A.", "paraphrase": "", "section": "1", "why": "", "holds": "all",
        "verdict": verdict, "reason": "", "registration": "post hoc", "hangs": False,
        "parts": [], "readings": [],
    }  # fmt: skip


@pytest.fixture
def reference(tmp_path):
    for name, verdicts in (
        ("noise", ["supported", "refuted"]),
        ("torus", ["not judged"]),
        ("mine", []),
    ):
        (tmp_path / name).mkdir()
        sentences = [sentence(f"s{i}", verdict) for i, verdict in enumerate(verdicts)]
        config = {"name": name, "text": ""}
        record = RunRecord(name=name, profile="paper", config=config, sentences=sentences)
        write_record(tmp_path / name, record)
    (tmp_path / "noise" / "summary.csv").write_text(
        "k,method,variant,metric,mean,half,repetitions,undefined,failed,published,difference\n"
        "50,gf,as_run,precision,0.5,,1,0,0,0.75,-0.25\n50,gf,as_written,precision,0.5,,1,0,0,,\n"
    )
    return tmp_path


def test_sentences_are_counted_by_paper_missing_configs_named(reference, monkeypatch):
    lead, _, said, *lines = outcome.block(reference).splitlines()
    compared = "1 published value: median deviation .25, 90th percentile .25"
    assert said == f"{compared}."
    assert re.match(r"Outcome of the 3 configs \(of \d+\) that have been run at", lead)
    assert f"| Geodesic Forests | {compared} | 2: 1 supported, 1 refuted |" in lines
    assert "| Spherelets | none printed | 1: 1 not judged |" in lines
    assert any(line.startswith("All of the 3 sentences are post hoc") for line in lines)
    for rest, words in (
        (["bench_forest"], "all 3 configs at the published size"),
        (["galaxy"], "3 of the 4 configs (all but `galaxy`, which has not run) at"),
    ):
        monkeypatch.setattr(outcome, "known_configs", lambda rest=rest: ["torus", "noise", *rest])
        assert outcome.block(reference).startswith(f"Outcome of {words}")


def test_without_a_reference_there_is_a_sentence(tmp_path):
    assert outcome.block(tmp_path / "nothing").count("\n") == 2
    assert "make reproduce-all" in outcome.block(tmp_path)
    with pytest.raises(UserError, match="has no place for the outcome"):
        replace_block("no marks", "outcome", "new")


def test_the_command_writes_what_has_changed_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    pages = {
        "README.md": {"outcome": outcome.NO_OUTCOME},
        "docs/choosing.md": {
            "regret": missing_note("noise_kinds"),
            "leaderboard": missing_note("leaderboard"),
            "own tables": missing_note("own_tables"),
        },
        "docs/screening.md": {"rows needed": missing_note("screening")},
        "docs/verdicts.md": {"absent": absent.block(tmp_path)},
    }
    for page, blocks in pages.items():
        (tmp_path / page).write_text("a\n" + "b\n".join("".join(markers(name)) for name in blocks))
    first = CliRunner().invoke(written.main)
    assert first.exit_code == 0
    made = [*pages, "docs/expected.md", "docs/findings.md"]
    assert first.output.splitlines() == [f"{page} has been rewritten" for page in made]
    for page, blocks in pages.items():
        parts = (markers(name)[0] + text + markers(name)[1] for name, text in blocks.items())
        assert (tmp_path / page).read_text() == "a\n" + "b\n".join(parts)
    assert CliRunner().invoke(written.main).output == ""


def test_the_picture_shows_what_the_readme_says():
    summaries = {name: kept_summary(name) for name in picture.CONFIGS}
    text = " ".join(README.split())
    sentences = {
        "Geodesic Forest as published": "it has {} as published",
        "the same, computed here": "and {} here",
        "Euclidean distance": "a plain distance {} (chance .05)",
        "Euclidean distance behind the screen": "the plain distance reaches {}.",
    }
    for series in picture.SERIES:
        shown = [picture.values(summaries, series, setting) for setting in picture.SETTINGS]
        assert all(lines.index.tolist() == [0, 10, 100, 1000, 10000] for lines in shown)
        ends = [f([lines.loc[10000] for lines in shown]) for f in (min, max)]
        sentence = sentences.get(series.words, "")
        assert sentence.format(" to ".join(dict.fromkeys(short([end]) for end in ends))) in text
    with Image.open(io.BytesIO(picture.drawn(summaries))) as image:
        assert image.size == Image.open(ROOT / "docs" / "noise.png").size
    assert (ROOT / "docs" / "noise.png").stat().st_size < 100_000


def test_five_findings_of_the_site_hold_each_with_two_numbers():
    reference = ROOT / "results" / "reference"
    runs = {path.parent.name: read_run(path.parent) for path in reference.glob("*/record.json")}
    findings = list(overview.findings(runs))
    assert len({run.name for run, _ in findings}) == 5
    means = kept_summary("noise_screened").query(
        "metric == 'precision' and noise_dims == 10_000 and rescale == 'none'"
    )
    means = means.groupby("method")["mean"].mean()
    plain, screened = (f"{100 * means[name]:.2g} %" for name in ("euclidean", "euclidean_screened"))
    assert f"it finds {plain} in the four settings, and {screened} once" in findings[1][1]


def test_the_leaderboard_ranks_its_methods_shape_by_shape():
    rows = kept_summary("leaderboard").query(
        "metric == 'precision' and n == 300 and noise_kind == 'normal' and method != 'supervised'"
    )
    ranks = {}
    for (shape, _), part in rows.groupby(["manifold", "noise_dims"]):
        order = stats.rankdata(-part["mean"])
        for method, rank in zip(part["method"], order, strict=True):
            ranks.setdefault(method, {}).setdefault(shape, []).append(rank)
    for method, rank, half, _ in standings(kept_summary("leaderboard")):
        values = [sum(parts) / 3 for parts in ranks.pop(method).values()]
        interval = stats.t.interval(0.95, len(values) - 1, rank, stats.sem(values))
        assert (rank, rank + half) == pytest.approx((sum(values) / 14, interval[1]))
    assert ranks == {}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", text):
        assert (ROOT / page).parent.joinpath(link).exists(), link


@pytest.mark.parametrize("page", ["README.md", "llms.txt"])
def test_every_page_of_the_docs_is_named(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert {name for name in DOCS if f"](docs/{name})" not in text} == set()
    assert page != "README.md" or len(text.splitlines()) <= 60
