"""The agreement of both scores, on tables made up by hand."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from tools import label_free_agreement
from tools.label_free_agreement import LOADERS, Labelled, agreement, main, summary


def scores(shares, predictions):
    methods = list("abc")[: len(shares)]
    return pd.DataFrame({"method": methods, "balanced_share": shares, "prediction": predictions})


def test_rank_correlation_and_loss_by_hand():
    frame = scores([0.9, 0.8, 0.5], [0.2, 0.3, 0.1]).replace("c", "adaptive_neighbors")
    correlation, best, chosen, loss, default = summary({"t": frame}).loc["t"]
    assert correlation == pytest.approx(0.5)
    assert (best, chosen) == ("a", "b")
    assert (loss, default) == pytest.approx((0.1, 0.4))


def test_both_scores_of_the_same_methods():
    rng = np.random.default_rng(0)
    classes = np.repeat(["a", "b"], 25)
    points = rng.normal(size=(50, 6)) + 2 * (classes == "b")[:, None]
    lines = agreement(Labelled(points, classes), ("euclidean", "isomap", "pca_10"))
    assert lines["method"].tolist() == ["euclidean", "isomap"]
    assert (lines["balanced_share"] > 0.7).all()
    assert lines["prediction"].between(0.2, 0.8).all()


def test_what_a_folder_has_is_not_computed_again(tmp_path, monkeypatch):
    scores([0.9, 0.8], [0.2, 0.3]).to_csv(tmp_path / "iris.csv", index=False)
    scores([0.9, 0.89], [0.2, 0.3]).to_csv(tmp_path / "wine.csv", index=False)
    monkeypatch.setattr(label_free_agreement, "agreement", None)
    done = CliRunner().invoke(main, [str(tmp_path), "iris", "wine"])
    assert done.exit_code == 0, done.output
    assert "2 tables: Spearman's correlation -1.00 on average" in done.stdout
    assert "within 0.02 of the best by labels in 1, 0.055 below it on average" in done.stdout


def test_more_than_twenty_tables_can_be_had():
    assert len(LOADERS) > 20
    assert len(LOADERS["iris"]().labels) == 150
