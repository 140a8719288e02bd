"""The table of outcomes in the README, from the reference."""

from __future__ import annotations

from pathlib import Path

from geoforest_cli.claims.outcome import ORIGINS, STATES, outcomes
from geoforest_cli.claims.stored import read_claims
from geoforest_cli.config.opening import known_configs, open_config
from geoforest_cli.report.site.wording import ORIGIN_WORDS, PAPERS

__all__ = ["block"]

_FEW = 3

_NOTHING = (
    "The outcome of a complete run is not in `results/reference` yet: `make reproduce-all`\n"
    "computes it, `geoforest claims` counts it.\n"
)


def block(reference: Path) -> str:
    """Return the table of a folder with one folder per config, or a sentence if there is none."""
    folders = sorted(path.parent for path in reference.glob("*/claims.json"))
    if not folders:
        return _NOTHING
    found = outcomes((one.name, _paper(one.name), read_claims(one)) for one in folders)
    lines = [
        f"| paper | whose claims | {' | '.join(STATES)} |",
        f"|---|---|{'---:|' * len(STATES)}",
    ]
    for one in sorted(found, key=lambda one: (one.paper not in PAPERS, one.paper)):
        paper = PAPERS.get(one.paper, "beyond the papers")
        for origin in ORIGINS:
            if counts := one.counts.get(origin):
                numbers = " | ".join(str(counts[state]) for state in STATES)
                lines.append(f"| {paper} | {ORIGIN_WORDS[origin]} | {numbers} |")
    said = f"Claims of {_of_all(folders)} at the published size, as in `{reference.as_posix()}`:"
    return "\n".join([said, "", *lines, ""])


def _of_all(folders: list[Path]) -> str:
    """How many configs there are, and of how many: benches speak of a machine, not of a paper."""
    every = {name for name in known_configs() if not name.startswith("bench_")}
    missing = every - {one.name for one in folders}
    if not missing:
        return f"all {len(folders)} configs"
    told = f"{len(folders)} of the {len(missing) + len(folders)} configs"
    if len(missing) > _FEW:
        return f"{told}, those that have run so far,"
    names = ", ".join(f"`{name}`" for name in sorted(missing))
    return f"{told} (all but {names}, which {'have' if len(missing) > 1 else 'has'} not run)"


def _paper(config: str) -> str:
    return (open_config(config, "paper").config.paper or "") if config in known_configs() else ""
