"""``geoforest claims``: what became of each paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geoforest_cli.cli import options
from geoforest_cli.core.escaping import escaped_json

if TYPE_CHECKING:
    from geoforest_cli.study.claims.outcome import ArtifactAnswer
    from geoforest_cli.study.claims.results import Verdicts

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

    judged, answers = _stored(results, profile)
    all_papers = outcomes(judged)
    known = [outcome.paper for outcome in all_papers]
    if not known:
        raise UserError(f"{results} holds no claims of profile {profile}; run a config first")
    for name in papers:
        if name not in known:
            raise UserError(suggestions.unknown("paper", name, known))
    chosen = [outcome for outcome in all_papers if not papers or outcome.paper in papers]
    if not as_json:
        show_outcomes(chosen, answers)
        return
    content = {
        outcome.paper: {
            "sentences": [asdict(finding) for finding in outcome.findings],
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


def _stored(
    results: Path, profile: str
) -> tuple[Iterable[tuple[str, str, Verdicts]], Sequence[ArtifactAnswer]]:
    """Return configs, papers and claims of results, or of what is kept of them; and the answers."""
    from geoforest_cli.study.claims.outcome import stored, stored_answers
    from geoforest_cli.study.claims.storage import is_reference_entry

    if not any(is_reference_entry(path.parent) for path in results.glob("*/claims.json")):
        return stored(results, profile), list(stored_answers(results, profile))
    from geoforest_cli.study.report.site.runs import read

    runs = [run for run in read(results) if run.profile == profile]
    judged = [(run.name, run.paper, run.judged) for run in runs]
    return judged, [run.answer for run in runs if run.answer]
