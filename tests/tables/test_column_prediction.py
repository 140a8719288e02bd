"""Methods compared without labels: how well neighbours in some columns predict the others."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables import column_prediction, compare_neighbors, find_columns
from geoforest_cli.tables.column_prediction import (
    column_halves,
    prediction_by_row,
    rank_targets,
)

FEW = ["euclidean", "isomap"]


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 1, 120)
    shape = {"a": t, "b": t**3, "c": np.exp(2 * t), "d": -t, "noise": 9 * rng.normal(size=120)}
    return pd.DataFrame(shape)


def naive(targets, weights, hidden, near):
    """The score by row, as its description says it."""
    scores = []
    for i in range(len(targets)):
        loss = sum(weights[j] * (targets[i, j] - targets[near[i], j].mean()) ** 2 for j in hidden)
        scores.append(1 - loss / sum(weights[j] for j in hidden))
    return np.array(scores)


def test_halves_are_different_splits_of_all_columns():
    names = [f"x{i}" for i in range(9)]
    splits = column_halves([*names, "x3", "x8"], 4, 5)  # categories have several columns
    assert len({frozenset(first) for first, _ in splits}) == 5
    for first, second in splits:
        assert sorted([*first, *second]) == names
        assert len(first) == 4
    assert splits == column_halves([*names, "x3", "x8"], 4, 5)
    assert len(column_halves(["a", "b", "c"], 0)) == 3
    assert len(column_halves(["a", "b"], 0)) == 1


def test_the_score_of_each_row_by_hand():
    rng = np.random.default_rng(1)
    sources = ["a", "b", "c", "c", "d"]
    targets = rank_targets(rng.normal(size=(30, 5)))
    splits = column_halves(sources, 0, 2)
    lists = {}

    def find(columns):
        lists[columns] = rng.integers(0, 30, (30, 4))
        return lists[columns]

    found, _ = prediction_by_row(find, targets, sources, splits)
    weights = np.array([1, 1, 0.5, 0.5, 1])
    parts = []
    for first, second in splits:
        for seen, hidden in ((first, second), (second, first)):
            places = [j for j, source in enumerate(sources) if source in hidden]
            parts.append(naive(targets, weights, places, lists[seen]))
    np.testing.assert_allclose(found, np.mean(parts, axis=0))


def test_ranks_share_ties_and_leave_constant_columns_out():
    points = np.array([[1.0, 5, np.nan], [1, 5, 3], [9, 5, 1]])
    ranks = rank_targets(points)
    low, high = -(0.5**0.5), 2**0.5
    np.testing.assert_allclose(ranks[:, 0], [low, low, high])
    assert np.isnan(ranks[:, 1]).all()
    np.testing.assert_allclose(ranks[:, 2], [np.nan, 1, -1])
    # of a neighbour without a value nothing is learned: the mean, 0, is the prediction
    alone = np.array([[np.nan], [1.0], [-1.0]])
    near = np.array([[1], [2], [0]])
    found, _ = column_prediction._errors(alone, np.ones(1), near)
    np.testing.assert_allclose(found, [0, 4, 1])


def test_a_missing_value_is_neither_predicted_nor_used():
    points = np.array([[0.0, 1], [1, np.nan], [2, 3], [3, 4]])
    targets = rank_targets(points)
    assert np.isnan(targets[1, 1])
    near = np.array([[1, 2], [0, 2], [3, 1], [2, 1]])
    found, _ = prediction_by_row(lambda _: near, targets, ["a", "b"], [(("a",), ("b",))])
    # three of four values of b are known, and weigh as four do
    by_b = [1 - (targets[0, 1] - targets[2, 1]) ** 2 * 4 / 3, 1.0]
    by_a = [1 - (targets[i, 0] - targets[near[i], 0].mean()) ** 2 for i in (0, 1)]
    np.testing.assert_allclose(found[:2], np.add(by_a, by_b) / 2)


def test_rows_with_missing_values_are_the_same_in_all_halves(frame):
    gappy = frame.copy()
    gappy.loc[[3, 50], "b"] = np.nan
    gappy.loc[70, "noise"] = np.nan
    found = compare_neighbors(gappy, 5, methods=FEW, missing="drop")
    whole = compare_neighbors(frame.drop(index=[3, 50, 70]), 5, methods=FEW)
    assert np.array_equal(found.values, whole.values)


def test_a_group_of_columns_is_split_alone(frame):
    ranking = find_columns(frame, "pairs")
    groups = dict(zip(ranking.names, ranking.groups, strict=True))
    members = [name for name in frame if groups[name] == groups["a"] > 0]
    assert members == list("abcd")
    found = compare_neighbors(frame, 5, methods=FEW, group="a", screen="pairs")
    alone = compare_neighbors(frame[members], 5, methods=FEW)
    assert np.array_equal(found.values, alone.values)
    with pytest.raises(UserError, match="group='each': methods are compared on one group"):
        compare_neighbors(frame, 5, group="each")


def test_one_column_alone_cannot_predict_another(frame):
    with pytest.raises(DataError, match="without label some columns have to predict others"):
        compare_neighbors(frame[["a"]], 5)


def test_on_the_command_line_the_score_is_named_for_what_it_is(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    call = ["neighbors", str(tmp_path / "t.csv"), "--compare", "--methods", ",".join(FEW)]
    done = CliRunner().invoke(cli, [*call, "-o", str(tmp_path / "o.csv")])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0].split()[:2] == ["method", "prediction"]
    assert "This is a score without labels, and agrees poorly with them" in done.stdout
    assert "Highest by this score: " in done.stdout
    lines = pd.read_csv(tmp_path / "o.csv")
    assert lines["prediction"].is_monotonic_decreasing
    assert "share" not in lines
