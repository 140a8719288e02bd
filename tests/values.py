"""Classes of values that can be changed after they were made."""

import importlib
import pkgutil
from dataclasses import is_dataclass

from sklearn.base import BaseEstimator


def changeable(package):
    """The names of the dataclasses of a package, and of what is in it, that are not frozen, but estimators."""
    whole = importlib.import_module(package)
    names = [info.name for info in pkgutil.walk_packages(whole.__path__, f"{package}.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    return {
        cls.__qualname__
        for module in modules
        for cls in vars(module).values()
        if is_dataclass(cls)
        and isinstance(cls, type)
        and not issubclass(cls, BaseEstimator)
        and cls.__module__ == module.__name__
        and not cls.__dataclass_params__.frozen
    }
