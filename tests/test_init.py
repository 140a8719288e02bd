"""Names that the package offers."""

import dataclasses
import importlib
import inspect
import pkgutil
import subprocess
import sys

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


# these are filled while something runs
FILLED = {
    "_Builder", "_PlanBuilder", "_Node", "Chain", "Contrast", "GridPoint", "_Group", "_Worker", "_Task", "Keys",
    "Series", "ConfigComparison", "Budget", "FoldModel",
}  # fmt: skip


def test_only_what_is_fitted_or_filled_can_be_changed():
    """An estimator is told from its copy and is fitted; all else is what it was made as."""
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(geoforest_cli.__path__, "geoforest_cli.")
        if not module.name.endswith("__main__")
    ]
    classes = {
        (value.__name__, value.__module__): value
        for module in modules
        for value in vars(module).values()
        if dataclasses.is_dataclass(value) and isinstance(value, type)
        if value.__module__.startswith("geoforest_cli")
    }
    assert len(classes) > 100
    loose = {key: cls for key, cls in classes.items() if not cls.__dataclass_params__.frozen}
    filled = {name for (name, _), cls in loose.items() if cls.__dataclass_params__.eq}
    assert filled <= FILLED
    fitted = [cls for cls in loose.values() if not cls.__dataclass_params__.eq]
    assert [cls.__name__ for cls in fitted if not issubclass(cls, BaseEstimator)] == []
