import math
from pathlib import Path

import pandas as pd
import pytest

from geoforest_cli.engine import rows
from geoforest_cli.engine.executor import Outcome
from geoforest_cli.engine.store import Store
from tests.engine.toy import ToyCell, make_plan


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "cells.sqlite", create=True) as store:
        yield store


def _cell(key, **changes):
    return ToyCell(key, Path("x.py"), **changes)


def _put(store, cell, values=(0.5,), status="ok"):
    found = [{"metric": "m", "value": v, "k": k} for v, k in zip(values, (10, 5), strict=False)]
    store.put(Outcome(cell.key, status, found if status == "ok" else []), {})


def test_rows_are_sorted_by_the_config_and_then_by_name(store, tmp_path):
    cells = [
        _cell(
            f"{a}{method}{rep}", point={"a": a}, method=method, repetition=rep, inner={"k": (10, 5)}
        )
        for a in ("z", "b")
        for method in ("umap", "gf")
        for rep in (1, 0)
    ]
    for cell in reversed(cells):
        _put(store, cell, (0.1, 0.2))
    table = rows.frame(make_plan(tmp_path, cells), store)
    assert list(table.columns) == ["a", "k", *rows.TAIL]
    assert list(zip(table["a"], table["k"], table["method"], table["repetition"], strict=True)) == [
        (a, k, method, rep)
        for a in "zb"
        for k in (10, 5)
        for method in ("gf", "umap")
        for rep in (0, 1)
    ]


def test_a_failed_cell_is_one_row_and_whole_numbers_stay_whole(store, tmp_path):
    ks = {"k": (5.0, 10)}
    cells = [_cell(key, point={"a": a}, inner=ks) for a, key in enumerate("xyz", 1)]
    _put(store, cells[0], (1 / 3, math.inf))
    _put(store, cells[1], status="out_of_memory")
    plan = make_plan(tmp_path, cells)
    table = rows.frame(plan, store)
    rows.write_rows(table, tmp_path)
    assert (tmp_path / "rows.csv").read_bytes().decode() == (
        "a,k,method,variant,repetition,metric,value,status,cell\n"
        "1,5,toy,as_written,0,m,inf,ok,x\n"
        "1,10,toy,as_written,0,m,0.3333333333333333,ok,x\n"
        "2,,toy,as_written,0,,nan,out_of_memory,y\n"
    )
    assert list(table["k"]) == [5, 10, None]
    assert {str(kind) for kind in table[:2].infer_objects()[["a", "k"]].dtypes} == {"int64"}
    stored = pd.read_parquet(tmp_path / "rows.parquet")
    assert str(stored["k"].dtype) == "Int64"
    pd.testing.assert_frame_equal(stored.drop(columns="k"), table.drop(columns="k"))


def test_two_names_of_one_cell_are_both_shown(store, tmp_path):
    cells = [_cell("x", method="one"), _cell("x", method="two")]
    _put(store, cells[0])
    assert list(rows.frame(make_plan(tmp_path, cells), store)["method"]) == ["one", "two"]


def test_mixed_bool_float_and_list_columns(store, tmp_path):
    points = [
        {"mixed": 5, "flag": True, "share": 0.5, "shape": (2, 3)},
        {"mixed": "component", "flag": False, "share": 1, "shape": (4, 4)},
    ]
    cells = [_cell(str(n), point=point, inner={}) for n, point in enumerate(points)]
    for cell in cells:
        store.put(Outcome(cell.key, "ok", [{"metric": "m", "value": 1.0}]), {})
    plan = make_plan(tmp_path, cells, grid_columns=tuple(points[0]))
    rows.write_rows(rows.frame(plan, store), tmp_path)
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert lines[1].startswith('5,True,0.5,"(2, 3)",toy,')
    assert lines[2].startswith('component,False,1.0,"(4, 4)",toy,')
    assert list(pd.read_parquet(tmp_path / "rows.parquet")["mixed"]) == ["5", "component"]


def test_no_rows_at_all(store, tmp_path):
    rows.write_rows(rows.frame(make_plan(tmp_path, [_cell("x")]), store), tmp_path)
    assert (tmp_path / "rows.csv").read_text().count("\n") == 1


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    rows.write_atomically(path, b"old")
    monkeypatch.setattr(Path, "replace", _full)
    with pytest.raises(OSError, match="full"):
        rows.write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def _full(*_):
    raise OSError("the disk is full")
