"""Which classes of values can be changed after they were made."""

import importlib
import pkgutil
from dataclasses import is_dataclass

from sklearn.base import BaseEstimator


def changeable(package):
    """The names of the dataclasses of a package, and of what is in it, that are not frozen, but estimators."""
    whole = importlib.import_module(package)
    names = [one.name for one in pkgutil.walk_packages(whole.__path__, f"{package}.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    return {
        one.__qualname__
        for module in modules
        for one in vars(module).values()
        if is_dataclass(one)
        and isinstance(one, type)
        and not issubclass(one, BaseEstimator)
        and one.__module__ == module.__name__
        and not one.__dataclass_params__.frozen
    }
