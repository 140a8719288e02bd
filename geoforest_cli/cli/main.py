"""``geoforest``: the group of all verbs."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from geoforest_cli import __version__
from geoforest_cli.errors import UserError
from geoforest_cli.hints import unknown

__all__ = ["cli", "main"]

_INTERRUPTED = 130
# verb -> module and attribute, imported when the verb is used: `--help` stays quick
_VERBS = {
    "run": ("run", "Run a config, draw it, judge its claims."),
    "check": ("check", "Validate configs without running them."),
    "show": ("show", "Print a config in full, without its short forms."),
    "figure": ("figure", "Draw a config's figure and tables again from its results."),
    "report": ("report", "Put all results on one page."),
    "claims": ("claims", "Count and list the verdicts of all results, paper by paper."),
    "neighbors": ("neighbors", "List the nearest rows of your own table."),
    "columns": ("columns", "Find the columns of your own table that depend on others."),
    "classify": ("classify", "Classify your own images, series or tables."),
    "list": ("listing", "List configs, experiments, methods and so on."),
    "data": ("data", "List, fetch and verify the real data sets."),
    "init": ("init", "Copy the configs and experiments here for editing."),
}


class _Verbs(click.Group):
    """A group whose commands are imported one by one, as they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _VERBS:
            return None
        module, _ = _VERBS[cmd_name]
        loaded = importlib.import_module(f"geoforest_cli.cli.{module}")
        command: click.Command = getattr(loaded, "listing" if module == "listing" else cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _VERBS and not args[0].startswith("-"):
            raise click.UsageError(unknown("command", args[0], _VERBS), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # the reader has gone, as `| head` does, which click would call a failure; nothing may
            # be flushed to it at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(verb, about) for verb, (_, about) in _VERBS.items()])


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="geoforest")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def cli(*, debug: bool) -> None:
    """Geodesic learning with forests and spheres: reproduce the papers, check their claims.

    Exit status: 0 done; 1 a cell failed, or a checked claim is not supported; 2 the input is
    wrong; 130 interrupted.
    """


def main() -> None:
    """Run the command line and turn errors into sentences and exit statuses."""
    debug = "--debug" in sys.argv[1:]
    try:
        status: Any = cli.main(standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        sys.exit(_INTERRUPTED)
    except UserError as error:
        if debug:
            raise
        for sentence in error.sentences:
            click.echo(f"Error: {sentence}", err=True)
        sys.exit(2)
    except Exception as error:
        if debug:
            raise
        what = f"{type(error).__name__}: {' '.join(str(error).split())}"
        click.echo(f"Error: {what} (geoforest --debug shows the traceback)", err=True)
        sys.exit(1)
