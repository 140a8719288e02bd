"""Cross-validation of a user's table, from Python."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread
from scipy.stats import t as student
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.estimators.forests.classifiers import MorfClassifier
from geoforest_cli.tables import cross_validate
from geoforest_cli.tables.figures import draw_importances, write_figure

TREES = {"n_estimators": 15}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(n_class=4, return_X_y=True)
    return X[:200], y[:200]


def test_folds_are_those_of_the_estimator(digits):
    X, y = digits
    notes = []
    result = cross_validate(
        X, y, shape=(8, 8), folds=3, params=TREES, seed=5,
        on_fold=lambda *fold: notes.append(fold),
    )  # fmt: skip
    predicted = np.empty(len(y), int)
    scores = []
    folds = StratifiedKFold(3, shuffle=True, random_state=5)
    for train, test in folds.split(X, y):
        model = MorfClassifier(**TREES, image_shape=(8, 8), random_state=5)
        predicted[test] = model.fit(X[train], y[train]).predict(X[test])
        scores.append(np.mean(predicted[test] == y[test]))
    assert result.accuracies == tuple(scores)
    assert notes == [(i, 3, score) for i, score in enumerate(scores, 1)]
    assert result.predictions["predicted"].astype(int).tolist() == predicted.tolist()
    assert result.predictions["label"].astype(int).tolist() == y.tolist()
    assert result.accuracy == pytest.approx(np.mean(scores))
    assert result.standard_error == pytest.approx(np.std(scores, ddof=1) * np.sqrt(1 / 3 + 1 / 2))
    assert result.naive == np.bincount(y).max() / len(y)
    assert result.params == {**TREES, "image_shape": (8, 8)}
    low, high = result.interval
    half = student.ppf(0.975, 2) * result.standard_error
    assert (low, high) == pytest.approx((result.accuracy - half, min(result.accuracy + half, 1)))
    shown = f"morf: accuracy {result.accuracy:.4f}, 95 % interval {low:.4f} to {high:.4f} (standard"
    assert result.summary().startswith(shown)


def test_folds_by_hand(tmp_path):
    """Scale, neighbours and scores of each fold without the classes that do it."""
    rng = np.random.default_rng(2)
    points = rng.normal(size=(45, 3)) * [1.0, 100.0, 0.01]
    labels = np.where(points[:, 0] + 0.3 * rng.normal(size=45) > 0.4, "right", "left")
    table = pd.DataFrame(points, columns=["a", "b", "c"]).assign(side=labels)
    result = cross_validate(table, "side", "knn", folds=3, params={"n_neighbors": 1}, seed=4)
    predicted, scores = np.empty(45, "U5"), []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=4).split(points, labels):
        middle, spread = points[train].mean(axis=0), points[train].std(axis=0)
        seen, asked = ((points[part] - middle) / spread for part in (train, test))
        nearest = ((asked[:, None] - seen[None]) ** 2).sum(axis=2).argmin(axis=1)
        predicted[test] = labels[train][nearest]
        scores.append(float(np.mean(predicted[test] == labels[test])))
    assert result.columns == ("a", "b", "c")
    assert result.predictions["predicted"].tolist() == predicted.tolist()
    assert result.predictions["row"].tolist() == list(range(45))
    assert result.accuracies == tuple(scores)
    mean = sum(scores) / 3
    spread = sum((score - mean) ** 2 for score in scores) / 2
    assert spread > 0
    assert result.accuracy == pytest.approx(mean)
    assert result.standard_error == pytest.approx((spread * (1 / 3 + 15 / 30)) ** 0.5)
    assert result.naive == max(np.mean(labels == "left"), np.mean(labels == "right"))
    other = cross_validate(table, "side", "knn", folds=3, params={"n_neighbors": 1}, seed=5)
    assert other.predictions["predicted"].tolist() != predicted.tolist()


def test_columns_and_labels_by_name(digits):
    X, y = digits
    frame = pd.DataFrame(X, columns=[f"p{i}" for i in range(64)]).assign(digit=y, note="text")
    result = cross_validate(frame, "digit", "knn", folds=2)
    assert result.columns == tuple(f"p{i}" for i in range(64))
    assert result.notes[0] == "Left out, not numeric: note."
    assert result.notes[1].startswith("50 of 64 columns have few whole values: ")
    # pixels have few values, and are no classes
    image = cross_validate(frame.drop(columns="note"), "digit", "knn", "8x8", folds=2)
    assert image.notes == ()
    few = cross_validate(frame, "digit", "rf", folds=2, params=TREES, columns=["p10", "p20"])
    assert few.predictions["label"].tolist() == y.astype(str).tolist()
    named = cross_validate(frame[["p10", "p20"]], frame["digit"], "rf", folds=2, params=TREES)
    assert named.accuracies == few.accuracies


@pytest.mark.parametrize("shape", [64, "8 x 8", None])
def test_pictures(digits, tmp_path, shape):
    result = cross_validate(*digits, "morf", shape, folds=2, params=TREES, importances="impurity")
    assert result.shape == {"8 x 8": (8, 8), None: None}.get(shape, (1, 64))
    assert len(result.importances) == 64
    write_figure(tmp_path / "map.v2.png", draw_importances, result)
    assert imread(tmp_path / "map.v2.png").std() > 0.05


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"method": "isomap"},
            "^method='isomap': it is among the methods of neighbours: find_neighbors takes it",
        ),
        ({"shape": "8x9"}, "^shape='8x9': that makes 72 columns, not 64"),
        ({"shape": (9, 8)}, r"^shape=\(9, 8\): that makes 72 columns"),
        ({"shape": "wide"}, "^shape='wide': a shape is HEIGHTxWIDTH"),
        (
            {"folds": 90},
            r"^the array: the second largest class of the labels has 50 rows: folds is 2 to 50, not 90",
        ),
        ({"folds": 1}, "folds is 2 to"),
        ({"label": [1, 2]}, r"^the array: 200 rows, but labels of the shape \(2,\)"),
        ({"label": "digit"}, "unknown column 'digit'"),
        ({"label": [0] * 200}, "the label has one class only"),
        ({"label": [None, *range(199)]}, "the label is missing in row 0 "),
        ({"label": [7] * 199 + [8]}, "the class '8' has one row only"),
        (
            {"label": "3", "columns": ["2", "3"]},
            "'3' is the label and cannot be one of the columns",
        ),
    ],
)
def test_what_is_refused(digits, changed, words):
    X, y = digits
    with pytest.raises(DataError if "label" in changed else UserError, match=words):
        cross_validate(**{"table": X, "label": y, **changed})


def test_recalls_are_those_of_scikit_learn():
    from sklearn.metrics import balanced_accuracy_score, recall_score

    rng = np.random.default_rng(3)
    y = np.repeat(list("abcdefg"), [90, 40, 20, 10, 8, 6, 5])
    table = rng.normal(size=(len(y), 3)) + np.unique(y, return_inverse=True)[1][:, None] % 3
    result = cross_validate(table, y, "knn")
    label, predicted = result.predictions["label"], result.predictions["predicted"]
    recalls = recall_score(label, predicted, average=None, zero_division=0)
    np.testing.assert_allclose(result.recalls, recalls)
    assert result.recalls.index.tolist() == list("abcdefg")
    assert result.balanced_accuracy == pytest.approx(balanced_accuracy_score(label, predicted))
    lowest = result.recalls.sort_values(kind="stable")
    shown = ", ".join(f"{name} {share:.4f}" for name, share in lowest[:5].items())
    assert result.class_summary() == (
        f"balanced accuracy {result.balanced_accuracy:.4f}; lowest recall of 7: {shown}"
    )
    two = cross_validate(table[:130], y[:130], "knn").class_summary()
    assert re.fullmatch(r"balanced accuracy 0\.\d{4}; recall: [ab] \d\.\d{4}, [ab] \d\.\d{4}", two)


def test_rows_have_their_names_in_the_predictions():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20, 2)), columns=["a", "b"])
    frame = frame.assign(who=[f"p{i}" for i in range(20)], y=["u", "v"] * 10)
    result = cross_validate(frame.drop(columns="who"), "y", "knn", folds=2).predictions
    assert list(result) == ["row", "label", "predicted"]
    for table, given in ((frame, {"identifier": "who"}), (frame.set_index("who"), {})):
        result = cross_validate(table, "y", "knn", folds=2, **given).predictions
        assert list(result) == ["id", "row", "label", "predicted"]
        assert result["id"].tolist() == frame["who"].tolist()


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.nightly
def test_the_standard_error_is_that_of_other_tables(groups):
    """It was two thirds of it: folds are trained on the same rows, most of them."""
    rng = np.random.default_rng(0)
    means, errors = [], []
    for seed in range(60):
        kind = np.arange(80) % 2 if not groups else np.repeat(np.arange(16) % 2, 5)
        points = rng.normal(size=(80, 3)) + 0.8 * kind[:, None]
        if groups:
            points = 0.5 * points + np.repeat(rng.normal(size=(16, 3)), 5, axis=0)
        table = pd.DataFrame(points).add_prefix("x").assign(kind=kind, one=np.arange(80) // 5)
        together = {"together": "one"} if groups else {"exclude": ["one"]}
        result = cross_validate(table, "kind", "logistic", seed=seed, **together)
        means.append(result.accuracy)
        errors.append(result.standard_error)
    ratio = np.sqrt(np.mean(np.square(errors))) / np.std(means, ddof=1)
    assert 0.8 < ratio < 1.6
