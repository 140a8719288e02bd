"""Faults are tried in copies, and the tests that are run are those that run the line."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.faults import covering, mutants, places, trees
from tests.faults.covering import Covering, Run
from tests.faults.report import EQUIVALENT, KILLED, SURVIVED, table
from tests.faults.syntax import statement_at
from tests.faults.trees import Tree, files_of

CODE = """\
LEAST = 1


def half(x, least=2):
    if x < LEAST:
        raise ValueError(f"{x - 1} is too small")
    return (
        x
        / least
    )


def third(x: int | None) -> float:
    while x > 2**40:
        x = x - 1
    return x / 3
"""
TESTS = """\
import subprocess, sys
from geoforest_cli.parts.half import half

def test_half():
    assert half(4) == 2

def test_third_elsewhere():
    code = "from geoforest_cli.parts.half import third; assert third(6) == 2"
    subprocess.run([sys.executable, "-c", code], check=True)
"""
FILE = "geoforest_cli/parts/half.py"


@pytest.fixture
def root(tmp_path):
    """A checkout of a very small package."""
    root = tmp_path / "checkout"
    texts = {
        # else an installed package of this name would be found first
        "geoforest_cli/__init__.py": "",
        FILE: CODE,
        "tests/parts/test_half.py": TESTS,
        "pyproject.toml": "",
        ".gitignore": "*.log",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "a.log").write_text("not of the project")
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


@pytest.fixture
def tree(root, tmp_path):
    return Tree(tmp_path / "tree", tmp_path / "numba", root)


def test_a_copy_has_what_git_would_take(root, tree):
    package = ["geoforest_cli/__init__.py", FILE]
    assert files_of(root) == [".gitignore", *package, "pyproject.toml", "tests/parts/test_half.py"]
    assert (tree.folder / FILE).read_text() == CODE
    assert not (tree.folder / "a.log").exists()


def test_a_fault_is_killed_by_a_failing_test_or_by_its_limit(root, tree):
    everything = ["tests/parts"]
    assert not tree.run(everything, seconds=60).killed
    wrong = CODE.replace("/ least", "* least")
    with tree.edited(FILE, wrong):
        assert tree.run(everything, seconds=60).by == "tests/parts/test_half.py::test_half"
    # of one length and one second with the last: a stale compiled module would kill it
    assert tree.run(["tests/parts/test_half.py::test_half"], seconds=60).killed is False
    with tree.edited(FILE, CODE.replace("2**40", "-2**40")):
        verdict = tree.run(everything, seconds=4)
    assert verdict.by == "more than 4 s of processor time"
    assert (tree.folder / FILE).read_text() == (root / FILE).read_text() == CODE


def test_what_takes_too_long_as_python_kills_nothing_there(tree):
    marked = f"import pytest\npytestmark = pytest.mark.compiled\n{TESTS}"
    test = "tests/parts/test_half.py"
    wrong = CODE.replace("/ least", "* least")
    with tree.edited(test, marked), tree.edited(FILE, wrong):
        assert tree.run([test], seconds=60).killed
        assert not tree.run([test], plain=True, seconds=60).killed


def test_the_tests_that_run_a_line_are_known(root, tree, tmp_path):
    digests = covering.digests(root, files_of(root))
    covering.record(tree, tmp_path / "000", ["tests"], digests, plain=False)
    known = Covering([Run(tmp_path / "000")], digests, plain=False)
    assert known.missing() == []
    test, elsewhere = (
        f"tests/parts/test_half.py::test_{one}" for one in ("half", "third_elsewhere")
    )
    assert set(known.tests_of(FILE, CODE, {7, 8, 9})) == {test}
    assert set(known.tests_of(FILE, CODE, {6})) == set()
    # by a child process of the test
    assert set(known.tests_of(FILE, CODE, {16})) == {elsewhere}
    # lines move, and a line that is new is run by what ran its definition
    longer = CODE.replace("def half", "\n\ndef half")
    assert set(known.tests_of(FILE, longer, {9, 10, 11})) == {test}
    newer = CODE.replace("x / 3", "x / 4 + 1")
    assert set(known.tests_of(FILE, newer, {16})) == {elsewhere}
    changed = Covering(known.runs, dict.fromkeys(digests, "another"), plain=False)
    assert changed.missing() == ["tests/parts/test_half.py"]
    assert changed.tests_of(FILE, CODE, {7}) == {}


@pytest.mark.parametrize(
    ("context", "test"),
    [
        ("t.py::test_a[x (y) z]", "t.py::test_a[x (y) z]"),
        ("t.py::test_a[x (y) z] (call)", "t.py::test_a[x (y) z]"),
        ("t.py::test_a[a|b]", "t.py::test_a[a|b]"),
        ("t.py::test_a[a|b] (setup)", "t.py::test_a[a|b]"),
        ("t.py::test_a (teardown)", "t.py::test_a"),
        ("t.py::test_a (call)|t.py::test_b", "t.py::test_b"),
        ("t.py::test_a[(call)]", "t.py::test_a[(call)]"),
        ("", ""),
    ],
)
def test_a_context_of_coverage_names_a_test(context, test):
    assert covering._test(context) == test


def test_what_a_helper_says_counts_for_the_tests_that_use_it(tmp_path):
    given = {
        "tests/conftest.py": "",
        "tests/toy.py": "from tests.deep import inner",
        "tests/deep/inner.py": "",
        "tests/deep/conftest.py": "",
        "tests/deep/test_inside.py": "",
        "tests/test_toy.py": "from tests import toy",
        "tests/test_alone.py": "",
    }

    def changed(file):
        before = covering.digests(tmp_path, given)
        (tmp_path / file).write_text("changed = True", encoding="utf-8")
        after = covering.digests(tmp_path, given)
        (tmp_path / file).write_text(given[file], encoding="utf-8")
        return {Path(one).name for one in after if after[one] != before[one]}

    for file, text in given.items():
        (tmp_path / file).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    assert changed("tests/toy.py") == changed("tests/deep/inner.py") == {"test_toy.py"}
    assert changed("tests/test_alone.py") == {"test_alone.py"}
    assert changed("tests/deep/conftest.py") == {"test_inside.py", "test_toy.py"}
    assert len(changed("tests/conftest.py")) == 3


def test_quick_tests_and_those_close_by_come_first_within_the_time():
    class Known:
        def tests_of(self, file, text, lines):
            found = {"tests/a/test_a.py::slow": 40.0, "tests/a/test_a.py::quick": 0.1}
            found |= {"tests/a/test_c.py::endless": 99.0, "tests/b/test_b.py::quick": 0.15}
            return {**found, "tests/parts/test_b.py::close": 0.3}

    (mutant,) = (one for one in drawn(CODE) if one.start == (15, 16))
    tests, seconds, total = mutants.chosen(mutant, CODE, Known(), 60)
    names = [
        "parts/test_b.py::close",
        "a/test_a.py::quick",
        "a/test_a.py::slow",
        "b/test_b.py::quick",
    ]
    assert tests == [f"tests/{name}" for name in names]
    assert (seconds, total) == (pytest.approx(40.55), 5)


@pytest.mark.parametrize("imported", [True, False])
def test_a_line_that_runs_at_import_is_tried_by_the_tests_around_it(imported):
    class Known:
        def tests_of(self, file, text, lines):
            return {} if lines == {15} else {"tests/a/test_a.py::of_the_file": 1.0}

        def is_imported(self, file, text, statement):
            return imported and statement.lines == {15}

        def tests_in(self, folder):
            assert folder == "tests/parts"
            return {"tests/parts/test_b.py::of_the_folder": 2.0}

    (mutant,) = (one for one in drawn(CODE) if one.start == (15, 16))
    tests, _, total = mutants.chosen(mutant, CODE, Known(), 60)
    names = ["a/test_a.py::of_the_file", "parts/test_b.py::of_the_folder"] if imported else []
    assert (tests, total) == ([f"tests/{name}" for name in names], len(names))


def test_tests_that_import_the_module_come_first(monkeypatch):
    class Known:
        def tests_of(self, file, text, lines):
            return {"tests/a/test_a.py::other": 1.0, "tests/a/test_b.py::importing": 3.0}

    imported = {"tests/a/test_a.py": {"whole"}, "tests/a/test_b.py": {"half"}}
    monkeypatch.setattr(mutants, "_imported", imported.get)
    (mutant,) = (one for one in drawn(CODE) if one.start == (15, 16))
    tests, _, _ = mutants.chosen(mutant, CODE, Known(), 60)
    assert tests == ["tests/a/test_b.py::importing", "tests/a/test_a.py::other"]


def drawn(text, size=1000, seed=0):
    pytest.importorskip("cosmic_ray")
    return places.sample({FILE: text}, size, seed)


def test_tests_that_only_look_whether_something_has_come_are_stopped(monkeypatch):
    monkeypatch.setattr(trees, "_IDLE", 0.5)
    waiting = "import time\nwhile True: time.sleep(0.05)"
    process = psutil.Popen([sys.executable, "-c", waiting])
    try:
        assert trees._watch(process, 1000) == "waiting for more than 0.5 s"
    finally:
        process.kill()
        process.wait()


def test_each_place_has_one_mutant_and_some_have_none():
    found = drawn(CODE)
    assert sorted((one.definition, *one.start) for one in found) == [
        ("", 1, 8),
        *(("half", *place) for place in ((4, 18), (5, 7), (5, 9), (9, 8))),
        *(("third", *place) for place in ((14, 10), (14, 12), (14, 14), (14, 15), (14, 17))),
        *(("third", *place) for place in ((15, 14), (15, 16), (16, 13), (16, 15))),
    ]


def test_an_edit_elsewhere_leaves_the_sample_as_it_is():
    before = drawn(CODE, 4)
    after = drawn("A = B\n\n" + CODE.replace("LEAST = 1", "LEAST = 'a'"), 1000)
    words = {(one.definition, one.operator, one.start[0] + 2, one.start[1]) for one in before}
    assert words - {(one.definition, one.operator, *one.start) for one in after} <= {
        word for word in words if word[0] == ""
    }
    assert drawn(CODE, 4) == before != drawn(CODE, 4, seed=1)


def test_annotations_count_where_something_is_called_in_them():
    text = "def f(a: int | None, b: A[int, Field(ge=1)]) -> 1 | 2:\n    assert a > 3\n    return a"
    assert [one.start for one in drawn(text)] == [(1, 40)]
    faster = "@kernel\n@functools.cache\n@staticmethod\ndef f(a):\n    return a"
    assert [one.start for one in drawn(faster)] == [(3, 0)]


def test_a_statement_is_its_lines_and_a_head_is_no_body():
    assert statement_at(CODE, 8).lines == {7, 8, 9, 10}
    assert statement_at(CODE, 5).lines == {5}
    assert statement_at(CODE, 14).lines == {14}
    assert not statement_at(CODE, 14).at_import
    head = statement_at(CODE, 4)
    assert (head.lines, head.at_import, head.near) == ({4}, True, set(range(5, 11)))
    assert statement_at(CODE, 1).at_import


def test_an_outcome_holds_while_the_tests_that_decided_it_are_the_same(tmp_path):
    now = {"tests/a/test_a.py": "1", "tests/a/test_b.py": "2"}
    store = mutants.Store(tmp_path / "outcomes", now)
    by = "tests/a/test_a.py::test_it"
    store.keep(mutants.Outcome("a", KILLED, by, store.deciding(by)))
    store.keep(mutants.Outcome("b", SURVIVED, tests=store.deciding("")))
    with (tmp_path / "outcomes").open("a") as stream:
        stream.write('{"key": "cut')
    again = mutants.Store(tmp_path / "outcomes", now)
    assert (again.get("a").kind, again.get("b").kind, again.get("c")) == (KILLED, SURVIVED, None)
    more = mutants.Store(tmp_path / "outcomes", {**now, "tests/a/test_b.py": "3"})
    assert (more.get("a").kind, more.get("b")) == (KILLED, None)
    other = mutants.Store(tmp_path / "outcomes", {**now, "tests/a/test_a.py": "3"})
    assert (other.get("a"), other.get("b")) == (None, None)


def test_what_survived_some_of_its_tests_is_tried_again_with_more_time(tmp_path):
    store = mutants.Store(tmp_path / "outcomes", {})
    for key, running in (("some", 5), ("all", 3)):
        tests = store.deciding("")
        store.keep(mutants.Outcome(key, SURVIVED, "", tests, 3, running, seconds=60))
    assert store.get("some", 60) == store.get("some")
    assert store.get("some", 61) is None
    assert store.get("all", 61).covering == 3


def test_a_mutant_is_told_as_the_list_of_equivalent_ones_has_it(tmp_path):
    (mutant,) = (one for one in drawn(CODE) if one.start == (16, 13))
    told = mutants.told(mutant, CODE)
    assert told == {
        "file": FILE,
        "definition": "third",
        "old": "return x / 3",
        "new": "return x * 3",
    }
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text(CODE)
    whole = {**told, "reason": "x is nothing"}
    assert mutants.sentences([whole], tmp_path) == []
    assert mutants.sentences([whole, whole], tmp_path) == [
        "equivalent.toml, mutant 2: it stands there twice."
    ]
    assert mutants.sentences([{**whole, "old": "return x / 4"}], tmp_path) == [
        f"equivalent.toml, mutant 1: 'return x / 4' is no line of {FILE}."
    ]
    assert mutants.sentences([{**whole, "reason": " "}], tmp_path) == [
        "equivalent.toml, mutant 1: it has no reason."
    ]


def test_the_table_has_a_line_for_each_folder():
    outcomes = [("b", KILLED), ("a", KILLED), ("b", SURVIVED), ("b", KILLED)]
    assert table(outcomes, (KILLED, SURVIVED, EQUIVALENT)).splitlines() == [
        "folder  faults  killed  survived  equivalent",
        "a            1       1         0           0",
        "b            3       2         1           0",
        "all          4       3         1           0",
    ]
