"""Pages that are generated are those that the commands would write, and lead somewhere."""

import importlib.metadata
import io
import json
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from PIL import Image

from geoforest_cli.cli.neighbors import neighbors
from geoforest_cli.core.errors import UserError
from tools.docs import __main__ as written
from tools.docs import commands, leaderboard, outcome, own_tables, picture, screens
from tools.docs.blocks import markers, missing_note, replace_block, summary

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
PAGES = ["README.md", "llms.txt", "CONTRIBUTING.md", *(f"docs/{name}" for name in DOCS)]


def test_the_commands_are_those_of_the_help():
    (pinned,) = re.findall(r"^click==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    if importlib.metadata.version("click") != pinned:
        pytest.skip(f"the page has the layout of click {pinned}")
    CliRunner().invoke(neighbors, ["--help"])  # by itself it has no -h
    assert (ROOT / "docs" / "commands.md").read_text(encoding="utf-8") == commands.page()


def test_every_verb_and_verb_of_a_verb_has_its_part():
    page = commands.page()
    for name in ("run", "neighbors", "classify", "data fetch", "init"):
        assert f"# geoforest {name}\n```\nUsage: geoforest {name} " in page
    assert "--profile TEXT" in page


def test_the_readme_has_the_outcome_of_the_reference(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert replace_block(README, "outcome", outcome.block(Path("results/reference"))) == README


def test_choosing_has_the_tables_of_the_reference(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = Path("docs/choosing.md").read_text(encoding="utf-8")
    reference = Path("results/reference")
    assert replace_block(page, "own tables", own_tables.block(reference)) == page
    assert replace_block(page, "leaderboard", leaderboard.block(reference)) == page
    assert page.count("\n| | 200 | ") == 5


def kept_summary(name):
    return summary(ROOT / "results" / "reference", name)


def test_choosing_says_what_the_screen_has_saved():
    page = " ".join((ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").split())
    rows = kept_summary("noise_screened")
    lost = rows[(rows.metric == "lost") & (rows.noise_dims > 0)]
    lost = lost[lost.method == "euclidean_screened"]
    assert "in 4 of the 200 tables with noise" in page
    assert lost.repetitions.sum() == 200
    # one table of five each
    assert lost[lost["mean"] > 0.01]["manifold"].tolist() == 4 * ["gaussian_mixture"]
    assert (5 * lost["mean"]).nlargest(4).min() > 0.45
    rows = rows[(rows.metric == "precision") & (rows.noise_dims == 10_000)]
    raw = rows[rows["rescale"] == "none"].set_index("method")
    said = {
        "precision at 50 of": raw.loc["euclidean_screened", "mean"],
        "our Geodesic Forest has": raw.loc["gf", "mean"],
    }
    rows = kept_summary("noise")
    rows = rows[(rows.metric == "precision") & (rows.k == 50) & (rows.noise_dims == 10_000)]
    gf = rows[rows["method"] == "gf"].set_index("variant")
    said |= {
        "on samples as the text describes them it has": gf.loc["recommended", "mean"],
        "The published forest has": gf.loc["as_run", "published"],
    }
    for words, means in said.items():
        assert f"{words} {short(means)}" in page
    blind = raw.loc[["euclidean", "isomap", "umap", "random_forest", "flann"], "mean"]
    assert blind.max() < 0.06, "others are at chance, which is .05"


def test_choosing_says_what_a_screen_costs_without_noise():
    page = " ".join((ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").split())
    rows = kept_summary("leaderboard")
    rows = rows[(rows.metric == "precision") & (rows.n == 300) & (rows.noise_kind == "normal")]
    means = rows.set_index(["noise_dims", "manifold", "method"])["mean"]
    for shape, words in (
        ("swiss_roll", "roll ({} becomes {} by Euclidean distance)"),
        ("s_curve", "S-curve ({}, {})"),
        ("sphere5", "five dimensions ({}, {})"),
    ):
        found = [short([means[0, shape, one]]) for one in ("euclidean", "euclidean_screened")]
        assert words.format(*found) in page
    # "ahead of all without one but GF"
    means = rows.groupby(["noise_dims", "method"])["mean"].mean()
    blind = [name for name in rows.method.unique() if not name.endswith("_screened")]
    blind = [name for name in blind if name not in {"gf", "supervised"}]
    screened = [name for name in rows.method.unique() if name.endswith("_screened")]
    for noise in (10, 100):
        assert means[noise][screened].min() > means[noise][blind].max()


def test_choosing_says_what_the_forest_holds_out_against():
    page = " ".join((ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").split())
    plan = yaml.safe_load((ROOT / "configs" / "gf_ablation.yaml").read_text(encoding="utf-8"))
    held_out = plan["also"][0]["setting"]
    assert len(held_out) == 10
    rows = kept_summary("gf_ablation")
    rows = rows[(rows.metric == "score") & rows.setting.isin(held_out)]
    assert set(rows.repetitions) == {3}
    means = rows.groupby(["noise_kind", "method", "noise_dims"])["mean"].mean()
    normal = means["normal"].unstack()
    said = {
        "its default scores": "gf",
        "shortlist of columns": "unlisted",
        "ranked by delta-BIC": "delta",
        "search": "gf_corrected",
        "the random forest": "random_forest",
        "Isomap": "isomap",
        "Euclidean distance": "euclidean",
    }
    assert normal.columns.tolist() == [0, 20, 200]
    for words, method in said.items():
        assert f"{words} {short(normal.loc[method])}" in page
    behind = normal.loc[["isomap", "euclidean"], 0] - normal.loc["gf", 0]
    assert set(behind.round(2)) == {0.06}
    drowned = [means[kind, "gf", 20] for kind in ("uniform", "permuted")]
    assert f"{short(drowned)[:3]} and {short(drowned)[-3:]} with twenty of them" in page


def test_screening_says_what_was_kept(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = Path("docs/screening.md").read_text(encoding="utf-8")
    assert replace_block(page, "rows needed", screens.block(Path("results/reference"))) == page
    page = " ".join(page.split())
    rows = kept_summary("screening")
    rows = rows.set_index(["metric", "method", "manifold", "noise_dims", "n"])["mean"].sort_index()
    pairs, forest = rows["power", "pairs"], rows["power", "forest"]
    told = [short([pairs["sphere5", noise, 1000]]) for noise in (10, 100, 1000)]
    assert "pairs keep {}, {} and {} of the columns".format(*told) in page
    assert all(forest["sphere5", noise, 1000] == 1 for noise in (10, 100, 1000))
    assert f"({short([forest['torus', 100, 1000]])} of its columns with 1000 rows among 100" in page
    assert forest["torus", 100, 2000] == 1
    parity = rows["all_kept", "forest", "parity"]
    assert parity[10, 2000] == 1 - 3 / 15  # "all tables but three of 15"
    parity = parity.drop([(10, 2000)])
    assert parity[parity.index.get_level_values("n") >= 500].min() == 1
    for noise in (10, 100, 1000):
        assert max(pairs["sphere10", noise, 1000], forest["sphere10", noise, 1000]) < 0.05
    folder = ROOT / "results" / "reference" / "screening"
    claims = {one["id"]: one for one in json.loads((folder / "claims.json").read_text())}
    false = claims["few_false_columns_of_pairs"]
    told = [f"{false[name]:.3f}".removeprefix("0") for name in ("estimate", "high")]
    assert "kept there, {} were noise. The interval reaches {}, because".format(*told) in page
    rotated = kept_summary("screening_noise").query("rotated and metric == 'power'")
    kept = rotated[rotated.method == "pairs"].set_index(["noise_dims", "manifold"])["mean"]
    told = [short([kept[10, shape]]) for shape in ("helix", "sphere")]
    assert "pairs keep {} of the columns on the helix and {} on the sphere".format(*told) in page
    assert kept[100].max() < 0.001


def test_screening_says_what_was_measured_on_noise_alone():
    page = " ".join((ROOT / "docs" / "screening.md").read_text(encoding="utf-8").split())
    folder = ROOT / "results" / "reference" / "screening_noise"
    claims = {one["id"]: one for one in json.loads((folder / "claims.json").read_text())}
    for screen, words in (
        ("pairs", "pairs kept a column in {} (interval {} to {})"),
        ("forest", "the forest in {} ({} to {})"),
    ):
        found = claims[f"{screen}_keep{'s' * (screen == 'forest')}_the_level"]
        told = [f"{found[name]:.3f}".replace("0.", ".") for name in ("estimate", "low", "high")]
        assert words.format(*told) in page
    rows = kept_summary("screening_noise")
    rows = rows[(rows.manifold == "none") & (rows.metric == "false_any")]
    rows = rows[(rows.noise_kind != "factors") & (rows.repetitions == 20)]
    assert rows.groupby("method").size()[["pairs", "forest"]].tolist() == [24, 24]
    worst = rows[rows.method.isin(["pairs", "forest"])].nlargest(1, "mean").iloc[0]
    assert f"was {short([worst['mean']])} ({worst.method}, {worst.noise_kind}, " in page
    assert f"{worst.n} rows, {worst.noise_dims} columns)" in page


def test_choosing_says_what_structure_brings_and_the_screened_forest_on_tables():
    page = " ".join((ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").split())
    rows = kept_summary("structured_neighbors").query("metric == 'same_class' and k == 10")
    share = rows.set_index(["data", "method"])["mean"]
    impulse, digits = share["impulse"], share["digits"]
    assert f"It finds {short([impulse['structured_gf']])} of the own class" in page
    assert f"plain GF {short([impulse['gf']])}, " in page
    assert f"Euclidean distance {short([impulse['euclidean']])}; smoothing" in page
    assert f"level with it ({short([impulse['umap_smoothed']])})" in page
    assert f"behind: {short([digits['structured_gf']])} against" in page
    assert f"Euclid's {short([digits['euclidean']])} (" in page
    rows = kept_summary("own_tables").query("metric == 'same_class' and k == 10")
    rows = rows[rows.method == "gf_screened"].groupby("data")["mean"]
    for data, name in (("wine", "wine"), ("breast_cancer", "breast cancer"), ("iris", "iris")):
        ends = list(dict.fromkeys(short([end]) for end in rows.agg(["min", "max"]).loc[data]))
        assert f"{name} {' to '.join(ends)}" in page


def short(numbers) -> str:
    """Two digits each, as a page writes numbers below one."""
    return ", ".join(f"{number:.2f}".removeprefix("0") for number in numbers)


def test_a_share_is_that_of_ten_neighbours_and_of_the_recommended_variant(tmp_path):
    (tmp_path / "own_tables").mkdir()
    lines = ["data,noise_dims,k,method,variant,metric,mean"]
    means = {"euclidean": 0.5, "euclidean_screened": 0.625, "isomap": 0.25, "isomap_screened": 0.75}
    for data in own_tables._TABLES:
        for noise in own_tables._NOISE:
            at = f"{data},{noise}"
            for name, mean in means.items():
                lines += [
                    f"{at},10,{name},recommended,same_class,{mean}",
                    f"{at},10,{name},as_written,same_class,0.9",
                    f"{at},20,{name},recommended,same_class,0.9",
                    f"{at},,{name},recommended,power,{1 if noise else 0.875}",
                ]
    (tmp_path / "own_tables" / "summary.csv").write_text("\n".join(lines))
    head, _, *rows = own_tables.block(tmp_path).splitlines()
    assert head.endswith("| Euclidean | screened | Isomap | screened | signal columns kept |")
    assert rows[:2] == [
        "| wine | 0 | .500 | .625 | .250 | .750 | .88 |",
        "| | 200 | .500 | .625 | .250 | .750 | all |",
    ]
    assert rows[-1] == "| | 1000 | .500 | .625 | .250 | .750 | all |"
    assert len(rows) == 15
    assert "is not in" in own_tables.block(tmp_path / "nothing")


def claim(verdict, origin="paper"):
    return {
        "id": "a", "origin": origin, "says": "A.", "quote": "", "verdict": verdict, "reason": "",
        "preliminary": None, "estimate": None, "low": None, "high": None, "print": None,
        "primary": "", "caution": "",
    }  # fmt: skip


@pytest.fixture
def reference(tmp_path, monkeypatch):
    whole = {
        "noise": [claim("supported"), claim("refuted"), claim("tie", "ours")],
        "torus": [claim("not judged")],
        "mine": [claim("undecided", "ours")],
    }
    for name, claims in whole.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "claims.json").write_text(json.dumps(claims))
    monkeypatch.setattr(
        outcome, "read_claims", lambda folder: json.loads((folder / "claims.json").read_text())
    )
    return tmp_path


def test_outcomes_are_counted_paper_by_paper(reference):
    said, _, head, _, *lines = outcome.block(reference).splitlines()
    rest = {name for name in outcome.known_configs() if not name.startswith("bench_")}
    whole = len(rest | {"mine"})
    assert said.startswith(f"Claims of 3 of the {whole} configs, those that have run so far, at")
    assert (
        head
        == "| paper | claims about the paper's sentences | published numbers met | claims of ours |"
    )
    assert lines == [
        "| Geodesic Forests | 1 supported, 1 refuted | none | 1 tie |",
        "| Spherelets | 1 not judged | none | none |",
        "| beyond the papers | none | none | 1 undecided |",
    ]


def test_of_all_configs_none_is_missing(reference, monkeypatch):
    monkeypatch.setattr(outcome, "known_configs", lambda: ["torus", "noise", "bench_forest"])
    assert outcome.block(reference).startswith("Claims of all 3 configs at the published size")


def test_few_configs_that_are_missing_are_named(reference, monkeypatch):
    rest = ["torus", "noise", "galaxy", "bars"]
    monkeypatch.setattr(outcome, "known_configs", lambda: rest)
    told = outcome.block(reference)
    assert told.startswith(
        "Claims of 3 of the 5 configs (all but `bars`, `galaxy`, which have not run) at"
    )
    rest.remove("bars")
    told = outcome.block(reference)
    assert told.startswith("Claims of 3 of the 4 configs (all but `galaxy`, which has not run) at")


def test_rows_needed_are_those_from_which_on_nothing_is_lost(tmp_path):
    (tmp_path / "screening").mkdir()
    lines = ["manifold,n,noise_dims,method,metric,mean"]
    for shape in screens._SHAPES:
        for noise in screens._NOISE:
            for n, power in ((100, 1.0), (200, 0.9), (500, 0.6666667)):
                lines += [
                    f"{shape},{n},{noise},pairs,power,{power}",
                    f"{shape},{n},{noise},pairs,all_kept,1.0",
                    f"{shape},{n},{noise},forest,power,1.0",
                ]
    lines = [line.replace("0.6666667", "1.0") if "helix" in line else line for line in lines]
    (tmp_path / "screening" / "summary.csv").write_text("\n".join(lines))
    table = screens.block(tmp_path)
    assert "| line | over 500 | over 500 | over 500 |\n" in table
    assert "| helix | 500 | 500 | 500 |\n" in table
    assert "never the height | 100 | 100 | 100 |\n" in table


def test_without_a_reference_there_is_a_sentence(tmp_path):
    assert outcome.block(tmp_path / "nothing").count("\n") == 2
    assert "make reproduce-all" in outcome.block(tmp_path)
    with pytest.raises(UserError, match="has no place for the outcome"):
        replace_block("no marks", "outcome", "new")


def test_precision_is_the_mean_over_shapes_with_normal_noise_and_300_points(tmp_path):
    (tmp_path / "leaderboard").mkdir()
    lines = ["manifold,n,noise_kind,noise_dims,method,variant,metric,mean"]
    for at, name in enumerate(leaderboard._METHODS):
        for noise in leaderboard._NOISE:
            for shape, mean in (("a", 0.25), ("b", 0.25 + at / 20)):
                lines += [
                    f"{shape},300,normal,{noise},{name},recommended,precision,{mean}",
                    f"{shape},300,t3,{noise},{name},recommended,precision,0.9",
                    f"{shape},1000,normal,{noise},{name},recommended,precision,0.9",
                    f"{shape},300,normal,{noise},{name},recommended,recall,0.9",
                ]
            lines.append(f"a,300,normal,{noise},euclidean_screened,recommended,precision,0.75")
    (tmp_path / "leaderboard" / "summary.csv").write_text("\n".join(lines))
    _, _, first, second, *_, last = leaderboard.block(tmp_path).splitlines()
    assert first == "| Euclidean | .25 | .25 | .25 | .75 | .75 | .75 |"
    assert second == "| URF, two-means | .45 | .45 | .45 |  |  |  |"
    assert last == "| FLANN | .28 | .28 | .28 |  |  |  |"


def test_the_command_writes_what_has_changed_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    pages = {
        "README.md": {"outcome": outcome.NO_OUTCOME},
        "docs/choosing.md": {
            "leaderboard": missing_note("leaderboard"),
            "own tables": missing_note("own_tables"),
        },
        "docs/screening.md": {"rows needed": missing_note("screening")},
    }
    for page, blocks in pages.items():
        places = (f"{''.join(markers(name))}b\n" for name in blocks)
        (tmp_path / page).write_text("a\n" + "".join(places))
    first = CliRunner().invoke(written.main)
    assert first.exit_code == 0
    assert first.output.splitlines() == [
        f"{page} has been rewritten"
        for page in (*pages, *(f"docs/{name}.md" for name in ("commands", "claims", "findings")))
    ]
    for page, blocks in pages.items():
        places = (markers(name)[0] + text + markers(name)[1] for name, text in blocks.items())
        assert (tmp_path / page).read_text() == "a\n" + "".join(f"{place}b\n" for place in places)
    assert CliRunner().invoke(written.main).output == ""
    drawn = CliRunner().invoke(written.main, ["--picture"])
    assert isinstance(drawn.exception, UserError)  # of the reference, which is not there
    assert "run noise, then geoforest reference write" in str(drawn.exception)


def test_the_picture_shows_the_rows_of_the_reference():
    reference = ROOT / "results" / "reference"
    for series in picture.SERIES:
        lines = kept_summary(series.config)
        for setting in picture.SETTINGS:
            shown = picture.values(reference, series, setting)
            assert shown.index.tolist() == [0, 10, 100, 1000, 10000]
            assert shown.between(0, 1).all()
            at = lines[
                (lines["method"] == series.method)
                & (lines["variant"] == "as_run")
                & (lines["metric"] == "precision")
                & (lines["manifold"] == setting)
                & (lines["noise_dims"] == 100)
                & (lines["k"] == 50)
            ]
            at = at[at["rescale"] == "none"] if "rescale" in at else at
            assert shown.loc[100] == at[series.column].item()
    ranges = {
        series.words: [
            picture.values(reference, series, one).loc[10000] for one in picture.SETTINGS
        ]
        for series in picture.SERIES
    }
    told = " ".join(README.split())
    for words, sentence in {
        "Geodesic Forest as published": "it has {} to {} as published",
        "the same, computed here": "and {} to {} here",
        "Euclidean distance": "a plain distance {} to {} (chance .05)",
        "Euclidean distance behind the screen": "the plain distance reaches {} to {}.",
    }.items():
        ends = (min(ranges[words]), max(ranges[words]))
        assert sentence.format(*(f"{end:.2f}".removeprefix("0") for end in ends)) in told
    with Image.open(io.BytesIO(picture.drawn(reference))) as image:
        assert image.size == Image.open(ROOT / "docs" / "noise.png").size
    assert (ROOT / "docs" / "noise.png").stat().st_size < 100_000


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in re.findall(
        r"\]\((?!https?:)([^)#\s]+)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    ):
        assert (ROOT / page).parent.joinpath(link).exists(), link


@pytest.mark.parametrize("page", ["README.md", "llms.txt"])
def test_every_page_of_the_docs_is_named(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert {name for name in DOCS if f"](docs/{name})" not in text} == set()


def test_the_readme_has_two_screens():
    assert len(README.splitlines()) <= 100
