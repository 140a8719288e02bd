"""A record is as it was written, or refused in one sentence."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.results.folder import problems, record_folders, rows_of, summary_of
from geoforest_cli.study.results.record import read_record, write_record
from geoforest_cli.study.results.result import results
from tests.e2e.inside import ROOT, geoforest
from tests.study.results.edits import edit_record, signed


@pytest.fixture
def run(mine):
    return mine / "results" / "first" / "paper"


@pytest.fixture(scope="module")
def shared(study):
    """The same folder for all examples: each writes back what it has changed."""
    return study / "results" / "first" / "paper"


@pytest.mark.parametrize("folder", ["reference", "reference-smoke"])
def test_what_is_kept_is_as_it_should_be(folder):
    folders = record_folders(ROOT / "results" / folder)
    assert len(folders) > 10
    assert [sentence for folder in folders for sentence in problems(folder)] == []


def test_a_folder_of_results_is_checked(mine):
    done = geoforest("check", "results", cwd=mine)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("as they should be") == 3
    small = geoforest("check", "results", "--profile", "smoke", cwd=mine)
    assert small.stdout.count("as they should be") == 1
    (mine / "results" / "first" / "paper" / "summary.csv").write_text("a,b\n1,2\n")
    done = geoforest("check", "results/first", cwd=mine)
    [sentence] = done.stderr.splitlines()
    assert (done.returncode, "summary.csv is damaged" in sentence) == (2, True)
    assert "geoforest figure first --profile paper writes it again" in sentence
    assert geoforest("figure", "first", cwd=mine).returncode == 0
    assert geoforest("check", "results/first", cwd=mine).returncode == 0
    (mine / "empty").mkdir()
    done = geoforest("check", "empty", cwd=mine)
    assert (done.returncode, "is no config, and holds no results" in done.stderr) == (2, True)


EDITS = [
    (lambda c: c["claims"][0].update(verdict="maybe"), r"claims: 0: verdict: Input should be"),
    (lambda c: c["sentences"][0].pop("hangs"), r"sentences: 0: hangs: Field required"),
    (lambda c: c["cells"].update(total=-1), r"cells: total: .*greater than or equal to 0"),
    (lambda c: c.update(version=99), r"version: Input should be 1"),
    (lambda c: c.update(figures=["../../victim"]), r"figures: 0: String should match"),
    (lambda c: c.update(files={"../x": ""}), r"files: .*it is not the name of a file"),
    (lambda c: c.update(name=".."), r"name: .*it is not the name of a file"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "words"), EDITS, ids=range(len(EDITS)))
def test_hostile_content_is_one_sentence_with_its_place(run, change, words):
    edit_record(run, change)
    [sentence] = problems(run)
    assert sentence.startswith(f"{run / 'record.json'} is damaged or of another version (")
    assert re.search(words, sentence), sentence
    assert len(sentence) < 800


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=st.sampled_from(["record.json", "rows.parquet", "summary.csv"]), data=st.data())
def test_changed_bytes_are_noticed(shared, name, data):
    path = shared / name
    before = path.read_bytes()
    start = data.draw(st.integers(0, len(before)))
    end = data.draw(st.integers(start, min(len(before), start + 50)))
    content = before[:start] + data.draw(st.binary(max_size=20)) + before[end:]
    path.write_bytes(content)
    try:
        sentences = [*problems(shared)]
    finally:
        path.write_bytes(before)
    if not sentences:  # white space in JSON says nothing
        assert content == before or json.loads(content) == json.loads(before)
    for sentence in sentences:
        assert sentence.startswith(f"{path} is damaged or of another version (")
        assert "\n" not in sentence


@pytest.mark.parametrize(("name", "read"), [("rows.parquet", rows_of), ("summary.csv", summary_of)])
def test_content_with_a_right_checksum_may_be_no_table(run, name, read):
    (run / name).write_bytes(b"\xff\xfe")
    signed(run, name)
    with pytest.raises(UserError, match=rf"{name} is damaged"):
        read(run, read_record(run))


def test_results_are_read_of_the_profile_that_is_asked_for(study):
    folder = study / "results" / "first"
    assert results(folder, "smoke").folder == folder / "smoke"
    assert results(folder / "smoke", "paper").profile == "smoke"
    whole = results(folder)
    assert (whole.profile, list(whole.figures)) == ("paper", ["figure", "figure_decades"])
    assert list(whole.verdicts["id"]) == ["knn_errs_less"]
    with pytest.raises(UserError, match=r"tiny .*does not hold the results of a run"):
        results(folder, "tiny")


def test_estimates_have_seven_digits_and_places_all_of_theirs(study, tmp_path):
    record = read_record(study / "results" / "first" / "paper")
    long = 0.12345678901
    changes = {"estimate": long, "low": -1e-12 * long, "high": None, "where": {"noise": long}}
    write_record(tmp_path, record.model_copy(
        update={"claims": (record.claims[0].model_copy(update=changes),)}
    ))  # fmt: skip
    [claim] = read_record(tmp_path).claims
    assert (claim.estimate, claim.low, claim.high) == (0.1234568, -1.234568e-13, None)
    assert claim.where == {"noise": long}
