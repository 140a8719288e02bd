"""From rows to figures, tables, claims and one page."""

from geoforest_cli.report.context import Context
from geoforest_cli.report.curves import Curves
from geoforest_cli.report.curves import draw as draw_curves
from geoforest_cli.report.render import render

__all__ = ["Context", "Curves", "draw_curves", "render"]
