"""Spelling hints: the nearest known word to a misspelt one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from geoforest_cli.core.escaping import escape_control_characters, quoted, shortened

__all__ = ["did_you_mean", "missing", "suggest", "unknown"]

_MOST_LISTED = 30
_LONGEST = 200  # characters of a word that may be a misspelt one


def suggest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the known word nearest to a misspelt one, or None if none is near.

    Examples
    --------
    >>> suggest("umpa", ["isomap", "umap"])
    'umap'
    >>> suggest("Helx", ["helix"]), suggest("fg", ["gf"])
    ('helix', 'gf')
    >>> suggest("zzz", ["helix"]) is None
    True
    """
    words = {str(word).casefold(): str(word) for word in reversed(list(candidates))}
    matches = difflib.get_close_matches(word.casefold(), words, n=1, cutoff=0.6)
    swapped = [low for low in words if sorted(low) == sorted(word.casefold())]
    if matches or swapped:
        return words[(matches or swapped)[0]]
    short = [full for low, full in words.items() if len(word) > 1 and low.startswith(word.lower())]
    return short[0] if len(short) == 1 else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """Return a question with up to three words that are near; empty if none is.

    Examples
    --------
    >>> did_you_mean("nosie", ["noise", "noise_low", "circle"])
    "; did you mean 'noise' or 'noise_low'?"
    """
    matches = difflib.get_close_matches(word.casefold(), list(candidates), n=3, cutoff=0.4)
    listed = list(map(quoted, matches))
    return (
        f"; did you mean {' or '.join(filter(None, [', '.join(listed[:-1]), *listed[-1:]]))}?"
        if matches
        else ""
    )


def unknown(kind: str, word: object, candidates: Iterable[str]) -> str:
    """Return the sentence for a word that is not known.

    Examples
    --------
    >>> print(unknown("method", "umpa", ["isomap", "umap"]))
    unknown method 'umpa'; did you mean 'umap'? (known: isomap, umap)
    >>> print(unknown("profile", "zzz", []))
    unknown profile 'zzz' (there are none)
    """
    return f"unknown {kind} {_with_hint(word, candidates)}"


def missing(owner: str, kind: str, word: object, candidates: Iterable[str]) -> str:
    """Return the sentence for a word that something does not have.

    Examples
    --------
    >>> print(missing("isomap", "parameter", "n_neighbor", ["n_neighbors", "rescale"]))
    isomap has no parameter 'n_neighbor'; did you mean 'n_neighbors'? (known: n_neighbors, rescale)
    """
    return f"{owner} has no {kind} {_with_hint(word, candidates)}"


def _with_hint(word: object, candidates: Iterable[str]) -> str:
    words = [str(word) for word in candidates]
    shown = [escape_control_characters(shortened(word), one_line=True) for word in words]
    suggestion = suggest(str(word), words) if len(str(word)) <= _LONGEST else None
    hint = f"; did you mean {quoted(suggestion)}?" if suggestion else ""
    more = len(words) - _MOST_LISTED
    listed = ", ".join(shown[:_MOST_LISTED])
    listed += f", and {more} more" if more > 0 else ""
    return f"{quoted(word)}{hint} ({f'known: {listed}' if words else 'there are none'})"
