"""Root seeds of configs, from the claims and repetitions that are registered.

``python -m tools.seeds configs/noise.yaml`` writes the seed into the config, before the first cell
of a confirmatory run. Claims that change later are post hoc, and the seed stays.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from geoforest_cli.study.claims.registration import registered_seed
from geoforest_cli.study.session import Study

_SEED = re.compile(r"^seed: .*$", re.MULTILINE)


def with_seed(path: Path) -> str:
    """Return the text of a config with its registered seed."""
    line = f"seed: {registered_seed(Study.open(path, 'paper').plan)}"
    text = path.read_text(encoding="utf-8")
    if _SEED.search(text):
        return _SEED.sub(line, text, count=1)
    return re.sub(r"^(extends: .*)$", rf"\1\n{line}", text, count=1, flags=re.MULTILINE)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(with_seed(Path(name)), encoding="utf-8")
