"""Repetitions that share the rows of one table."""

import pytest
from pydantic import ValidationError

from geoforest_cli.study.repetition import Split


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
def test_what_is_tested_over_what_is_trained_on(share):
    n = 1000
    tested, trained = round(share * n), n - round(share * n)
    expected = pytest.approx(tested / trained)
    assert Split(test=share).overlap({}) == expected
    assert Split(train=1 - share).overlap({}) == expected
    assert Split(test="held").overlap({"held": share, "n": 0.3}) == expected
    assert Split(train="kept").overlap({"kept": 1 - share}) == expected


@pytest.mark.parametrize(
    "given", [{}, {"test": 0.5, "train": 0.5}, {"test": "a", "train": "b"}, {"test": None}]
)
def test_one_of_the_two_shares_is_given(given):
    with pytest.raises(ValidationError, match="give either 'test' or 'train'"):
        Split(**given)


@pytest.mark.parametrize("share", [0, 1, 1.0, -0.1, True])
@pytest.mark.parametrize("part", ["test", "train"])
def test_a_share_leaves_something_to_the_other_part(part, share):
    with pytest.raises(ValidationError):
        Split(**{part: share})


def test_what_is_known_of_a_share_comes_before_the_split():
    split = Split(train="kept", added={"0.1": 0.2, "0.5": 0.0})
    assert [split.overlap({"kept": kept}) for kept in (0.1, 0.5)] == [0.2, 0.0]
    assert split.overlap({"kept": 0.8}) == pytest.approx(0.25)
    with pytest.raises(ValidationError, match="'added' needs a grid column"):
        Split(train=0.5, added={"0.5": 0.1})
    with pytest.raises(ValidationError):
        Split(train="kept", added={"0.5": -0.1})
