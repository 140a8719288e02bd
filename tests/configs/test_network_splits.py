"""What `configs/smerf_links.yaml` adds to 1/n is what the docs say splits of a network have in common."""

import re
from pathlib import Path

import pytest

from geoforest_cli.study.config.loading import open_config

ROOT = Path(__file__).parents[3]


def test_the_config_adds_what_the_table_says():
    page = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    added = open_config(ROOT / "configs" / "smerf_links.yaml", "paper").config.split.added
    assert len(added) == 9
    for fraction, most in ((float(key), value) for key, value in added.items()):
        (line,) = re.findall(rf"^\| {fraction:g} \| .* \|$", page, re.MULTILINE)
        *sizes, configured, usual = (cell.strip() for cell in line.split("|")[2:-1])
        limits = [float(re.search(r"\((.*)\)", size)[1]) for size in sizes]
        assert most == float(configured)
        assert max(limits) <= most < max(limits) + 0.0101
        assert float(usual) == pytest.approx((1 - fraction) / fraction, abs=0.006)
