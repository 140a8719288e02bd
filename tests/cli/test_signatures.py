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


def told(one):
    words = [one.name, *sorted({*one.opts, *one.secondary_opts} - {one.name}), kind(one.type)]
    if one.required:
        words.append("required")
    if one.nargs != 1:
        words.append(f"nargs={one.nargs}")
    if one.default is not None and not str(one.default).startswith("Sentinel"):
        words.append(f"default={one.default}")
    if isinstance(one, click.Option):
        words += ["multiple"] if one.multiple else []
        words += ["flag"] if one.is_flag else []
        words += [f"alone={one.flag_value}"] if one._flag_needs_value else []
        words += ["parsed"] if one.callback else []
        words += ["hidden"] if one.hidden else []
    return "  ".join(words)


def test_commands_take_what_they_took():
    lines = []
    for path, command in commands(cli):
        lines += [f"geoforest {path}".rstrip(), *(f"    {told(one)}" for one in command.params)]
    assert lines == SIGNATURES.read_text().splitlines()
