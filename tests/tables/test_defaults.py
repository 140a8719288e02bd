"""Defaults of the commands on a user's table."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from geoforest_cli import tables
from geoforest_cli.core.errors import UserError
from tests.tables.helpers import read_table

SIZES = (3, 10, 30, 90, 300)


def _share(result, labels):
    return float((labels[result.indices] == labels[:, None]).mean())


@pytest.mark.parametrize("name", ["wine", "breast_cancer", "iris", "digits"])
@pytest.mark.nightly
def test_the_default_forest_on_ordinary_tables(name):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    plain = tables.find_neighbors(X, 10, "euclidean", scale="standardise")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # digits has pixels of two values
        forest = tables.find_neighbors(X, 10)
    assert _share(forest, y) >= _share(plain, y) - 0.01


def test_units_are_told_and_mended():
    X, y = datasets.load_wine(return_X_y=True)
    raw = tables.find_neighbors(X, 10, "euclidean", scale="none")
    (note,) = raw.notes
    assert note.startswith("The spreads of the columns differ by a factor of ")
    assert "scale='standardise'" in note
    auto = tables.find_neighbors(X, 10, "euclidean")
    assert "each is divided by its own" in auto.notes[0]
    assert _share(raw, y) < 0.7 < 0.9 < _share(auto, y)
    alike = tables.find_neighbors(X[:, :2], 10, "euclidean")
    assert alike.notes == ()


def test_without_a_shape_the_order_of_columns_does_not_matter():
    X, y = datasets.load_digits(n_class=3, return_X_y=True)
    assert tables.cross_validate(X, y, params={"n_estimators": 10}).method == "rf"
    images = tables.cross_validate(X, y, shape="8x8", params={"n_estimators": 10})
    assert images.method == "morf"


def test_categories_become_zeros_and_ones():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(60)],
            "colour": rng.choice(["red", "green", "blue"], 60),
            "x": rng.normal(size=60),
            "yes": rng.random(60) < 0.5,
        }
    )
    table = read_table(frame)
    assert table.columns == ("colour=blue", "colour=green", "colour=red", "x", "yes")
    assert table.notes == (
        "Category of 3 values, as zeros and ones: colour.",
        "Left out, not numeric: name.",
        (
            "Used as features, though they may be classes (text or few whole values): colour, yes; "
            "exclude leaves them out."
        ),
    )
    assert (table.points[:, :3].sum(axis=1) == 1).all()
    assert (table.points[:, 2] == (frame["colour"] == "red")).all()
    frame.loc[4, "colour"] = None
    with pytest.raises(UserError, match="'colour' has 1 missing value, in row 4 "):
        read_table(frame)


@pytest.mark.parametrize(
    ("call", "option"),
    [
        (lambda X, **options: tables.find_neighbors(X, 3, **options), "seed"),
        (tables.find_columns, "level"),
        (lambda X, **options: tables.compare_neighbors(X, 3, "0", **options), "screen"),
        (lambda X, **options: tables.cross_validate(X, X[:, 0] > 0, **options), "decimal"),
    ],
)
def test_an_unknown_option_is_refused_with_the_nearest(call, option):
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(UserError, match=f"unknown option '{option}s'; did you mean '{option}'"):
        call(X, **{f"{option}s": 1})


@pytest.mark.parametrize(
    "verb", ["find_neighbors", "find_columns", "compare_neighbors", "cross_validate"]
)
def test_a_signature_lists_every_option(verb):
    """As editors and `help` show it."""
    function = getattr(tables, verb)
    parameters = inspect.signature(function).parameters
    assert {"exclude", "seed", "level", "sep"} <= parameters.keys()
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def results():
    classes = [
        value
        for module in pkgutil.iter_modules(tables.__path__)
        for value in vars(importlib.import_module(f"{tables.__name__}.{module.name}")).values()
        if isinstance(value, type) and dataclasses.is_dataclass(value)
        if value.__module__.startswith(tables.__name__)
    ]
    assert len(set(classes)) > 10
    return set(classes)


def test_no_result_prints_its_table():
    """At a prompt a line or two are shown."""
    long = re.compile(r"pd\.|npt\.|Floats|Labels|Points|Numbers|Indices|Bools|Mapping\[str, str\]")
    printed = {
        f"{kind.__name__}.{field.name}"
        for kind in results()
        for field in dataclasses.fields(kind)
        if field.repr and long.search(str(field.type))
    }
    assert printed == set()


def test_results_and_options_cannot_be_changed():
    """Notes and files about them would no longer hold; a model is fitted."""
    changeable = {kind for kind in results() if not kind.__dataclass_params__.frozen}
    assert {kind.__name__ for kind in changeable} == {"FoldModel"}
