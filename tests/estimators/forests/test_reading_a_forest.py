"""A tree in words."""

import re

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest

T = np.random.default_rng(2).uniform(size=100)
TABLE = np.c_[4 * T, np.sin(40 * T), 9 * T**2, np.cos(30 * T)]


def leaves_by_text(text, X, names):
    """Follow the printed rules."""
    lines = [(len(line) - len(line.lstrip()), line.strip()) for line in text.splitlines()]

    def value(words, row):
        total = 0.0
        for sign, factor, name in re.findall(r"([+-]?) ?([\d.]* )?(\w+)", words):
            total += (-1 if sign == "-" else 1) * float(factor or 1) * row[names.index(name)]
        return total

    def follow(row):
        line, depth = 0, 0
        while not lines[line][1].startswith("leaf"):
            words, threshold = re.match(r"(.*) < (\S+) \[", lines[line][1]).groups()
            line += 1
            if not value(words, row) < float(threshold):
                while lines[line][0] > depth:
                    line += 1
                line += 1
            depth += 2
        return line

    return [follow(row) for row in X]


@pytest.mark.parametrize("rescale", ["standard", "min_max", "none"])
def test_the_words_are_the_tree(rescale):
    frame = pd.DataFrame(TABLE, columns=["a", "b", "c", "d"])
    forest = GeodesicForest(3, rescale=rescale, random_state=0).fit(frame)
    for tree in range(3):
        text = forest.export_text(tree, decimals=12)
        leaves = leaves_by_text(text, TABLE, ["a", "b", "c", "d"])
        pairs = set(zip(leaves, forest.forest_.leaf_of[tree].tolist(), strict=True))
        assert len(pairs) == len(set(leaves)) == forest.forest_.n_leaves()[tree]
        assert text.splitlines()[0].endswith("[100]")
    assert "..." in forest.export_text(0, max_depth=1)
    with pytest.raises(DataError, match="0 to 2"):
        forest.export_text(3)


@pytest.mark.parametrize("deepest", [0, 1, 2])
def test_text_ends_at_the_depth_that_was_asked_for(deepest):
    text = GeodesicForest(1, random_state=0).fit(TABLE).export_text(max_depth=deepest)
    depths = [(len(line) - len(line.lstrip())) // 2 for line in text.splitlines()]
    assert max(depths) == deepest
    cut = [line for line in text.splitlines() if "..." in line]
    assert cut
    assert {(len(line) - len(line.lstrip())) // 2 for line in cut} == {deepest}
