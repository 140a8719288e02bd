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
from geoforest_cli.study.claims import answers
from geoforest_cli.study.claims.looks import judge
from geoforest_cli.study.claims.results import ClaimResult, Design, EvaluationContext
from geoforest_cli.study.claims.storage import figure_names
from geoforest_cli.study.figures.context import Context, NothingToDraw
from geoforest_cli.study.figures.numbers import claims_text, json_text, summary_text
from geoforest_cli.study.frames import grid_columns
from geoforest_cli.study.report import published, tables

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["SCHEMA", "judged", "render", "with_missing"]

SCHEMA = 1


def render(
    plan: Plan,
    frame: pd.DataFrame,
    folder: Path,
    lacking: Mapping[str, str] | None = None,
    earlier: Mapping[str, Collection[tuple[int, Design]]] | None = None,
) -> list[ClaimResult]:
    """Write figure, summary and claims of a config.

    Parameters
    ----------
    plan : Plan
        The plan that was run.
    frame : pandas.DataFrame
        Its rows, those of failed cells too. Cells of the plan without a row count as missing.
    folder : Path
        Where to write ``figure.svg``, ``.pdf``, ``.png``, ``summary.csv``, ``.md``, ``.tex``,
        ``claims.json`` and ``report.json`` (what the page says about the run). Equal rows give
        equal bytes. Figures that the last run has left and this one does not draw are removed;
        files of other names stay.
    lacking : mapping, optional
        Methods that cannot be run here -> why.
    earlier : mapping, optional
        Claim -> numbers of repetitions at which its cells were judged before, with the looks
        that were declared then.

    Returns
    -------
    list of dict
        The claims with their verdicts.
    """
    config = plan.config
    found = judged(plan, frame, lacking, earlier)
    frame, printed = with_missing(plan, frame), _published(plan)
    write_atomically(folder / "claims.json", claims_text(found))
    context = _context(plan, frame, printed)
    lines = tables.summary(_without(frame, plan.experiment.detail), printed)
    title = f"{config.title} ({plan.caution})" if plan.caution else config.title
    write_atomically(folder / "summary.csv", summary_text(lines))
    write_atomically(folder / "summary.md", tables.markdown(lines, title, context.label))
    write_atomically(
        folder / "summary.tex", tables.latex(lines, title, context.label, name=plan.name)
    )
    more = config.more_figures
    sections = {"figure": context.options, **{f"figure_{name}": more[name] for name in more}}
    drawn = {} if context.rows.empty else sections
    for stem in {*_listed_before(folder), *sections} - set(drawn):
        _remove(folder, stem)
    about = {
        **_about(plan, frame, context),
        "figures": list(drawn),
        "answer": answers.answer(config, found, lines),
    }
    write_atomically(folder / "report.json", json_text(about, indent=1) + "\n")
    _figures(plan, context, folder, drawn)
    return found


def judged(
    plan: Plan,
    frame: pd.DataFrame,
    lacking: Mapping[str, str] | None = None,
    earlier: Mapping[str, Collection[tuple[int, Design]]] | None = None,
) -> list[ClaimResult]:
    """Judge the claims of a config; see `render`."""
    left_out = dict.fromkeys(plan.config.leave_out, f"profile {plan.profile} does not run it")
    context = EvaluationContext(
        caution=plan.caution,
        lacking={**left_out, **(lacking or {})},
        unit=plan.config.unit or plan.experiment.unit,
        split=plan.config.split,
        kinds=plan.experiment.metric_kinds,
        earlier=earlier or {},
    )
    return judge(plan, with_missing(plan, frame), _published(plan), context)


def _published(plan: Plan) -> pd.DataFrame:
    return published.within(published.load(plan.config.published), plan.config.grid_values)


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


def _figures(plan: Plan, context: Context, folder: Path, listed: Mapping[str, Any]) -> None:
    for stem, options in listed.items():
        with style(f"geoforest-{plan.name}"):
            try:
                figure = plan.experiment.draw(replace(context, options=options))
            except NothingToDraw as problem:
                _remove(folder, stem)
                warnings.warn(f"{plan.name}: {stem} is not drawn: {problem}", stacklevel=2)
                continue
            above = context.caution
            if above:
                figure.text(
                    0.0, 1.01, above, ha="left", va="bottom", fontsize=6, color=GREY,
                    parse_math=False,
                )  # fmt: skip
            save(figure, folder / stem, whole=bool(above))


def _listed_before(folder: Path) -> list[str]:
    """Return the figures that the last run says it has left."""
    try:
        about = json.loads((folder / "report.json").read_bytes())
    except (OSError, ValueError):
        return []
    return figure_names(about) if isinstance(about, dict) else []


def _remove(folder: Path, stem: str) -> None:
    for kind in KINDS:
        (folder / f"{stem}.{kind}").unlink(missing_ok=True)
