"""The packages that others install: their files, its version, where it runs, what it needs."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
import yaml

import geoforest_cli

ROOT = Path(__file__).resolve().parents[1]
PLACES = {
    "geoforest_cli": "geoforest_cli",
    "configs": "geoforest_cli/_configs",
    "docs": "geoforest_cli/_docs",
    "experiments": "geoforest_cli/_experiments",
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def _build(target, source, out):
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", out],
        cwd=source, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (made,) = out.iterdir()
    return made


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel of the checkout, the sdist, and the wheel of the unpacked sdist."""
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    folder = tmp_path_factory.mktemp("built")
    wheel = _build("wheel", ROOT, folder / "wheel")
    sdist = _build("sdist", ROOT, folder / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (source,) = (folder / "unpacked").iterdir()
    return wheel, source, _build("wheel", source, folder / "again")


def _contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.nightly
def test_the_wheel_has_every_file_that_a_run_needs(built):
    files = _contents(built[0])
    expected = {
        f"{within}/{path.relative_to(ROOT / folder).as_posix()}": path.read_bytes()
        for folder, within in PLACES.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {"geoforest_cli/py.typed", "geoforest_cli/_configs/parts/urf.yaml"} <= set(expected)
    assert {name for name in expected if files.get(name) != expected[name]} == set()
    beyond = set(files) - set(expected)
    assert {name.split("/")[0] for name in beyond} <= {"geoforest_cli", _about(files)}
    assert not [name for name in beyond if name.startswith("geoforest_cli/") and "/_" not in name]


def _about(files):
    (folder,) = {name.split("/")[0] for name in files if ".dist-info/" in name}
    return folder


@pytest.mark.nightly
def test_the_sdist_makes_the_same_wheel_and_brings_the_tests(built):
    wheel, source, again = built
    assert _contents(again) == _contents(wheel)
    for name in ("tests/conftest.py", "Makefile", "constraints.txt", "CITATION.cff", "README.md"):
        assert (source / name).read_bytes() == (ROOT / name).read_bytes()


@pytest.mark.nightly
def test_the_metadata_says_the_version_and_where_it_runs(built):
    files = _contents(built[0])
    metadata = Parser().parsestr(files[f"{_about(files)}/METADATA"].decode())
    assert metadata["Version"] == geoforest_cli.__version__
    assert set(metadata["Requires-Python"].split(",")) == {">=3.11", "<3.16"}
    assert "geoforest = geoforest_cli.cli.main:main" in (
        files[f"{_about(files)}/entry_points.txt"].decode()
    )


def test_the_version_is_said_once_and_the_others_agree():
    assert "version" in PROJECT["dynamic"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == geoforest_cli.__version__
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    (first, *_) = [heading for heading in headings if heading != "Unreleased"]
    assert first == geoforest_cli.__version__


def test_the_pythons_that_are_named_are_those_that_install_it():
    low, high = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", PROJECT["requires-python"]).groups()
    named = [line.rpartition(" :: 3.")[2] for line in PROJECT["classifiers"] if " :: 3." in line]
    assert named == [str(n) for n in range(int(low), int(high))]
    tried = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert tried["jobs"]["package"]["strategy"]["matrix"]["python"] == [f"3.{n}" for n in named]


def needed():
    extras = PROJECT["optional-dependencies"].values()
    listed = [*PROJECT["dependencies"], *(requirement for extra in extras for requirement in extra)]
    return [re.sub(r"\[.*?\]|\s*;.*", "", requirement) for requirement in listed]


def pins(name):
    lines = (ROOT / name).read_text().splitlines()
    return {line for line in lines if not line.startswith("#")}


def plain(name):
    return re.sub(r"[-_.]+", "-", re.split("[=>]=", name)[0]).lower()


def test_the_lowest_versions_are_the_bounds_and_all_are_pinned():
    bounds = {requirement.replace(">=", "==") for requirement in needed() if ">=" in requirement}
    assert pins("constraints-lowest.txt") == bounds
    assert set(map(plain, needed())) <= set(map(plain, pins("constraints.txt")))
