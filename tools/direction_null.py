"""The largest contrast that the search for directions finds in normal noise, for many sizes.

``python -m tools.direction_null`` writes `geoforest_cli/estimators/directions/null.json`, in about
ten minutes of one core. `DirectionScreen` takes its p-values from this table.
"""

import json
import sys
from pathlib import Path

from geoforest_cli.estimators.directions import null

ROWS = (200, 500, 1000, 2000, 4000, 10000)
RANKS = (1, 2, 3, 5, 10, 20, 50, 100)
TABLES = {200: 120, 500: 120, 1000: 120, 2000: 60, 4000: 40, 10000: 30}
TARGET = Path(null.__file__).with_name("null.json")


def main() -> None:
    """Simulate every size and write the table; progress goes to standard error."""
    modes, scales = [], []
    for n in ROWS:
        found = []
        for rank in RANKS:
            found.append(null.simulated(n, rank, TABLES[n]))
            sys.stderr.write(f"n = {n}, rank = {rank}: {found[-1]}\n")
        modes.append([round(one.mode, 4) for one in found])
        scales.append([round(one.scale, 4) for one in found])
    table = {"rows": ROWS, "ranks": RANKS, "tables": TABLES, "mode": modes, "scale": scales}
    TARGET.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
