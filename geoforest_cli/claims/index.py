"""Every claim of the configs in one table; prints docs/claims.md."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from geoforest_cli.claims.base import Claim
from geoforest_cli.claims.checking import parse
from geoforest_cli.plan import Plan

__all__ = ["page"]

_HEAD = """# Claims

Every claim of the configs, paper by paper: the sentences of the paper first, then agreement with
its printed numbers, then ours. A sentence in quotation marks is the paper's, word for word; others
say how we take it. The *primary* variant is the one that decides a sentence of the paper; the
config says why. What the columns mean, and how a verdict is reached, is in
[verdicts](verdicts.md). `python -m geoforest_cli.claims.index configs/*.yaml` writes this page.
"""
_COLUMNS = "| section | sentence | config | claim | check | variant | primary | unit |"
_RULE = "|---|---|---|---|---|---|---|---|"
_PAPERS = {
    "geodesic_forests": "Geodesic Forests",
    "morf": "Manifold Forests",
    "smerf": "SMERF",
    "spherelets": "Spherelets",
}
_ORIGINS = {"paper": "The paper's", "agreement": "Agreement with print", "ours": "Ours"}


def page(plans: Iterable[Plan]) -> str:
    """Return the page, in Markdown.

    Parameters
    ----------
    plans : iterable of Plan
        Of all configs, in the order in which their claims are to stand.
    """
    found = [(plan, parse(raw)) for plan in plans for raw in plan.config.claims]
    return "\n".join([_HEAD, *_tables(found)])


def _tables(found: list[tuple[Plan, Claim]]) -> Iterator[str]:
    for paper, name in _PAPERS.items():
        yield f"## {name}"
        for origin, title in _ORIGINS.items():
            lines = [
                _line(plan, claim)
                for plan, claim in found
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


if __name__ == "__main__":  # pragma: no cover
    from geoforest_cli import plan

    sys.stdout.write(page(plan.load(Path(name)) for name in sorted(sys.argv[1:])))
