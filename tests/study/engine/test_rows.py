import math
from dataclasses import replace

import pandas as pd
import pytest

from geoforest_cli.study import plan as planning
from geoforest_cli.study.engine import rows
from geoforest_cli.study.engine.executors.contract import Outcome
from geoforest_cli.study.engine.store import Store
from tests.study.engine import toy


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "cells.sqlite", create=True) as store:
        yield store


def test_rows_are_sorted_by_the_config_and_then_by_name(store, tmp_path):
    plan = toy.make_plan(
        tmp_path,
        ("a: [0, 1, 2, 3, 4, 5], k: [1]", "a: [7, 2], k: [10, 5]"),
        ("methods:", "repetitions: 2\nmethods:\n  wild: {use: isomap, variants: {as_written: {}}}"),
    )
    for job in reversed(plan.jobs.values()):
        store.put([(job, toy.outcome(job))], {})
    table = rows.collect(plan, store).frame
    assert list(table.columns) == ["a", "k", *rows.TAIL]
    assert list(zip(table["a"], table["k"], table["method"], table["repetition"], strict=True)) == [
        (a, k, method, rep)
        for a in (7, 2)
        for k in (10, 5)
        for method in ("still", "wild")
        for rep in (0, 1)
    ]


def test_a_failed_cell_is_one_row_and_whole_numbers_stay_whole(store, tmp_path):
    plan = toy.make_plan(tmp_path, ("a: [0, 1, 2, 3, 4, 5], k: [1]", "a: [1, 2, 3], k: [5, 10]"))
    first, second, _ = plan.jobs.values()
    cell_rows = [
        {"metric": "m", "value": math.inf, "k": 5},
        {"metric": "m", "value": 1 / 3, "k": 10},
    ]
    store.put([(first, Outcome(first.key, "ok", cell_rows, first.inner))], {})
    store.put([(second, toy.outcome(second, "out_of_memory"))], {})
    collected = rows.collect(plan, store)
    table = collected.frame
    rows.write_rows(table, tmp_path)
    assert (tmp_path / "rows.csv").read_bytes().decode() == (
        "a,k,method,variant,repetition,metric,value,status,cell\n"
        f"1,5,still,as_written,0,m,inf,ok,{first.key}\n"
        f"1,10,still,as_written,0,m,0.3333333333333333,ok,{first.key}\n"
        f"2,,still,as_written,0,,nan,out_of_memory,{second.key}\n"
    )
    assert [(p.point["a"], status, why) for p, status, why in collected.failed] == [
        (2, "out_of_memory", "bad luck")
    ]
    assert list(table["k"]) == [5, 10, None]
    assert {str(kind) for kind in table[:2].infer_objects()[["a", "k"]].dtypes} == {"int64"}
    stored = pd.read_parquet(tmp_path / "rows.parquet")
    assert str(stored["k"].dtype) == "Int64"
    pd.testing.assert_frame_equal(stored.drop(columns="k"), table.drop(columns="k"))


def test_a_cell_stands_at_every_place_of_it(store, tmp_path):
    plan = toy.make_plan(
        tmp_path,
        ("a: [0, 1, 2, 3, 4, 5], k: [1]", "a: [1], trees: [3, 4], k: [1]"),
        (
            "methods:",
            """methods:
  gf:
    use: geodesic_forest
    from_grid: {n_estimators: trees}
    variants: {as_written: {}}""",
        ),
    )
    assert len(plan.entries) == 4
    assert len(plan.jobs) == 3
    for job in plan.jobs.values():
        store.put([(job, toy.outcome(job))], {})
    table = rows.collect(plan, store).frame
    assert table.groupby("method")["trees"].apply(list).to_dict() == {
        "still": [3, 4], "gf": [3, 4],
    }  # fmt: skip
    assert table.groupby("method")["cell"].nunique().to_dict() == {"still": 1, "gf": 2}


def test_values_of_several_records_stand_once(store, tmp_path):
    plan = toy.make_plan(tmp_path, ("a: [0, 1, 2, 3, 4, 5], k: [1]", "a: [1], k: [1, 2, 3]"))
    (job,) = plan.jobs.values()
    for inner, value in (((1, 2), 0.1), ((2, 3), 0.2), ((9,), 0.3)):
        part = replace(job, inner={"k": inner})
        store.put([(part, toy.outcome(part, value=value))], {})
    table = rows.collect(plan, store).frame
    assert list(table["k"]) == [1, 2, 3]
    assert table["value"][0] == 0.1
    assert table["value"][2] == 0.2


def test_a_failure_of_values_that_others_have_is_none(store, tmp_path):
    plan = toy.make_plan(tmp_path, ("a: [0, 1, 2, 3, 4, 5], k: [1]", "a: [1], k: [1, 2, 3]"))
    (job,) = plan.jobs.values()

    def put(*inner, status="ok"):
        part = replace(job, inner={"k": inner})
        store.put([(part, toy.outcome(part, status))], {})
        return rows.collect(plan, store)

    put(1, 2)
    halved = put(2, 3, status="crashed")
    assert [(status, why) for _, status, why in halved.failed] == [("crashed", "bad luck")]
    assert list(halved.frame["status"]) == ["ok", "ok", "crashed"]
    whole = put(3)
    assert whole.failed == ()
    assert list(whole.frame["status"]) == ["ok"] * 3


def test_numbers_stand_in_their_order_and_none_behind_them(store, tmp_path):
    plan = toy.make_plan(tmp_path, ("a: [0, 1, 2, 3, 4, 5], k: [1]", "a: [1], k: [1]"))
    (job,) = plan.jobs.values()
    values = {"undefined": math.nan, "disconnected": math.inf, "c": 2.0, "a": -3.0, "b": 0.0}
    cell_rows = [
        {"k": 1, "metric": "m", "value": value, "status": status}
        for status, value in values.items()
    ]
    store.put([(job, Outcome(job.key, "ok", cell_rows, job.inner))], {})
    table = rows.collect(plan, store).frame
    assert list(table["status"]) == ["a", "b", "c", "disconnected", "undefined"]


MIXED = """
from typing import Any, Literal
from geoforest_cli.study.experiment import Experiment, Params, Row

class MixedParams(Params):
    mixed: int | Literal["component"]
    flag: bool
    share: float
    shape: tuple[int, int]

class Mixed(Experiment[MixedParams]):
    methods = ("neighbors",)
    yields = ("m",)
    def run_cell(self, task):
        return [Row("m", 1.0)]
"""


def test_mixed_bool_float_and_list_columns(store, tmp_path):
    (tmp_path / "mixed_rows.py").write_text(MIXED)
    path = tmp_path / "mixed.yaml"
    path.write_text(
        "title: mixed\nexperiment: ./mixed_rows.py\n"
        "grid: {mixed: [5], flag: [true], share: [0.5], shape: [[2, 3]]}\n"
        "also:\n  - {mixed: [component], flag: [false], share: [1], shape: [[4, 4]]}\n"
        "methods: {euclidean: {variants: {as_written: {}}}}\n"
    )
    plan = planning.load(path)
    for job in plan.jobs.values():
        store.put([(job, Outcome(job.key, "ok", [{"metric": "m", "value": 1.0}], {}))], {})
    rows.write_rows(rows.collect(plan, store).frame, tmp_path)
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert lines[1].startswith('5,True,0.5,"[2, 3]",euclidean,')
    assert lines[2].startswith('component,False,1.0,"[4, 4]",euclidean,')
    assert list(pd.read_parquet(tmp_path / "rows.parquet")["mixed"]) == ["5", "component"]


def test_no_rows_at_all(store, tmp_path):
    rows.write_rows(rows.collect(toy.make_plan(tmp_path), store).frame, tmp_path)
    assert (tmp_path / "rows.csv").read_text().count("\n") == 1
