"""Registration of what a claim tests before the first cell of a root seed is run."""

import sqlite3
from contextlib import closing

import pytest

from geoforest_cli.study.claims.registration import registered_seed
from geoforest_cli.study.engine.store import Store
from geoforest_cli.study.report import render
from geoforest_cli.study.session import Study
from tests.study.engine import toy

FIRST, SECOND, THIRD = (
    f"\n  - {{id: {name}, says: Of {name}, check: at_least, metric: m, value: {value}, "
    f"method: {{name: {method}, variant: as_written}}}}"
    for name, value, method in (("one", 0.5, "still"), ("two", 2, "quiet"), ("three", 3, "still"))
)
FIRST = FIRST.replace("says", "sentence: high, says")
SECTIONS = (
    f'\nsentences: {{high: {{quote: It is high, section: "3"}}}}\nclaims:{FIRST}{SECOND}\nprofiles:'
)
QUIET = '  quiet: {use: "toy_method:Quiet", variants: {as_written: {}}}'


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Run a config with some changes, and judge it."""
    monkeypatch.setattr(render, "_draw", lambda *_: ())
    base = [("methods:", f"repetitions: 2\nmethods:\n{QUIET}"), ("\nprofiles:", SECTIONS)]

    def judge(*changes, **options):
        study = Study(toy.make_plan(tmp_path, *base, *changes, **options), tmp_path / "results")
        return study.render(study.run(executor=toy.Inline())).judged

    return judge


def post_hoc(verdicts):
    return {claim.id for claim in verdicts.claims if claim.registration == "post hoc"}


def test_claims_from_before_the_first_cell_are_registered(judged):
    for verdicts in (judged(), judged()):
        assert post_hoc(verdicts) == set()
        assert verdicts.sentence("high").registration == "registered"


@pytest.mark.parametrize(
    ("changes", "late"),
    [
        ([("value: 0.5", "value: 0.4")], {"one"}),
        ([("value: 2", "where: {a: [0, 1]}, value: 2")], {"two"}),
        ([("value: 0.5", "reading: true, value: 0.5"), ("says: Of two", "sentence: high, says: x")],
         {"one", "two"}),
        ([('Still", variants: {as_written: {', 'Still", variants: {as_written: {repetitions: 1')],
         {"one"}),
        ([("repetitions: 2", "repetitions: 3")], {"one", "two"}),
        ([("\nprofiles:", f"{THIRD}\nprofiles:")], {"three"}),
        ([("Of one", "It is"), ("It is high", "It is tall"), ("title: toy", "title: Toy")], set()),
        ([("title: toy", "seed: 1\ntitle: toy"), ("value: 0.5", "value: 0.4")], set()),
    ],
)  # fmt: skip
def test_a_claim_that_tests_another_thing_afterwards_is_post_hoc(judged, changes, late):
    judged()
    verdicts = judged(*changes)
    assert post_hoc(verdicts) == late
    assert (verdicts.sentence("high").registration == "post hoc") == ("one" in late)


def test_what_is_registered_after_cells_were_run_is_post_hoc(judged, tmp_path):
    judged()  # as an older geoforest does
    with closing(sqlite3.connect(tmp_path / "results" / "toy" / "cells.sqlite")) as store:
        store.execute("DROP TABLE registrations")
    assert post_hoc(judged()) == {"one", "two"}


def test_a_small_run_before_it_makes_no_claim_post_hoc(judged):
    judged(profile="smoke")
    assert post_hoc(judged()) == set()


def test_the_first_registration_of_a_seed_and_size_counts(tmp_path):
    keys = [(0, "paper"), (0, "paper"), (1, "paper"), (0, "smoke")]
    with Store(tmp_path / "cells.sqlite", create=True) as store:
        assert store.registered(0, "paper") == {}
        for key, digest in zip(keys, "abcd", strict=True):
            store.register(*key, {"one": digest})
    with Store(tmp_path / "cells.sqlite") as store:
        assert [store.registered(*key)["one"] for key in keys] == ["a", "a", "c", "d"]


def test_the_registered_seed_is_of_claims_and_repetitions_alone(tmp_path):
    def seed(*changes):
        sections = ("\nprofiles:", SECTIONS)
        return registered_seed(
            toy.make_plan(tmp_path, ("methods:", f"methods:\n{QUIET}"), sections, *changes)
        )

    first = seed()
    assert 0 <= first < 2**32
    assert (
        first == seed(("title: toy", "title: toy\nseed: 2")) == seed(("Of one", "In other words"))
    )
    assert first != seed(("value: 0.5", "value: 0.6"))
    assert first != seed(("timeout:", "repetitions: 3\ntimeout:"))
