"""What a forest says of itself: importance against permuted copies, a tree in words."""

import re

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests import importance as judging
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest

RNG = np.random.default_rng(2)
T = RNG.uniform(size=100)
TABLE = np.c_[4 * T, RNG.normal(size=100), 9 * T**2, RNG.exponential(size=100)]


@pytest.mark.compiled
def test_columns_that_depend_on_others_stand_out():
    found = GeodesicForest(80, random_state=0).fit(TABLE).importance(TABLE)
    assert (found.z > 4).tolist() == [True, False, True, False]
    assert (found.z[[1, 3]] < 3).all()
    assert found.used.sum() == pytest.approx(1)
    assert (found.explained[[0, 2]] > 0.2).all()
    again = GeodesicForest(80, random_state=0).fit(TABLE).importance(TABLE)
    assert np.array_equal(found.z, again.z)


def test_shares_are_explained_out_of_the_bag_by_means_in_it():
    values = np.array([1.0, 2.0, 6.0, np.nan, 5.0, 9.0, 4.0, 3.0])
    leaf = np.array([0, 0, 0, 0, 1, 1, 2, 1], np.int32)
    bag = np.array([2, 1, 0, 3, 1, 0, 0, 0])
    # leaf 0 tells (2 + 2) / 3, leaf 1 tells 5, leaf 2 has no row in the bag
    lost = (6 - 4 / 3) ** 2 + (9 - 5) ** 2 + (3 - 5) ** 2
    spread = sum((v - 6) ** 2 for v in (6, 9, 3))
    found = judging._explained(values, leaf, bag)
    assert found == pytest.approx(1 - lost / spread)
    assert judging._explained(values, leaf, np.ones(8)) == 0


def test_z_is_in_standard_errors(monkeypatch):
    shares = {0: [(0.5, 0.1), (0.7, 0.2), (0.2, 0.2), (0.4, 0.0)], 1: [(0.3, 0.3)] * 4}

    def told(_model, _X, seen, unseen, copies, _seed):
        assert sorted([*seen, *unseen]) == [0, 1]
        assert copies.shape == (100, 1)
        for column in unseen.tolist():
            for share, chance in shares[column][:2] if first[column] else shares[column][2:]:
                yield column, share, chance
            first[column] = False

    first = {0: True, 1: True}
    monkeypatch.setattr(judging, "_judged", told)
    # two pairs of halves, ten trees on each
    forest = GeodesicForest(2, random_state=0).fit(TABLE[:, :2]).set_params(n_estimators=40)
    found = forest.importance(TABLE[:, :2])
    gaps = np.array([0.4, 0.5, 0.0, 0.4])
    assert found.explained.tolist() == pytest.approx([0.45, 0.3])
    assert found.explained_by_chance.tolist() == pytest.approx([0.125, 0.3])
    assert found.z.tolist() == pytest.approx([gaps.mean() / (gaps.std() / 2), 0])


def test_used_is_the_share_of_bag_rows_that_are_cut():
    model = GeodesicForest(3, random_state=1).fit(TABLE)
    forest, used, sizes = model.forest_, np.zeros(4), set()
    scaled = model._columns.prepare(TABLE)
    for t in range(3):
        rows_at = {0: np.arange(100)}
        for node in range(forest.first_node[t + 1] - forest.first_node[t]):
            here, rows = forest.first_node[t] + node, rows_at[node]
            if forest.children[here, 0] < 0:
                continue
            part = slice(forest.first[here], forest.first[here + 1])
            features = forest.features[part]
            sizes.add(len(features))
            used[model.kept_[features]] += forest.in_bag[t, rows].sum() / len(features)
            left = scaled[np.ix_(rows, features)] @ forest.weights[part] < forest.threshold[here]
            below = forest.children[here].tolist()
            rows_at[below[0]], rows_at[below[1]] = rows[left], rows[~left]
    assert sizes == {1, 2}
    np.testing.assert_allclose(judging._used(model, TABLE), used / used.sum())


def test_importance_with_holes_and_a_constant_column():
    X = np.c_[np.where(RNG.random(TABLE.shape) < 0.1, np.nan, TABLE), np.ones(100)]
    found = GeodesicForest(10, missing="random", random_state=0).fit(X).importance(X)
    assert np.isfinite(found.z).all()
    assert found.z[4] == 0
    assert found.explained[4] == found.explained_by_chance[4] == 0


def test_one_column_has_nothing_to_be_judged_by():
    found = GeodesicForest(5, random_state=0).fit(TABLE[:, :1]).importance(TABLE[:, :1])
    assert found.z.tolist() == [0]
    assert found.used.tolist() == [1]


def leaves_by_text(text, X, names):
    """Follow the printed rules."""
    lines = [(len(line) - len(line.lstrip()), line.strip()) for line in text.splitlines()]

    def value(words, row):
        total = 0.0
        for sign, factor, name in re.findall(r"([+-]?) ?([\d.]* )?(\w+)", words):
            total += (-1 if sign == "-" else 1) * float(factor or 1) * row[names.index(name)]
        return total

    def follow(row):
        place, depth = 0, 0
        while not lines[place][1].startswith("leaf"):
            words, threshold = re.match(r"(.*) < (\S+) \[", lines[place][1]).groups()
            place += 1
            if not value(words, row) < float(threshold):
                while lines[place][0] > depth:
                    place += 1
                place += 1
            depth += 2
        return place

    return [follow(row) for row in X]


@pytest.mark.parametrize("rescale", ["standard", "min_max", "none"])
def test_the_words_are_the_tree(rescale):
    frame = pd.DataFrame(TABLE, columns=["a", "b", "c", "d"])
    forest = GeodesicForest(3, rescale=rescale, random_state=0).fit(frame)
    for tree in range(3):
        text = forest.export_text(tree, decimals=12)
        told = leaves_by_text(text, TABLE, ["a", "b", "c", "d"])
        pairs = set(zip(told, forest.forest_.leaf_of[tree].tolist(), strict=True))
        assert len(pairs) == len(set(told)) == forest.forest_.n_leaves()[tree]
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
