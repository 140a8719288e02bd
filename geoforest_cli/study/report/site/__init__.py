"""The site over all results: static pages that need no server."""

from geoforest_cli.study.report.site.build import write

__all__ = ["write"]
