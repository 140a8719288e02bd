"""What it would cost to decide what the reference leaves open."""

import json
from pathlib import Path

import pytest

from tools.docs import undecided

pytestmark = pytest.mark.nightly
REFERENCE = Path(__file__).parents[2] / "results" / "reference"


def read(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    return found if isinstance(found, list) else found["claims"]


def test_the_hours_are_those_of_the_repetitions_that_lack():
    # five repetitions take an hour on one core: ten more take one on two
    assert undecided.hours(3600.0, 5, 15) == pytest.approx(1.0)


def test_every_undecided_claim_is_told_with_what_it_would_take():
    head, *lines = undecided.table(REFERENCE)
    rows = [line for line in lines if line.startswith("| `")]
    claims = [
        (path.parent.name, claim)
        for path in sorted(REFERENCE.glob("*/claims.json"))
        for claim in read(path)
        if claim["verdict"] == "undecided"
    ]
    hopeless = 0
    for row, (folder, claim) in zip(rows, claims, strict=True):
        config, name, now, needed, _ = (cell.strip(" `") for cell in row.split("|")[1:-1])
        assert (config, name, int(now)) == (folder, claim["id"], claim["n"])
        wanted = "cannot be decided"
        if claim["repetitions"] is not None:
            wanted = str(max(claim["repetitions"], claim["n"] + 1))
        assert needed.replace(",", "") == wanted
        hopeless += wanted == "cannot be decided"
    assert f"{hopeless} of {len(lines)} cannot be decided" in " ".join(head.split())
