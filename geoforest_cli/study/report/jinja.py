"""What all templates share: pages of the site, and summaries as Markdown and LaTeX."""

from __future__ import annotations

from typing import Any

import jinja2

from geoforest_cli.core.escaping import escape_control_characters

__all__ = ["environment"]


def environment() -> jinja2.Environment:
    """Return the environment of the templates; HTML is escaped, an unknown name an error."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("geoforest_cli.study.report", "templates"),
        autoescape=jinja2.select_autoescape(["html.jinja"]),
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_written_out,
    )


def _written_out(value: Any) -> Any:
    """Write out control characters of whatever is shown."""
    # a subclass of str says that the text is markup
    return type(value)(escape_control_characters(value)) if isinstance(value, str) else value
