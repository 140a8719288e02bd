"""The name of the processor."""

import platform
from pathlib import Path

import pytest

from geoforest_cli.core.processor import processor

TOLD = (
    "processor\t: 0\nvendor_id\t: GenuineAbacus\nmodel name\t: Abacus: 10 beads @ 1 Hz\n"
    "cache size\t: 1 KB\n\nprocessor\t: 1\nmodel name\t: Another\n"
)


@pytest.fixture(autouse=True)
def anew():
    processor.cache_clear()
    yield
    processor.cache_clear()


def test_the_name_is_that_of_the_first_model(monkeypatch):
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: TOLD)
    assert processor() == "Abacus: 10 beads @ 1 Hz"


def test_systems_that_tell_no_model(monkeypatch):
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "processor\t: 0\n")
    assert processor() == platform.machine()


def test_systems_without_such_a_file(monkeypatch):
    def missing(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", missing)
    assert processor() == (platform.processor() or platform.machine())
