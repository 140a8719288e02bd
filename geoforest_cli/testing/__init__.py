"""Tests for methods, manifolds and experiments of your own: subclass a suite, say what it tests.

The suites check what geoforest checks of its own: shapes, seeds, errors, what may be said in a
config. They need pytest (``pip install 'geoforest[testing]'``).

Examples
--------
>>> from geoforest_cli.testing import ManifoldTests, MethodTests
>>> class TestEuclidean(MethodTests):
...     method = "euclidean"
>>> class TestHelix(ManifoldTests):
...     manifold = "helix"
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from geoforest_cli.testing.experiments import ExperimentTests
    from geoforest_cli.testing.manifolds import ManifoldTests
    from geoforest_cli.testing.methods import MethodTests

__all__ = ["ExperimentTests", "ManifoldTests", "MethodTests"]

_PLACES = {
    "ExperimentTests": f"{__name__}.experiments",
    "ManifoldTests": f"{__name__}.manifolds",
    "MethodTests": f"{__name__}.methods",
}
# before they are imported: a failure shows the values that differ
pytest.register_assert_rewrite(*_PLACES.values())


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
