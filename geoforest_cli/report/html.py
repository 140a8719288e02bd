"""One self-contained page over the folders that runs have left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup
from pydantic import TypeAdapter

from geoforest_cli.claims.outcome import STATES, Outcome, outcomes, stored
from geoforest_cli.claims.stored import damaged, figures, read_about, read_as, read_claims
from geoforest_cli.errors import UserError
from geoforest_cli.report import tables
from geoforest_cli.report.errata import Erratum, errata

__all__ = ["page", "runs"]

_SYMBOLS = dict(zip(STATES, "✓✗=?–", strict=True))
_ORIGINS = {
    "paper": "the paper's sentence",
    "agreement": "agreement with print",
    "ours": "our claim",
}
_RECORD = TypeAdapter(dict[str, Any])
_PRINT = {"supported": "bear it out", "refuted": "contradict it"}


def page(results: Path, title: str = "geoforest: what holds") -> str:
    """The report page.

    Parameters
    ----------
    results : Path
        A folder with one folder per config, as `geoforest run` leaves it.
    title : str

    Returns
    -------
    str
        HTML without references to other files.

    Raises
    ------
    UserError
        If the folder is not there, or a file in it cannot be read.
    """
    if not results.is_dir():
        raise UserError(f"there is no folder {results}; run a config first, or give --results")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("geoforest_cli.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    template = environment.get_template("page.html.jinja")
    shown = list(runs(results))
    return template.render(
        title=title,
        runs=shown,
        symbols=_SYMBOLS,
        verdicts=STATES,
        outcomes=_outcomes(results),
        origins=_ORIGINS,
        errata=_errata({run["paper"] for run in shown}),
    )


def _outcomes(results: Path) -> list[Outcome]:
    """What became of the papers at their published size."""
    return outcomes(stored(results))


def _errata(papers: set[str]) -> dict[str, list[Erratum]]:
    """The slips of the papers that have results."""
    found: dict[str, list[Erratum]] = {}
    for one in errata():
        if one.paper in papers:
            found.setdefault(one.paper, []).append(one)
    return found


def runs(results: Path) -> Iterator[dict[str, Any]]:
    """What the page says about each config's profiles, by name; the published size first."""
    found = [path.parent for path in results.glob("*/*/report.json")]
    for folder in sorted(found, key=lambda f: (f.parent.name, f.name != "paper", f.name)):
        yield _run(folder)


def _run(folder: Path) -> dict[str, Any]:
    about = read_about(folder)
    found = read_claims(folder)
    record = folder / "provenance.json"
    made = read_as(_RECORD, record, "run") if record.exists() else {}
    anchor = "run-" + re.sub(r"[^A-Za-z0-9]+", "-", f"{folder.parent.name}-{folder.name}")
    blocks = _blocks(folder, about["labels"])
    with _as_written(folder / "claims.json"):
        judged = [_claim(claim) for claim in found]
    with _as_written(folder / "report.json"):
        failed = [_cell(cell) for cell in about["failed"]]
    with _as_written(record, "run"):
        provenance = _provenance(made)
    return {
        **about,
        "anchor": anchor,
        "about": [p for p in re.split(r"\n\s*\n", about["about"].strip()) if p],
        "figures": [
            _figure(path, f"{anchor}-{name}") for name, path in figures(folder, about).items()
        ],
        "claims": judged,
        "counts": {v: sum(c["verdict"] == v for c in found) for v in _SYMBOLS},
        "blocks": blocks,
        "compared": [compared for block in blocks if (compared := block.compared())],
        "failed": failed,
        "provenance": provenance,
    }


@contextmanager
def _as_written(path: Path, verb: str = "figure") -> Iterator[None]:
    """Turn what goes wrong with the content of a file into the sentence on a damaged one."""
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise damaged(path, f"{type(error).__name__}: {error}", verb) from None


def _blocks(folder: Path, labels: Mapping[str, str]) -> list[tables.Block]:
    path = folder / "summary.csv"
    if not path.exists():
        return []
    with _as_written(path):
        lines = pd.read_csv(path)
        return list(tables.blocks(lines, "±", lambda name: labels.get(name, name)))


def _figure(path: Path, prefix: str) -> Markup:
    """The SVG for inclusion: without its XML head, its identifiers made unique in the page."""
    with _as_written(path):
        svg = path.read_text(encoding="utf-8")
        svg = svg[svg.index("<svg") : svg.rindex("</svg>") + len("</svg>")]
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = svg.replace("url(#", f"url(#{prefix}-").replace('href="#', f'href="#{prefix}-')
    return Markup(svg)  # noqa: S704 - matplotlib wrote it and escaped the texts in it


def _claim(claim: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **claim,
        "estimate": _number(claim["estimate"]),
        "interval": _interval(claim),
        "rule": _rule(claim),
        "kind": _ORIGINS[claim["origin"]],
        "print": _print(claim["print"]),
        "place": _place(claim["deciding"]) if len(claim["points"]) > 1 else "",
        "points": [
            {
                "place": _place(p["at"]),
                "estimate": _number(p["estimate"]),
                "interval": _interval(p),
                "n": p["n"],
                "verdict": p["verdict"],
            }
            for p in claim["points"]
        ],
    }


def _place(at: Mapping[str, Any]) -> str:
    return ", ".join(f"{k} {v}" for k, v in at.items())


def _print(found: Mapping[str, Any] | None) -> str:
    """What the paper's own numbers say, as a sentence."""
    if found is None:
        return ""
    if found["answer"] == "no numbers":
        return "Print has no numbers for it."
    said = _PRINT.get(found["answer"]) or "bear it out in part"
    held = f" (at {found['held']} of {found['points']} points)" if found["points"] > 1 else ""
    sentence = f"The paper's own numbers {said}{held}."
    if found["largest"] is None:
        return sentence
    largest, median = _number(found["largest"]), _number(found["median"])
    return f"{sentence} |ours - print|: largest {largest}, median {median}."


def _rule(claim: Mapping[str, Any]) -> str:
    low, high = claim.get("allowed", (None, None))
    which = {"all": "at every point", "most": "at most points", "mean": "on the mean over points"}
    if low is not None and high is not None:
        bound = f"within {low:g} to {high:g}"
    elif low is not None:
        bound = (
            f"above {low:g}" if claim["check"] in {"greater", "dominates"} else f"at least {low:g}"
        )
    else:
        bound = f"below {high:g}" if claim["check"] == "less" else f"at most {high:g}"
    share = claim["quantifier"]
    if isinstance(share, float):
        return f"{bound}, at {share:.0%} of the points"
    return f"{bound}, {which[share]}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _interval(found: Mapping[str, Any]) -> str:
    if found["low"] is None or found["high"] is None:
        return "–"
    return f"[{found['low']:.4g}, {found['high']:.4g}]"


def _cell(cell: Mapping[str, Any]) -> str:
    named = ("method", "variant", "repetition", "status", "cell")
    point = ", ".join(f"{k} {v}" for k, v in cell.items() if k not in named)
    what = f"{cell['method']} {cell['variant']}, repetition {cell['repetition']}"
    return f"{cell['status']}: {what}{', ' if point else ''}{point} ({cell['cell']})"


def _provenance(record: Mapping[str, Any]) -> str:
    """What the shown rows were made with, and whether it was the same for all."""
    made = record.get("made", {})
    origins = made.get("origins", [])
    if not origins:
        return ""
    first, last = min(one["first"] for one in origins), max(one["last"] for one in origins)
    same = [
        f"{name} {origins[0][name]}"
        for name in ("commit", "processor", "python", "geoforest", "numpy", "numba")
        if name not in made["differ"] and origins[0].get(name)
    ]
    parts = [f"made {first[:10]}" + (f" to {last[:10]}" if last[:10] != first[:10] else ""), *same]
    if made["differ"]:
        parts.append(
            f"made in {len(origins)} parts that differ in {', '.join(made['differ'])} "
            "(provenance.json)"
        )
    return " · ".join(parts)
