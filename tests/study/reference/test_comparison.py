"""What changed between two outcomes, and what is said about it."""

import csv
import json
import shutil

import pytest

from tests.e2e.inside import geoforest


def edit_claims(folder, **changes):
    path = folder / "claims.json"
    verdicts = json.loads(path.read_text())
    verdicts["claims"][0] |= changes
    path.write_text(json.dumps(verdicts))


def edit_summary(folder, edit):
    path = folder / "summary.csv"
    with path.open() as file:
        lines = list(csv.DictReader(file))
    names = list(lines[0])
    kept = [line for line in lines if edit(line) is not False]
    with path.open("w") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(kept)


def edit_provenance(folder, edit):
    path = folder / "provenance.json"
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))


@pytest.fixture
def both(mine):
    """Results and their reference."""
    assert geoforest("reference", "write", cwd=mine).returncode == 0
    return mine / "results", mine / "results" / "reference"


def asked(both, *words):
    done = geoforest("compare", *both, "--json", *words)
    assert done.returncode in {0, 1}, done.stderr
    content = json.loads(done.stdout)
    assert content["changed"] == bool(done.returncode)
    return content


def test_equal_bytes_are_the_same(both):
    (both[0] / "site").mkdir()
    (both[0] / "site" / "claims.json").write_text("[]")  # a page's, not an outcome
    done = geoforest("compare", *both)
    assert done.returncode == 0
    assert done.stdout == "The same to the byte: first, second\n"
    assert asked(both)["same"]


def test_rounding_is_no_change(both):
    def nudge(line):
        line["mean"] = repr(float(line["mean"]) * (1 + 1e-9))

    edit_summary(both[1] / "first", nudge)
    done = geoforest("compare", *both)
    assert done.returncode == 0
    assert "first: nothing changed beyond rounding" in done.stdout
    assert done.stdout.endswith("Nothing changed beyond noise.\n")


def test_what_is_within_noise_is_told_and_does_not_count(both):
    def nudge(line):
        line["mean"] = repr(float(line["mean"]) + 0.2 * float(line["half"] or 0))

    edit_summary(both[1] / "first", nudge)
    done = geoforest("compare", *both)
    assert done.returncode == 0
    assert "values differ, within noise" in done.stdout


@pytest.mark.parametrize("fact", ["processor", "kernels"])
def test_another_processor_is_not_called_noise(both, fact):
    def nudge(line):
        line["mean"] = repr(float(line["mean"]) + 0.2 * float(line["half"] or 0))

    def move(record):
        for origin in record["made"]["origins"]:
            origin[fact] = "slide rule"

    edit_summary(both[1] / "first", nudge)
    edit_provenance(both[1] / "first", move)
    told = geoforest("compare", *both).stdout
    assert "values differ, on another processor (" in told
    assert " -> slide rule)\n" in told
    assert told.endswith("Nothing changed beyond noise and another processor's rounding.\n")
    assert asked(both)["configs"]["first"]["processors"][1] == "slide rule"
    # what is not recorded says nothing
    edit_provenance(both[1] / "first", lambda record: drop(record, fact))
    assert "values differ, within noise" in geoforest("compare", *both).stdout


def drop(record, fact):
    for origin in record["made"]["origins"]:
        del origin[fact]


def test_what_is_beyond_noise_counts(both):
    edit_summary(both[1] / "second", lambda line: line.update(mean="40"))
    done = geoforest("compare", *both)
    assert done.returncode == 1
    assert "second: " in done.stdout
    assert "values changed beyond noise" in done.stdout
    assert "knn (as_written) error, n 10: " in done.stdout
    assert "-> 40 (p = " in done.stdout
    content = asked(both)
    assert content["configs"]["first"]["same"]
    [value, *_] = content["configs"]["second"]["values"]
    assert (value["after"], value["p"] < content["level"]) == (40.0, True)
    # what is timed belongs to its machine
    edit_provenance(both[1] / "second", lambda record: record.update(measures_time=True))
    edit_claims(both[0] / "second" / "paper", verdict="supported", estimate=-0.3)
    edit_claims(both[1] / "second", **OPPOSITE)
    assert not asked(both)["changed"]
    assert "it measures time" in geoforest("compare", *both).stdout


OPPOSITE = {"verdict": "refuted", "preliminary": "refuted", "estimate": 0.4}


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ({"verdict": "supported"}, OPPOSITE, True),
        ({"verdict": "supported", "estimate": 0.4}, OPPOSITE, False),  # but for rounding
        ({"verdict": "undecided"}, OPPOSITE, False),
        ({"verdict": "tie"}, {"verdict": "supported"}, False),
        ({"verdict": "not judged", "preliminary": "supported"},
         {"verdict": "not judged", "preliminary": "refuted", "estimate": 0.4}, True),
        ({"verdict": "not judged", "preliminary": "supported"},
         {"verdict": "not judged", "preliminary": "undecided"}, False),
        ({"verdict": "supported"}, {"verdict": "not judged"}, True),
    ],
)  # fmt: skip
def test_a_claim_counts_where_it_has_become_the_opposite(both, before, after, changed):
    edit_claims(both[0] / "first" / "paper", **{"estimate": -0.3, **before})
    edit_claims(both[1] / "first", **{"estimate": -0.3, **after})
    found = asked(both)
    assert found["changed"] == changed
    [claim] = found["configs"]["first"]["claims"]
    assert claim["id"] == "knn_errs_less"
    assert after["verdict"] in claim["after"]
    within = "(within noise)" in geoforest("compare", *both).stdout
    assert within == (not changed)


def test_another_state_counts_where_values_have_changed_too(both):
    edit_claims(both[1] / "first", verdict="undecided", preliminary="undecided")
    edit_claims(both[0] / "first" / "paper", verdict="supported", preliminary="supported")
    assert not asked(both)["changed"]
    edit_summary(both[1] / "first", lambda line: line.update(mean="40"))
    [claim] = asked(both)["configs"]["first"]["claims"]
    assert claim["counts"]


def test_what_only_one_has_counts_unless_the_other_need_not_have_it(both):
    edit_summary(both[1] / "first", lambda line: line["method"] != "knn")
    (both[1] / "first" / "claims.json").write_text("{}")
    done = geoforest("compare", *both)
    assert done.returncode == 1
    assert "only in A: knn (as_written) error, n 10" in done.stdout
    assert "only in A: claim knn_errs_less" in done.stdout
    assert not asked(both, "--common")["changed"]
    shutil.rmtree(both[1] / "second")
    done = geoforest("compare", *both)
    assert (done.returncode, "Only in A: second" in done.stdout) == (1, True)
    done = geoforest("compare", both[1], both[0])
    assert (done.returncode, "Only in B: second" in done.stdout) == (1, True)
    assert geoforest("compare", *both, "--common").returncode == 0


def test_a_number_that_is_lost_and_cells_that_fail_count(both):
    def lose(line):
        if line["method"] == "knn":
            line.update(mean="", half="", repetitions="0", failed="3")

    edit_summary(both[1] / "first", lose)
    done = geoforest("compare", *both, "--common")
    assert done.returncode == 1
    assert "-> no number" in done.stdout
    assert "0 -> 3 failed cells" in done.stdout


def test_wrong_input_is_told_in_a_sentence(both, tmp_path):
    results, reference = both
    (tmp_path / "empty").mkdir()
    smoke = tmp_path / "smoke"
    for words, told in [
        ((results, tmp_path / "nowhere"), "there is no folder"),
        ((tmp_path / "empty", reference), "holds no outcome of profile paper"),
        ((results, reference, "--profile", "smoke"), "is of profile paper, and profile smoke"),
        ((results, reference, "--profile", "huge"), "holds no outcome of profile huge"),
    ]:
        done = geoforest("compare", *words)
        assert done.returncode == 2, words
        [sentence] = done.stderr.splitlines()
        assert told in sentence
    done = geoforest(
        "reference", "write", "--results", results, "--profile", "smoke", "--out", smoke
    )
    assert done.returncode == 0, done.stderr
    # the size is that of the reference
    assert "The same to the byte: first" in geoforest("compare", results, smoke).stdout
    for file, content, told in [
        ("summary.csv", "a,b\n1,2\n", "the last columns must be method"),
        ("claims.json", '{"claims": [{}]}', "claims.json is damaged"),
        ("provenance.json", "[]", "provenance.json is damaged"),
    ]:
        spoilt = shutil.copytree(reference, tmp_path / file)
        (spoilt / "first" / file).write_text(content)
        edit_claims(spoilt / "first", note="other bytes") if file != "claims.json" else None
        done = geoforest("compare", results, spoilt)
        assert done.returncode == 2, file
        assert told in done.stderr


def test_a_line_twice_is_refused(both):
    path = both[1] / "first" / "summary.csv"
    text = path.read_text()
    path.write_text(text + text.splitlines()[-1] + "\n")
    done = geoforest("compare", *both)
    assert (done.returncode, "has a line twice" in done.stderr) == (2, True)
