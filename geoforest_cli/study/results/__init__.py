"""Results of runs in one layout, of a run and of the reference: record, rows, summary, figures."""

from geoforest_cli.study.results.result import Result, results

__all__ = ["Result", "results"]
