"""Claims in the words of the site."""

import pytest

from geoforest_cli.study.report.site import wording
from tests.study.claims.made import claim


def test_numbers_of_a_claim():
    judged = claim(estimate=0.123456, low=-0.1, high=0.25, n=2, unit="query")
    assert wording.number(judged.estimate) == "0.1235"
    assert wording.interval(judged) == "[-0.1, 0.25]"
    assert wording.repetitions(judged) == "2 queries"
    assert wording.repetitions(claim(n=1)) == "1 sample"
    assert (wording.number(None), wording.interval(claim(low=None))) == ("–", "–")
    assert [wording.p_value(p) for p in (None, 0.04321, 0.00001)] == ["–", "0.043", "< 0.0001"]


@pytest.mark.parametrize(
    ("check", "allowed", "quantifier", "text"),
    [
        ("greater", (0.0, None), "all", "above 0, at every point"),
        ("at_least", (0.5, None), "mean", "at least 0.5, on the mean over points"),
        ("less", (None, 0.0), "most", "below 0, at most points"),
        ("at_most", (None, 0.25), "all", "at most 0.25, at every point"),
        ("within", (-0.1, 0.1), "all", "within -0.1 to 0.1, at every point"),
        ("greater", (0.0, None), 0.75, "above 0, at 75% of the points"),
    ],
)
def test_rules_in_words(check, allowed, quantifier, text):
    judged = claim(check=check, allowed=allowed, quantifier=quantifier)
    assert wording.rule(judged) == text
