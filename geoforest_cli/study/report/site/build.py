"""The site: every page, figure and download, from the runs of a folder."""

from __future__ import annotations

import functools
import html
import re
import shlex
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2

from geoforest_cli import __version__
from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.study.claims.outcome import STATES
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.report.errata import Erratum, errata
from geoforest_cli.study.report.jinja import environment
from geoforest_cli.study.report.site import links, not_run, overview, variants, wording
from geoforest_cli.study.report.site.folder import Content, publish
from geoforest_cli.study.report.site.numbers import numbers
from geoforest_cli.study.report.site.pictures import Picture, pictures
from geoforest_cli.study.report.site.runs import Run, read
from geoforest_cli.study.results.record import RECORD

__all__ = ["pages", "write"]

_ASSETS = ("site.css", "page.js")
_HEADING = re.compile(r'<h([23])[^>]*\bid="([^"]+)"[^>]*>(.*?)</h\1>', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_MIN_HEADINGS = 3  # fewer need no contents
_MAX_DOWNLOAD = 300_000  # bytes of a file that is copied; larger ones are named
_TABLES = ("rows.parquet", "rows.csv", "summary.csv", "summary.md", "summary.tex")
_RECORDS = (RECORD,)


def write(results: Path, folder: Path, note: str = "") -> Path:
    """Write the site of a folder of results.

    Parameters
    ----------
    results : Path
        With one folder per config, as `geoforest run` leaves it, or with the outcome alone.
    folder : Path
        Where the site goes; what it holds of an earlier site is replaced.
    note : str
        What the front page says of the results, such as whether they are of today's code.

    Returns
    -------
    Path
        The front page.

    Raises
    ------
    UserError
        If there are no results to read, a file of them is damaged, or the folder is no site.
    """
    publish(folder, pages(read(results), note))
    return folder / "index.html"


def pages(runs: Sequence[Run], note: str = "") -> dict[Path, Content]:
    """Return the files of the site of some runs: path -> content, or the file to copy."""
    site = _Site(runs)
    folder = resources.files("geoforest_cli.study.report") / "templates" / "site"
    for name in _ASSETS:
        site.files[Path("assets", name)] = (folder / name).read_bytes()
    _add_front(site, note)
    for run in runs:
        _add_run(site, run)
    for config in site.not_run:
        site.add("not_run", config.path, title=config.title, config=config)
    _add_lists(site)
    return site.files


class _Site:
    """The files of a site, and what all its pages share.

    Attributes
    ----------
    main : list of Run
        One of each config.
    not_run : list of NotRun
        The known configs without results.
    pictures : dict
        Page of a run -> its figures.
    files : dict
        Path in the site -> file or content.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = runs
        self.main = overview.main_runs(runs)
        self.not_run = not_run.not_run({run.name for run in runs})
        self.pictures = {run.path: pictures(run) for run in runs}
        self.files: dict[Path, Content] = {}

    def add(self, template: str, file: Path, **content: Any) -> None:
        """Add a page."""
        page = _environment().get_template(f"site/{template}.html.jinja")
        self.files[file] = page.render(
            page=file.as_posix(),
            root="../" * (len(file.parts) - 1),
            pictures=self.pictures,
            **content,
        )

    @functools.cached_property
    def around(self) -> dict[Path, tuple[Run | None, Run | None]]:
        """Page of an artifact -> the one before it and the one after it."""
        return links.neighbours(overview.in_order(self.main))


@functools.cache
def _environment() -> jinja2.Environment:
    site = environment()
    site.filters |= {"slug": _slug, "headings": _headings}
    site.globals.update(
        symbols=wording.SYMBOLS,
        verdicts=STATES,
        whose=wording.SITE["whose"],
        version=__version__,
        pages=wording.SITE["pages"],
        paper_name=wording.paper_name,
        duration=wording.duration,
        paper_link=links.paper_link,
        commit_link=links.commit_link,
        docs=links.docs,
    )
    return site


def _headings(body: str) -> list[tuple[str, str, str]]:
    """The contents of a page: level, identifier and words of its headings."""
    headings = [(level, place, _plain(words)) for level, place, words in _HEADING.findall(body)]
    return headings if len(headings) >= _MIN_HEADINGS else []


def _plain(markup: str) -> str:
    return html.unescape(" ".join(_TAG.sub("", markup).split()))


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")


def _add_front(site: _Site, note: str) -> None:
    site.add(
        "index",
        Path("index.html"),
        runs=site.main,
        note=note,
        papers=overview.papers(site.main),
        agreement=overview.together(site.main),
        beyond=overview.beyond(site.main),
        not_run=site.not_run,
        smaller=overview.smaller(site.runs),
        cautious=sum(bool(run.caution) for run in site.main),
    )


def _add_run(site: _Site, run: Run) -> None:
    config = run.config
    downloads = list(_downloads(run, site.pictures[run.path]))
    site.files |= {run.path.parent / file.name: file for file in downloads if _small(file)}
    texts = list(links.sources(run))
    site.files |= {text.path: escape_control_characters(text.text) for text in texts}
    site.add(
        "run",
        run.path,
        title=run.title,
        run=run,
        numbers=numbers(run),
        about=[p for p in re.split(r"\n\s*\n", run.about.strip()) if p],
        lines=variants.lines(config) if config else [],
        variants=variants.VARIANTS,
        changed=config is not None and not _is_known(run),
        earlier=run.record.environment.origins and not run.record.identities,
        slips=[erratum for erratum in errata() if erratum.evidence.config == run.name],
        command=_command(run),
        texts=texts,
        around=site.around.get(run.path, (None, None)),
        commits=[commit for commit in run.record.commits if commit],
        made=run.record.facts,
        bibtex=run.record.bibtex,
        files=[(file.name, _size(file), _small(file)) for file in downloads],
    )


def _downloads(run: Run, shown: Sequence[Picture]) -> Iterator[Path]:
    """The files of a run that the site copies or names, where they are there."""
    files = [picture.file for picture in shown]
    drawn = (f"{figure}.{kind}" for figure in run.figures for kind in ("svg", "pdf"))
    files += (run.folder / name for name in (*_TABLES, *drawn, *_RECORDS))
    yield from dict.fromkeys(file for file in files if file.is_file())


def _small(file: Path) -> bool:
    return file.suffix == ".png" or file.stat().st_size <= _MAX_DOWNLOAD


def _is_known(run: Run) -> bool:
    text = run.record.config.text
    return not text or known_configs()[run.name].read_text("utf-8") == text


def _command(run: Run) -> str:
    record = run.record.config
    size = "" if run.record.profile == "paper" else f" --profile {run.record.profile}"
    overrides = "".join(f" --set {shlex.quote(override)}" for override in record.overrides)
    return f"geoforest run {shlex.quote(run.name)}{size}{overrides}"


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{max(1, round(size / 1000))} kB"


def _add_lists(site: _Site) -> None:
    in_order = sorted(overview.in_order(site.main), key=lambda run: overview.rank(run.paper))
    keys = list(dict.fromkeys(run.paper for run in in_order if run.judged.claims))
    site.add(
        "claims",
        Path("claims.html"),
        title="Sentences and claims",
        sentences=[(run, sentence) for run in in_order for sentence in run.sentences],
        ours=[(run, claim) for run in in_order for claim in run.ours],
        states=[(state, state) for state in STATES],
        papers=[(key or "none", wording.paper_name(key)) for key in keys],
    )
    site.add("errata", Path("errata.html"), title="Errata", papers=_errata(site))


def _errata(site: _Site) -> list[tuple[str, list[tuple[Erratum, Run | None, Any]]]]:
    runs = {run.name: run for run in site.main}
    by_paper: dict[str, list[tuple[Erratum, Run | None, Any]]] = {}
    for erratum in errata():
        run = runs.get(erratum.evidence.config or "")
        result = run.judged.claim(erratum.evidence.claim or "") if run else None
        shown = wording.describe_claim(result) if result else None
        by_paper.setdefault(wording.paper_name(erratum.paper), []).append((erratum, run, shown))
    return list(by_paper.items())
