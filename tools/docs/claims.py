"""Every sentence and claim of the configs: docs/claims.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from geoforest_cli.study.claims.model import Claim, Sentence
from geoforest_cli.study.plan import Plan
from geoforest_cli.study.report.site.wording import PAPERS

__all__ = ["absent", "history", "page"]

_HEAD = """# Claims

Which sentences of the papers are checked, and by what? This page lists them paper by paper, each
with its parts, which decide it, and its readings, which show on what it depends; then our own
claims. A sentence in quotation marks is word for word. [Verdicts](verdicts.md) explains the tests.
Two tables at the end: [sentences without a claim](#sentences-without-a-claim), and [former
readings](#former-readings). `make docs` writes this page.
"""
_ABSENT = """## Sentences without a claim
What the papers say and no verdict judges, and why.

| paper | section | sentence | why |
|---|---|---|---|"""
_HISTORY = """## Former readings
Who knows the result and then chooses how a sentence is read can choose the verdict. Whether a claim
was fixed before the data of its run were drawn is computed now ("registered" or "post hoc");
before, changes of what a claim tests were noted by hand. The last column says whether results had
been seen by then.

| config | claim | date | it was | it is | why | results had been seen |
|---|---|---|---|---|---|---|"""
_COLUMNS = "| config | claim | what is tested | check | variant |"
_RULE = "|---|---|---|---|---|"


def page(plans: Iterable[Plan]) -> str:
    """Return the page, in Markdown.

    Parameters
    ----------
    plans : iterable of Plan
        Of all configs, in the order in which their claims are to stand.
    """
    listed = list(plans)
    parts = [
        *(_of_paper(listed, paper, name) for paper, name in PAPERS.items()),
        _without_claim(),
        _former(),
    ]
    return "\n\n".join([_HEAD.rstrip(), *("\n".join(part).rstrip() for part in parts)]) + "\n"


def absent() -> list[dict[str, Any]]:
    """Return the sentences that no claim judges: paper, section, sentence, why."""
    return _entries("absent.yaml")


def history() -> list[dict[str, Any]]:
    """Return the changes of what claims test: config, claims, date, was, is, why, after_results."""
    return _entries("readings.yaml")


def _entries(file: str) -> list[dict[str, Any]]:
    text = Path(__file__).with_name(file).read_text("utf-8")
    entries: list[dict[str, Any]] = yaml.safe_load(text)
    return entries


def _of_paper(plans: list[Plan], paper: str, name: str) -> Iterator[str]:
    of_paper = [plan for plan in plans if plan.config.paper == paper]
    sentences = {
        key: Sentence.model_validate(raw)
        for plan in of_paper
        for key, raw in plan.config.sentences.items()
    }
    claims = [(plan, Claim.model_validate(raw)) for plan in of_paper for raw in plan.config.claims]
    yield f"## {name}\n\n{len(sentences)} sentences."
    for key, sentence in sentences.items():
        text = f'"{sentence.quote}"' if sentence.quote else sentence.paraphrase
        holds = "" if sentence.holds == "all" else f" Holds if {sentence.holds} of its parts do."
        yield f"\n**{_words(text)}** ({sentence.section}; `{key}`){holds}\n\n{_COLUMNS}\n{_RULE}"
        yield from (_line(plan, claim) for plan, claim in claims if claim.sentence == key)
    own = [_line(plan, claim) for plan, claim in claims if claim.sentence is None]
    if own:
        yield "\n".join([f"\n### Ours ({len(own)})\n", _COLUMNS, _RULE, *own])


def _without_claim() -> Iterator[str]:
    yield _ABSENT
    for one in absent():
        yield _row(PAPERS[one["paper"]], one["section"], f'"{one["sentence"]}"', one["why"])


def _former() -> Iterator[str]:
    yield _HISTORY
    for one in history():
        ids = one["claims"] if isinstance(one["claims"], list) else []
        yield _row(
            ", ".join(f"`{config}`" for config in one["config"].split(", ")),
            ", ".join(f"`{claim}`" for claim in ids) or "all",
            str(one["date"]),
            *(one[key] for key in ("was", "is", "why")),
            "yes" if one["after_results"] else "no",
        )


def _line(plan: Plan, claim: Claim) -> str:
    says = f"Reading: {claim.says}" if claim.reading else claim.says
    return _row(f"`{plan.path.stem}`", f"`{claim.id}`", says, claim.check, claim.method.variant)


def _row(*cells: str) -> str:
    return "| " + " | ".join(_words(cell.replace("|", "\\|")) for cell in cells) + " |"


def _words(text: str) -> str:
    return " ".join(text.split())
