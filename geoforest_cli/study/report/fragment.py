"""Figures and verdicts of a run as a piece of Markdown, for Quarto, MyST and plain pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.core.files import write_atomically
from geoforest_cli.study.claims.outcome import STATES
from geoforest_cli.study.claims.results import ClaimResult, Origin
from geoforest_cli.study.claims.storage import RunInfo, figures

__all__ = ["FILE", "write"]

FILE = "fragment.md"
_WHOSE: dict[Origin, str] = {
    "paper": "Sentences of the paper",
    "agreement": "Agreement with its numbers",
    "ours": "Our own claims",
}


def write(folder: Path, about: RunInfo, claims: Sequence[ClaimResult]) -> None:
    """Write ``fragment.md``: figures with captions, the answer, the verdicts counted, a link.

    What includes a file takes its paths as its own, so they start at the root of the project
    where the folder is given relative to it; else they are those of files beside it.

    Parameters
    ----------
    folder : Path
        ``results/<config>/<profile>``.
    about : mapping
        What the run says about itself.
    claims : sequence
        With their verdicts.
    """
    parts = [
        f"![{_caption(about, name)}]({_path(folder, f'{name}.svg')})"
        for name in figures(folder, about)
    ]
    if answer := about.get("answer"):
        parts.append(_escaped(f"{answer['question']} {answer['text']}"))
    parts.append(f"{_counted(claims)} [Table and intervals]({_path(folder, 'summary.md')})")
    write_atomically(folder / FILE, "\n\n".join(parts) + "\n")


def _caption(about: RunInfo, name: str) -> str:
    notes = [about["artifact"], name.removeprefix("figure_") if name != "figure" else ""]
    notes.append(about["caution"])
    notes_text = ", ".join(note.replace("_", " ") for note in notes if note)
    text = f"{about['title']} ({notes_text})" if notes_text else about["title"]
    return _escaped(text)


def _escaped(text: str) -> str:
    line = " ".join(escape_control_characters(text).split())
    return "".join(f"\\{letter}" if letter in "\\[]*_`<>$" else letter for letter in line)


def _path(folder: Path, file: str) -> str:
    if folder.is_absolute() or ".." in folder.parts:
        return file
    return "/" + (folder / file).as_posix()


def _counted(claims: Sequence[ClaimResult]) -> str:
    if not claims:
        return "No claims."
    parts = []
    for origin, whose in _WHOSE.items():
        counts = Counter(claim["verdict"] for claim in claims if claim["origin"] == origin)
        counted = ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state])
        if counted:
            parts.append(f"{whose}: {counted}.")
    return " ".join(parts)
