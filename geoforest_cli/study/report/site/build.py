"""The site: every page, picture and download, from the runs of a folder."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2

from geoforest_cli import __version__
from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.study.claims.outcome import STATES
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.report.errata import Erratum, errata
from geoforest_cli.study.report.site import (
    documents,
    methods,
    overview,
    pictures,
    variants,
    wording,
)
from geoforest_cli.study.report.site.folder import Content, publish
from geoforest_cli.study.report.site.runs import Run, read

__all__ = ["pages", "write"]

_PAGES = (
    ("index.html", "Overview"),
    ("claims.html", "Claims"),
    ("errata.html", "Errata"),
    ("choosing.html", "Choosing a method"),
    ("screening.html", "Screening"),
    ("methods.html", "Methods"),
    ("verdicts.html", "Verdicts"),
)
_ASSETS = ("site.css", "filter.js")
_MAX_DOWNLOAD = 300_000  # bytes of a file that is copied; larger ones are named
_TABLES = ("rows.parquet", "rows.csv", "summary.csv", "summary.md", "summary.tex")
_RECORDS = ("claims.json", "provenance.json")
_LEADERS = ("leaderboard",)
_COMPARED = ("leaderboard", "own_tables", "structured_neighbors", "gf_ablation", "spherelet_phase")
_SCREENS = ("screening", "screening_noise", "noise_screened")


def write(results: Path, folder: Path) -> Path:
    """Write the site of a folder of results.

    Parameters
    ----------
    results : Path
        With one folder per config, as `geoforest run` leaves it, or with the outcome alone.
    folder : Path
        Where the site goes; what it holds of an earlier site is replaced.

    Returns
    -------
    Path
        The front page.

    Raises
    ------
    UserError
        If there are no results to read, a file of them is damaged, or the folder is no site.
    """
    publish(folder, pages(read(results)))
    return folder / "index.html"


def pages(runs: Sequence[Run]) -> dict[Path, Content]:
    """Return the files of the site of some runs: path -> content, or the file to copy."""
    site = _Site.of(runs)
    files: dict[Path, Content] = dict(site.copies)
    folder = resources.files("geoforest_cli.study.report") / "templates" / "site"
    for name in _ASSETS:
        files[Path("assets", name)] = (folder / name).read_bytes()
    files.update(_front(site))
    files.update((run.path, _run(site, run)) for run in site.runs)
    files.update(_lists(site))
    files.update(_documents(site))
    return files


@dataclass(frozen=True)
class _Site:
    """What all pages share.

    Attributes
    ----------
    main : list of Run
        One of each config.
    pictures, thumbnails, downloads, elsewhere : dict
        Page of a run -> its figures, the small picture, files that are copied, files that are not.
    copies : dict
        Path in the site -> file or content.
    """

    runs: Sequence[Run]
    main: list[Run]
    pictures: dict[Path, list[pictures.Picture]]
    thumbnails: dict[Path, str]
    downloads: dict[Path, list[Path]]
    elsewhere: dict[Path, list[Path]]
    copies: dict[Path, Content]

    @classmethod
    def of(cls, runs: Sequence[Run]) -> _Site:
        shown = pictures.pictures(runs)
        copies: dict[Path, Content] = {
            run.path.parent / one.name: one.content for run in runs for one in shown[run.path]
        }
        thumbnails: dict[Path, str] = {}
        for run in runs:
            for one in shown[run.path][:1]:
                small = pictures.thumbnail(one.source)
                path = run.path.with_name("thumbnail.png" if small else one.name)
                if small:
                    copies[path] = small
                thumbnails[run.path] = quote(path.as_posix())
        files = {run.path: list(_files(run, shown[run.path])) for run in runs}
        downloads = {page: [f for f in several if _small(f)] for page, several in files.items()}
        for page, several in downloads.items():
            copies |= {page.parent / file.name: file for file in several}
        return cls(
            runs=runs,
            main=overview.main_runs(runs),
            pictures=shown,
            thumbnails=thumbnails,
            downloads=downloads,
            elsewhere={p: [f for f in several if not _small(f)] for p, several in files.items()},
            copies=copies,
        )

    def page(self, template: str, file: Path, **content: Any) -> str:
        root = "../" * (len(file.parts) - 1)
        found = _environment().get_template(f"site/{template}.html.jinja")
        return found.render(
            page=file.as_posix(),
            root=root,
            pictures=self.pictures,
            thumbnails=self.thumbnails,
            **content,
        )

    @functools.cached_property
    def links(self) -> dict[str, str]:
        """What documents name in code type -> the page of that run."""
        names = ("{}", "configs/{}.yaml", "{}.yaml")
        return {name.format(run.name): run.url for run in self.main for name in names}


def _small(file: Path) -> bool:
    return file.stat().st_size <= _MAX_DOWNLOAD


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("geoforest_cli.study.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_written_out,
    )
    environment.filters["slug"] = _slug
    environment.globals.update(
        symbols=wording.SYMBOLS,
        verdicts=STATES,
        version=__version__,
        pages=_PAGES,
        paper_name=wording.paper_name,
        difference=overview.difference,
        duration=wording.duration,
        methods=METHODS,
    )
    return environment


def _written_out(value: Any) -> Any:
    """Write out control characters of whatever a page shows."""
    # a subclass of str says that the text is markup
    return type(value)(escape_control_characters(value)) if isinstance(value, str) else value


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")


def _files(run: Run, shown: Sequence[pictures.Picture]) -> Iterator[Path]:
    """What of a run can be downloaded, where it is there: more than what is shown."""
    printed = (f"{name}.pdf" for name in run.figures)
    for name in (*_TABLES, *printed, *_RECORDS):
        if (run.folder / name).is_file():
            yield run.folder / name
    yield from (one.source for one in shown if one.name != one.source.name)


def _front(site: _Site) -> dict[Path, Content]:
    file = Path("index.html")
    text = site.page(
        "index",
        file,
        runs=site.main,
        papers=overview.papers(site.main),
        beyond=overview.beyond(site.main),
        smaller=overview.smaller(site.runs),
        cautious=sum(bool(run.caution) for run in site.main),
    )
    return {file: text}


def _run(site: _Site, run: Run) -> str:
    config = run.config
    return site.page(
        "run",
        run.path,
        title=run.title,
        run=run,
        about=[p for p in re.split(r"\n\s*\n", run.about.strip()) if p],
        compared=[found for block in run.blocks if (found := block.compared())],
        lines=variants.lines(config) if config else [],
        variants=variants.VARIANTS,
        changed=config is not None and not _is_known(run),
        slips=[one for one in errata() if one.evidence.config == run.name],
        command=_command(run),
        texts=list(_texts(run)),
        made=run.record.facts,
        bibtex=run.record.bibtex,
        downloads=[(one.name, _size(one)) for one in site.downloads[run.path]],
        elsewhere=[(one.name, _size(one)) for one in site.elsewhere[run.path]],
    )


def _texts(run: Run) -> Iterator[tuple[str, str]]:
    """The config as it was run, and what it extends; nothing where that is not recorded."""
    if run.record.config.text:
        yield f"{run.name}.yaml", run.record.config.text
        for one in run.record.config.extends:
            yield f"{one.name}, which it extends", one.text


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


def _lists(site: _Site) -> dict[Path, Content]:
    judged = [(run, claim) for run in site.main for claim in run.claims]
    keys = sorted({run.paper for run, _ in judged}, key=overview.rank)
    listed = [
        (key or "none", wording.paper_name(key), [pair for pair in judged if pair[0].paper == key])
        for key in keys
    ]
    claims, slips, known = Path("claims.html"), Path("errata.html"), Path("methods.html")
    return {
        claims: site.page(
            "claims", claims, title="Claims", papers=listed, total=len(judged),
            origins=wording.ORIGIN_WORDS,
        ),
        slips: site.page("errata", slips, title="Errata", papers=_errata(site)),
        known: site.page("methods", known, title="Methods", groups=methods.groups(site.main)),
    }  # fmt: skip


def _errata(site: _Site) -> list[tuple[str, list[tuple[Erratum, Run | None, Any]]]]:
    runs = {run.name: run for run in site.main}
    found: dict[str, list[tuple[Erratum, Run | None, Any]]] = {}
    for one in errata():
        run = runs.get(one.evidence.config or "")
        claims = run.claims if run else []
        shown = next((claim for claim in claims if claim.raw["id"] == one.evidence.claim), None)
        found.setdefault(wording.paper_name(one.paper), []).append((one, run, shown))
    return list(found.items())


def _documents(site: _Site) -> dict[Path, Content]:
    runs = {run.name: run for run in site.main}
    about: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
        "choosing.md": ("Leaderboard", _LEADERS, _COMPARED),
        "screening.md": ("Figures", _SCREENS, _SCREENS),
        "verdicts.md": ("", (), ()),
    }
    found: dict[Path, Content] = {}
    for name, (file, words) in documents.DOCUMENTS.items():
        title, body = documents.document(name, site.links) or (words, None)
        heading, shown, related = about[name]
        found[Path(file)] = site.page(
            "document",
            Path(file),
            title=title,
            body=body,
            shown=[runs[one] for one in shown if one in runs],
            related=[runs[one] for one in related if one in runs],
            shown_title=heading,
            related_title="What it rests on",
        )
    return found
