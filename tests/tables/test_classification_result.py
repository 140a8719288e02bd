"""The figure and the summary of a classification, without a classifier."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.tables import importance_figure
from geoforest_cli.tables.classification_result import ClassificationResult, require_importances

COLUMNS = ("size", "kind=a", "kind=b", "age")
SOURCES = ("size", "kind", "kind", "age")
SHARES = pd.Series([0.4, 0.1, 0.2, 0.3], index=list(COLUMNS), name="importance")


def result(shape=None, permutation=None, labels="ab", predicted="ab", columns=COLUMNS):
    return ClassificationResult(
        method="rf", params={}, accuracies=(0.5, 0.75, 1.0), naive=0.25,
        predictions=pd.DataFrame({"label": list(labels), "predicted": list(predicted)}),
        columns=columns, shape=shape, notes=(), folds_kept=None, left_out={},
        _model=SimpleNamespace(data=SimpleNamespace(path=None, sources=SOURCES)),
        _labels=np.array(list(labels)), permutation=permutation,
    )  # fmt: skip


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """Return what is drawn of a result, its shape and its bounds."""
    calls = []
    monkeypatch.setattr(ClassificationResult, "importances", lambda _: SHARES)

    def record(shares, shape, path, bounds=None):
        calls.append((shares, shape, bounds))
        return path

    monkeypatch.setattr(importance_figure, "write_picture", record)

    def draw(found):
        assert found.write_picture(tmp_path / "p.png") == tmp_path / "p.png"
        return calls.pop()

    return draw


def test_a_category_is_one_bar_and_pixels_are_each_their_own(drawn):
    shares, shape, bounds = drawn(result())
    assert shares.to_dict() == pytest.approx({"size": 0.4, "kind": 0.3, "age": 0.3})
    assert (shape, bounds) == (None, None)
    shares, shape, bounds = drawn(result((2, 2)))
    assert shares.equals(SHARES)
    assert (shape, bounds) == ((2, 2), None)


@pytest.mark.parametrize("gap", [False, True])
def test_permuted_columns_are_drawn_with_their_bounds_and_pixels_in_their_order(drawn, gap):
    table = pd.DataFrame({
        "column": ["age", "size", "kind=b", "kind=a"], "impurity": [0.3, 0.4, 0.2, 0.1],
        "permutation": [0.09, 0.05, 0.02, 0.01], "low": [0.08, 0.04, 0.01, 0.0],
        "high": [0.1, 0.06, 0.03, 0.02],
    })  # fmt: skip
    if gap:
        table.loc[1, "impurity"] = np.nan
    shares, shape, bounds = drawn(result(permutation=table))
    assert shares.to_dict() == dict(zip(table["column"], table["permutation"], strict=True))
    assert shape is None
    assert bounds.loc["size"].tolist() == [0.04, 0.06]
    shares, shape, bounds = drawn(result((2, 2), table))
    assert (shares.index.tolist(), shape, bounds) == (list(COLUMNS), (2, 2), None)
    # what is not known of every pixel is not drawn
    expected = [0.05, 0.01, 0.02, 0.09] if gap else [0.4, 0.1, 0.2, 0.3]
    assert shares.tolist() == expected


@pytest.mark.parametrize(
    ("method", "shape", "fine"),
    [(None, None, True), (None, "8x8", True), ("rf", None, True), ("sporf", None, True),
     ("knn", None, False), ("rbf_svm", None, False), ("isomap", None, True),
     ("own:Thing", None, True), ("no such", None, True)],
)  # fmt: skip
def test_who_has_no_importances_is_told_before_it_is_trained(method, shape, fine):
    if fine:
        require_importances(method, shape)
        return
    with pytest.raises(UserError, match=f"^importances: {method} has no importances; morf, sporf"):
        require_importances(method, shape)
