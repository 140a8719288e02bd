"""What a kept outcome says of its making, and when two outcomes count as changed."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.reference.comparison import (
    ClaimChange,
    Comparison,
    ConfigComparison,
    ValueChange,
)
from geoforest_cli.study.reference.outcome import (
    ConfigOutcome,
    chosen_outcomes,
    is_reference,
    outcomes_in,
)
from geoforest_cli.study.reference.snapshot import _shortened
from tests.study.claims import by_hand
from tests.study.claims.by_hand import GREATER, around

ROW = {"method": "gf", "variant": "as_run", "metric": "error"}
VALUE = ValueChange(ROW, 0.1, None)
KINDS = ("changed", "lost", "failed", "claim", "alone", "rows", "claims", "new rows", "new claims")


def compared(kinds=(), **given_):
    """One config with some kinds of difference."""
    one = ConfigComparison("first", **given_)
    one.changed += [VALUE] * ("changed" in kinds)
    one.lost += [VALUE] * ("lost" in kinds)
    one.failed += [(ROW, 0, 1)] * ("failed" in kinds)
    one.claims.append(ClaimChange("quiet", "tie", "undecided", counts=False, alone=False))
    one.claims += [ClaimChange("c", "tie", "refuted", counts=True, alone=False)] * (
        "claim" in kinds
    )
    one.claims += [ClaimChange("d", "none", "tie", counts=False, alone=True)] * ("alone" in kinds)
    one.missing["rows"] += [ROW] * ("rows" in kinds)
    one.missing["claims"] += ["c"] * ("claims" in kinds)
    one.new["rows"] += [ROW] * ("new rows" in kinds)
    one.new["claims"] += ["c"] * ("new claims" in kinds)
    return one


@given(st.sets(st.sampled_from(KINDS), max_size=2), st.booleans(), st.booleans())
def test_a_config_counts_for_what_both_have_and_else_where_that_is_asked(kinds, timed, common):
    both = kinds & {"changed", "lost", "failed", "claim"}
    wanted = not timed and bool(both or (kinds and not common))
    assert compared(kinds, timed=timed).counts(common=common) is wanted


@given(
    st.lists(st.tuples(st.booleans(), st.sets(st.sampled_from(KINDS), max_size=1)), max_size=3),
    st.sets(st.sampled_from(["missing", "new"])), st.booleans(),
)  # fmt: skip
def test_outcomes_are_the_same_or_changed_by_their_configs(configs, alone, common):
    found = Comparison(
        configs=tuple(compared(kinds, same=same) for same, kinds in configs),
        missing=("a",) if "missing" in alone else (), new=("b",) if "new" in alone else (),
        level=0.01, common=common,
    )  # fmt: skip
    assert found.same is (not alone and all(same for same, _ in configs))
    counted = any(compared(kinds).counts(common=common) for _, kinds in configs)
    assert found.changed is bool(counted or (alone and not common))


def kept(folder, *origins, name="first", **more):
    """An outcome with nothing but its record."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    made = [{"first": "2026-01-02", "last": "2026-01-03", **origin} for origin in origins]
    (folder / name / "provenance.json").write_text(json.dumps({"made": {"origins": made}, **more}))
    (folder / name / "claims.json").write_text("{}")
    return ConfigOutcome(name, folder / name)


def test_an_outcome_knows_its_machines_and_commits(tmp_path):
    one = kept(
        tmp_path,
        {"processor": "b", "kernels": "avx", "commit": "c2"},
        {"processor": "a", "kernels": "", "commit": "c1"},
        {"processor": "b", "commit": "c2"},
        {"commit": None},
    )
    assert one.machines == {"processor": ("a", "b"), "kernels": ("avx",)}
    assert one.commits == ("c2", "c1", "")
    assert (one.profile, one.measures_time) == ("paper", False)
    bare = kept(tmp_path / "bare", config={"profile": "smoke"}, measures_time=True)
    assert (bare.machines, bare.commits) == ({}, ())
    assert (bare.profile, bare.measures_time) == ("smoke", True)


def test_outcomes_of_a_folder_are_those_of_its_size_by_name(tmp_path):
    for name in ("second", "first"):
        for profile in ("paper", "smoke") if name == "first" else ("paper",):
            kept(tmp_path / name, name=profile)
    assert not is_reference(tmp_path)
    assert list(outcomes_in(tmp_path, "paper")) == ["first", "second"]
    assert list(outcomes_in(tmp_path, "smoke")) == ["first"]
    names = ["configs/second.yaml", "first", "second"]
    assert [one.name for one in chosen_outcomes(tmp_path, "paper", names)] == ["second", "first"]
    assert [one.folder for one in chosen_outcomes(tmp_path, "smoke")] == [
        tmp_path / "first" / "smoke"
    ]
    with pytest.raises(UserError, match="holds no outcome of profile huge"):
        chosen_outcomes(tmp_path, "huge")


def test_claims_of_an_outcome_are_found_by_their_names(tmp_path):
    one = kept(tmp_path)
    judged = by_hand.judged([{**GREATER, "id": name} for name in "ab"], around({"a": 1, "b": 0}))
    (one.folder / "claims.json").write_text(judged.model_dump_json())
    assert one.claims == {"a": judged.claims[0], "b": judged.claims[1]}
    with pytest.raises(UserError, match=r"cannot read .*nothing"):
        one.bytes_of("nothing")


def test_a_commit_is_told_by_its_first_letters():
    commit = "0123456789abcdef" * 2 + "01234567"
    assert _shortened(commit) == "0123456789ab"
    assert _shortened(f"{commit} with changes") == "0123456789ab with changes"
    assert _shortened("") == "unknown"
    assert Path(_shortened("abc")).name == "abc"
