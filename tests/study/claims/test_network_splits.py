"""What splits of one network have in common: far less than their overlap at small fractions.

`configs/smerf_links.yaml` adds to 1/n what `tools.network_overlap` has found, instead of the nodes
tested over the nodes trained on.
"""

import functools
import re
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.repetition import Split
from tools import network_overlap

ROOT = Path(__file__).parents[3]
NETWORKS = 150


@functools.cache
def added(fraction):
    return network_overlap.added(network_overlap.simulated(fraction, 71, NETWORKS))


def configured(fraction):
    split = open_config(ROOT / "configs" / "smerf_links.yaml", "paper").config.split
    return split.overlap({"fraction": fraction})


@pytest.mark.parametrize("fraction", network_overlap.FRACTIONS[::2])
def test_what_the_config_adds_covers_every_fraction(fraction):
    assert added(fraction) < configured(fraction)


@pytest.mark.parametrize("fraction", network_overlap.FRACTIONS)
def test_the_config_adds_what_the_table_says(fraction):
    page = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    (line,) = re.findall(rf"^\| {fraction:g} \| .* \|$", page, re.MULTILINE)
    *sizes, most, usual = (cell.strip() for cell in line.split("|")[2:-1])
    limits = [float(re.search(r"\((.*)\)", size)[1]) for size in sizes]
    assert len(limits) == len(network_overlap.NETWORKS)
    assert configured(fraction) == float(most)
    assert max(limits) <= float(most) < max(limits) + 0.0101
    assert float(usual) == pytest.approx((1 - fraction) / fraction, abs=0.006)


@pytest.mark.parametrize(("fraction", "times"), [(0.1, 40), (0.3, 8)])
def test_the_usual_correction_is_many_times_too_large_at_small_fractions(fraction, times):
    usual = Split(train="fraction").overlap({"fraction": fraction})
    assert times * added(fraction) < usual


def test_what_is_added_is_what_splits_have_in_common():
    rng = np.random.default_rng(3)
    own, common = rng.normal(size=(5000, 6)), rng.normal(size=(5000, 1))
    assert network_overlap.added(own) == pytest.approx(0.0, abs=0.02)
    assert network_overlap.added(own + 0.5 * common) == pytest.approx(0.25, abs=0.03)
    few = own[:50] + 0.5 * common[:50]
    assert network_overlap.added(few) < network_overlap.upper(few)
