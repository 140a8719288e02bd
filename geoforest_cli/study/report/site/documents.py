"""The pages of ``docs`` as HTML."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import escape

from geoforest_cli.core.bundled import bundled
from geoforest_cli.study.report.site.wording import SITE

__all__ = ["Document", "document", "to_html"]

Document = tuple[str, str]
_BOX = '<div class="scroll" role="group" aria-label="Table" tabindex="0">\n'
_COMMENT = re.compile(r"^<!--.*-->\n", re.MULTILINE)
_WEB = re.compile(r"https?://", re.IGNORECASE)


def document(name: str, links: Mapping[str, str]) -> Document | None:
    """Return title and body of a page of ``docs``.

    Parameters
    ----------
    name : str
        Its file.
    links : mapping
        Word in code type -> page that it leads to.

    Returns
    -------
    tuple or None
        None where geoforest came without its documents.
    """
    path = bundled("docs") / name
    if not path.is_file():
        return None
    return to_html(path.read_text(encoding="utf-8"), links)


def to_html(text: str, links: Mapping[str, str]) -> Document:
    r"""Return the first heading of a Markdown text, and all that follows as HTML.

    Headings get identifiers, tables and code a box that scrolls; comments are left out; a link to
    another document leads to its page, or is plain text where the site has none.

    Examples
    --------
    >>> to_html("# A\n\nsee `b` and [c](c.md)", {"b": "b.html"})[1]
    '<p>see <a href="b.html"><code>b</code></a> and c</p>\n'
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(_COMMENT.sub("", text))
    title = ""
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        title, tokens = tokens[1].content, tokens[3:]
    _name_headings(tokens)
    for token in tokens:
        if token.children:
            token.children = _relinked(token.children, links)
    return title, str(markdown.renderer.render(_boxed(tokens), markdown.options, {}))


def _name_headings(tokens: Sequence[Token]) -> None:
    seen: dict[str, int] = {}
    for token, inside in itertools.pairwise(tokens):
        if token.type == "heading_open":
            slug = re.sub(r"[^a-z0-9]+", "-", inside.content.lower()).strip("-") or "part"
            seen[slug] = seen.get(slug, 0) + 1
            token.attrSet("id", slug if seen[slug] == 1 else f"{slug}-{seen[slug]}")


def _relinked(tokens: Sequence[Token], links: Mapping[str, str]) -> list[Token]:
    found: list[Token] = []
    depth, kept = 0, True
    for token in tokens:
        if token.type == "link_open":
            target = _target(str(token.attrs.get("href", "")))
            depth, kept = depth + 1, target is not None
            if target is not None:
                token.attrSet("href", target)
                found.append(token)
        elif token.type == "link_close":
            depth -= 1
            if kept:
                found.append(token)
        elif token.type == "code_inline" and depth == 0 and token.content in links:
            opened = Token("link_open", "a", 1, attrs={"href": links[token.content]})
            found += [opened, token, Token("link_close", "a", -1)]
        else:
            found.append(token)
    return found


def _target(href: str) -> str | None:
    if _WEB.match(href) or href.startswith("#"):
        return href
    name, hash_, part = href.partition("#")
    known = SITE["documents"].get(name)
    return None if known is None else f"{known['page']}{hash_}{part}"


def _boxed(tokens: Sequence[Token]) -> list[Token]:
    found: list[Token] = []
    for token in tokens:
        if token.type == "table_open":
            found.append(_html(_BOX))
        # a policy of the pages forbids the style that Markdown gives to a column
        if token.attrs.pop("style", "") == "text-align:right":
            token.attrJoin("class", "n")
        found.append(token)
        if token.type == "table_close":
            found.append(_html("</div>\n"))
        if token.type == "fence":
            token.type, token.content = "html_block", _code(token)
    return found


def _html(text: str) -> Token:
    return Token("html_block", "", 0, content=text)


def _code(token: Any) -> str:
    inside = escape(token.content)
    return f'<pre tabindex="0" role="group" aria-label="Code"><code>{inside}</code></pre>\n'
