"""What a claim tests is registered before the first cell of a root seed is run."""

import pytest

from geoforest_cli.study.engine.store import Store
from geoforest_cli.study.report import render
from geoforest_cli.study.session import Study
from tests.study.engine import toy

CLAIMS = """
sentences:
  high: {quote: It is high, section: "3"}
claims:
  - id: one
    sentence: high
    says: It is at least a half
    check: at_least
    metric: m
    value: 0.5
    method: {name: still, variant: as_written}
  - id: two
    says: Quiet is at most two
    check: at_most
    metric: m
    value: 2.0
    method: {name: quiet, variant: as_written}
profiles:"""
QUIET = '  quiet: {use: "toy_method:Quiet", variants: {as_written: {}}}'
STILL = 'still: {use: "toy_method:Still", variants: {as_written: {'
THIRD = """
  - id: three
    says: Still is at most two
    check: at_most
    metric: m
    value: 2.0
    method: {name: still, variant: as_written}
profiles:"""


@pytest.fixture
def opened(tmp_path, monkeypatch):
    monkeypatch.setattr(render, "_figures", lambda *_: None)

    def make(*changes, **options):
        base = [("methods:", f"repetitions: 2\nmethods:\n{QUIET}"), ("\nprofiles:", CLAIMS)]
        return Study(toy.make_plan(tmp_path, *base, *changes, **options), tmp_path / "results")

    return make


def judged(study):
    """Run what is missing; the claims and sentences."""
    return study.render(study.run(executor=toy.Inline())).judged


def registrations(study):
    return {claim.id: claim.registration for claim in judged(study).claims}


def test_claims_that_were_there_before_the_first_cell_are_registered(opened):
    for found in (judged(opened()), judged(opened())):
        assert {claim.registration for claim in found.claims} == {"registered"}
        assert found.sentence("high").registration == "registered"


@pytest.mark.parametrize(
    ("changes", "late"),
    [
        ([("value: 0.5", "value: 0.4")], {"one"}),
        ([("check: at_most", "check: at_most\n    where: {a: [0, 1]}")], {"two"}),
        ([("    sentence: high\n", "    sentence: high\n    exact: true\n")], {"one"}),
        ([(STILL, f"{STILL}repetitions: 1")], {"one"}),
        ([("repetitions: 2", "repetitions: 3")], {"one", "two"}),
        ([("\nprofiles:", THIRD)], {"three"}),
        ([("at least a half", "a half or more"), ("It is high", "It is tall")], set()),
        ([("\nprofiles:", "\nfigure: {x: a, y: [m]}\nprofiles:")], set()),
        ([("title: toy", "title: toy\nseed: 1"), ("value: 0.5", "value: 0.4")], set()),
        pytest.param(
            [("timeout: 600", "timeout: 600\nparams: {number: 2.0}")], {"one", "two"},
            marks=pytest.mark.xfail(
                reason="what the cells compute is no part of what is registered", strict=True
            ),
        ),
    ],
    ids="threshold where exact its-repetitions repetitions new words figure seed params".split(),
)
def test_a_claim_that_tests_another_thing_afterwards_is_post_hoc(opened, changes, late):
    judged(opened())
    found = judged(opened(*changes))
    assert {one.id for one in found.claims if one.registration == "post hoc"} == late
    assert (found.sentence("high").registration == "post hoc") == ("one" in late)


def test_a_part_that_was_a_reading_is_post_hoc(opened):
    reading = ("    sentence: high\n", "    sentence: high\n    reading: true\n")
    part = ("    says: Quiet", "    sentence: high\n    says: Quiet")
    judged(opened(reading, part))
    assert registrations(opened(part)) == {"one": "post hoc", "two": "registered"}


@pytest.mark.xfail(
    reason="cells that the profiles share hinder the registration of the second", strict=True
)
def test_a_small_run_before_it_makes_no_claim_post_hoc(opened):
    judged(opened(profile="smoke"))
    assert set(registrations(opened()).values()) == {"registered"}


def test_the_first_registration_of_a_seed_and_size_counts(tmp_path):
    with Store(tmp_path / "cells.sqlite", create=True) as store:
        assert store.registered(0, "paper") == {}
        store.register(0, "paper", {"one": "a"})
        store.register(0, "paper", {"one": "b"})
        store.register(1, "paper", {"one": "c"})
        store.register(0, "smoke", {"one": "d"})
    with Store(tmp_path / "cells.sqlite") as store:
        found = [store.registered(*key)["one"] for key in ((0, "paper"), (1, "paper"), (0, "smoke"))]
    assert found == ["a", "c", "d"]
