from pathlib import Path

import pytest

from geoforest_cli.engine.estimate import Estimator, time_left
from geoforest_cli.engine.store import Record, identity
from tests.engine.toy import ToyCell


def _cell(key, **changes):
    return ToyCell(key, Path("x.py"), **{"method": "gf", "point": {"d": 10}, **changes})


def _record(key, seconds, status="ok", **changes):
    return Record(key, status, seconds=seconds, identity=identity(_cell(key, **changes)))


RECORDS = [
    _record("a", 1.0),
    _record("b", 3.0),
    _record("c", 4.0),
    _record("d", 50.0, point={"d": 90}),
    _record("e", 0.1, status="failed"),
    _record("f", 7.0, status="timeout", variant="as_run"),
]


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        (_cell("a"), 1.0),
        (_cell("new", repetition=9), 3.0),
        (_cell("new", point={"d": 50}), 3.5),
        (_cell("new", variant="as_run"), 7.0),
        (_cell("new", method="umap"), None),
        (_cell("e"), 3.0),
    ],
)
def test_own_time_then_nearest_kin(cell, seconds):
    assert Estimator(RECORDS).seconds(cell.key, identity(cell)) == seconds


def test_repetitions_of_the_same_size_count_before_those_of_another():
    small, large = {"n": 120}, {"n": 1000}
    base = identity(_cell("x"))
    estimator = Estimator(
        [
            Record("s", "ok", seconds=0.1, identity={**base, "params": small}),
            Record("l", "ok", seconds=9.0, identity={**base, "params": large}),
        ]
    )
    assert estimator.seconds("new", {**base, "params": large}) == 9.0


def test_time_left_is_shared_among_jobs_but_no_cell_is_split():
    estimator = Estimator(RECORDS)
    cells = [_cell("a"), _cell("b"), _cell("c")]
    assert time_left(estimator, cells, {}, 1) == 8.0
    assert time_left(estimator, cells, {}, 2) == 4.0
    assert time_left(estimator, cells, {}, 8) == 4.0
    assert time_left(estimator, cells, {"c": 1.5, "a": 99.0}, 1) == 5.5


def test_unknown_cells_count_as_the_mean_of_the_known():
    cells = [_cell("a"), _cell("c"), _cell("u", method="umap")]
    assert time_left(Estimator(RECORDS), cells, {}, 1) == 7.5
    assert time_left(Estimator(), cells, {}, 1) is None
    assert time_left(Estimator(), [], {}, 1) == 0.0
