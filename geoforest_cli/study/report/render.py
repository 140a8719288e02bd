"""Everything a run leaves: rows, figures, summary, record."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from geoforest_cli.core.figure_files import KINDS, save
from geoforest_cli.core.files import write_atomically
from geoforest_cli.core.plot_style import GREY, style
from geoforest_cli.study.agreement import agreement
from geoforest_cli.study.claims import answers
from geoforest_cli.study.claims.evaluation import evaluate
from geoforest_cli.study.claims.results import EvaluationContext, Verdicts
from geoforest_cli.study.engine.rows import write_rows
from geoforest_cli.study.figures.context import Context, NothingToDraw
from geoforest_cli.study.report import published, tables
from geoforest_cli.study.results.folder import ROWS, SUMMARY
from geoforest_cli.study.results.record import RunRecord, file_digest, record_before, write_record

if TYPE_CHECKING:
    from geoforest_cli.study.config.schema import Config
    from geoforest_cli.study.plan.cells import Plan

__all__ = [
    "figure_sections",
    "judged",
    "published_rows",
    "render",
    "save_figure",
    "with_missing",
]


def render(
    plan: Plan,
    frame: pd.DataFrame,
    folder: Path,
    facts: Mapping[str, Any],
    lacking: Mapping[str, str] | None = None,
    registered: Collection[str] = (),
) -> RunRecord:
    """Write rows, figures, summary and record of a config.

    Parameters
    ----------
    plan : Plan
        The plan that was run.
    frame : pandas.DataFrame
        Its rows, those of failed cells too. Cells of the plan without a row count as missing.
    folder : Path
        Where to write ``rows.parquet``, ``rows.csv``, ``figure.svg``, ``.pdf``, ``.png``,
        ``summary.csv``, ``.md`` and, last, ``record.json``. Equal rows give equal bytes.
        Figures that the last run has left and this one does not draw are removed; files of other
        names stay.
    facts : mapping
        Where the rows come from, see `engine.provenance.collect`.
    lacking : mapping, optional
        Methods that cannot be run here -> why.
    registered : collection of str
        Claims that test what they were to test before the first cell was run.
    """
    config = plan.config
    verdicts = judged(plan, frame, lacking, registered)
    write_rows(frame, folder)
    frame, printed = with_missing(plan, frame), published_rows(plan)
    context = _context(plan, frame, printed)
    lines = tables.summary(_without(frame, plan.experiment.detail), printed)
    title = f"{config.title} ({plan.caution})" if plan.caution else config.title
    write_atomically(folder / SUMMARY, tables.summary_text(lines))
    write_atomically(folder / "summary.md", tables.markdown(lines, title, context.label))
    sections = {} if context.rows.empty else figure_sections(config)
    record = RunRecord(
        name=plan.name,
        profile=plan.profile,
        title=config.title,
        paper=config.paper or "",
        artifact=config.artifact or "",
        about=config.about,
        caution=plan.caution,
        labels={name: context.label(name) for name in context.methods},
        published=tuple(sorted(set(printed["source"].str.split(":").str[0]))),
        agreement=None if plan.caution else agreement(lines),
        answer=answers.answer(config, verdicts, lines),
        sentences=verdicts.sentences,
        claims=verdicts.claims,
        figures=tuple(_draw(plan, context, folder, sections)),
        files={name: file_digest(folder / name) for name in (ROWS, SUMMARY)},
        **facts,
    )
    before = record_before(folder)
    write_record(folder, record)
    listed = {*figure_sections(config), *(before.figures if before else ())}
    for stem in listed - set(record.figures):
        for kind in KINDS:
            (folder / f"{stem}.{kind}").unlink(missing_ok=True)
    return record


def judged(
    plan: Plan,
    frame: pd.DataFrame,
    lacking: Mapping[str, str] | None = None,
    registered: Collection[str] = (),
) -> Verdicts:
    """Judge the sentences and claims of a config; see `render`."""
    left_out = dict.fromkeys(plan.config.leave_out, f"profile {plan.profile} does not run it")
    context = EvaluationContext(
        caution=plan.caution,
        lacking={**left_out, **(lacking or {})},
        unit=plan.config.unit or plan.experiment.unit,
        split=plan.config.split,
        kinds=plan.experiment.metric_kinds,
        # the samples of a repetition, of each of which a count says yes or no
        trials=int(plan.config.params.get("tables", 1)),
        registered=registered,
    )
    config = plan.config
    rows = with_missing(plan, frame)
    return evaluate(config.claims, config.sentences, rows, context)


def published_rows(plan: Plan) -> pd.DataFrame:
    """Return the published values within the grid of a config, in the form of rows."""
    return published.within(
        published.load(plan.config.published, plan.folders), plan.config.grid_values
    )


def _without(frame: pd.DataFrame, detail: Sequence[str]) -> pd.DataFrame:
    """The rows without a value in a column of detail: the table would be too long."""
    coarse = frame[frame[list(detail)].isna().all(axis=1)] if detail else frame
    return coarse.drop(columns=list(detail))


def with_missing(plan: Plan, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows, and one with the status "missing" for every cell of the plan that has none."""
    seen = set(frame["cell"])
    rows = [
        {
            **entry.point,
            "method": entry.method,
            "variant": entry.variant,
            "repetition": entry.repetition,
            "metric": "",
            "value": float("nan"),
            "status": "missing",
            "cell": entry.cell.key,
        }
        for entry in plan.entries
        if entry.cell.key not in seen
    ]
    if not rows:
        return frame
    lost = pd.DataFrame(rows).reindex(columns=frame.columns).astype(object)
    whole = pd.concat([frame.astype(object), lost], ignore_index=True)
    return whole.astype({"value": float, "repetition": int})


def _context(plan: Plan, frame: pd.DataFrame, printed: pd.DataFrame) -> Context:
    done = frame["status"] == "ok"
    lost = ~done & (frame["metric"] == "")
    return Context(
        rows=frame[done].infer_objects(),
        published=printed,
        config=plan.config,
        options=plan.config.figure,
        failed=frame[lost],
        caution=plan.caution,
    )


def figure_sections(config: Config) -> dict[str, Mapping[str, Any]]:
    """Return what a config says about each of its figures, by the names of their files."""
    more = {f"figure_{name}": options for name, options in config.more_figures.items()}
    return {"figure": config.figure, **more}


def save_figure(plan: Plan, context: Context, stem: Path, kinds: Sequence[str] = KINDS) -> None:
    """Draw a figure of a config and write it.

    Parameters
    ----------
    plan : Plan
    context : Context
        With the options of this figure.
    stem : Path
        The files' path without an ending.
    kinds : sequence of str
        Some of "svg", "pdf" and "png".

    Raises
    ------
    NothingToDraw
        If its filters leave no rows, or it needs what is not known.
    """
    with style(f"geoforest-{plan.name}"):
        figure = plan.experiment.draw(context)
        above = context.caution
        if above:
            figure.text(
                0.0, 1.01, above, ha="left", va="bottom", fontsize=6, color=GREY,
                parse_math=False,
            )  # fmt: skip
        save(figure, stem, kinds, whole=bool(above))


def _draw(plan: Plan, context: Context, folder: Path, sections: Mapping[str, Any]) -> Iterator[str]:
    """Draw the figures of a config; yield the names of those that show anything."""
    for stem, options in sections.items():
        try:
            save_figure(plan, replace(context, options=options), folder / stem)
            yield stem
        except NothingToDraw as problem:
            warnings.warn(f"{plan.name}: {stem} is not drawn: {problem}", stacklevel=2)
