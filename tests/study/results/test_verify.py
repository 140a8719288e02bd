"""Comparison of what is kept with what the current code would compute."""

import importlib

import pytest

from geoforest_cli.study import plan
from geoforest_cli.study.plan.identities import method_identities
from geoforest_cli.study.results.record import read_record
from geoforest_cli.study.results.verify import summary
from tests.e2e.inside import geoforest
from tests.study.conftest import commit
from tests.study.results.edits import edit_record


@pytest.fixture
def kept(mine):
    assert geoforest("reference", "write", cwd=mine).returncode == 0
    return mine


def edit(folder, name, old, new):
    path = folder / "configs" / f"{name}.yaml"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_an_untouched_reference_is_the_same(kept):
    done = geoforest("reference", "verify", cwd=kept)
    assert (done.returncode, done.stderr) == (0, "")
    [sentence] = done.stdout.splitlines()
    assert (
        sentence == "all 2 configs of results/reference have the cells that a run would compute now"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  knn: {label: Nearest", "  knn: {label: Other", None),
        ("knn_errs_less", "another_id", None),
        (
            "logistic: {variants: {as_written: {}}}",
            "logistic: {variants: {as_written: {params: {standardise: true}}}}",
            "1 of 2 methods are the same; other cells now: logistic as_written",
        ),
        (
            "grid: {n: [10, 20]}",
            "grid: {n: [10, 30]}",
            "0 of 2 methods are the same; other cells now: knn as_written, logistic as_written",
        ),
        (
            "  logistic: {variants: {as_written: {}}}\n",
            "  logistic: {variants: {as_written: {}, recommended: {}}}\n",
            "2 of 3 methods are the same; not run: logistic recommended",
        ),
    ],
)
def test_what_changes_cells_is_named_and_nothing_else(kept, old, new, message):
    edit(kept, "first", old, new)
    done = geoforest("reference", "verify", cwd=kept)
    if message is None:
        assert done.returncode == 0
        return
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"first: {message}",
        "1 of 2 configs of results/reference have the cells that a run would compute now",
    ]
    assert geoforest("reference", "verify", "second", cwd=kept).returncode == 0


def test_a_method_that_is_left_out_now(kept):
    edit(kept, "first", "  logistic: {variants: {as_written: {}}}\n", "")
    edit(
        kept,
        "first",
        "    than: [{name: logistic, variant: as_written}]\n",
        "    than: [{name: knn, variant: as_written}]\n",
    )
    done = geoforest("reference", "verify", "first", cwd=kept)
    assert done.returncode == 1
    assert "left out: logistic as_written" in done.stdout


def test_an_edited_experiment_changes_every_cell(kept, monkeypatch):
    folder = kept / "experiments"
    folder.mkdir()
    source = plan.load(kept / "configs" / "first.yaml").entries[0].cell.setting.experiment
    text = source.read_text()
    for helper in source.parent.glob("*.py"):
        (folder / helper.name).write_text(helper.read_text())
    (folder / source.name).write_text(text + "\nUNUSED = 1\n")
    done = geoforest("reference", "verify", cwd=kept)
    assert done.returncode == 1
    assert done.stdout.count("0 of 2 methods are the same") == 2


def test_damaged_files_missing_digests_unknown_configs_are_told(kept):
    folder = kept / "results" / "reference"
    record = (folder / "first" / "record.json").read_text()
    (folder / "first" / "record.json").write_text("[{]")
    done = geoforest("reference", "verify", cwd=kept)
    assert done.returncode == 1
    assert "record.json is damaged" in done.stdout
    edit_record(folder / "second", lambda content: content.update(identities={}))
    done = geoforest("reference", "verify", "second", cwd=kept)
    assert done.returncode == 1
    assert "second: computed by an earlier version that kept nothing to compare with" in done.stdout
    edit(kept, "first", "params: {data: circle", "params: {date: circle")
    (folder / "first" / "record.json").write_text(record)
    done = geoforest("reference", "verify", "first", cwd=kept)
    assert done.returncode == 1
    assert "first: its config cannot be read any more (" in done.stdout
    (kept / "configs" / "second.yaml").rename(kept / "configs" / "third.yaml")
    done = geoforest("reference", "verify", "second", cwd=kept)
    assert "second: there is no such config any more" in done.stdout
    for words, message in [
        (["frist"], "did you mean 'first'?"),
        (["-o", "nowhere"], "there is no folder nowhere"),
        (["-o", "configs"], "configs holds no outcome of profile paper"),
    ]:
        done = geoforest("reference", "verify", *words, cwd=kept)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert message in done.stderr


def test_digests_do_not_know_the_processor(monkeypatch):
    expand = importlib.import_module("geoforest_cli.study.plan.expand")
    here = method_identities(plan.load("runtimes"))
    monkeypatch.setattr(expand, "processor", lambda: "another one")
    assert method_identities(plan.load("runtimes")) == here


def test_inner_values_count():
    every = method_identities(plan.load("noise", overrides=["grid.k=[10, 50]"]))
    fewer = method_identities(plan.load("noise", overrides=["grid.k=[50]"]))
    assert every.keys() == fewer.keys()
    assert not any(every[name] == fewer[name] for name in every)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def commits(kept, name):
    return read_record(kept / "results" / "reference" / name).commits


@pytest.mark.nightly
def test_a_reference_is_completed_over_several_sittings(kept):
    folder = kept / "results" / "reference"
    before = {name: contents(folder / name) for name in ("first", "second")}
    edit(kept, "second", "grid: {n: [10, 20]}", "grid: {n: [10, 30]}")
    last = commit(kept)
    listed = geoforest("reference", "verify", "--list", cwd=kept)
    assert (listed.returncode, listed.stdout) == (0, "second\n")
    # no time: nothing is begun, and nothing that is kept is replaced by what is not complete
    stopped = geoforest("run", "second", "--jobs", 1, "--budget", 0, cwd=kept)
    assert stopped.returncode == 0
    assert "The time of --budget is over. 6 of 12 cells are finished and kept" in stopped.stderr
    none = geoforest("reference", "write", "second", "--current", cwd=kept)
    assert none.returncode == 0, none.stderr
    assert "Without complete results of today's code: second" in none.stderr
    assert before == {name: contents(folder / name) for name in ("first", "second")}
    # the next sitting runs what is missing, and only that config is replaced
    done = geoforest("run", "second", "--jobs", 1, "--budget", 1, cwd=kept)
    assert "Results of 12 cells (6 run now, 6 kept)" in done.stdout
    written = geoforest("reference", "write", "first", "second", "--current", cwd=kept)
    assert written.returncode == 0, written.stderr
    assert contents(folder / "first") == before["first"]
    assert contents(folder / "second") != before["second"]
    assert commits(kept, "first") == commits(kept, "second")[:1]
    assert commits(kept, "second")[1:] == [last]
    assert geoforest("reference", "verify", cwd=kept).returncode == 0
    assert geoforest("reference", "verify", "--list", cwd=kept).stdout == ""


def test_configs_that_are_not_kept_are_named_and_listed(kept):
    text = (kept / "configs" / "first.yaml").read_text()
    for name in ("third", "bench_fourth"):
        (kept / "configs" / f"{name}.yaml").write_text(text)
    edit(kept, "second", "repetitions: 3", "repetitions: 4")
    done = geoforest("reference", "verify", cwd=kept)
    assert "Not kept: third" in done.stderr.splitlines()
    for names, expected in [
        ((), ["second", "third"]), (("third",), ["third"]), (("first", "second"), ["second"]),
    ]:  # fmt: skip
        done = geoforest("reference", "verify", *names, "--list", cwd=kept)
        assert (done.returncode, done.stdout.split()) == (0, expected)


@pytest.mark.nightly
def test_the_front_page_says_how_much_is_of_the_current_code(kept, monkeypatch):
    monkeypatch.chdir(kept)
    edit(kept, "second", "repetitions: 3", "repetitions: 4")
    sentence = summary(kept / "results" / "reference")
    assert sentence.startswith("1 of 2 results are those of the current code (")
    assert sentence.endswith("). Changed since they were computed: second.")
    assert summary(kept / "results") == ""  # of a run: it knows its own commit
    words = ("report", "--results", "results/reference", "--output", "site")
    assert geoforest(*words, cwd=kept).returncode == 0
    assert sentence in (kept / "site" / "index.html").read_text()
