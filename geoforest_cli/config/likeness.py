"""Methods and figures that are like others, written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geoforest_cli.config.merge import copy_places, forget, lay
from geoforest_cli.config.yaml_loader import Document, Path_
from geoforest_cli.hints import unknown

__all__ = ["write_out"]

_FIGURE = "figure"


def write_out(document: Document) -> None:
    """Let every method and figure that says ``like: <name>`` have what the other has.

    A method has everything of the other but its label; what it says itself replaces that, but
    that its parameters are laid over the other's, one by one. A figure has everything of the
    other; ``figure`` is the config's own.

    Raises
    ------
    ConfigError
        For an unknown name, or things that are like each other.
    """
    _Likeness(document, "methods", "method", _of_method).write_out()
    _Likeness(document, "more_figures", "figure", _of_figure).write_out()


def _of_method(name: str, other: dict[str, Any]) -> dict[str, Any]:
    shared = {key: value for key, value in other.items() if key != "label"}
    return {"use": name} | shared


def _of_figure(name: str, other: dict[str, Any]) -> dict[str, Any]:
    del name
    return dict(other)


class _Likeness:
    """One section of a config, a mapping of names to mappings."""

    def __init__(
        self,
        document: Document,
        section: str,
        kind: str,
        shared: Callable[[str, dict[str, Any]], dict[str, Any]],
    ) -> None:
        self.document, self.section, self.kind, self.shared = document, section, kind, shared
        given = document.data.get(section)
        self.items: dict[str, Any] = given if isinstance(given, dict) else {}
        self.done: set[str] = set()

    def write_out(self) -> None:
        """Write out every item."""
        for name in self.items:
            self._settle(name, ())

    def _settle(self, name: str, above: tuple[str, ...]) -> None:
        item = self.items[name]
        if name in self.done or not isinstance(item, dict) or "like" not in item:
            return
        at: Path_ = (self.section, name)
        place = self.document.place((*at, "like"))
        other = item["like"]
        if other in (*above, name):
            chain = " is like ".join((*above, name, str(other)))
            raise place.error(f"a {self.kind} cannot be like itself: {chain}")
        known = [one for one in self._known() if one != name]
        if other not in known:
            raise place.error(unknown(self.kind, other, known))
        if other in self.items:
            self._settle(other, (*above, name))
        self._merge(at, item, self._origin(other))
        self.done.add(name)

    def _known(self) -> list[str]:
        own = self.section == "more_figures" and isinstance(self.document.data.get(_FIGURE), dict)
        return [*([_FIGURE] if own else []), *self.items]

    def _origin(self, other: str) -> Path_:
        return (self.section, other) if other in self.items else (_FIGURE,)

    def _merge(self, at: Path_, item: dict[str, Any], origin: Path_) -> None:
        document = self.document
        other: Any = document.data
        for part in origin:
            other = other[part]
        before = Document(document.file, document.data, dict(document.keys), dict(document.values))
        merged = self.shared(str(origin[-1]), other if isinstance(other, dict) else {})
        forget(document, at, item)
        document.values[at] = before.place(at)
        self.items[str(at[-1])] = merged
        for key, value in merged.items():
            copy_places(document, (*at, key), value, before, (*origin, key))
            document.keys[*at, key] = before.place((*origin, key), key=True)
        for key, value in item.items():
            if key == "params":
                lay(document, (*at, key), value, before, (*at, key))
            elif key != "like":
                forget(document, (*at, key), merged.get(key))
                merged[key] = value
                copy_places(document, (*at, key), value, before, (*at, key))
                document.keys[*at, key] = before.place((*at, key), key=True)
