"""What it would cost to decide what the reference leaves open."""

import json
from pathlib import Path

import pytest

from tools.docs import undecided

REFERENCE = Path(__file__).parents[2] / "results" / "reference"


def read(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    return found if isinstance(found, list) else found["claims"]


def test_the_hours_are_those_of_the_repetitions_that_lack():
    # five repetitions take an hour on one core: ten more take one on two
    assert undecided.hours(3600.0, 5, 15) == pytest.approx(1.0)


def test_every_undecided_claim_is_told_with_what_it_would_take():
    lines = [line for line in undecided.table(REFERENCE) if line.startswith("| `")]
    claims = [
        (folder.parent, claim)
        for folder in sorted(REFERENCE.glob("*/claims.json"))
        for claim in read(folder)
        if claim["verdict"] == "undecided"
    ]
    assert len(lines) == len(claims) > 0
    for line, (folder, claim) in zip(lines, claims, strict=True):
        config, name, now, needed, hours = (cell.strip(" `") for cell in line.split("|")[1:-1])
        assert (config, name, int(now)) == (folder.name, claim["id"], claim["n"])
        if claim["repetitions"] is None:
            assert (needed, hours) == ("cannot be decided", "")
            continue
        wanted = int(needed.replace(",", ""))
        assert wanted == max(claim["repetitions"], claim["n"] + 1)
        record = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
        seconds = sum(origin["seconds"] for origin in record["made"]["origins"])
        cost = seconds * (wanted / claim["n"] - 1) / 7200
        if hours == "< 0.1":
            assert cost < 0.1
        else:
            assert float(hours.replace(",", "")) == pytest.approx(
                cost, abs=0.51 if cost >= 10 else 0.051
            )


def test_the_count_of_those_that_cannot_be_decided_is_theirs():
    head, *lines = undecided.table(REFERENCE)
    hopeless = sum("cannot be decided" in line for line in lines)
    assert f"{hopeless} of {len(lines)} cannot be decided" in " ".join(head.split())
