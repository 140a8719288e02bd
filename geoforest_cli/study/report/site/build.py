"""The site: every page, picture and download, from the runs of a folder."""

from __future__ import annotations

import functools
import html
import re
import shlex
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2

from geoforest_cli import __version__
from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.study.claims.outcome import STATES, error_summary
from geoforest_cli.study.claims.readings import late_among
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.report.errata import Erratum, errata
from geoforest_cli.study.report.jinja import environment
from geoforest_cli.study.report.site import (
    chart_svg,
    charts,
    documents,
    heat,
    links,
    methods,
    not_run,
    overview,
    pictures,
    variants,
    wording,
)
from geoforest_cli.study.report.site.folder import Content, publish
from geoforest_cli.study.report.site.runs import Run, read

__all__ = ["pages", "write"]

_ASSETS = ("site.css", "chart.css", "page.js", "filter.js", "chart.js")
_HEADING = re.compile(r'<h([23])[^>]*\bid="([^"]+)"[^>]*>(.*?)</h\1>', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_FEW, _MANY = 3, 30  # headings: fewer need no contents, of more only the main ones are listed
_MAX_DOWNLOAD = 300_000  # bytes of a file that is copied; larger ones are named
_TABLES = ("rows.parquet", "rows.csv", "summary.csv", "summary.md", "summary.tex")
_RECORDS = ("claims.json", "provenance.json")


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
    for one in site.not_run:
        site.add("not_run", one.path, title=one.title, one=one)
    _add_lists(site)
    _add_documents(site)
    return site.files


class _Site:
    """The files of a site, and what all its pages share.

    Attributes
    ----------
    main : list of Run
        One of each config.
    not_run : list of NotRun
        The known configs without results.
    pictures, thumbnails, downloads : dict
        Page of a run -> its figures, the small picture with its size, what can be downloaded.
    files : dict
        Path in the site -> file or content.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = runs
        self.main = overview.main_runs(runs)
        self.not_run = not_run.not_run({run.name for run in runs})
        self.pictures = pictures.pictures(runs)
        self.thumbnails: dict[Path, tuple[str, tuple[int, int] | None]] = {}
        self.downloads: dict[Path, list[Path]] = {}
        self.files: dict[Path, Content] = {}
        for run in runs:
            self._add_pictures(run, self.pictures[run.path])

    def _add_pictures(self, run: Run, shown: Sequence[pictures.Picture]) -> None:
        """Add the figures of a run, a small picture of the first, and what can be downloaded."""
        folder = run.path.parent
        self.files |= {folder / picture.name: picture.content for picture in shown}
        for picture in shown[:1]:
            small = pictures.thumbnail(picture.source)
            path = folder / ("thumbnail.png" if small else picture.name)
            if small:
                self.files[path] = small
            size = pictures.size_of(small) if small else picture.size
            self.thumbnails[run.path] = quote(path.as_posix()), size
        self.downloads[run.path] = list(_downloads(run, shown))
        for file in self.downloads[run.path]:
            if _small(file):
                self.files[folder / file.name] = file

    def add(self, template: str, file: Path, **content: Any) -> None:
        """Add a page."""
        page = _environment().get_template(f"site/{template}.html.jinja")
        self.files[file] = page.render(
            page=file.as_posix(),
            root="../" * (len(file.parts) - 1),
            pictures=self.pictures,
            thumbnails=self.thumbnails,
            **content,
        )

    @functools.cached_property
    def around(self) -> dict[Path, tuple[Run | None, Run | None]]:
        """Page of an artifact -> the one before it and the one after it."""
        return links.neighbours(overview.in_order(self.main))

    @functools.cached_property
    def links(self) -> dict[str, str]:
        """What documents name in code type -> the page of that run."""
        names = ("{}", "configs/{}.yaml", "{}.yaml")
        return {name.format(run.name): run.url for run in self.main for name in names}


def _small(file: Path) -> bool:
    return file.stat().st_size <= _MAX_DOWNLOAD


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
        difference=overview.difference,
        duration=wording.duration,
        methods=METHODS,
        readings=wording.READINGS,
        paper_link=links.paper_link,
        commit_link=links.commit_link,
        heat_tables=heat.heat_tables,
    )
    return site


def _headings(body: str) -> list[tuple[str, str, str]]:
    """The contents of a page: level, identifier and words of its headings."""
    found = [(level, place, _plain(words)) for level, place, words in _HEADING.findall(body)]
    if len(found) > _MANY:
        found = [one for one in found if one[0] == "2"]
    return found if len(found) >= _FEW else []


def _plain(markup: str) -> str:
    return html.unescape(" ".join(_TAG.sub("", markup).split()))


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")


def _downloads(run: Run, shown: Sequence[pictures.Picture]) -> Iterator[Path]:
    """What of a run can be downloaded, where it is there: more than what is shown."""
    printed = (f"{name}.pdf" for name in run.figures)
    for name in (*_TABLES, *printed, *_RECORDS):
        if (run.folder / name).is_file():
            yield run.folder / name
    yield from (one.source for one in shown if one.name != one.source.name)


def _add_front(site: _Site, note: str) -> None:
    site.add(
        "index",
        Path("index.html"),
        runs=site.main,
        note=note,
        papers=overview.papers(site.main),
        errors=error_summary(claim.raw for run in site.main for claim in run.claims),
        late=late_among((run.name, claim.raw) for run in site.main for claim in run.claims),
        beyond=overview.beyond(site.main),
        not_run=site.not_run,
        smaller=overview.smaller(site.runs),
        cautious=sum(bool(run.caution) for run in site.main),
    )


def _add_run(site: _Site, run: Run) -> None:
    config = run.config
    shown = {name: chart for name in run.figures if (chart := charts.chart(run, name))}
    for name, chart in shown.items():
        site.files[run.path.parent / f"{name}.csv"] = chart.csv
    texts = list(links.sources(run))
    first = wording.deciding(run.claims, run.answering)
    site.files |= {one.path: escape_control_characters(one.text) for one in texts}
    site.add(
        "run",
        run.path,
        title=run.title,
        run=run,
        charts=shown,
        static_svg=chart_svg.static_svg,
        copied={file.name for file in site.downloads[run.path] if _small(file)},
        about=[p for p in re.split(r"\n\s*\n", run.about.strip()) if p],
        compared=[part for block in run.blocks if (part := block.compared())],
        lines=variants.lines(config) if config else [],
        variants=variants.VARIANTS,
        changed=config is not None and not _is_known(run),
        earlier=run.record.made.origins and not run.record.identities,
        slips=[one for one in errata() if one.evidence.config == run.name],
        command=_command(run),
        texts=texts,
        around=site.around.get(run.path, (None, None)),
        commits=run.record.commits,
        deciding=first,
        folded=wording.folded(run.claims, first),
        made=run.record.facts,
        bibtex=run.record.bibtex,
        files=[(file.name, _size(file), _small(file)) for file in site.downloads[run.path]],
    )


def _is_known(run: Run) -> bool:
    text = run.record.config.text
    return not text or known_configs()[run.name].read_text("utf-8") == text


def _command(run: Run) -> str:
    record = run.record.config
    size = "" if record.profile == "paper" else f" --profile {record.profile}"
    overrides = "".join(f" --set {shlex.quote(one)}" for one in record.overrides)
    return f"geoforest run {shlex.quote(run.name)}{size}{overrides}"


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{max(1, round(size / 1000))} kB"


def _add_lists(site: _Site) -> None:
    judged = [(run, claim) for run in overview.in_order(site.main) for claim in run.claims]
    judged.sort(key=lambda pair: overview.rank(pair[0].paper))
    keys = list(dict.fromkeys(run.paper for run, _ in judged))
    site.add(
        "claims",
        Path("claims.html"),
        title="Claims",
        claims=judged,
        states=[(one, one) for one in STATES],
        papers=[(key or "none", wording.paper_name(key)) for key in keys],
        readings=wording.READINGS,
        origins=wording.ORIGIN_WORDS,
    )
    site.add("errata", Path("errata.html"), title="Errata", papers=_errata(site))
    site.add("methods", Path("methods.html"), title="Methods", groups=methods.groups(site.main))


def _errata(site: _Site) -> list[tuple[str, list[tuple[Erratum, Run | None, Any]]]]:
    runs = {run.name: run for run in site.main}
    by_paper: dict[str, list[tuple[Erratum, Run | None, Any]]] = {}
    for erratum in errata():
        run = runs.get(erratum.evidence.config or "")
        claims = run.claims if run else []
        shown = next((claim for claim in claims if claim.raw["id"] == erratum.evidence.claim), None)
        by_paper.setdefault(wording.paper_name(erratum.paper), []).append((erratum, run, shown))
    return list(by_paper.items())


def _add_documents(site: _Site) -> None:
    runs = {run.name: run for run in site.main}
    for name, about in wording.SITE["documents"].items():
        file = about["page"]
        title, body = documents.document(name, site.links) or (wording.SITE["pages"][file], None)
        site.add(
            "document",
            Path(file),
            title=title,
            body=body,
            shown=[runs[one] for one in about["shown"] if one in runs],
            related=[runs[one] for one in about["related"] if one in runs],
            shown_title=about["shown_title"],
            related_title="What it rests on",
        )
