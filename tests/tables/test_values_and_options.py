"""Values that were read as others, and options of other kinds than a call says."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables import (
    compare_neighbors,
    cross_validate,
    find_columns,
    find_directions,
    find_neighbors,
)
from geoforest_cli.tables.writers import write_table
from tests.tables.helpers import read_table

FRAME = pd.DataFrame(np.random.default_rng(4).normal(size=(40, 4)), columns=["a", "b", "age", "g"])
FRAME["kind"] = np.where(FRAME["a"] > 0, "x", "y")


@pytest.mark.parametrize("name", ["self", "frame", "changed"])
def test_no_name_of_a_column_is_special(tmp_path, name):
    frame = FRAME[["a", "b"]].assign(c=FRAME["a"] ** 2).set_axis([name, "b", "c"], axis=1)
    frame[name] = frame[name].astype(str).where(frame.index != 3, "?")
    frame["code"] = "007"
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = find_neighbors(tmp_path / "t.csv", 3, missing="drop", method="euclidean")
    assert name in result.columns


@pytest.mark.parametrize(
    ("call", "given", "says"),
    [
        (find_neighbors, {"scale": "minmax"}, "scale: unknown value 'minmax'; did you mean 'min_max'"),
        (find_neighbors, {"missing": "dorp"}, "missing: unknown value 'dorp'; did you mean 'drop'"),
        (compare_neighbors, {"k": 3, "label": "kind", "scale": "robust"}, "scale: unknown value 'robust'"),
        (cross_validate, {"missing": "impute"}, "missing: unknown value 'impute'"),
        (find_directions, {"missing": "keep"}, "missing: unknown value 'keep'"),
        (find_columns, {"level": "0.1"}, "level='0.1': a level lies between 0 and 1"),
        (find_columns, {"seed": None}, "a seed is a whole number"),
        (find_columns, {"seed": 1.5}, "seed=1.5: a seed is a whole number"),
        (find_columns, {"n_jobs": "2"}, "n_jobs='2': there is at least 1 thread"),
        (cross_validate, {"folds": "3"}, "folds is 2 to"),
        (cross_validate, {"shape": (1, 3, 1)}, "a shape is HEIGHTxWIDTH"),
    ],
)  # fmt: skip
def test_an_option_of_another_kind_is_refused(call, given, says):
    label = {"label": "kind"} if call is cross_validate else {}
    table = FRAME if label else FRAME[["a", "b", "age", "g"]]
    with pytest.raises(UserError) as caught:
        call(table, **label, **given)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        pd.array([np.nan, *range(39)], "Float64"),
        pd.Series([np.nan, *range(39)], dtype="double[pyarrow]"),
        pd.arrays.FloatingArray(np.r_[np.nan, np.arange(39.0)], np.zeros(40, bool)),
    ],
)
def test_nan_is_missing_in_every_kind_of_column(values):
    table = read_table(FRAME[["a", "b"]].assign(c=values), missing="drop")
    assert table.rows.tolist() == list(range(1, 40))


def test_directions_do_not_mind_what_a_category_misses():
    frame = pd.DataFrame(np.random.default_rng(4).normal(size=(200, 3)), columns=list("abc"))
    frame["kind"] = np.where(frame.index % 3, "u", None)
    assert len(find_directions(frame).projected) == 200
    with pytest.raises(DataError, match="the column 'a' has 1 missing value"):
        find_directions(frame.assign(a=frame["a"].where(frame.index != 5)))


def test_names_of_rows_of_two_kinds_are_written(tmp_path):
    frame = FRAME[["a", "b"]].assign(who=[*range(39), "A7"])
    result = find_neighbors(frame, 3, method="euclidean", identifier="who")
    write_table(tmp_path / "o.parquet", [result.frame()])
    assert set(pd.read_parquet(tmp_path / "o.parquet")["id"]) == {*map(str, range(39)), "A7"}
