"""The summary of a run: means, intervals, counts, published values and our distance from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import pandas as pd

from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.study.figures.context import ordered
from geoforest_cli.study.figures.options import word
from geoforest_cli.study.frames import PublishedValues, Table, grid_columns
from geoforest_cli.study.intervals import half_width
from geoforest_cli.study.results.record import significant

__all__ = ["Block", "blocks", "markdown", "plain_number", "summary", "summary_text"]

_CHANCE = "chance"
_ROUNDED = ("mean", "half", "published", "difference")
_ABOUT = "Mean ± half the 95 % interval over repetitions; difference: ours - published."


def summary(frame: pd.DataFrame, published: pd.DataFrame | None = None) -> pd.DataFrame:
    """One line per grid point, method, variant and metric.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows, those of failed cells too.
    published : pandas.DataFrame, optional
        Published values in the form of rows; set beside the variant they are given for
        (``as_run``).

    Returns
    -------
    pandas.DataFrame
        Grid columns, method, variant, metric, mean, half (half the 95 % t interval; empty for one
        repetition), repetitions, undefined (rows such as disconnected), failed (cells),
        published, difference (ours minus published).
    """
    table, values = Table(frame), PublishedValues(published)
    columns = grid_columns(frame)
    lines = []
    done = frame[frame["metric"] != ""]
    keys = done[["method", "variant", "metric"]].drop_duplicates()
    for method, variant, metric in keys.itertuples(index=False):
        for point, series in table.series(method, variant, metric).items():
            measured = list(series.values.values())
            mean = sum(measured) / len(measured) if measured else None
            printed = values.find(method, variant, metric, table.named(point))
            lines.append({
                **dict(zip(columns, point, strict=True)),
                "method": method,
                "variant": variant,
                "metric": metric,
                "mean": mean,
                "half": half_width(measured),
                "repetitions": len(measured),
                "undefined": series.undefined,
                "failed": series.missing,
                "published": printed,
                "difference": None if mean is None or printed is None else mean - printed,
            })  # fmt: skip
    numbers = ["mean", "half", "repetitions", "undefined", "failed", "published", "difference"]
    names = [*columns, "method", "variant", "metric", *numbers]
    return _in_order(pd.DataFrame(lines, columns=names), columns, frame)


def summary_text(lines: pd.DataFrame) -> str:
    """Return a summary as CSV, its means, intervals and differences rounded as estimates are.

    Examples
    --------
    >>> print(summary_text(pd.DataFrame({"n": [100.0], "mean": [2 / 3]})), end="")
    n,mean
    100.0,0.6666667
    """
    names = [name for name in _ROUNDED if name in lines]
    rounded = {name: lines[name].map(significant) for name in names}
    return lines.assign(**rounded).to_csv(index=False, lineterminator="\n")


def _in_order(lines: pd.DataFrame, columns: tuple[str, ...], frame: pd.DataFrame) -> pd.DataFrame:
    keys = [*columns, "method", "variant", "metric"]
    ranks = {name: {v: i for i, v in enumerate(ordered(frame[name]))} for name in keys}

    def rank(column: pd.Series[Any]) -> pd.Series[Any]:
        order = ranks[str(column.name)]
        return column.map(lambda value: order.get(value, len(order)))

    return lines.sort_values(keys, key=rank, kind="stable", ignore_index=True)


@dataclass(frozen=True)
class Block:
    """A table of one metric at fixed values of all grid columns but one."""

    title: str
    axis: str
    head: list[str]
    lines: list[tuple[str, list[str]]]


def blocks(lines: pd.DataFrame, label: Callable[[str], str]) -> Iterator[Block]:
    """The summary as tables: one per metric and setting, the longest grid column across.

    Parameters
    ----------
    lines : pandas.DataFrame
        As `summary` returns it.
    label : callable
        Name of a method -> its name in the table.

    Yields
    ------
    Block
    """
    columns = list(lines.columns[: list(lines.columns).index("method")])
    axis = max(columns, key=lambda c: lines[c].nunique(), default=None)
    if axis is None:
        lines, axis = lines.assign(**{"": 0}), ""
    values = ordered(lines[axis])
    fixed = [c for c in columns if c != axis]
    shown = lines[lines["metric"] != _CHANCE]
    for key, block in shown.groupby([*fixed, "metric"], sort=False, dropna=False):
        *point, metric = cast("tuple[Any, ...]", key)
        fixed_values = [
            f"{word(n, {})} = {word(v, {})}"
            for n, v in zip(fixed, point, strict=True)
            if pd.notna(v)
        ]
        title = ", ".join([word(metric, {}), *fixed_values])
        rest = _chance(lines, fixed, point, axis, values)
        body = [*_lines(block, axis, values, label), *rest]
        yield Block(title, word(axis, {}), [word(v, {}) for v in values], body)


def _lines(
    block: pd.DataFrame, axis: str, values: list[Any], label: Callable[[str], str]
) -> Iterator[tuple[str, list[str]]]:
    parts: dict[tuple[str, str], list[dict[str, Any]]] = {}
    # one conversion for all lines: pandas takes milliseconds for each
    for row in cast("list[dict[str, Any]]", block.to_dict("records")):
        parts.setdefault((str(row["method"]), str(row["variant"])), []).append(row)
    for (method, variant), part in parts.items():
        at = {row[axis]: row for row in part}
        rows = [at.get(value) for value in values]
        yield f"{label(method)} ({variant})".strip(), [_cell(row) for row in rows]
        if any(pd.notna(row["published"]) for row in part):
            yield "  published", [_number(row, "published", ".3f") for row in rows]
            yield "  difference", [_number(row, "difference", "+.3f") for row in rows]


def _chance(
    lines: pd.DataFrame, fixed: list[str], point: list[Any], axis: str, values: list[Any]
) -> list[tuple[str, list[str]]]:
    rows = lines[lines["metric"] == _CHANCE]
    for name, value in zip(fixed, point, strict=True):
        rows = rows[rows[name] == value]
    if rows.empty:
        return []
    means = rows.groupby(axis)["mean"].mean()
    return [("chance", [f"{means[v]:.3f}" if v in means.index else "" for v in values])]


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    lost = ((row["failed"], "failed"), (row.get("undefined", 0), "undefined"))
    failed = ", ".join(f"{count} {word}" for count, word in lost if count)
    if pd.isna(row["mean"]):
        return failed
    half = "" if pd.isna(row["half"]) else f" ± {plain_number(row['half'], row['mean'])}"
    return f"{plain_number(row['mean'])}{half}" + (f" ({failed})" if failed else "")


def plain_number(value: float, like: float | None = None) -> str:
    """A number with three decimals where that says something, else with three digits."""
    size = abs(value if like is None else like)
    return f"{value:.3f}" if size == 0 or 0.005 <= size < 1000 else f"{value:.3g}"


def _number(row: dict[str, Any] | None, name: str, form: str) -> str:
    return "" if row is None or pd.isna(row[name]) else format(row[name], form)


def markdown(lines: pd.DataFrame, title: str, label: Callable[[str], str] = str) -> str:
    """The summary as Markdown: a table per metric and setting, the longest grid column across.

    Parameters
    ----------
    lines : pandas.DataFrame
        As `summary` returns it.
    title : str
    label : callable
        Name of a method -> its name in the table.
    """
    text = [f"# {_escaped(title)}", "", _ABOUT]
    for block in blocks(lines, label):
        corner = f"by {block.axis}" if block.axis else ""
        text += ["", f"## {_escaped(block.title)}", "", _row(map(_escaped, [corner, *block.head]))]
        text.append(f"|---{'|---:' * len(block.head)}|")
        text += [_row([_name(name), *cells]) for name, cells in block.lines]
    return "\n".join(text) + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _name(name: str) -> str:
    return f"*{name.strip()}*" if name.startswith(" ") else _escaped(name)


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\|*_`[]<>#" else c for c in _in_one_line(text))


def _in_one_line(text: str) -> str:
    return " ".join(escape_control_characters(text).split())
