"""Drawing the figures of a reference again from the means and intervals that it keeps."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.files import write_atomically
from geoforest_cli.study import plan
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.figures.context import Context, NothingToDraw
from geoforest_cli.study.figures.spread import FEWEST
from geoforest_cli.study.reference.outcome import ConfigOutcome, chosen_outcomes
from geoforest_cli.study.reference.snapshot import kept_figures
from geoforest_cli.study.report.render import figure_sections, published_rows, save_figure

__all__ = ["Redrawn", "redraw", "rows_of_summary"]


@dataclass(frozen=True)
class Redrawn:
    """What became of the figures of one config.

    Attributes
    ----------
    name : str
        The config's.
    drawn : tuple of str
        The figures that were drawn.
    left : mapping
        A figure that was not drawn -> why. The file of an earlier one stays.
    """

    name: str
    drawn: tuple[str, ...]
    left: Mapping[str, str]


def redraw(folder: Path, profile: str, names: Sequence[str] = ()) -> Iterator[Redrawn]:
    """Draw figures of a reference with the configs' figure settings of now; nothing is run.

    Parameters
    ----------
    folder : Path
        Of the reference.
    profile : str
        The size whose outcome is kept there.
    names : sequence of str
        Configs; all that are kept by default.

    Raises
    ------
    UserError
        If the folder, the outcome of a named config or its config is not there.
    """
    known = known_configs()
    return (_redrawn(outcome, known) for outcome in chosen_outcomes(folder, profile, names))


def _redrawn(outcome: ConfigOutcome, known: Mapping[str, Path]) -> Redrawn:
    if outcome.name not in known:
        raise UserError(f"{outcome.name}: there is no such config any more")
    recorded = outcome.record.config
    found = plan.load(known[outcome.name], recorded.profile, recorded.overrides)
    rows, halves = rows_of_summary(outcome.summary, found.config.grid_values)
    sections = figure_sections(found.config)
    left: dict[str, str] = {}
    files = set()
    with tempfile.TemporaryDirectory() as scratch:
        for stem, options in sections.items():
            context = Context(
                rows=rows.assign(**dict.fromkeys(found.experiment.detail, math.nan)),
                published=published_rows(found),
                config=found.config,
                options=options,
                caution=found.caution,
                halves=halves,
            )
            try:
                save_figure(found, context, Path(scratch) / stem, ("svg", "png"))
            except NothingToDraw as problem:
                left[stem] = str(problem)
                continue
            for name, data in kept_figures(Path(scratch) / stem).items():
                write_atomically(outcome.folder / name, data)
                files.add(name)
    for file in outcome.folder.glob("figure*.*"):
        if file.stem not in left and file.name not in files:
            file.unlink()
    return Redrawn(outcome.name, tuple(stem for stem in sections if stem not in left), left)


def rows_of_summary(
    lines: pd.DataFrame, grid: Mapping[str, Sequence[Any]]
) -> tuple[pd.DataFrame, pd.Series[float]]:
    """Return the means of a summary in the form of rows, and half of the interval of each.

    Parameters
    ----------
    lines : pandas.DataFrame
        As `ConfigOutcome.summary` has it: grid columns are text.
    grid : mapping
        Grid column -> its values in the config; text is read as one of them where it can be.

    Returns
    -------
    pandas.DataFrame
        One row per mean, of repetition 0. Lines without a mean are left out.
    pandas.Series
        By the index of the rows; NaN where there are too few repetitions for an interval.
    """
    means = pd.to_numeric(lines["mean"], errors="coerce")
    known = lines[means.notna()]
    columns = list(lines.columns[: list(lines.columns).index("method")])
    values = {name: _values(known[name], grid.get(name, ())) for name in columns}
    rows = known[[*columns, "method", "variant", "metric"]].assign(
        **values, value=means, repetition=0, status="ok", cell=""
    )
    enough = pd.to_numeric(known["repetitions"]) >= FEWEST
    return rows, pd.to_numeric(known["half"], errors="coerce").where(enough)


def _values(column: pd.Series[Any], wanted: Sequence[Any]) -> pd.Series[Any]:
    """Text of a grid column as the values that it was written from."""
    known = {str(value): value for value in (True, False, *wanted)}
    numbers = {float(value): value for value in wanted if isinstance(value, int | float)}

    def read(text: str) -> Any:
        if text in known or not text:
            return known.get(text, math.nan)
        try:
            number = float(text)
        except ValueError:
            return text
        return numbers.get(number, number)

    return column.map({text: read(text) for text in column.unique()}).infer_objects()
