"""Claims of a paper, checked over rows: kinds of check, intervals, verdicts.

A claim of a config names a kind of check (``CHECKS``), the rows it looks at, and the sentence it
stands for. Every kind turns the rows into one statistic per repetition and grid point, and says
in which region of the real line the statistic must lie; `intervals` and `verdicts` do the rest.
"""

from geoforest_cli.claims.base import Judged
from geoforest_cli.claims.checking import checker, parse
from geoforest_cli.claims.evaluation import evaluate
from geoforest_cli.claims.kinds import CHECKS

__all__ = ["CHECKS", "Judged", "checker", "evaluate", "parse"]
