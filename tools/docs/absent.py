"""Sentences of the papers that no claim judges: a table of docs/verdicts.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from geoforest_cli.study.report.site.wording import PAPERS

__all__ = ["absent", "block"]


def absent() -> list[dict[str, Any]]:
    """Return these sentences: paper, section, sentence, why."""
    text = Path(__file__).with_name("absent.yaml").read_text("utf-8")
    sentences: list[dict[str, Any]] = yaml.safe_load(text)
    return sentences


def block(_reference: Path) -> str:
    """Return the table, in Markdown."""
    lines = ["| paper | section | sentence | why |", "|---|---|---|---|"]
    for item in absent():
        cells = PAPERS[item["paper"]], item["section"], f'"{item["sentence"]}"', item["why"]
        lines.append(f"| {' | '.join(' '.join(cell.split()) for cell in cells)} |")
    return "\n".join(lines) + "\n"
