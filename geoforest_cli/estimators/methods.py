"""The table of methods: a new one is an entry of methods.yaml."""

import importlib
import importlib.util
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from geoforest_cli.core.registry import Entry, Registry

Kind = Literal[
    "neighbors", "classifier", "regressor", "metric", "response", "links", "local", "clusters",
    "screen",
]  # fmt: skip

# what methods of a kind are called, and the verb on a user's own table that takes them
KINDS: Mapping[Kind, tuple[str, str]] = {
    "neighbors": ("Methods of neighbours", "neighbors"),
    "classifier": ("Classifiers", "classify"),
    "regressor": ("Regressors", ""),
    "metric": ("Learned distances", ""),
    "response": ("Neighbours under a response", ""),
    "links": ("Predictors of links", ""),
    "local": ("Local distances", ""),
    "clusters": ("Clusterings", ""),
    "screen": ("Screens", ""),
}


@dataclass(frozen=True)
class MethodEntry(Entry):
    """A method.

    Attributes
    ----------
    kind : str, optional
        What it does; one of a user's own may leave that open (its class attribute ``kind``).
    needs, install : str
        The package that it needs beyond ours, and how to get it.
    peer : str
        The peer in an environment of its own that it calls.
    withdrawn : mapping
        Parameters that it no longer has, with the only value that cells used: part of what a cell
        is, so that finished cells keep their identity.
    """

    kind: Kind | None = None
    needs: str = ""
    install: str = ""
    peer: str = ""
    withdrawn: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def lacking(self) -> str:
        """Return why the method cannot be had here, in a sentence; empty if it can."""
        if self.needs and importlib.util.find_spec(self.needs) is None:
            return f"{self.needs} is not installed ({self.install})"
        if self.peer:
            isolated = importlib.import_module("geoforest_cli.estimators.baselines.isolated")
            reason: str = isolated.Peer(self.peer).lacking()
            return reason
        return ""


def kind_of(name: str) -> Kind | None:
    """Return what a method does; None for one of a user's own that does not say."""
    entry = METHODS[name]
    if entry.kind:
        return entry.kind
    cls = entry.load()
    return getattr(cls, "kind", "neighbors" if _is_transformer(cls) else None)


def _is_transformer(cls: Any) -> bool:
    """Return whether a class only places points anew: neighbours are measured among them."""
    others = ("distances", "kneighbors", "predict")
    return hasattr(cls, "fit_transform") and not any(hasattr(cls, name) for name in others)


def _read(path: Path) -> list[MethodEntry]:
    """Return the entries of a table of methods, with what they cite in BibTeX."""
    bibliography = path.with_name("references.bib").read_text(encoding="utf-8")
    papers = {
        paper[paper.index("{") + 1 : paper.index(",")]: paper.strip()
        for paper in bibliography.split("\n\n")
    }
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [
        MethodEntry(
            name=name, **entry | {"cite": tuple(papers[key] for key in entry.get("cite", ()))}
        )
        for name, entry in content.items()
    ]


METHODS = Registry("method", _read(Path(__file__).with_suffix(".yaml")), make_entry=MethodEntry)


def build(
    name: str, params: Mapping[str, Any], *, seed: int | None = None, n_jobs: int | None = None
) -> Any:
    """Return a new, unfitted method.

    Parameters
    ----------
    name : str
        A name of `METHODS`.
    params : mapping
        Parameters of the method; others have their defaults.
    seed, n_jobs : int, optional
        Its ``random_state`` and ``n_jobs``, where it has them.

    Examples
    --------
    >>> build("geodesic_forest", {"n_estimators": 50}, seed=3)
    GeodesicForest(n_estimators=50, random_state=3)
    >>> build("isomap", {"n_neighbors": 5}, seed=3).n_neighbors
    5
    """
    cls = METHODS[name].load()
    accepted = inspect.signature(cls).parameters
    engine = {"random_state": seed, "n_jobs": n_jobs}
    given = {key: value for key, value in engine.items() if value is not None and key in accepted}
    if not METHODS[name].kind and _is_transformer(cls):
        module = importlib.import_module("geoforest_cli.estimators.baselines.embedding")
        if "random_state" in given:  # scikit-learn's are shorter
            given["random_state"] %= 2**32
        return module.Embedding(cls(**{**params, **given}))
    return cls(**{**params, **given})
