"""Registration: what the claims of a config test, fixed before the first cell of a seed is run."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from geoforest_cli.core.identity import digest
from geoforest_cli.study.claims.model import Claim

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["digests", "registered_seed"]

# how a claim reads; the rest is what it tests
_PROSE = {"says", "expect", "sentence", "reading"}


def digests(plan: Plan) -> dict[str, str]:
    """Return the digest of what each claim tests, and after a dash that of its repetitions.

    Words are left out: who writes a sentence anew does not change what is tested.
    """
    repetitions: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for entry in plan.entries:
        repetitions[entry.method, entry.variant][entry.repetition] += 1
    by_claim = {}
    for raw in plan.config.claims:
        claim = Claim.model_validate(raw)
        named = {(method.name, method.variant) for _, method in claim.methods()}
        counts = [sorted(repetitions[name].items()) for name in sorted(named)]
        tested = digest(claim.model_dump(mode="json", exclude=_PROSE))[:16]
        tested = digest([tested, claim.sentence, claim.reading])
        by_claim[claim.id] = f"{tested[:12]}-{digest(counts)[:12]}"
    return by_claim


def registered_seed(plan: Plan) -> int:
    """Return the root seed that stands for a config's claims and repetitions: nobody chooses it.

    The first eight hexadecimal digits of the sha256 of what the claims test and of how often each
    method is repeated; the config's own seed has no part in it.
    """
    repetitions = Counter((entry.method, entry.variant, entry.repetition) for entry in plan.entries)
    return int(digest([sorted(digests(plan).items()), sorted(repetitions.items())])[:8], 16)
