"""The arguments and options of every command, with their kinds and defaults, as a whole.

A change is a change for every script that calls the command: it is made in signatures.txt too.
"""

from pathlib import Path

import click

from geoforest_cli.cli.main import cli

SIGNATURES = Path(__file__).with_name("signatures.txt")


def commands(command, path=()):
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*path, name))


def kind(of):
    if isinstance(of, click.Choice):
        return "|".join(map(str, of.choices))
    if isinstance(of, click.IntRange | click.FloatRange):
        opened = " open" if of.min_open or of.max_open or of.clamp else ""
        return f"{of.name} {of.min}..{of.max}{opened}"
    if isinstance(of, click.Path):
        limits = [name for name in ("exists", "file_okay", "dir_okay") if getattr(of, name)]
        return f"path as {of.type.__name__} {limits}"
    return of.name


def describe(p):
    words = [p.name, *sorted({*p.opts, *p.secondary_opts} - {p.name}), kind(p.type)]
    if p.required:
        words.append("required")
    if p.nargs != 1:
        words.append(f"nargs={p.nargs}")
    if p.default is not None and not str(p.default).startswith("Sentinel"):
        words.append(f"default={p.default}")
    if isinstance(p, click.Option):
        words += ["multiple"] if p.multiple else []
        words += ["flag"] if p.is_flag else []
        words += [f"alone={p.flag_value}"] if p._flag_needs_value else []
        words += ["parsed"] if p.callback else []
        words += ["hidden"] if p.hidden else []
    return "  ".join(words)


def test_commands_take_what_they_took():
    lines = []
    for path, command in commands(cli):
        lines += [f"geoforest {path}".rstrip(), *(f"    {describe(p)}" for p in command.params)]
    assert lines == SIGNATURES.read_text().splitlines()
