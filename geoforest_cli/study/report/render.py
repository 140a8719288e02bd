"""Everything a run leaves besides its rows: figure, summary, claims."""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Mapping, Sequence
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
from geoforest_cli.study.claims.storage import figure_names
from geoforest_cli.study.figures.context import Context, NothingToDraw
from geoforest_cli.study.figures.numbers import claims_text, json_text, summary_text
from geoforest_cli.study.frames import grid_columns
from geoforest_cli.study.report import published, tables

if TYPE_CHECKING:
    from geoforest_cli.study.config.schema import Config
    from geoforest_cli.study.plan.cells import Plan

__all__ = [
    "SCHEMA",
    "figure_sections",
    "judged",
    "published_rows",
    "render",
    "save_figure",
    "with_missing",
]

SCHEMA = 1


def render(
    plan: Plan,
    frame: pd.DataFrame,
    folder: Path,
    lacking: Mapping[str, str] | None = None,
    registered: Collection[str] = (),
) -> Verdicts:
    """Write figure, summary and claims of a config.

    Parameters
    ----------
    plan : Plan
        The plan that was run.
    frame : pandas.DataFrame
        Its rows, those of failed cells too. Cells of the plan without a row count as missing.
    folder : Path
        Where to write ``figure.svg``, ``.pdf``, ``.png``, ``summary.csv``, ``.md``,
        ``claims.json`` and ``report.json`` (what the page says about the run). Equal rows give
        equal bytes. Figures that the last run has left and this one does not draw are removed;
        files of other names stay.
    lacking : mapping, optional
        Methods that cannot be run here -> why.
    registered : collection of str
        Claims that test what they were to test before the first cell was run.
    """
    config = plan.config
    verdicts = judged(plan, frame, lacking, registered)
    frame, printed = with_missing(plan, frame), published_rows(plan)
    write_atomically(folder / "claims.json", claims_text(verdicts))
    context = _context(plan, frame, printed)
    lines = tables.summary(_without(frame, plan.experiment.detail), printed)
    title = f"{config.title} ({plan.caution})" if plan.caution else config.title
    write_atomically(folder / "summary.csv", summary_text(lines))
    write_atomically(folder / "summary.md", tables.markdown(lines, title, context.label))
    sections = figure_sections(config)
    drawn = {} if context.rows.empty else sections
    for stem in {*_listed_before(folder), *sections} - set(drawn):
        _remove(folder, stem)
    compared = None if plan.caution else agreement(lines)
    answer = answers.answer(config, verdicts, lines)
    about = {
        **_about(plan, frame, context),
        "figures": list(drawn),
        "answer": answer.model_dump() if answer else None,
        "agreement": compared.model_dump() if compared else None,
    }
    write_atomically(folder / "report.json", json_text(about, indent=1) + "\n")
    _figures(plan, context, folder, drawn)
    return verdicts


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
    return evaluate(config.claims, config.sentences, rows, published_rows(plan), context)


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
            **place.point,
            "method": place.method,
            "variant": place.variant,
            "repetition": place.repetition,
            "metric": "",
            "value": float("nan"),
            "status": "missing",
            "cell": place.cell.key,
        }
        for place in plan.entries
        if place.cell.key not in seen
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


def _about(plan: Plan, frame: pd.DataFrame, context: Context) -> dict[str, Any]:
    config = plan.config
    failed = context.failed
    names = ["method", "variant", "repetition", "status", "cell"]
    columns = [*grid_columns(frame), *names]
    return {
        "schema": SCHEMA,
        "name": plan.name,
        "title": config.title,
        "paper": config.paper or "",
        "artifact": config.artifact or "",
        "about": config.about,
        "profile": plan.profile,
        "caution": plan.caution,
        "labels": {name: context.label(name) for name in context.methods},
        "cells": int(frame["cell"].nunique()),
        "failed": [
            {name: row[name] for name in columns if pd.notna(row[name])}
            for row in failed.to_dict("records")
        ],
        "published": sorted(set(context.published["source"].str.split(":").str[0])),
    }


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


def _figures(plan: Plan, context: Context, folder: Path, listed: Mapping[str, Any]) -> None:
    for stem, options in listed.items():
        try:
            save_figure(plan, replace(context, options=options), folder / stem)
        except NothingToDraw as problem:
            _remove(folder, stem)
            warnings.warn(f"{plan.name}: {stem} is not drawn: {problem}", stacklevel=2)


def _listed_before(folder: Path) -> list[str]:
    """Return the figures that the last run says it has left."""
    try:
        about = json.loads((folder / "report.json").read_bytes())
    except (OSError, ValueError):
        return []
    listed = about.get("figures") if isinstance(about, dict) else None
    return figure_names(listed) if isinstance(listed, list) else []


def _remove(folder: Path, stem: str) -> None:
    for kind in KINDS:
        (folder / f"{stem}.{kind}").unlink(missing_ok=True)
