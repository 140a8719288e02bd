"""Every claim of the configs in one table: docs/claims.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from geoforest_cli.study.claims.base import Claim
from geoforest_cli.study.claims.validation import parse
from geoforest_cli.study.plan import Plan
from geoforest_cli.study.report.site.wording import PAPERS

__all__ = ["page"]

_HEAD = """# Claims

Which sentences of the papers are checked, and how? This page lists every claim of the configs,
paper by paper: first the paper's sentences, then comparisons with its published numbers, then our
own claims. Text in quotation marks is quoted word for word; other text is a paraphrase. The
*primary* variant decides a sentence of the paper; its config says why. [Verdicts](verdicts.md)
explains the columns and the rules. `make docs` writes this page.
"""
_COLUMNS = "| section | sentence | config | claim | check | variant | primary | unit |"
_RULE = "|---|---|---|---|---|---|---|---|"
_ORIGINS = {"paper": "The paper's", "agreement": "Agreement with published values", "ours": "Ours"}


def page(plans: Iterable[Plan]) -> str:
    """Return the page, in Markdown.

    Parameters
    ----------
    plans : iterable of Plan
        Of all configs, in the order in which their claims are to stand.
    """
    claims = [(plan, parse(raw)) for plan in plans for raw in plan.config.claims]
    return "\n".join([_HEAD, *_tables(claims)])


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


def _line(plan: Plan, claim: Claim) -> str:
    sentence = f'"{claim.quote}"' if claim.quote else claim.says
    variants = dict.fromkeys(method.variant for _, method in claim.methods()[:1])
    unit = claim.unit or plan.config.unit or plan.experiment.unit
    cells = (
        claim.section,
        sentence,
        f"`{plan.path.stem}`",
        f"`{claim.id}`",
        claim.check,
        ", ".join(variants),
        "yes" if claim.primary else "",
        unit,
    )
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"
