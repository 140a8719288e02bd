"""``geoforest compare``: what changed between two results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoforest_cli.cli import options
from geoforest_cli.cli.output import FAILED, say
from geoforest_cli.core.escaping import escaped_json

if TYPE_CHECKING:
    from geoforest_cli.study.results.compare import ConfigComparison, Difference, ValueChange

__all__ = ["compare"]

_MAX_LINES = 10
_METRIC = {"method", "variant", "metric"}


@click.command()
@click.argument("first", metavar="A", type=options.FOLDER)
@click.argument("second", metavar="B", type=options.FOLDER)
@click.option("--profile", help="Which size.  [default: the reference's, or paper]")
@click.option(
    "--common", is_flag=True, help="What only one of them has does not count as a change."
)
@click.option("--json", "as_json", is_flag=True, help="As a JSON object.")
def compare(*, first: Path, second: Path, profile: str | None, common: bool, as_json: bool) -> None:
    """List what changed from A to B beyond noise: folders of results, or references.

    Values are compared by a t test that is corrected for all of them: where nothing has changed,
    a change is reported with a probability of about 1 in 100. Claims count if they have become the
    opposite, or if their verdict is another one and values have changed too. Exit status: 0
    nothing changed; 1 something did; 2 the input is wrong.
    """
    from geoforest_cli.study.results.compare import compare as compared

    changes = compared(first, second, profile=profile, common=common)
    if as_json:
        click.echo(escaped_json(_content(changes)))
    else:
        for line in _lines(changes):
            say(line)
    if changes.changed:
        raise SystemExit(FAILED)


def _lines(changes: Difference) -> Iterator[str]:
    equal = [config.name for config in changes.configs if config.same]
    yield from _named("The same to the byte", equal)
    for config in changes.configs:
        if not config.same:
            yield f"{config.name}: {_in_short(config, common=changes.common)}"
            yield from (f"  {line}" for line in _details(config))
    yield from _named("Only in A", changes.missing)
    yield from _named("Only in B", changes.new)
    moved = any(config.processors for config in changes.configs)
    noise = "noise and another processor's rounding" if moved else "noise"
    if not changes.same:
        yield "Something changed." if changes.changed else f"Nothing changed beyond {noise}."


def _named(words: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"{words}: {', '.join(names)}"


def _in_short(config: ConfigComparison, *, common: bool) -> str:
    if config.timed:
        return "it measures time, which depends on the machine: nothing of it counts"
    parts = []
    if config.changed:
        parts.append(f"{len(config.changed)} of {config.rows} values changed beyond noise")
    elif config.differing:
        machines = f" ({' -> '.join(config.processors)})" if config.processors else ""
        cause = f"{_cause(config)}{machines}"
        parts.append(f"{config.differing} of {config.rows} values differ, {cause}")
    if config.untested:
        parts.append(f"{config.untested} of them untested, without repetitions")
    changed = config.counts(common=common)
    return "; ".join(parts) or ("changed" if changed else "nothing changed beyond rounding")


def _cause(config: ConfigComparison) -> str:
    return "on another processor" if config.processors else "within noise"


def _details(config: ConfigComparison) -> Iterator[str]:
    if config.timed:
        return
    changed = sorted(config.changed, key=lambda change: (change.p or 0.0, str(change.row)))
    lines = [f"{_row(c.row)}: {_means(c)} (p = {c.p:.1g})" for c in changed]
    lines += [f"{_row(c.row)}: {_means(c)}" for c in config.lost]
    lines += [f"{_row(row)}: {a} -> {b} failed cells" for row, a, b in config.failed]
    yield from _first(lines)
    for claim in config.claims:
        note = "" if claim.counts or claim.alone else f" ({_cause(config)})"
        yield f"claim {claim.id}: {claim.before} -> {claim.after}{note}"
    for side, only in (("A", config.missing), ("B", config.new)):
        names = [*map(_row, only["rows"]), *(f"claim {name}" for name in only["claims"])]
        yield from _first([f"only in {side}: {name}" for name in names])


def _first(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MAX_LINES]
    if len(lines) > _MAX_LINES:
        yield f"... and {len(lines) - _MAX_LINES} more"


def _row(row: Mapping[str, str]) -> str:
    point = (f"{name} {text}" for name, text in row.items() if name not in _METRIC)
    return ", ".join([f"{row['method']} ({row['variant']}) {row['metric']}", *point])


def _means(change: ValueChange) -> str:
    means = (change.before, change.after)
    return " -> ".join("no number" if mean is None else f"{mean:.4g}" for mean in means)


def _content(changes: Difference) -> dict[str, object]:
    from geoforest_cli.study.results.compare import LEVEL

    return {
        "same": changes.same,
        "changed": changes.changed,
        "level": LEVEL,
        "missing": changes.missing,
        "new": changes.new,
        "configs": {
            config.name: {
                **asdict(config),
                "changed": config.counts(common=changes.common),
                "values": [asdict(change) for change in (*config.changed, *config.lost)],
            }
            for config in changes.configs
        },
    }
