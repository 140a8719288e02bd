"""What is written of claims and summary: few digits, the places of the grid as they are."""

import json
import math

import numpy as np
import pandas as pd

from geoforest_cli.study.figures.numbers import claims_text, summary_text

LONG = 0.12345678901


def test_numbers_of_claims_have_seven_digits_and_places_all_of_theirs():
    claim = {
        "id": "a",
        "where": {"noise": LONG},
        "estimate": LONG,
        "low": -1e-12 * LONG,
        "high": None,
        "p_support": np.float64(1e9 * LONG),
        "n": np.int64(3),
        "deciding": {"noise": LONG},
        "points": [{"at": {"noise": LONG}, "estimate": LONG, "low": 2, "n": 3}],
    }
    text = claims_text([claim, {"id": "b"}])
    assert text.count("\n") == 4  # one line each
    [first, second] = json.loads(text)
    assert second == {"id": "b"}
    assert first == {
        **claim,
        "estimate": 0.1234568,
        "low": -1.234568e-13,
        "p_support": 123456800.0,
        "points": [{"at": {"noise": LONG}, "estimate": 0.1234568, "low": 2, "n": 3}],
    }
    assert list(first) == list(claim)
    assert claim["estimate"] == LONG


def test_numbers_of_the_summary_have_seven_digits_and_grid_columns_all_of_theirs():
    lines = pd.DataFrame(
        {"noise": [LONG, 1e-5], "mean": [LONG, math.nan], "half": [0.0, math.inf],
         "repetitions": [3, 5], "published": [None, 0.5]},
    )  # fmt: skip
    assert summary_text(lines).splitlines() == [
        "noise,mean,half,repetitions,published",
        f"{LONG},0.1234568,0.0,3,",
        "1e-05,,inf,5,0.5",
    ]
    assert lines.loc[0, "mean"] == LONG
