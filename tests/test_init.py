"""What the package offers by its own name."""

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import geoforest_cli
from geoforest_cli.core.registry import parameter_model

ESTIMATORS = [name for name in geoforest_cli.__all__ if name[0].isupper()]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_and_their_signatures_can_be_read(name):
    estimator = getattr(geoforest_cli, name)
    assert estimator.__name__ == name
    assert hasattr(estimator, "fit")
    assert estimator.__doc__
    signature = str(inspect.signature(estimator))
    assert "FieldInfo" not in signature
    # and still say what configs may set
    assert parameter_model(estimator).model_fields


def test_all_public_names_are_there_and_others_are_not():
    assert {"GeodesicForest", "MorfClassifier", "Smerf", "GraphGeodesic", "ColumnScreen"} <= set(
        ESTIMATORS
    )
    assert set(geoforest_cli.__all__) <= set(dir(geoforest_cli))
    assert issubclass(geoforest_cli.GeodesicForest, BaseEstimator)
    name = "GeodesicFores"
    with pytest.raises(AttributeError, match=f"has no attribute {name!r}"):
        getattr(geoforest_cli, name)


def test_the_package_alone_imports_nothing_heavy():
    code = (
        "import sys, geoforest_cli; dir(geoforest_cli)\n"
        "print([m for m in ('numba', 'pandas', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_passed_around_cannot_be_changed_by_accident():
    loose = set()
    for path in Path(geoforest_cli.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ClassDef):
                continue
            written = [ast.unparse(decorator) for decorator in node.decorator_list]
            if any(re.match(r"dataclass\b(?!.*frozen=True)", one) for one in written):
                loose.add(node.name)
    counted = {"Budget", "Chain", "Keys", "_Builder", "_Group", "_Task", "_Worker"}
    filled_later = {"ConfigComparison", "Contrast", "FoldModel", "GridPoint", "Series"}
    assert loose == counted | filled_later


# these are filled while something runs
FILLED = {
    "_Builder", "_Node", "Chain", "Contrast", "GridPoint", "_Group", "_Worker", "_Task", "Keys",
    "Series", "ConfigComparison", "Budget", "FoldModel",
}  # fmt: skip


def test_only_what_is_fitted_or_filled_can_be_changed():
    """An estimator is told from its copy and is fitted; all else is what it was made as."""
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(geoforest_cli.__path__, "geoforest_cli.")
        if not module.name.endswith("__main__")
    ]
    found = {
        (value.__name__, value.__module__): value
        for module in modules
        for value in vars(module).values()
        if dataclasses.is_dataclass(value) and isinstance(value, type)
        if value.__module__.startswith("geoforest_cli")
    }
    assert len(found) > 200
    loose = {key: one for key, one in found.items() if not one.__dataclass_params__.frozen}
    filled = {name for (name, _), one in loose.items() if one.__dataclass_params__.eq}
    assert filled == FILLED
    fitted = [one for one in loose.values() if not one.__dataclass_params__.eq]
    assert [one.__name__ for one in fitted if not issubclass(one, BaseEstimator)] == []
