"""Claims of a paper, checked over rows: kinds of check, tests, verdicts.

A claim of a config names a kind of check (``CHECKS``), the rows it looks at, and the sentence it
stands for. Every kind turns the rows into points, each with one or several contrasts (one
statistic per repetition), and says in which region of the real line they must lie; `verdicts` and
`decision` do the rest. The rules and their error rates: ``docs/verdicts.md``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geoforest_cli.claims.base import Circumstances, Judged
    from geoforest_cli.claims.checking import checker, parse
    from geoforest_cli.claims.evaluation import evaluate
    from geoforest_cli.claims.kinds import CHECKS

__all__ = ["CHECKS", "Circumstances", "Judged", "checker", "evaluate", "parse"]

# imported when they are first used: the table of kinds is listed without the rest
_PLACES = {
    "CHECKS": "kinds",
    "Circumstances": "base",
    "Judged": "base",
    "checker": "checking",
    "evaluate": "evaluation",
    "parse": "checking",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
