"""How many faults are killed, by folder of the package."""

from collections import Counter
from collections.abc import Iterable, Sequence

KILLED, SURVIVED, NOT_COVERED, EQUIVALENT = "killed", "survived", "not covered", "equivalent"


def table(outcomes: Iterable[tuple[str, str]], kinds: Sequence[str]) -> str:
    """A table of (folder, outcome): one line per folder, and their sum."""
    counts: dict[str, Counter[str]] = {}
    for folder, outcome in outcomes:
        counts.setdefault(folder, Counter())[outcome] += 1
    rows = [(folder, counts[folder]) for folder in sorted(counts)]
    rows.append(("all", sum(counts.values(), Counter())))
    width = max(len("folder"), *(len(folder) for folder, _ in rows))
    columns = ["faults", *kinds]
    lines = ["  ".join([f"{'folder':<{width}}", *columns])]
    for folder, count in rows:
        numbers = [count.total(), *(count[kind] for kind in kinds)]
        cells = [f"{number:>{len(name)}}" for number, name in zip(numbers, columns, strict=True)]
        lines.append("  ".join([f"{folder:<{width}}", *cells]))
    return "\n".join(lines)
