r"""Check every quote of the configs against the papers' texts.

``python -m tools.quotes FOLDER``: the folder holds the texts as ``<paper>*.txt``, such as
``smerf.txt`` or ``geodesic_forests_2019.txt``. Checked are the ``quote`` of each sentence, word for
word and in the ``section`` that it names, phrases of two words or more in double quotes in what its
parts say, and the sentences without a claim. Printed is what is not found, with the
passage that is most like it, and what stands elsewhere; the status is then 1.
"""

from __future__ import annotations

import difflib
import functools
import heapq
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from geoforest_cli.study.config.loading import Config, open_config
from tools.docs.absent import absent

__all__ = ["Quote", "Text", "closest_passage", "plain_words", "problems", "quotes_of"]

FILES = {"morf": "manifold_forests"}  # papers whose texts have another name
_NAMED = "abstract|discussion|conclusion|references"
# a heading stands alone in its line; a caption begins with its figure or table
_HEADING = re.compile(
    r"^(?:#+\s*)?(?:(?P<number>\d+(?:\.\d+)+|\d+(?=\.?\s+[A-Z]))\.?\s+[A-Za-z].{2,80}(?<![.,;:])|"
    r"(?i:appendix )(?P<appendix>[A-Z])\b.{2,80}|"
    r"(?P<letter>[A-Z])(?:\.\d+)*\s+[A-Z][A-Za-z]{2,}.{2,80}|"
    rf"(?i:(?P<name>{_NAMED})))$"
)
_CAPTION = re.compile(r"^(?P<caption>(?i:figure|table) \d+):")
_PLACES = re.compile(rf"\d+(?:\.\d+)*|appendix [a-z]|(?:figure|table) \d+|{_NAMED}")
_PHRASE = re.compile(r'"([^"]*\w\s+\w[^"]*)"')


@dataclass(frozen=True)
class Quote:
    """A quotation of a paper, its section ("" for any), and the claims that have it."""

    paper: str
    section: str
    text: str
    claims: tuple[str, ...]


def quotes_of(configs: Mapping[str, Config]) -> list[Quote]:
    """Return everything that is quoted once, with the sentences and claims that quote it.

    Parameters
    ----------
    configs : mapping
        Name -> config.
    """
    users: dict[tuple[str, str, str], list[str]] = {}
    for name, config in configs.items():
        paper = config.paper or ""
        for key, sentence in config.sentences.items():
            if sentence.get("quote"):
                quote_key = paper, str(sentence["section"]), str(sentence["quote"])
                users.setdefault(quote_key, []).append(f"{name}: {key}")
        for claim in config.claims:
            for phrase in _PHRASE.findall(claim["says"]) if claim.get("sentence") else ():
                users.setdefault((paper, "", phrase), []).append(f"{name}: {claim['id']}")
    return [Quote(*key, tuple(names)) for key, names in users.items()]


def plain_words(text: str) -> str:
    r"""Return the words of a text: one case, one kind of dash and space, nothing hyphenated.

    Examples
    --------
    >>> plain_words("Geodesic  For-\nests are “robust” – always.")
    'geodesic forests are robust always'
    """
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(r"(\w)[-\u00ad\u2010\u2011] *\n\s*(?=[a-z])", r"\1", text)
    # numbers alone in their line are those of pages
    text = re.sub(r"(?m)^ *\d{1,3} *$", "", text)
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


@dataclass(frozen=True)
class Passage:
    """A stretch of a text under one heading or caption; found is what has the same letters.

    Spaces do not count, since texts of scanned pages have them inside of words ("SP ORF"), but a
    quote begins and ends with a word.
    """

    titles: frozenset[str]
    words: tuple[str, ...]

    @functools.cached_property
    def _letters(self) -> str:
        return "".join(self.words)

    @functools.cached_property
    def _bounds(self) -> frozenset[int]:
        return frozenset(itertools.accumulate(map(len, self.words), initial=0))

    def has(self, quote: str) -> bool:
        """Return whether the quote stands here."""
        wanted = plain_words(quote).replace(" ", "")
        starts = (match.start() for match in re.finditer(f"(?={wanted})", self._letters))
        return any({start, start + len(wanted)} <= self._bounds for start in starts)


class Text:
    """The text of a paper, cut at its headings and captions.

    Parameters
    ----------
    raw : str
    """

    def __init__(self, raw: str) -> None:
        self.whole = Passage(frozenset(), tuple(plain_words(raw).split()))
        self.passages = list(_passages(raw))
        self.headings = frozenset().union(*(passage.titles for passage in self.passages))

    def places(self, quote: str) -> set[str]:
        """Return the headings and captions above a quote, such as "4.2" and "figure 3"."""
        titles = (passage.titles for passage in self.passages if passage.has(quote))
        return set().union(*titles)


def closest_passage(quote: str, words: tuple[str, ...]) -> str:
    """Return the words of a text that are most like those of the quote."""
    wanted = plain_words(quote).split()
    size = len(wanted)
    vocabulary = set(wanted)
    shared = [0, *itertools.accumulate(word in vocabulary for word in words)]
    starts = range(max(1, len(words) - size + 1))
    likely = heapq.nlargest(20, starts, lambda i: shared[min(i + size, len(words))] - shared[i])
    matcher = difflib.SequenceMatcher(b=wanted, autojunk=False)

    def likeness(start: int) -> float:
        matcher.set_seq1(words[start : start + size])
        return matcher.ratio()

    best = max(likely, key=likeness)
    return " ".join(words[best : best + size])


def problems(quotes: Iterable[Quote], texts: Mapping[str, list[Text]]) -> Iterator[str]:
    """Find the quotes that are in no text of their paper, and those of another section."""
    for quote in quotes:
        paper_texts = texts[quote.paper]
        users = ", ".join(quote.claims)
        if not any(text.whole.has(quote.text) for text in paper_texts):
            alike = [closest_passage(quote.text, text.whole.words) for text in paper_texts]
            shown = "\n".join(f"  most alike: {passage!r}" for passage in alike)
            yield f"not found: {quote.text!r} ({users})\n{shown}"
            continue
        stands = set().union(*(text.places(quote.text) for text in paper_texts))
        headings = set().union(*(text.headings for text in paper_texts))
        # a text may lack the heading that a section names
        named = {
            section
            for section in _PLACES.findall(quote.section.lower())
            if any(_same_place(section, heading) for heading in headings)
        }
        if named and stands and not any(_same_place(a, b) for a in named for b in stands):
            where = ", ".join(sorted(stands))
            yield f"not in {quote.section} but {where}: {quote.text!r} ({users})"


def _passages(raw: str) -> Iterator[Passage]:
    heading, caption = "", ""
    lines: list[str] = []
    for line in [*raw.splitlines(), "References"]:
        title = _HEADING.match(line.strip().replace("Ab stract", "Abstract"))
        under = _CAPTION.match(line.strip())
        # a blank line ends a caption
        if title or under or (caption and not line.strip()):
            titles = frozenset({heading, caption} - {""})
            yield Passage(titles, tuple(plain_words("\n".join(lines)).split()))
            lines, caption = [], ""
        if title:
            parts = title.groupdict()
            letter = parts["appendix"] or parts["letter"]
            heading = f"appendix {letter}" if letter else parts["number"] or parts["name"]
            heading = heading.lower()
        if under:
            caption = " ".join(under["caption"].lower().split())
        lines.append(line)


def _same_place(section: str, other: str) -> bool:
    return f"{section}.".startswith(f"{other}.") or f"{other}.".startswith(f"{section}.")


def _texts(folder: Path, papers: Iterable[str]) -> dict[str, list[Text]]:
    texts = {}
    for paper in papers:
        paths = sorted(folder.glob(f"{FILES.get(paper, paper)}*.txt"))
        if not paths:
            raise click.BadParameter(f"{folder} has no text of {paper}")
        texts[paper] = [Text(path.read_text("utf-8")) for path in paths]
    return texts


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Check every quote of the configs against the texts of the papers in FOLDER."""
    paths = sorted(Path("configs").glob("*.yaml"))
    configs = {path.stem: open_config(path, "paper").config for path in paths}
    quotes = quotes_of(configs)
    quotes += [
        Quote(sentence["paper"], sentence["section"], sentence["sentence"], ("without a claim",))
        for sentence in absent()
    ]
    messages = list(problems(quotes, _texts(folder, sorted({quote.paper for quote in quotes}))))
    for line in messages:
        click.echo(line)
    click.echo(f"{len(quotes) - len(messages)} of {len(quotes)} quotes are in the papers' texts")
    raise SystemExit(1 if messages else 0)


if __name__ == "__main__":
    main()
