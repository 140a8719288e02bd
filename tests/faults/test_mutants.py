"""The draw of faults, and the choice of tests that are run for them."""

import pytest
from click.testing import CliRunner

from tests.faults import mutants

CODE = """\
def f(a: 1 + 2, n: Field(ge=1)) -> 3 - 4:
    assert a + 1 == 2
    if a < 3:
        return a - n
    return not a
"""

pytestmark = pytest.mark.nightly


@pytest.fixture
def cosmic_ray():
    pytest.importorskip("cosmic_ray", reason="cosmic-ray is not installed: make mutants does")


def test_each_place_is_drawn_once_and_no_annotation_or_assert(cosmic_ray):
    drawn = mutants.sample({"a.py": CODE}, frozenset(), 99, 0)
    places = [(mutant.line, mutant.column) for mutant in drawn]
    assert len(set(places)) == len(places)
    assert {line for line, _ in places} == {1, 3, 4, 5}
    assert [CODE[column] for line, column in places if line == 1] == ["1"]
    assert all(mutant.applied(CODE) != CODE for mutant in drawn)


def test_changed_files_come_first_and_a_seed_gives_a_sample(cosmic_ray):
    sources = {"a.py": CODE, "b.py": CODE}
    drawn = mutants.sample(sources, frozenset({"b.py"}), 99, 0)
    assert [fault.file for fault in drawn] == sorted((fault.file for fault in drawn), reverse=True)
    assert mutants.sample(sources, frozenset({"b.py"}), 3, 0) == drawn[:3]
    assert mutants.sample(sources, frozenset({"b.py"}), 3, 1) != drawn[:3]


@pytest.mark.parametrize(
    ("file", "folder"),
    [
        ("geoforest_cli/study/claims/decision.py", "tests/study/claims"),
        ("geoforest_cli/estimators/forests/kernels/gini.py", "tests/estimators/forests"),
        ("geoforest_cli/__init__.py", "tests"),
    ],
)
def test_the_tests_are_those_of_the_mirrored_folder(file, folder):
    assert mutants.mirrored(file) == folder


def test_a_second_call_goes_on_where_the_first_stopped(cosmic_ray, tmp_path, monkeypatch):
    tried = []

    class Copy:
        def __init__(self, kept, marks, tests):
            pass

        def attempt(self, mutant, text):
            tried.append(mutant)
            return mutants.SURVIVED if len(tried) == 1 else mutants.KILLED

    monkeypatch.setattr(mutants, "KEPT", tmp_path)
    monkeypatch.setattr(mutants, "Copy", Copy)
    words = ["geoforest_cli/core/escaping.py", "--seed", "1", "--size"]
    first = CliRunner().invoke(mutants.main, [*words, "2"])
    assert first.exit_code == 0, first.output
    assert first.output.rstrip().endswith("1 survived, 1 killed")
    assert "--- geoforest_cli/core/escaping.py" in first.output
    second = CliRunner().invoke(mutants.main, [*words, "3"])
    assert second.output.rstrip().endswith("2 killed, 1 survived")
    assert len(tried) == len(set(tried)) == 3
    left = CliRunner().invoke(mutants.main, [*words, "4", "--minutes", "-1"])
    assert left.output.rstrip().endswith("1 left")
