"""Every claim of the configs in one table: docs/claims.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from geoforest_cli.study.claims.base import Claim
from geoforest_cli.study.claims.readings import late_among, readings
from geoforest_cli.study.claims.validation import parse
from geoforest_cli.study.plan import Plan
from geoforest_cli.study.report.site.wording import PAPERS
from tools.docs import undecided

__all__ = ["absent", "page"]

REFERENCE = Path(__file__).parents[2] / "results" / "reference"
_HEAD = """# Claims

Which sentences of the papers are checked, and how? This page lists every claim of the configs,
paper by paper: first the paper's sentences, then our own claims. A sentence of a paper stands in
quotation marks, word for word, and is followed by what is tested; "Paraphrased" says that it is not
word for word. The *primary* variant decides a sentence of the paper; its config says why.
[Verdicts](verdicts.md) explains the columns and the rules. Three tables at the end: [sentences
without a claim](#sentences-without-a-claim), [readings changed after results were
seen](#readings-changed-after-results-were-seen), and [undecided
claims](#undecided-claims-and-what-they-would-cost). `make docs` writes this page.
"""
_ABSENT = """## Sentences without a claim
What the papers say and no verdict judges, and why.

| paper | section | sentence | why |
|---|---|---|---|"""
_READINGS = """## Readings changed after results were seen
Who knows the result and then chooses how a sentence is read can choose the verdict. Changes of what
a claim tests, or of whose it is, and claims that came late are therefore listed; the last column
says whether results had been seen by then. Claims whose words alone changed are not here. Of the
{primary} claims of all configs that decide a paper's sentence, {late} were read anew, or added,
after results were seen; the [README](../README.md) counts those that have been judged.

| config | claim | date | it was | it is | why | read anew after results were seen |
|---|---|---|---|---|---|---|"""
_COLUMNS = "| section | sentence | config | claim | check | variant | primary | unit |"
_RULE = "|---|---|---|---|---|---|---|---|"
_ORIGINS = {"paper": "The paper's", "ours": "Ours"}


def page(plans: Iterable[Plan], reference: Path = REFERENCE) -> str:
    """Return the page, in Markdown.

    Parameters
    ----------
    plans : iterable of Plan
        Of all configs, in the order in which their claims are to stand.
    reference : Path
        A folder with one folder per config.
    """
    claims = [(plan, parse(raw)) for plan in plans for raw in plan.config.claims]
    parts = [_tables(claims), _without_claim(), _changed(claims), undecided.table(reference)]
    return "\n\n".join([_HEAD.rstrip(), *("\n".join(part).rstrip() for part in parts)]) + "\n"


def absent() -> list[dict[str, Any]]:
    """Return the sentences that no claim judges: paper, section, sentence, why."""
    path = Path(__file__).with_name("absent.yaml")
    entries: list[dict[str, Any]] = yaml.safe_load(path.read_text("utf-8"))
    return entries


def _tables(claims: list[tuple[Plan, Claim]]) -> Iterator[str]:
    for paper, name in PAPERS.items():
        yield f"## {name}"
        for origin, title in _ORIGINS.items():
            lines = [
                _line(plan, claim)
                for plan, claim in claims
                if plan.config.paper == paper and claim.origin == origin
            ]
            if lines:
                yield "\n".join([f"### {title} ({len(lines)})", _COLUMNS, _RULE, *lines, ""])


def _without_claim() -> Iterator[str]:
    yield _ABSENT
    for one in absent():
        yield _row(PAPERS[one["paper"]], one["section"], f'"{one["sentence"]}"', one["why"])


def _changed(claims: list[tuple[Plan, Claim]]) -> Iterator[str]:
    primary = [
        (plan.path.stem, {"id": claim.id, "origin": claim.origin, "primary": claim.primary})
        for plan, claim in claims
        if claim.origin == "paper" and claim.primary
    ]
    yield _READINGS.format(primary=len(primary), late=late_among(primary))
    for one in readings():
        ids = one["claims"] if isinstance(one["claims"], list) else []
        yield _row(
            ", ".join(f"`{config}`" for config in one["config"].split(", ")),
            ", ".join(f"`{claim}`" for claim in ids) or "all",
            str(one["date"]),
            *(one[key] for key in ("was", "is", "why")),
            "yes" if one["after_results"] else "no",
        )


def _line(plan: Plan, claim: Claim) -> str:
    sentence = f'"{claim.quote}" {claim.says}' if claim.quote else claim.says
    variants = dict.fromkeys(method.variant for _, method in claim.methods()[:1])
    unit = claim.unit or plan.config.unit or plan.experiment.unit
    return _row(
        claim.section,
        sentence,
        f"`{plan.path.stem}`",
        f"`{claim.id}`",
        claim.check,
        ", ".join(variants),
        "yes" if claim.primary else "",
        unit,
    )


def _row(*cells: str) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"
