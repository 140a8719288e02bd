"""Permutation importances: a column that tells the class, one that does not, and how they agree."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables import cross_validate
from geoforest_cli.tables.cross_validation import FoldModel
from geoforest_cli.tables.importances import Permutations, importance_table

TREES = {"n_estimators": 15}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b", "c"], 40)
    return pd.DataFrame({
        "noise": rng.normal(size=120),
        "size": 4.0 * np.repeat([0, 0, 1], 40) + rng.normal(size=120),
        "colour": np.where(kind == "a", "red", rng.choice(["green", "blue"], 120)),
        "same": 1.0,
        "kind": kind,
    })  # fmt: skip


def call(*args):
    return CliRunner().invoke(cli, [str(arg) for arg in args], catch_exceptions=False)


def test_a_category_is_one_column_and_noise_has_nothing(frame):
    result = cross_validate(frame, "kind", "rf", params=TREES, importances="permutation")
    table = result.importances.set_index("column")
    assert sorted(table.index) == ["colour", "noise", "same", "size"]
    assert table["permutation"].is_monotonic_decreasing
    assert table.loc["colour", "permutation"] > 0.2
    assert table.loc["size", "permutation"] > 0.2
    assert (table.loc["same", ["permutation", "low", "high"]] == 0).all()
    assert table.loc["noise", "low"] < 0.05
    assert table["impurity"].sum() == pytest.approx(1)
    assert (table["low"] <= table["permutation"]).all()
    assert (table["permutation"] <= table["high"]).all()


def test_the_result_is_that_without_them_and_the_same_each_time(frame):
    plain = cross_validate(frame, "kind", "rf", params=TREES)
    assert plain.importances is None
    calls = []
    given = {"params": TREES, "importances": "permutation"}
    result = cross_validate(frame, "kind", "rf", on_column=lambda *at: calls.append(at), **given)
    assert result.predictions.equals(plain.predictions)
    assert calls == [(done, 20) for done in range(1, 21)]
    again = cross_validate(frame, "kind", "rf", n_jobs=1, **given)
    assert again.importances.equals(result.importances)
    shares = cross_validate(frame, "kind", "rf", params=TREES, importances="impurity").importances
    assert list(shares) == ["column", "impurity"]
    of_both = result.importances.set_index("column")["impurity"]
    assert shares["impurity"].tolist() == of_both[shares["column"]].tolist()
    assert shares["impurity"].is_monotonic_decreasing


def test_from_the_command_line(frame, tmp_path):
    table, out, picture = tmp_path / "t.csv", tmp_path / "o.tsv", tmp_path / "p.png"
    frame.to_csv(table, index=False)
    args = ["classify", table, "--label", "kind", "--importances", out, "--picture", picture]
    done = call(*args, "--param", "n_estimators=15")
    assert done.exit_code == 0, done.output
    written = pd.read_csv(out, sep="\t")
    assert list(written.columns) == ["column", "impurity", "permutation", "low", "high"]
    drops = cross_validate(table, "kind", "rf", params=TREES, importances="permutation").importances
    assert written["column"].tolist() == drops["column"].tolist()
    assert np.allclose(written["permutation"], drops["permutation"])
    assert picture.stat().st_size > 1000
    assert "20 of 20 columns permuted" in done.stderr
    # a method without impurity can be drawn as well
    done = call(*args, "--method", "knn")
    assert done.exit_code == 0, done.output
    with pytest.raises(DataError, match="which would be lost"):
        call("classify", table, "--label", "kind", "--importances", table)
    with pytest.raises(DataError, match="which would be lost"):
        call("classify", table, "--label", "kind", "-o", out, "--importances", out)


class Sums:
    """Tells the class by a sum of columns; some of them a screen has dropped."""

    def __init__(self, weights):
        self.weights = np.array(weights)

    def predict(self, X):
        return np.where(X @ self.weights > 0.3, "a", "b")

    def columns(self):
        return self.weights != 0


def drops_by_hand(model, X, y, groups, seed, fold):
    """Permute the columns of one group in the rows, five times, each group in its turn."""
    rng, drops = np.random.default_rng([seed, fold]), []
    accuracy = np.mean(model.predict(X) == y)
    for group in groups:
        orders = [rng.permutation(len(X)) for _ in range(5)]
        drops.append([])
        for order in orders:
            other = X.copy()
            other[:, group] = X[order][:, group]
            drops[-1].append(accuracy - np.mean(model.predict(other) == y))
    return np.array(drops)


@pytest.mark.parametrize("seed", range(4))
def test_drops_by_hand(seed):
    """Those of a category together; a constant column and a dropped one have none."""
    rng = np.random.default_rng(seed)
    steps, by_hand = [], []
    sources = ["x", "kind", "kind", "same", "y"]
    data = SimpleNamespace(sources=sources, points=np.zeros((2, 5)))
    asked = FoldModel("knn", {}, "none", None, data, seed, None)
    ours = Permutations(asked, 2, lambda *step: steps.append(step))
    for fold, n in enumerate((17, 18)):
        X = np.c_[rng.normal(size=(n, 3)), np.full(n, 2.0), rng.normal(size=n)]
        model = Sums([1.0, -0.5, 0.7, 0.1, 0.0 if seed % 2 else 0.4])
        y = rng.choice(["a", "b"], n)
        ours.add(model, X, y, float(np.mean(model.predict(X) == y)))
        by_hand.append(drops_by_hand(model, X, y, [[0], [1, 2], [3], [4]], seed, fold))
    assert steps == [(done, 8) for done in range(1, 9)]
    drops = np.concatenate(by_hand, axis=1)
    table = importance_table(asked, np.array(["a", "b"]), ours)
    frame = table.set_index("column").loc[["x", "kind", "same", "y"]]
    np.testing.assert_allclose(frame["permutation"], drops.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(frame["low"], np.percentile(drops, 5, axis=1), atol=1e-12)
    np.testing.assert_allclose(frame["high"], np.percentile(drops, 95, axis=1), atol=1e-12)
    assert table["permutation"].is_monotonic_decreasing
    assert table["impurity"].isna().all()


@pytest.mark.parametrize("method", ["knn", "rbf_svm"])
def test_who_has_no_importances_is_told_before_it_is_trained(frame, method):
    with pytest.raises(UserError, match=f"^importances: {method} has no importances; morf, sporf"):
        cross_validate(frame, "kind", method, importances="impurity")
