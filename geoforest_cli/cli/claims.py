"""``geoforest claims``: verdicts on the sentences of papers, figures or configs."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoforest_cli.cli import options
from geoforest_cli.core.errors import UserError
from geoforest_cli.core.escaping import escaped_json, quoted

if TYPE_CHECKING:
    from geoforest_cli.study.report.site.runs import Run

__all__ = ["claims"]


@click.command()
@click.argument("names", nargs=-1)
@options.results
@options.profile
@click.option("--json", "as_json", is_flag=True, help="As a JSON object, paper by paper.")
def claims(*, names: tuple[str, ...], results: Path, profile: str, as_json: bool) -> None:
    """List the sentences of NAMES, or of all results, with their verdicts.

    A name is that of a paper, of a config, or of a figure or table ("Figure 4"). Our own claims
    are counted apart. Then comes what each figure or table asks, with its answer. RESULTS may
    also be a reference, as `geoforest reference write` keeps it.
    """
    from geoforest_cli.cli.formatting import show_outcomes
    from geoforest_cli.study.claims.outcome import STATES, outcomes
    from geoforest_cli.study.report.site.runs import pooled_agreement, read

    runs = [run for run in read(results) if run.profile == profile]
    if not runs:
        raise UserError(f"{results} holds no claims of profile {profile}; run a config first")
    if names:
        named = {run.name for name in names for run in _matching(runs, name, results)}
        runs = [run for run in runs if run.name in named]
    answers = [run.artifact_answer for run in runs if run.artifact_answer]
    papers = outcomes((run.name, run.paper, run.judged) for run in runs)
    agreements = {
        outcome.paper: pooled_agreement(
            [run for run in runs if (run.paper or "ours") == outcome.paper]
        )
        for outcome in papers
    }
    if not as_json:
        show_outcomes(papers, answers, agreements)
        return
    content = {
        outcome.paper: {
            "sentences": [asdict(finding) for finding in outcome.findings],
            "agreement": pooled.model_dump() if (pooled := agreements[outcome.paper]) else None,
            "ours": {state: outcome.ours[state] for state in STATES},
            "answers": [
                {"config": answer.config, "what": answer.what, **answer.answer.model_dump()}
                for answer in answers
                if answer.paper == outcome.paper
            ],
        }
        for outcome in papers
    }
    click.echo(escaped_json(content))


def _matching(runs: Sequence[Run], name: str, results: Path) -> list[Run]:
    """Return the runs of a paper, config, figure or table."""
    from geoforest_cli.study.config.artifacts import find

    word = name.casefold()
    names = [{run.name, run.paper or "ours", run.record.artifact} - {""} for run in runs]
    # "Figure 4" is all of its parts: "Figure 4 (top)" and "Figure 4 (bottom)"
    matching = [
        run
        for run, terms in zip(runs, names, strict=True)
        if any(f"{term.casefold()} ".startswith((f"{word} ", f"{word},")) for term in terms)
    ]
    if matching:
        return matching
    try:
        config = find(name).stem
    except UserError:
        matches = difflib.get_close_matches(name, sorted(set().union(*names)), n=3, cutoff=0)
        raise UserError(
            f"no config, figure or paper {quoted(name)} in {results}; did you mean "
            f"{', '.join(map(quoted, matches))}?"
        ) from None
    matching = [run for run in runs if run.name == config]
    if not matching:
        raise UserError(f"{results} holds no claims of {config}; geoforest run {config} makes them")
    return matching
