"""The site: its pages, figures and downloads, from the runs of a folder."""

from __future__ import annotations

import functools
import itertools
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import pandas as pd

from geoforest_cli import __version__
from geoforest_cli.core.errors import UserError
from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.core.files import write_atomically
from geoforest_cli.study.claims.results import ClaimResult, SentenceResult
from geoforest_cli.study.claims.verdicts import Verdict
from geoforest_cli.study.engine.progress import duration_text
from geoforest_cli.study.figures.options import prose, word
from geoforest_cli.study.report.errata import errata
from geoforest_cli.study.report.site import leaderboard, overview, picture, wording
from geoforest_cli.study.report.site.runs import (
    FAILURES_FIRST,
    Run,
    pooled_agreement,
    read,
)
from geoforest_cli.study.report.tables import Block, blocks, plain_number

__all__ = ["pages", "write"]

MAX_BLOCKS = 20  # tables of means on a page
_PICTURE_DPI = 200
_MARKER = "site.json"  # says that a folder is a site
_MAX_DOWNLOAD = 300_000  # bytes of a file that is copied
_DOWNLOADS = ("record.json", "summary.csv", "summary.md", "rows.parquet")


class ComparedMeans(NamedTuple):
    """Means beside published values as a table.

    Attributes
    ----------
    heads : list of str
        Names of the columns of text.
    lines : list of (list of str, list of str)
        Cells of text, and of numbers: ours, repetitions, published, deviation.
    """

    heads: list[str]
    lines: list[tuple[list[str], list[str]]]


def write(results: Path, folder: Path, note: str = "") -> Path:
    """Write the site of a folder of results, and return its front page.

    Parameters
    ----------
    results : Path
        With one folder per config, as `geoforest run` leaves it, or with the outcome alone.
    folder : Path
        The folder of the site; pages of an earlier site in it are replaced.
    note : str
        What the front page says of the results, such as whether they are of today's code.

    Raises
    ------
    UserError
        If there are no results to read, a file of them is damaged, or the folder is no site.
    """
    files = pages(read(results), note)
    if folder.exists() and any(folder.iterdir()) and not (folder / _MARKER).is_file():
        raise UserError(
            f"{folder} holds files that are no site of geoforest report: give an empty folder, or "
            "one that does not exist yet, with --output"
        )
    write_atomically(folder / _MARKER, f'{{"geoforest": "{__version__}"}}\n')
    shutil.rmtree(folder / "runs", ignore_errors=True)
    for path, content in files.items():
        write_atomically(folder / path, content)
    return folder / "index.html"


def pages(runs: Sequence[Run], note: str = "") -> dict[Path, str | bytes]:
    """Return the files of the site of some runs: path -> content."""
    main = {run.name: run for run in reversed(runs)}  # the published size is first
    sections = overview.sections(list(main.values()))
    in_order = [run for section in sections for run in section.runs]
    papers = [run.paper or "no paper" for run in in_order if run.judged.claims]
    pictures = {run.path: _pictures(run) for run in runs}
    # an SVG with titles says the numbers of its marks
    titled = {
        path: {name: b"<title>" in data for name, data in images.items()}
        for path, images in pictures.items()
    }
    shared = {"pictures": titled, "runs": main}
    files: dict[Path, str | bytes] = {}
    for run in runs:
        downloads = {**pictures[run.path], **_downloads(run)}
        files |= {run.path.parent / name: content for name, content in downloads.items()}
        files[run.path] = _page("run", run.path, shared, run=run, files=sorted(downloads))
    if image := _front_picture(main):
        files[Path("assets", "noise.png")] = image
    files[Path("index.html")] = _page(
        "index", Path("index.html"), shared, note=note, sections=sections, picture=image,
        findings=list(overview.findings(main)),
        agreement=pooled_agreement(in_order), counts=sum((s.counts for s in sections), Counter()),
        smaller=[run for run in runs if main[run.name] is not run],
    )  # fmt: skip
    files[Path("claims.html")] = _page(
        "claims", Path("claims.html"), shared, rows=_judged(in_order),
        papers=list(dict.fromkeys(papers)),
    )  # fmt: skip
    files[Path("errata.html")] = _page("errata", Path("errata.html"), shared, errata=errata)
    assets = resources.files("geoforest_cli.study.report") / "templates" / "site"
    for name in ("site.css", "page.js"):
        files[Path("assets", name)] = (assets / name).read_bytes()
    return files


def _page(template: str, path: Path, shared: Mapping[str, Any], **content: Any) -> str:
    root = "../" * (len(path.parts) - 1)
    page = _environment().get_template(f"site/{template}.html.jinja")
    return page.render(page=path.as_posix(), root=root, **shared, **content)


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("geoforest_cli.study.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_escaped,
    )
    names = ("number", "interval", "repetitions", "point", "p_value", "rule", "answer")
    environment.filters |= {name: getattr(wording, name) for name in names}
    environment.filters |= {
        "paper_name": wording.paper_name,
        "duration": duration_text,
        "compared": _compared,
        "blocks": _blocks,
        "standings": _standings,
    }
    environment.globals.update(
        symbols=wording.SYMBOLS,
        verdicts=FAILURES_FIRST,
        dois=wording.DOIS,
        paper_names=wording.PAPERS,
        version=__version__,
        max_blocks=MAX_BLOCKS,
        about_ranks=leaderboard.ABOUT,
        noise_columns=leaderboard.NOISE,
    )
    return environment


def _escaped(value: Any) -> Any:
    # a subclass of str says that the text is markup
    return type(value)(escape_control_characters(value)) if isinstance(value, str) else value


def _front_picture(runs: Mapping[str, Run]) -> bytes | None:
    """Return the picture that the front page opens with; None without the runs that it shows."""
    lines = {name: runs[name].lines for name in picture.CONFIGS if _of_package(runs.get(name))}
    return picture.drawn(lines, _PICTURE_DPI) if len(lines) == len(picture.CONFIGS) else None


def _standings(run: Run) -> list[leaderboard.Standing]:
    ranked = run.name == "leaderboard" and _of_package(run)
    return leaderboard.standings(run.lines) if ranked else []


def _of_package(run: Run | None) -> bool:
    """Return whether a run is of a config on Geodesic Forests at its published size."""
    return run is not None and run.paper == "geodesic_forests" and not run.caution


def _pictures(run: Run) -> dict[str, bytes]:
    """Return the images of a run's figures, by file name: the SVG, else the PNG."""
    return {path.name: path.read_bytes() for path in run.figures}


def _downloads(run: Run) -> dict[str, bytes]:
    files = [run.folder / name for name in _DOWNLOADS]
    files += [path.with_suffix(kind) for path in run.figures for kind in (".png", ".pdf")]
    return {
        file.name: file.read_bytes()
        for file in files
        if file.is_file() and file.stat().st_size <= _MAX_DOWNLOAD
    }


def _judged(
    runs: Sequence[Run],
) -> list[tuple[Run, SentenceResult | ClaimResult, ClaimResult | None]]:
    """Return sentences and our own claims with the claim that decides, failures first."""
    rows: list[tuple[Run, SentenceResult | ClaimResult, ClaimResult | None]] = []
    rows += [(run, item, _deciding(run, item)) for run in runs for item in run.sentences]
    rows += [(run, claim, claim) for run in runs for claim in run.ours]
    ranks: dict[Verdict, int] = {verdict: i for i, verdict in enumerate(FAILURES_FIRST)}
    return sorted(rows, key=lambda row: ranks[row[1].verdict])


def _deciding(run: Run, sentence: SentenceResult) -> ClaimResult | None:
    """Return the first part of a sentence with its verdict."""
    parts = [claim for name in sentence.parts if (claim := run.judged.claim(name))]
    return next((part for part in parts if part.verdict == sentence.verdict), None)


def _compared(run: Run) -> ComparedMeans:
    """Return the means with a published value, the largest deviation first."""
    lines = run.lines.dropna(subset=["difference"]) if len(run.lines) else run.lines
    if lines.empty:
        return ComparedMeans([], [])
    lines = lines.iloc[(-lines["difference"].abs()).argsort(kind="stable")]
    names = [str(name) for name in lines.columns[: list(lines.columns).index("mean")]]
    names = [name for name in names if name == "method" or len(lines[name].unique()) > 1]
    labels = run.record.labels
    records: list[dict[Any, Any]] = lines.to_dict("records")
    cells = [
        (
            [word(line[name], labels) if pd.notna(line[name]) else "" for name in names],
            [
                f"{plain_number(line['mean'])}{_half(line)}",
                f"{line['repetitions']:.0f}",
                plain_number(line["published"]),
                plain_number(line["difference"]),
            ],
        )
        for line in records
    ]
    return ComparedMeans([prose(name).capitalize() for name in names], cells)


def _half(line: Mapping[str, Any]) -> str:
    return "" if pd.isna(line["half"]) else f" ± {plain_number(line['half'], line['mean'])}"


def _blocks(run: Run) -> list[Block]:
    """Return the means as tables, one more than a page shows."""
    labels = run.record.labels
    tables = blocks(run.lines, lambda name: labels.get(name, name)) if len(run.lines) else ()
    return list(itertools.islice(tables, MAX_BLOCKS + 1))
