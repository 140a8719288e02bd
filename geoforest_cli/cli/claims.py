"""``geoforest claims``: what became of each paper."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from geoforest_cli.cli import options
from geoforest_cli.core.escaping import escaped_json

__all__ = ["claims"]


@click.command()
@click.argument("papers", nargs=-1)
@options.results
@options.profile
@click.option("--json", "as_json", is_flag=True, help="As a JSON object, paper by paper.")
def claims(*, papers: tuple[str, ...], results: Path, profile: str, as_json: bool) -> None:
    """List the sentences of each of PAPERS, or of all, with their verdicts.

    Our own claims are counted apart. Then comes what each figure or table asks, with its answer.
    RESULTS may also be a reference, as `geoforest reference write` keeps it.
    """
    from geoforest_cli.cli.formatting import show_outcomes
    from geoforest_cli.core import suggestions
    from geoforest_cli.core.errors import UserError
    from geoforest_cli.study.claims.outcome import STATES, outcomes
    from geoforest_cli.study.report.site.overview import together
    from geoforest_cli.study.report.site.runs import read

    runs = [run for run in read(results) if run.profile == profile]
    answers = [run.answer for run in runs if run.answer]
    all_papers = outcomes((run.name, run.paper, run.judged) for run in runs)
    known = [outcome.paper for outcome in all_papers]
    if not known:
        raise UserError(f"{results} holds no claims of profile {profile}; run a config first")
    for name in papers:
        if name not in known:
            raise UserError(suggestions.unknown("paper", name, known))
    chosen = [outcome for outcome in all_papers if not papers or outcome.paper in papers]
    agreements = {
        one.paper: together([run for run in runs if (run.paper or "ours") == one.paper])
        for one in chosen
    }
    if not as_json:
        show_outcomes(chosen, answers, agreements)
        return
    content = {
        outcome.paper: {
            "sentences": [asdict(finding) for finding in outcome.findings],
            "agreement": found.model_dump() if (found := agreements[outcome.paper]) else None,
            "ours": {state: outcome.ours[state] for state in STATES},
            "answers": [
                {"config": one.config, "what": one.what, **one.answer.model_dump()}
                for one in answers
                if one.paper == outcome.paper
            ],
        }
        for outcome in chosen
    }
    click.echo(escaped_json(content))
