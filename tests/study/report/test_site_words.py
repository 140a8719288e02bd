"""Tables of a site, what is escaped in them, and how papers and methods are told in words."""

import json
import shutil
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.report import site
from geoforest_cli.study.report.site import overview, wording
from geoforest_cli.study.report.site.documents import to_html
from geoforest_cli.study.report.site.heat import STEPS, heat_tables
from geoforest_cli.study.report.site.methods import _documented, _paragraphs, formulas, groups
from geoforest_cli.study.report.site.runs import read
from geoforest_cli.study.report.site.variants import methods_of
from tests.study.report.sites import Page


def test_a_heat_map_as_a_table_has_the_means_of_the_summary(whole_results):
    (run,) = (run for run in read(whole_results) if run.name == "leaderboard")
    table = heat_tables(run)[0]
    lines = run.lines[(run.lines["metric"] == "precision") & (run.lines["noise_kind"] == "normal")]
    shown = run.config.figure["where"]["method"]
    labels = {one: run.config.methods[one].label for one in shown}
    assert [name for name, _ in table.rows] == list(labels.values())
    assert table.groups == [("linear", 2)]
    assert table.heads == ["0", "10"]
    for method, (_, cells) in zip(labels, table.rows, strict=True):
        for noise, cell in zip((0, 10), cells, strict=True):
            mine = lines[(lines["method"] == method) & (lines["noise_dims"] == noise)]
            assert cell.value == pytest.approx(mine["mean"].mean())
            assert cell.step == min(int(cell.value * STEPS), STEPS - 1)
    for column in zip(*(cells for _, cells in table.rows), strict=True):
        top = max(cell.value for cell in column)
        assert [cell.best for cell in column] == [cell.value == top for cell in column]


def ranked(methods, scores):
    """A run with a summary by hand: score of a method on a manifold."""
    figure = {"x": "noise", "y": ("precision",), "ranks": "manifold"}
    config = Config.model_construct(
        methods={one: SimpleNamespace(label=one.upper()) for one in methods},
        grid={}, figure=figure, more_figures={},
    )  # fmt: skip
    lines = pd.DataFrame(
        [
            {"manifold": place, "noise": 0, "method": method, "variant": "as_run",
             "metric": "precision", "mean": value}
            for place, values in scores.items()
            for method, value in zip(methods, values, strict=True)
        ]
    )  # fmt: skip
    return SimpleNamespace(name="mine", title="Mine", config=config, lines=lines)


def test_mean_ranks_as_a_table():
    run = ranked("abc", {"s": (0.9, 0.5, 0.1), "t": (0.8, 0.8, 0.2), "u": (0.7, 0.6, 0.5)})
    (table,) = heat_tables(run)
    assert [(name, round(cells[0].value, 3)) for name, cells in table.rows] == [
        ("A", 1.167), ("B", 1.833), ("C", 3.0)
    ]  # fmt: skip
    assert [cells[0].best for _, cells in table.rows] == [True, False, False]
    assert "(mean rank, 3 manifolds)" in table.note
    assert heat_tables(ranked("ab", {"s": (0.9, 0.5), "t": (0.8, 0.7)})) == []


def test_small_values_are_the_good_ones_of_a_log_scale():
    run = ranked("ab", {"s": (1.0, 0.01), "t": (0.1, 0.001)})
    run.config.figure.update(y=("error",), ranks=None, x="manifold", y_scale="log")
    run.lines["metric"] = "error"
    assert heat_tables(run) == []  # a figure of lines, not chosen
    run.name = "spherelet_phase"
    (table,) = heat_tables(run)
    assert [(n, [(c.text, c.step, c.best) for c in cells]) for n, cells in table.rows] == [
        ("A", [("1", 9, False), ("0.1", 6, False)]),
        ("B", [("0.01", 3, True), ("0.001", 0, True)]),
    ]


CONTROLS = "\x00\x07\x1b[2J\x7f\x9b\u200f\u202e\u2066\u2028"


def marked(value):
    """Put control characters into every text of some results that is no word of a vocabulary."""
    if isinstance(value, dict):
        return {key: one if key in FIXED else marked(one) for key, one in value.items()}
    if isinstance(value, list):
        return [marked(one) for one in value]
    return f"{value}{CONTROLS}<b>" if isinstance(value, str) else value


FIXED = {"schema", "name", "profile", "figures", "first", "last", "origin", "verdict", "check", "kind",
         "preliminary", "quantifier", "answer", "unit", "text", "overrides", "print"}  # fmt: skip


def test_control_characters_are_written_out_on_every_page(whole_results, tmp_path):
    folder = tmp_path / "results" / "noise" / "paper"
    shutil.copytree(whole_results / "noise" / "paper", folder)
    for name in ("report.json", "claims.json", "provenance.json"):
        content = marked(json.loads((folder / name).read_text()))
        if name == "provenance.json":
            content["config"]["text"] = f"title: it{CONTROLS}\n# a tab:\there\n"
        (folder / name).write_text(json.dumps(content))
    out = site.write(tmp_path / "results", tmp_path / "out").parent
    seen = 0
    for path in out.rglob("*.html"):
        text = path.read_text("utf-8")
        assert not set(text) & set(CONTROLS) - set("[2J")
        assert "<b>" not in text
        seen += r"\x00\x07\x1b[2J\x7f\x9b\u200f\u202e\u2066\u2028&lt;b&gt;" in text
        Page(text)
    assert seen >= 3  # overview, claims, the run's own
    text = (out / "runs" / "noise" / "paper" / "index.html").read_text("utf-8")
    assert "title: it\\x00" in text
    assert "\n# a tab:\there\n" in text


def test_the_difference_from_print_is_that_of_the_summary(whole_results):
    runs = {(run.name, run.profile): run for run in read(whole_results)}
    run = runs["noise", "paper"]
    told = run.lines["difference"].dropna().abs()
    (words,) = overview.difference(run)
    assert words == f"median {told.median():.2g}, largest {told.max():.2g} ({len(told)} values)"
    assert overview.difference(runs["noise", "smoke"]) == []
    assert overview.difference(replace(run, caution="too small")) == []


def test_papers_are_told_in_words():
    counts = {"paper": Counter({"supported": 2, "tie": 1}), "ours": Counter({"refuted": 1})}
    assert overview.in_words(counts) == (
        "Of 3 claims about sentences of the paper, 2 are supported and 1 is a tie. "
        "Of our own 1 claim, 1 is refuted."
    )


def test_artifacts_come_in_the_order_of_the_paper(whole_results):
    first = overview.papers(overview.main_runs(read(whole_results)))
    assert [(paper.key, [run.name for run in paper.artifacts]) for paper in first] == [
        ("geodesic_forests", ["noise"]), ("smerf", ["smerf_variance"])
    ]  # fmt: skip
    names = [run.name for run in overview.beyond(read(whole_results))]
    assert names == ["leaderboard"]


def test_numbers_are_sorted_as_numbers_and_the_top_of_a_figure_comes_first(whole_results):
    run = next(run for run in read(whole_results) if run.paper)
    wanted = [
        "Figure 2", "Figure 4 (top)", "Figure 4 (bottom)", "Figure 10", "Table 1", "section 3",
    ]  # fmt: skip
    [one] = overview.papers([replace(run, artifact=name) for name in wanted[::-1]])
    assert [run.artifact for run in one.artifacts] == wanted


def test_markdown_is_escaped_linked_and_boxed():
    text = (
        "# T\n\n<b>x</b> [a](screening.md#two-screens) [b](other.md) `noise`\n\n## A b\n\n## A b\n"
    )
    table = "\n<!-- made -->\n| a | b |\n|---|---:|\n| 1 | 2 |\n<!-- end -->\n"
    title, body = to_html(text + table, {"noise": "n.html"})
    assert title == "T"
    assert "&lt;b&gt;x" in body
    assert "--" not in body
    assert (
        '<a href="screening.html#two-screens">a</a> b <a href="n.html"><code>noise</code></a>'
        in body
    )
    assert 'id="a-b"' in body
    assert 'id="a-b-2"' in body
    assert '<div class="scroll"' in body.split("<table>")[0]
    assert "<td>1</td>" in body
    assert '<td class="n">2</td>' in body


def test_every_method_is_documented(whole_results):
    listed = {one.entry.name: one for group in groups(read(whole_results)) for one in group.methods}
    assert set(formulas()) <= set(listed)
    for name, one in listed.items():
        assert one.file, name
        assert one.paragraphs, name
    assert "noise" in [run.name for run in listed["geodesic_forest"].runs]
    assert "<msub>" in "".join(formula.mathml for formula in listed["geodesic_forest"].formulas)
    assert "<math" in "".join(listed["pair_screen"].paragraphs)


@pytest.mark.parametrize(
    ("answer", "points", "largest", "words"),
    [
        ("supported", 3, None, "The paper's own numbers bear it out (at 2 of 3 points)."),
        ("refuted", 1, None, "The paper's own numbers contradict it."),
        (
            "mixed", 3, 0.25,
            ("The paper's own numbers bear it out in part (at 2 of 3 points). "
             "|ours - published|: largest 0.25, median 0.125."),
        ),
        ("no numbers", 0, None, "There are no published numbers for it."),
    ],
)  # fmt: skip
def test_what_the_papers_own_numbers_say(answer, points, largest, words):
    median = None if largest is None else largest / 2
    found = {"answer": answer, "held": 2, "points": points, "largest": largest, "median": median}
    assert wording._print(found) == words


def test_the_distance_from_a_published_value_is_that_from_the_middle_of_what_is_allowed():
    raw = {"origin": "agreement", "estimate": 0.47, "allowed": (0.4, 0.6)}
    others = [{"origin": "ours"}, {"estimate": None}, {"allowed": (0.4, None)}]
    claims = [SimpleNamespace(raw=raw | other) for other in [{}, *others]]
    assert overview._of_the_claims(SimpleNamespace(claims=claims)) == {"": [pytest.approx(0.03)]}


def test_what_stands_in_backticks_is_code_on_the_pages_of_methods():
    text = "Grow `n_estimators` trees of ``a < b``.\n\n  More\n  of it.\n\n\n"
    assert _paragraphs(text) == [
        "<p>Grow <code>n_estimators</code> trees of <code>a &lt; b</code>.</p>",
        "<p>More of it.</p>",
    ]


def test_only_what_is_ours_is_documented_from_its_file():
    file, text = _documented("geoforest_cli.study.report.site.heat:Cell")
    assert file == "geoforest_cli/study/report/site/heat.py"
    assert text.startswith("A value of the table.\n")
    assert _documented("geoforest_cli.study.report.site.heat:NoSuch") == (file, "")
    assert _documented("geoforest_cli.no_such:Cell") == ("", "")
    assert _documented("numpy:ndarray") == ("", "")


def test_a_method_leads_to_the_runs_that_use_it_and_to_no_others(whole_results):
    runs = read(whole_results)
    listed = {one.entry.name: one for group in groups(runs) for one in group.methods}
    for name, one in listed.items():
        used = [run for run in runs if name in methods_of(run.config)]
        assert one.runs == used, name
    assert any(not one.runs for one in listed.values())
    assert [one.runs for group in groups([]) for one in group.methods] == [[]] * len(listed)
