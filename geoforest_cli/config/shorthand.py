"""What is written shortly, written out: likeness, groups of methods, lists of methods and metrics.

What the rest of geoforest sees is plain: each claim names one metric, one method, and every rival
with its variant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from geoforest_cli.config import likeness
from geoforest_cli.config.merge import copy_places, forget
from geoforest_cli.config.yaml_loader import Document, Path_, Place
from geoforest_cli.errors import ConfigError, ConfigErrors
from geoforest_cli.hints import unknown

__all__ = ["KEYS", "write_out"]

KEYS = ("groups",)
ALL_OTHERS = "all_others"
_NOT_SHARED = ("id", "says", "expect")  # what a claim says for itself
_SELECTION = ("names", "variant", "but")


def write_out(document: Document) -> None:
    """Replace claims, methods and figures of a config by plain ones, and take out its groups.

    - ``like: <id>`` in a claim takes everything from an earlier one but id, says and expect; each
      key that the claim has itself replaces that of the other as a whole. So it does in a method,
      which takes all but the label (``params`` are merged), and in one of ``more_figures``, where
      ``figure`` is the figure itself.
    - ``than`` may be the name of a group, ``all_others`` (every other method of the config that
      has the variant), ``{names: <those, or a list>, variant: ..., but: [...]}``, or a list of
      these and of plain methods. Without a variant it is that of the claim's own method.
    - ``method`` may be a list of names, or such a mapping with names: a claim for each; so may
      ``metric``. ``{method}`` and ``{metric}`` stand for them in id, says and expect, for a
      method's label in the last two; an id without them gets ``_<name>`` at its end.

    The document's data are changed in place; it must not share them.

    Raises
    ------
    ConfigErrors
        With one sentence for every problem, each with its place.
    """
    likeness.write_out(document)
    claims = document.data.get("claims")
    groups = _groups(document)
    document.data.pop("groups", None)
    if not isinstance(claims, list) or not all(isinstance(one, dict) for one in claims):
        return  # the schema says what is wrong
    methods = document.data.get("methods")
    known = methods if isinstance(methods, dict) else {}
    problems: list[ConfigError] = []
    plain: list[_Claim] = []
    earlier: dict[str, _Claim] = {}
    for number, raw in enumerate(claims):
        try:
            written = _with_likeness(raw, ("claims", number), document, earlier)
            earlier.setdefault(str(raw.get("id")), written)
            plain += _plain(written, _Names(document, groups, known))
        except ConfigError as problem:
            problems.append(problem)
    if problems:
        raise ConfigErrors(problems)
    _replace(document, plain)


def _groups(document: Document) -> dict[str, Any]:
    groups = document.data.get("groups")
    if groups is None:
        return {}
    if not isinstance(groups, dict):
        place = document.place(("groups",))
        raise place.error("groups must be a mapping (name: methods)")
    if ALL_OTHERS in groups:
        place = document.place(("groups", ALL_OTHERS), key=True)
        raise place.error(f"no group can be called {ALL_OTHERS!r}: it has a meaning already")
    return groups


@dataclass
class _Claim:
    """A claim that is being written out, and where its parts stand.

    Attributes
    ----------
    data : dict
    origin : tuple
        Where the claim stands.
    places : dict
        Key -> where its value stands in the document.
    items : dict
        (key, number) -> the place of an item that a group has brought.
    """

    data: dict[str, Any]
    origin: Path_
    places: dict[str, Path_]
    items: dict[tuple[str, int], Place] = field(default_factory=dict)


def _with_likeness(
    raw: dict[str, Any], at: Path_, document: Document, earlier: dict[str, _Claim]
) -> _Claim:
    own = {key: value for key, value in raw.items() if key != "like"}
    places: dict[str, Path_] = {key: (*at, key) for key in own}
    if "like" not in raw:
        return _Claim(own, at, places)
    if str(raw["like"]) not in earlier:
        message = unknown("earlier claim", raw["like"], earlier)
        raise document.place((*at, "like")).error(message)
    other = earlier[str(raw["like"])]
    shared = {key: value for key, value in other.data.items() if key not in _NOT_SHARED}
    there = {key: other.places[key] for key in shared}
    return _Claim({**shared, **own}, at, {**there, **places})


@dataclass(frozen=True)
class _Chosen:
    """One method in one variant, and where that is said."""

    name: Any
    variant: Any
    place: Place

    @property
    def data(self) -> dict[str, Any]:
        return {"name": self.name, "variant": self.variant}


@dataclass(frozen=True)
class _Names:
    """Turns what a config says of several methods into one after the other."""

    document: Document
    groups: dict[str, Any]
    methods: dict[str, Any]

    def choose(
        self, given: Any, at: Path_, variant: Any, own: Any, inside: tuple[str, ...] = ()
    ) -> Iterator[_Chosen]:
        """Yield the methods of a selection that stands at a path; `own` is the claim's own."""
        if isinstance(given, list):
            for number, item in enumerate(given):
                yield from self.choose(item, (*at, number), variant, own, inside)
        elif isinstance(given, dict) and "names" in given:
            yield from self._selected(given, at, variant, own, inside)
        elif isinstance(given, dict):
            named = given.get("name"), given.get("variant", variant)
            yield _Chosen(*named, self.document.place((*at, "name")))
        elif given == ALL_OTHERS:
            yield from self._others(at, variant, own)
        elif given in inside:
            raise self._error(at, f"the group {given!r} contains itself")
        elif given in self.groups:
            there = ("groups", given)
            yield from self.choose(self.groups[given], there, variant, own, (*inside, given))
        elif given in self.methods:
            if variant is None:
                raise self._error(at, f"the method {given!r} needs a variant")
            yield _Chosen(given, variant, self.document.place(at))
        else:
            known = [*self.methods, *self.groups, ALL_OTHERS]
            raise self._error(at, unknown("method or group", given, known))

    def _selected(
        self, given: dict[str, Any], at: Path_, variant: Any, own: Any, inside: tuple[str, ...]
    ) -> Iterator[_Chosen]:
        for key in given:
            if key not in _SELECTION:
                place = self.document.place((*at, key), key=True)
                raise place.error(unknown("key", key, _SELECTION))
        variant = given.get("variant", variant)
        left_out: set[Any] = set()
        if "but" in given:
            but = self.choose(given["but"], (*at, "but"), variant or "", own, inside)
            left_out = {one.name for one in but}
        for one in self.choose(given["names"], (*at, "names"), variant, own, inside):
            if one.name not in left_out:
                yield one

    def _others(self, at: Path_, variant: Any, own: Any) -> Iterator[_Chosen]:
        if variant is None:
            raise self._error(at, f"{ALL_OTHERS} needs a variant")
        place = self.document.place(at)
        found = [
            _Chosen(name, variant, place)
            for name, method in self.methods.items()
            if name != own and variant in _variants(method)
        ]
        if not found:
            raise self._error(at, f"{ALL_OTHERS}: no other method has the variant {variant!r}")
        yield from found

    def _error(self, at: Path_, message: str) -> ConfigError:
        return self.document.place(at).error(message)


def _variants(method: Any) -> Any:
    variants = method.get("variants") if isinstance(method, dict) else None
    return variants if isinstance(variants, dict) else ()


def _plain(claim: _Claim, names: _Names) -> Iterator[_Claim]:
    """Yield the claims that one stands for: one for each of its methods and metrics."""
    for of_method in _of_each_method(claim, names):
        for one in _of_each_metric(of_method, names.document):
            yield _with_rivals(one, names)


def _of_each_method(claim: _Claim, names: _Names) -> Iterator[_Claim]:
    given = claim.data.get("method")
    if not isinstance(given, str | list) and not (isinstance(given, dict) and "names" in given):
        yield claim
        return
    for chosen in names.choose(given, claim.places["method"], None, None):
        method = names.methods.get(chosen.name)
        label = method.get("label") if isinstance(method, dict) else None
        one = _for_one(claim, "method", str(chosen.name), str(label or chosen.name))
        one.data["method"] = chosen.data
        one.items["method", -1] = chosen.place
        yield one


def _of_each_metric(claim: _Claim, document: Document) -> Iterator[_Claim]:
    given = claim.data.get("metric")
    if not isinstance(given, list):
        yield claim
        return
    if not given:
        raise document.place(claim.places["metric"]).error("metric must name at least one metric")
    for number, metric in enumerate(given):
        one = _for_one(claim, "metric", str(metric), str(metric).replace("_", " "))
        one.data["metric"] = metric
        one.places["metric"] = (*claim.places["metric"], number)
        yield one


def _for_one(claim: _Claim, key: str, name: str, words: str) -> _Claim:
    """Return a copy of a claim that is about one of several methods or metrics."""
    data, mark = dict(claim.data), f"{{{key}}}"
    if isinstance(data.get("id"), str):
        marked = mark in data["id"]
        data["id"] = data["id"].replace(mark, name) if marked else f"{data['id']}_{name}"
    for text in ("says", "expect"):
        if isinstance(data.get(text), str):
            data[text] = data[text].replace(mark, words)
    return _Claim(data, claim.origin, dict(claim.places), dict(claim.items))


def _with_rivals(claim: _Claim, names: _Names) -> _Claim:
    given = claim.data.get("than")
    if given is None or not _is_short(given):
        return claim
    method = claim.data.get("method")
    own = method if isinstance(method, dict) else {}
    at = claim.places["than"]
    rivals = list(names.choose(given, at, own.get("variant"), own.get("name")))
    items = {("than", number): one.place for number, one in enumerate(rivals)}
    data = {**claim.data, "than": [one.data for one in rivals]}
    return _Claim(data, claim.origin, claim.places, {**claim.items, **items})


def _is_short(given: Any) -> bool:
    """Whether rivals are more than a list of plain methods."""
    if isinstance(given, list):
        return any(_is_short(one) for one in given)
    return isinstance(given, str) or (isinstance(given, dict) and "names" in given)


def _replace(document: Document, claims: list[_Claim]) -> None:
    """Put plain claims in the place of the written ones."""
    before = Document(document.file, document.data, dict(document.keys), dict(document.values))
    top: Path_ = ("claims",)
    old, document.data["claims"] = document.data["claims"], [one.data for one in claims]
    for number in range(len(old)):
        forget(document, (*top, number), old[number])
    for number, claim in enumerate(claims):
        at: Path_ = (*top, number)
        document.values[at] = before.place(claim.origin)
        for key, value in claim.data.items():
            there = claim.places[key]
            copy_places(document, (*at, key), value, before, there)
            document.keys[*at, key] = before.place((*claim.places[key][:2], key), key=True)
        for (key, item), place in claim.items.items():
            inside: Path_ = (*at, key) if item < 0 else (*at, key, item)
            for name in ((), ("name",), ("variant",)):
                document.values[*inside, *name] = place
