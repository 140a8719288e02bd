"""Every command with its options, as ``--help`` says them; writes docs/commands.md."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import click

__all__ = ["page"]

_HEAD = """# Commands

What `geoforest VERB --help` says, verb by verb; `make docs` writes this page.
"""
_WIDTH = 88


def page() -> str:
    """Return the page."""
    from geoforest_cli.cli.main import cli

    parts = [_HEAD]
    for name, text in _helps(cli, "geoforest", None):
        level = "#" * min(1 + len(name.split()), 3)
        parts.append(f"{level} {name}\n```\n{text}\n```\n")
    return "\n".join(parts)


def _helps(
    command: click.Command, name: str, parent: click.Context | None
) -> Iterator[tuple[str, str]]:
    context = click.Context(
        command, parent, info_name=name.rpartition(" ")[2],
        terminal_width=_WIDTH, max_content_width=_WIDTH,
        help_option_names=["-h", "--help"], show_default=True,
    )  # fmt: skip
    # a command that was called by itself keeps a help option of other names
    command = copy.copy(command)
    vars(command)["_help_option"] = None
    lines = (line.rstrip() for line in command.get_help(context).splitlines())
    yield name, "\n".join(lines)
    if isinstance(command, click.Group):
        for verb in command.list_commands(context):
            below = command.get_command(context, verb)
            if below is not None:
                yield from _helps(below, f"{name} {verb}", context)
