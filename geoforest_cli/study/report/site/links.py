"""Where pages lead to: papers, the commit, sources as text, the artifact before and after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.study.citations import doi_of, repository
from geoforest_cli.study.config.find import known_experiments
from geoforest_cli.study.report.site.runs import Run
from geoforest_cli.study.report.site.wording import SITE

__all__ = ["Source", "commit_link", "docs", "neighbours", "paper_link", "sources"]

_UNUSUAL = re.compile(r"[^A-Za-z0-9_.-]+")
_HOSTS = ("https://github.com/", "https://gitlab.com/", "https://codeberg.org/")


@dataclass(frozen=True)
class Source:
    """A text that a run was made from.

    Attributes
    ----------
    label : str
        What the page calls it.
    path : Path
        Where the site has it.
    text : str
    """

    label: str
    path: Path
    text: str


@cache
def paper_link(key: str) -> str:
    """Return the address of a paper by its DOI; empty where none is known.

    Examples
    --------
    >>> paper_link("spherelets"), paper_link("mine")
    ('https://doi.org/10.48550/arXiv.1907.00296', '')
    """
    cited = SITE["bibtex"].get(key)
    entries = (entry for method in METHODS.values() for entry in method.cite)
    entry = next((one for one in entries if one.partition("{")[2].startswith(f"{cited},")), "")
    doi = doi_of(entry)
    return f"https://doi.org/{doi}" if doi else ""


def commit_link(commit: str) -> str:
    """Return the address of a commit; empty where ``CITATION.cff`` names no repository."""
    base = _repository()
    return f"{base}/commit/{commit}" if commit and base else ""


def docs() -> str:
    """Return the address of the documents; empty as for `commit_link`."""
    base = _repository()
    return f"{base}/tree/HEAD/docs" if base else ""


def _repository() -> str:
    base = repository().rstrip("/").removesuffix(".git")
    return base if base.startswith(_HOSTS) else ""


def sources(run: Run) -> Iterator[Source]:
    """Yield the config as it was run, what it extends, and the source of its experiment today."""
    folder = run.path.parent
    if run.record.config.text:
        yield Source(f"{run.name}.yaml", folder / f"{run.name}.yaml.txt", run.record.config.text)
        for one in run.record.config.extends:
            # a record is read from a file: its names need not be names of files
            name = _UNUSUAL.sub("-", one.name)
            yield Source(f"{one.name}, which it extends", folder / f"{name}.txt", one.text)
    file = known_experiments().get(run.config.experiment) if run.config else None
    if file is not None:
        name = f"{file.stem}.py"
        yield Source(
            f"{name}, the experiment", Path("experiments", f"{name}.txt"), file.read_text("utf-8")
        )


def neighbours(runs: Sequence[Run]) -> dict[Path, tuple[Run | None, Run | None]]:
    """Return for the page of each artifact the one before and the one after it."""
    around: list[Run | None] = [None, *runs, None]
    return {
        run.path: (before, after)
        for run, before, after in zip(runs, around[:-2], around[2:], strict=True)
    }
