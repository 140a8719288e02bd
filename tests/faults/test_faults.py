"""Faults made by hand are edits of today's code, and tests of today notice them."""

import pytest

from tests.faults import hand_made, mutants
from tests.faults.hand_made import Fault, MalformedFaultsError, among, problems, read, touched
from tests.faults.trees import ROOT

CODE = "def half(x):\n    return x / 2\n\n\ndef third(x):\n    return x / 3\n"


def test_every_fault_can_be_tried():
    assert problems(read(), ROOT) == []


def test_mutants_that_cannot_be_noticed_are_told_with_their_reason():
    assert mutants.sentences(mutants.read_equivalent(hand_made.HERE), ROOT) == []


@pytest.fixture
def root(tmp_path):
    (tmp_path / "tests" / "a").mkdir(parents=True)
    (tmp_path / "half.py").write_text(CODE)
    (tmp_path / "tests" / "a" / "test_half.py").write_text(
        "def test_half():\n    ...\n\n\nclass TestIt:\n    def test_third(self):\n        ...\n"
    )
    return tmp_path


def fault(**changes):
    told = {"file": "half.py", "old": "x / 2", "new": "x * 2", "why": "it doubles"}
    return Fault("a.toml, fault 1", **{**told, "tests": ("tests/a/test_half.py",), **changes})


@pytest.mark.parametrize(
    "tests",
    [
        ("tests",),
        ("tests/a/test_half.py::test_half",),
        ("tests/a/test_half.py::test_half[1-a::b]",),
        ("tests/a/test_half.py::TestIt::test_third",),
    ],
)
def test_a_fault_that_can_be_tried(root, tests):
    assert problems([fault(tests=tests)], root) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"file": "whole.py"}, "there is no file 'whole.py'"),
        ({"old": "x / 4"}, "'x / 4' stands 0 times in half.py, not once"),
        ({"old": "x / "}, "'x / ' stands 2 times in half.py, not once"),
        ({"new": "x /"}, "what comes out is no Python: invalid syntax in line 2"),
        ({"new": "x / 2"}, "it changes nothing but the layout"),
        ({"new": "x /  2  # half"}, "it changes nothing but the layout"),
        ({"why": ""}, "it does not say why it is a fault"),
        ({"tests": ()}, "it needs either tests or the reason why none can notice it"),
        ({"equivalent": "same"}, "it needs either tests or the reason why none can notice it"),
        ({"tests": ("tests/test_a.py",)}, "there is no 'tests/test_a.py' to run"),
        (
            {"tests": ("tests/a/test_half.py::test_third",)},
            "there is no 'test_third' in tests/a/test_half.py",
        ),
    ],
)
def test_what_is_wrong_with_a_fault_is_said(root, changes, said):
    assert problems([fault(**changes)], root) == [f"a.toml, fault 1: {said}."]


def test_a_fault_stands_once(root):
    again = Fault(**{**vars(fault()), "source": "b.toml, fault 4"})
    assert problems([fault(), again], root) == [
        "b.toml, fault 4: it is the same as a.toml, fault 1."
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[fault]", "a.toml is no TOML: "),
        ("[[mutant]]\na = 1", r"a.toml has 'mutant'; it may have \[\[fault\]\] only."),
        ("[[fault]]\nfile = 'a'\nnew = ''", "a.toml, fault 1: 'old' is missing."),
        (
            "[[fault]]\nfile = 'a'\nnew = ''\nold = ''\ntest = 1",
            "a.toml, fault 1: 'test' is none of",
        ),
    ],
)
def test_a_list_that_is_malformed(tmp_path, text, said):
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(MalformedFaultsError, match=said):
        read(tmp_path)


def test_faults_are_read_in_order(tmp_path):
    (tmp_path / "b.toml").write_text("[[fault]]\nfile = 'c'\nold = 'd'\nnew = 'e'\nplain = true")
    (tmp_path / "a.toml").write_text("[[fault]]\nfile = 'a'\nold = 'b'\nnew = 'c'\n" * 2)
    (tmp_path / hand_made.EQUIVALENT).write_text("[[mutant]]\nfile = 'a'")
    found = read(tmp_path)
    assert [one.source for one in found] == [
        "a.toml, fault 1",
        "a.toml, fault 2",
        "b.toml, fault 1",
    ]
    assert [one.plain for one in found] == [False, False, True]


CLAIMS = fault(
    file="geoforest_cli/study/claims/base.py", tests=("tests/study/claims/test_base.py::test_a",)
)
KERNEL = fault(
    file="geoforest_cli/estimators/forests/kernels/grow.py",
    tests=("tests/estimators/forests/test_trees.py",),
)
TOP = Fault(
    "top.toml, fault 1",
    "geoforest_cli/core/registry.py",
    "a",
    "b",
    tests=("tests/core/test_files.py",),
)


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        ([], [CLAIMS, KERNEL, TOP]),
        (["geoforest_cli/study/claims/"], [CLAIMS]),
        (["estimators/forests"], [KERNEL]),
        (["estimators/forests/kernels/grow.py", "study/claims"], [CLAIMS, KERNEL]),
        (["geoforest_cli"], [CLAIMS, KERNEL, TOP]),
        (["tests/faults/top.toml"], [TOP]),
        (["study/cl"], []),
    ],
)
def test_faults_are_chosen_by_folder_or_file(paths, found):
    assert among([CLAIMS, KERNEL, TOP], paths) == found


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        (["README.md"], []),
        (["geoforest_cli/study/claims/slope.py"], [CLAIMS]),
        (["tests/estimators/forests/test_smerf.py"], [KERNEL]),
        (["geoforest_cli/estimators/forests/growth.py", "tests/faults/top.toml"], [KERNEL, TOP]),
        (["geoforest_cli/core/cache.py"], [TOP]),
        (["tests/core/test_cache.py"], [TOP]),
    ],
)
def test_faults_are_chosen_by_what_has_changed(changed, found):
    assert touched([CLAIMS, KERNEL, TOP], changed) == found
