"""``geoforest``: the group of all verbs."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
import threading

import click

from geoforest_cli import __version__
from geoforest_cli.cli.output import (
    BROKEN_PIPE,
    INTERRUPTED,
    LONGEST,
    is_interrupt,
    say,
    sentence,
    status,
)
from geoforest_cli.core.errors import UserError
from geoforest_cli.core.escaping import shortened
from geoforest_cli.core.suggestions import unknown

__all__ = ["cli", "main"]

# what a verb does; its module is imported when the verb is used: `--help` stays quick
_VERBS = {
    "run": "Run a config, draw it, judge its claims.",
    "check": "Validate configs without running them.",
    "show": "Print a config in full, without its short forms.",
    "figure": "Draw a config's figure and tables again from its results.",
    "report": "Put all results on one page.",
    "reference": "Keep the outcome of runs in the repository, and verify it.",
    "compare": "Tell what changed between two results, beyond noise.",
    "cite": "Print the BibTeX of what configs or results use.",
    "claims": "Count and list the verdicts of all results, paper by paper.",
    "neighbors": "List the nearest rows of your own table.",
    "columns": "Find the columns of your own table that depend on others.",
    "directions": "Find the combinations of columns that carry structure.",
    "classify": "Classify your own images, series or tables.",
    "list": "List configs, experiments, methods and so on.",
    "data": "List, fetch and verify the real data sets.",
    "init": "Copy the configs and experiments here for editing.",
}


class _Verbs(click.Group):
    """A group whose commands are imported one by one, as they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _VERBS:
            return None
        name = "listing" if cmd_name == "list" else cmd_name
        module = importlib.import_module(f"geoforest_cli.cli.{name}")
        command: click.Command = getattr(module, name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _VERBS and not args[0].startswith("-"):
            raise click.UsageError(unknown("command", args[0], _VERBS), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_VERBS.items()))


_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}


@click.group(cls=_Verbs, context_settings=_SETTINGS)
@click.version_option(__version__, prog_name="geoforest")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def cli(*, debug: bool) -> None:
    """Geodesic learning with forests and spheres: reproduce the papers, check their claims.

    Exit status: 0 done; 1 a cell failed, a checked claim is not supported, or the machine failed
    (a full disk, say); 2 the input is wrong; 130 interrupted; 141 the reader of the output has
    closed it.
    """


def main() -> None:
    """Run the command line and turn errors into sentences and exit statuses."""
    try:
        _open_standard_streams()
        _repeat_lost_interrupts()
        # not cli.main, which makes a bare exit of a broken pipe
        with cli.make_context("geoforest", sys.argv[1:]) as context:
            cli.invoke(context)
        sys.exit(0)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.ClickException as error:
        shown = io.StringIO()
        (_with_letter(error) if isinstance(error, click.NoSuchOption) else error).show(shown)
        say(shown.getvalue().rstrip("\n"), err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        say("Interrupted.", err=True)
        sys.exit(INTERRUPTED)
    except (BrokenPipeError, SystemExit) as end:
        # rich turns a broken pipe into a bare exit
        if isinstance(end, SystemExit) and not isinstance(end.__context__, BrokenPipeError):
            raise
        _exit(BROKEN_PIPE)
    except Exception as error:
        if is_interrupt(error):
            say("Interrupted.", err=True)
            _exit(INTERRUPTED)
        if "--debug" in sys.argv[1:]:
            raise
        for text in error.sentences if isinstance(error, UserError) else [sentence(error)]:
            say(f"Error: {shortened(text, LONGEST)}", err=True, one_line=True)
        _exit(status(error))


def _repeat_lost_interrupts() -> None:
    """Interrupt once more where Ctrl-C fell into a callback, of the garbage collector, say.

    Python prints what is raised there and goes on.
    """
    before, main_thread = sys.unraisablehook, threading.get_ident()

    def hook(lost: sys.UnraisableHookArgs) -> None:
        if lost.exc_type is KeyboardInterrupt:
            # not at once: this is still the callback
            threading.Timer(0.05, signal.pthread_kill, (main_thread, signal.SIGINT)).start()
        else:
            before(lost)

    sys.unraisablehook = hook


def _with_letter(error: click.NoSuchOption) -> click.NoSuchOption:
    """Name -k where --k was given; click compares long names alone."""
    letter = error.option_name.removeprefix("-")
    options = error.ctx.command.params if error.ctx else []
    if error.possibilities or not any(letter in option.opts for option in options):
        return error
    return click.NoSuchOption(error.option_name, possibilities=[letter], ctx=error.ctx)


def _exit(code: int) -> None:
    """Exit without a second attempt to write the output."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _open_standard_streams() -> None:
    """Put the null device where a standard stream is closed: a database may get its number else."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one

            setattr(sys, name, os.fdopen(number, "r+" if number else "r", closefd=False))
