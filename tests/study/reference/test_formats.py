"""The files of a run are as their schemas say, and what is not is one sentence with its place."""

import csv
import io
import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geoforest_cli.study.reference.formats import FORMATS, problems, run_folders
from tests.e2e.inside import ROOT, geoforest


@pytest.fixture
def run(mine):
    return mine / "results" / "first" / "paper"


def checked(folder):
    done = geoforest("check", folder)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr.splitlines()


def test_what_a_run_writes_is_as_it_should_be(mine):
    results = mine / "results"
    assert len(run_folders(results)) == 3
    assert checked(results) == (0, [])
    assert checked(results / "first") == (0, [])
    assert geoforest("check", results, "--profile", "smoke").stdout.count("as they should be") == 1


@pytest.mark.parametrize("folder", ["reference", "reference-smoke"])
def test_what_is_kept_is_as_it_should_be(folder):
    runs = run_folders(ROOT / "results" / folder)
    assert len(runs) > 10
    assert [sentence for one in runs for sentence in problems(one)] == []


def in_json(name, change):
    def edit(folder):
        path = folder / name
        content = json.loads(path.read_text())
        change(content)
        path.write_text(json.dumps(content))

    return name, edit


def in_csv(name, line, column, value):
    def edit(folder):
        path = folder / name
        lines = [*csv.reader(io.StringIO(path.read_text()))]
        lines[line][lines[0].index(column)] = value
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(lines)
        path.write_text(text.getvalue())

    return name, edit


def appended(name, line, more):
    def edit(folder):
        path = folder / name
        lines = path.read_text().splitlines()
        lines[line] += more
        path.write_text("\n".join(lines) + "\n")

    return name, edit


def replaced(name, content):
    return name, lambda folder: (folder / name).write_bytes(content)


EDITS = [
    (in_json("claims.json", lambda c: c["claims"][0].update(verdict="maybe")), r"claims\.0\.verdict: Input should be .*'supported'"),
    (in_json("claims.json", lambda c: c["sentences"][0].pop("hangs")), r"sentences\.0\.hangs: Field required"),
    (in_json("claims.json", lambda c: c.update(more=1)), r"more: Extra inputs are not permitted"),
    (in_json("report.json", lambda c: c.update(cells=[])), r"cells: Input should be a valid integer"),
    (in_json("provenance.json", lambda c: c.update(schema=4)), r"schema: Input should be 3"),
    (in_json("provenance.json", lambda c: c["config"].update(text="title: x")), r"config: .*sha256 is not the hash of"),
    (in_json("provenance.json", lambda c: c["cells"].update(total=-1)), r"cells\.total: .*greater than or equal to 0"),
    (in_json("provenance.json", lambda c: c["made"]["origins"][0].update(first="May")), r"made\.origins\.0\.first: .*date"),
    (in_json("provenance.json", lambda c: c.pop("last_run")), r"last_run: Field required"),
    (in_csv("rows.csv", 3, "value", "about 2"), r"line 4, value: must be a number, inf or nan, not 'about 2'"),
    (in_csv("rows.csv", 1, "repetition", "-1"), r"line 2, repetition: must be a whole number of at least 0, not '-1'"),
    (in_csv("rows.csv", 2, "cell", "x"), r"line 3, cell: must be 24 hexadecimal digits, not 'x'"),
    (in_csv("rows.csv", 0, "status", "state"), r"line 1: the last columns must be method, variant, .*, status, cell"),
    (in_csv("summary.csv", 1, "mean", "much"), r"line 2, mean: must be a number or empty, not 'much'"),
    (in_json("provenance.json", lambda c: c["made"]["origins"][0].update(seconds=float("nan"))), r"seconds: .*finite number"),
    (appended("rows.csv", 2, ",0"), r"line 3: (\d+) values for (?!\1)\d+ columns"),
    (appended("summary.csv", 1, '"'), r"unexpected end of data"),
    (replaced("summary.csv", b"a,b\n1,2\n"), r"line 1: the last columns must be method,"),
    (replaced("rows.csv", b"\xff\xfe"), r"can't decode"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "words"), EDITS, ids=range(len(EDITS)))
def test_what_is_not_is_one_sentence_with_its_place(run, edit, words):
    name, change = edit
    change(run)
    status, [sentence] = checked(run)
    assert status == 2
    assert sentence.startswith(f"Error: {run / name} is damaged or of another version (")
    results = run.resolve().parent.parent
    assert f"{run.parent.name} --profile {run.name} --results {results} writes it" in sentence
    assert re.search(words, sentence), sentence
    assert len(sentence) < 800


def test_a_missing_file_is_named_and_each_file_has_its_sentence(run):
    (run / "rows.csv").unlink()
    (run / "provenance.json").write_text("{}")
    status, sentences = checked(run)
    assert status == 2
    assert len(sentences) == 2
    assert "provenance.json is damaged" in sentences[0]
    assert sentences[1].endswith("rows.csv: No such file or directory")


def test_the_folder_of_an_unfinished_run_says_so(run):
    for name in ("rows.csv", "provenance.json"):
        (run / name).unlink()
    status, [sentence] = checked(run)
    assert status == 2
    assert f"{run} is of a run that is not finished: geoforest run first --profile pa" in sentence
    (run / "summary.csv").unlink()
    assert len(checked(run)[1]) == 2


def test_a_folder_without_results_is_neither(tmp_path):
    status, [sentence] = checked(tmp_path)
    assert status == 2
    assert sentence.endswith("is no config, and holds no results of a run")


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=st.sampled_from(sorted(FORMATS)), data=st.data())
def test_any_bytes_are_right_or_a_sentence(run, name, data):
    path = run / name
    before = path.read_bytes()
    start = data.draw(st.integers(0, len(before)))
    end = data.draw(st.integers(start, min(len(before), start + 50)))
    try:
        path.write_bytes(before[:start] + data.draw(st.binary(max_size=20)) + before[end:])
        for sentence in problems(run):
            # a list of claims looks like one of an older version
            damaged, older = "is damaged or of another version (", "was judged by an older version"
            assert sentence.startswith((f"{path} {damaged}", f"{path} {older}"))
            assert "\n" not in sentence
            assert len(sentence) < 2_000
    finally:
        path.write_bytes(before)
