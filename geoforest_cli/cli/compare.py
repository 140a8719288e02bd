"""``geoforest compare``: what changed between two results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoforest_cli.cli.output import FAILED, say
from geoforest_cli.core.escaping import escaped_json

if TYPE_CHECKING:
    from geoforest_cli.study.reference.comparison import Comparison, ConfigComparison, ValueChange

__all__ = ["compare"]

_MOST = 10
_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("first", metavar="A", type=_FOLDER)
@click.argument("second", metavar="B", type=_FOLDER)
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
    from geoforest_cli.study.reference import comparison

    found = comparison.compare(first, second, profile=profile, common=common)
    if as_json:
        click.echo(escaped_json(_content(found)))
    else:
        for line in _lines(found):
            say(line)
    if found.changed:
        raise SystemExit(FAILED)


def _lines(found: Comparison) -> Iterator[str]:
    equal = [config.name for config in found.configs if config.same]
    if equal:
        yield f"The same to the byte: {', '.join(equal)}"
    for one in found.configs:
        if not one.same:
            yield f"{one.name}: {_in_short(one, common=found.common)}"
            yield from (f"  {line}" for line in _details(one))
    for word, names in (("A", found.missing), ("B", found.new)):
        if names:
            yield f"Only in {word}: {', '.join(names)}"
    if found.same:
        return
    moved = any(one.processors for one in found.configs)
    noise = "noise and another processor's rounding" if moved else "noise"
    yield "Something changed." if found.changed else f"Nothing changed beyond {noise}."


def _in_short(one: ConfigComparison, *, common: bool) -> str:
    if one.timed:
        return "it measures time, which depends on the machine: nothing of it counts"
    parts = []
    if one.changed:
        parts.append(f"{len(one.changed)} of {one.rows} values changed beyond noise")
    elif one.differing:
        machines = f" ({' -> '.join(one.processors)})" if one.processors else ""
        parts.append(f"{one.differing} of {one.rows} values differ, {_cause(one)}{machines}")
    if one.untested:
        parts.append(f"{one.untested} of them untested, without repetitions")
    changed = one.counts(common=common)
    return "; ".join(parts) or ("changed" if changed else "nothing changed beyond rounding")


def _cause(one: ConfigComparison) -> str:
    return "on another processor" if one.processors else "within noise"


def _details(one: ConfigComparison) -> Iterator[str]:
    if one.timed:
        return
    changed = sorted(one.changed, key=lambda change: (change.p or 0.0, str(change.row)))
    yield from _some([f"{_row(c.row)}: {_means(c)} (p = {c.p:.1g})" for c in changed], "values")
    yield from _some([f"{_row(c.row)}: {_means(c)}" for c in one.lost], "values")
    failures = [f"{_row(row)}: {a} -> {b} failed cells" for row, a, b in one.failed]
    yield from _some(failures, "lines with other failures")
    for claim in one.claims:
        note = "" if claim.counts or claim.alone else f" ({_cause(one)})"
        yield f"claim {claim.id}: {claim.before} -> {claim.after}{note}"
    for word, only in (("A", one.missing), ("B", one.new)):
        yield from _some([f"only in {word}: {_row(row)}" for row in only["rows"]], "rows")
        yield from _some([f"only in {word}: claim {name}" for name in only["claims"]], "claims")


def _some(lines: list[str], kind: str) -> Iterator[str]:
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"... and {len(lines) - _MOST} more {kind}"


def _row(row: Mapping[str, str]) -> str:
    named = {"method", "variant", "metric"}
    point = ", ".join(f"{name} {text}" for name, text in row.items() if name not in named)
    what = f"{row['method']} ({row['variant']}) {row['metric']}"
    return f"{what}, {point}" if point else what


def _means(change: ValueChange) -> str:
    numbers = (change.before, change.after)
    return " -> ".join("no number" if one is None else f"{one:.4g}" for one in numbers)


def _content(found: Comparison) -> dict[str, object]:
    return {
        "same": found.same,
        "changed": found.changed,
        "level": found.level,
        "missing": list(found.missing),
        "new": list(found.new),
        "configs": {one.name: _of_config(one, common=found.common) for one in found.configs},
    }


def _of_config(one: ConfigComparison, *, common: bool) -> dict[str, object]:
    return {
        "same": one.same,
        "changed": one.counts(common=common),
        "measures_time": one.timed,
        "processors": list(one.processors),
        "rows": one.rows,
        "differing": one.differing,
        "untested": one.untested,
        "values": [
            {"row": dict(c.row), "before": c.before, "after": c.after, "p": c.p}
            for c in (*one.changed, *one.lost)
        ],
        "failed": [
            {"row": dict(row), "before": before, "after": after}
            for row, before, after in one.failed
        ],
        "claims": [
            {"id": c.id, "before": c.before, "after": c.after, "counts": c.counts or c.alone}
            for c in one.claims
        ],
        "missing": one.missing,
        "new": one.new,
    }
