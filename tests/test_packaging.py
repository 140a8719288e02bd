"""The files that say which packages are needed agree with each other."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def needed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    listed = [*project["dependencies"], *(one for extra in extras for one in extra)]
    return [re.sub(r"\[.*?\]|\s*;.*", "", one) for one in listed]


def lines_of(name):
    lines = (ROOT / name).read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_the_lowest_versions_are_the_lower_bounds(needed):
    bounds = {one.replace(">=", "==") for one in needed if ">=" in one}
    assert set(lines_of("constraints-lowest.txt")) == bounds


def test_every_package_that_is_needed_is_pinned(needed):
    pinned = {_plain(line.split("==")[0]) for line in lines_of("constraints.txt")}
    assert {_plain(one.split(">=")[0]) for one in needed} <= pinned


def _plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()
