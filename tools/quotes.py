"""Check every quote of the configs against the papers' texts.

``python -m tools.quotes FOLDER``: the folder holds the texts as ``<paper>*.txt``, such as
``smerf.txt`` or ``geodesic_forests_2019.txt``. It prints the quotes that are not found, with the
passage that is most like each, and ends with status 1 if there are any.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from geoforest_cli.study import plan
from geoforest_cli.study.claims.validation import parse
from geoforest_cli.study.plan import Plan

__all__ = ["Quote", "closest_passage", "plain_words", "quotes_of", "sections_of"]

FILES = {"morf": "manifold_forests"}  # papers whose texts have another name
_HEADING = re.compile(
    r"^(?:#+ *)?(?:(?P<number>(?:\d+|[A-Z])(?:\.\d+)*)\.? +)?(?P<title>[A-Z].{2,80})$"
)


@dataclass(frozen=True)
class Quote:
    """A quote of a config: the paper, the claims that use it, their section, and the text."""

    paper: str
    section: str
    text: str
    claims: tuple[str, ...]


def quotes_of(plans: Iterable[Plan]) -> list[Quote]:
    """Return each quote of each section once, with the claims that use it."""
    claims: dict[tuple[str, str, str], list[str]] = {}
    for one in plans:
        for claim in map(parse, one.config.claims):
            if claim.quote:
                key = one.config.paper, claim.section, claim.quote
                claims.setdefault(key, []).append(f"{one.path.stem}: {claim.id}")
    return [Quote(*key, tuple(ids)) for key, ids in claims.items()]


def plain_words(text: str) -> str:
    """Return the words of a text: one case, one kind of dash and space, nothing hyphenated.

    Examples
    --------
    >>> plain_words("Geodesic  For-\\nests are “robust” – always.")
    'geodesic forests are robust always'
    """
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(r"(\w)[-\u00ad\u2010\u2011] *\n *(?=[a-z])", r"\1", text)
    return " ".join(re.findall(r"[\w^.%/]*\w", text.lower().replace("-", " ")))


def closest_passage(quote: str, text: str) -> str:
    """Return the words of the text that are most like those of the quote."""
    words, wanted = text.split(), quote.split()
    size = len(wanted)
    best, passage = 0.0, ""
    matcher = difflib.SequenceMatcher(b=wanted, autojunk=False)
    vocabulary = set(wanted)
    for start in range(0, max(1, len(words) - size + 1)):
        window = words[start : start + size]
        if 2 * sum(word in vocabulary for word in window) < size:
            continue
        matcher.set_seq1(window)
        if matcher.ratio() > best:
            best, passage = matcher.ratio(), " ".join(window)
    return passage


def sections_of(quote: str, text: str) -> list[str]:
    """Return the headings above each place of the text that has the quote."""
    lines = text.splitlines(keepends=True)
    starts = [i for i, line in enumerate(lines) if _HEADING.match(line.strip())]
    found = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        if quote in plain_words("".join(lines[start:end])):
            found.append(lines[start].strip())
    return found


def _missing(quotes: Iterable[Quote], folder: Path) -> Iterator[str]:
    for quote in quotes:
        paths = sorted(folder.glob(f"{FILES.get(quote.paper, quote.paper)}*.txt"))
        if not paths:
            raise click.BadParameter(f"{folder} has no text of {quote.paper}")
        texts = [plain_words(path.read_text("utf-8")) for path in paths]
        wanted = plain_words(quote.text)
        if not any(f" {wanted} " in f" {text} " for text in texts):
            alike = max((closest_passage(wanted, text) for text in texts), key=len)
            yield f"{quote.text!r} ({', '.join(quote.claims)})\n  most alike: {alike!r}"


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--sections", is_flag=True, help="Print the heading above each quote.")
def main(folder: Path, *, sections: bool) -> None:
    """Check every quote of the configs against the texts of the papers in FOLDER."""
    quotes = quotes_of(plan.load(path) for path in sorted(Path("configs").glob("*.yaml")))
    lost = list(_missing(quotes, folder))
    for line in lost:
        click.echo(line)
    if sections:
        for quote in quotes:
            for path in sorted(folder.glob(f"{FILES.get(quote.paper, quote.paper)}*.txt")):
                above = sections_of(plain_words(quote.text), path.read_text("utf-8"))
                click.echo(f"{quote.text!r}: {quote.section} | {path.stem}: {above}")
    click.echo(f"{len(quotes) - len(lost)} of {len(quotes)} quotes are in the papers' texts")
    raise SystemExit(1 if lost else 0)


if __name__ == "__main__":
    main()
