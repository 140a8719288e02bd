"""What is written of claims and summary: few digits, the places of the grid as they are."""

import json
import math
from typing import Any

import pandas as pd
from pydantic import BaseModel

from geoforest_cli.study.figures.numbers import claims_text, summary_text

LONG = 0.12345678901


class Told(BaseModel):
    version: int = 2
    claims: list[dict[str, Any]] = []


def test_numbers_of_claims_have_seven_digits_and_places_all_of_theirs():
    claim = {
        "id": "a",
        "where": {"noise": LONG},
        "estimate": LONG,
        "low": -1e-12 * LONG,
        "high": None,
        "p_support": 1e9 * LONG,
        "n": 3,
        "deciding": {"noise": LONG},
        "points": [{"at": {"noise": LONG}, "estimate": LONG, "low": 2, "n": 3}],
    }
    text = claims_text(Told(claims=[claim, {"id": "b"}]))
    found = json.loads(text)
    assert len([line for line in text.splitlines() if '"id"' in line]) == 2  # one line each
    assert (found["version"], found["claims"][1]) == (2, {"id": "b"})
    assert found["claims"][0] == {
        **claim,
        "estimate": 0.1234568,
        "low": -1.234568e-13,
        "p_support": 123456800.0,
        "points": [{"at": {"noise": LONG}, "estimate": 0.1234568, "low": 2, "n": 3}],
    }
    assert list(found["claims"][0]) == list(claim)
    assert json.loads(claims_text(Told())) == {"version": 2, "claims": []}


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
