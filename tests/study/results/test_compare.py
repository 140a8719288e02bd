"""Changes between two outcomes, and the words for them."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from geoforest_cli.study.results.compare import _p_values
from tests.e2e.inside import geoforest
from tests.study.results.edits import edit_claims, edit_record, edit_summary


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
        for origin in record["environment"]["origins"]:
            origin[fact] = "slide rule"

    edit_summary(both[1] / "first", nudge)
    edit_record(both[1] / "first", move)
    output = geoforest("compare", *both).stdout
    assert "values differ, on another processor (" in output
    assert " -> slide rule)\n" in output
    assert output.endswith("Nothing changed beyond noise and another processor's rounding.\n")
    assert asked(both)["configs"]["first"]["processors"][1] == "slide rule"
    # what is not recorded says nothing
    edit_record(both[1] / "first", lambda record: drop(record, fact))
    assert "values differ, within noise" in geoforest("compare", *both).stdout


def drop(record, fact):
    for origin in record["environment"]["origins"]:
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
    edit_record(both[1] / "second", lambda record: record.update(measures_time=True))
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
    comparison = asked(both)
    assert comparison["changed"] == changed
    [claim] = comparison["configs"]["first"]["claims"]
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


def test_what_only_one_has_counts_unless_the_other_may_lack_it(both):
    edit_summary(both[1] / "first", lambda line: line["method"] != "knn")
    edit_record(both[1] / "first", lambda record: record.update(claims=[], sentences=[]))
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
    for words, message in [
        ((results, tmp_path / "nowhere"), "there is no folder"),
        ((tmp_path / "empty", reference), "holds no outcome of profile paper"),
        ((results, reference, "--profile", "smoke"), "is of profile paper, and profile smoke"),
        ((results, reference, "--profile", "huge"), "holds no outcome of profile huge"),
    ]:
        done = geoforest("compare", *words)
        assert done.returncode == 2, words
        [sentence] = done.stderr.splitlines()
        assert message in sentence
    done = geoforest(
        "reference", "write", "--results", results, "--profile", "smoke", "--out", smoke
    )
    assert done.returncode == 0, done.stderr
    # the size is that of the reference
    assert "The same to the byte: first" in geoforest("compare", results, smoke).stdout
    (reference / "first" / "summary.csv").write_text("a,b\n1,2\n")
    done = geoforest("compare", results, reference)
    assert (done.returncode, "summary.csv is damaged" in done.stderr) == (2, True)


def summary(*lines):
    """Means, halves of intervals and repetitions of lines of one metric."""
    keys = [json.dumps({"metric": "error", "line": i}) for i in range(len(lines))]
    return pd.DataFrame(lines, columns=["mean", "half", "repetitions"], index=keys).assign(failed=0)


def p_values(before, after):
    both = {"before": summary(*before), "after": summary(*after)}
    return _p_values(pd.concat(both, axis=1))


def test_the_test_of_a_line_is_the_two_sample_t_test():
    samples = np.random.default_rng(0).normal(size=(2, 4))
    lines = [
        (x.mean(), stats.t(3).ppf(0.975) * x.std(ddof=1) / 2, 4) for x in samples
    ]  # fmt: skip
    [p] = p_values(lines[:1], lines[1:])
    assert p == pytest.approx(stats.ttest_ind(*samples).pvalue)


def test_a_line_has_at_least_the_variance_of_its_metric():
    before = [(0.5, 0.1, 3)] * 8
    after = [(0.6, 0.001, 3), *before[1:]]
    typical = (stats.t(2).ppf(0.975) ** -2 * 3 * (0.1**2 * 15 + 0.001**2)) / 16
    t = 0.1 / np.sqrt(typical * 2 / 3)
    assert p_values(before, after)[0] == pytest.approx(2 * stats.t(8).sf(t))


def test_what_is_single_or_without_noise_is_not_tested_alone():
    quiet = [(0.5, 0.0, 3)]
    assert np.isnan(p_values([(0.5, np.nan, 1)], [(0.6, np.nan, 1)])).all()
    assert np.isnan(p_values(quiet, [(0.6, 0.0, 3)])).all()
    assert p_values(quiet, [(0.5 + 1e-9, 0.0, 3)]) == [1]
    # eight lines without any noise show that there is none
    assert p_values(quiet * 8, [(0.6, 0.0, 3), *quiet * 7]).tolist() == [0] + [1] * 7
    noisy = [(0.5, 0.1, 3)]
    assert np.isnan(p_values(quiet * 8 + noisy, [(0.6, 0.0, 3), *quiet * 7, *noisy])[0])
