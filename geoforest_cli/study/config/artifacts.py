"""Configs by the figure or table that they reproduce: ``gf-fig4`` for one of Geodesic Forests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.suggestions import did_you_mean
from geoforest_cli.study.config.extend import read_heading
from geoforest_cli.study.config.find import ENDINGS, known_configs

__all__ = ["Artifact", "artifacts", "find"]

_ARTIFACT = re.compile(r"(figure|table) (\d+[a-z]?)(?:, its ([\w ]+)| \(([\w ]+)\))?")
_MOST_LISTED = 10


class Artifact(NamedTuple):
    """Figure or table that a config reproduces.

    Attributes
    ----------
    title : str
        The config's.
    key : str
        Paper, kind and number, such as ``morf-fig1a``; empty if it is no figure or table.
    """

    title: str
    key: str


def artifacts() -> dict[str, Artifact]:
    """Return what each known config reproduces, by its name."""
    return {name: _artifact(path) for name, path in known_configs().items()}


def _artifact(path: Path) -> Artifact:
    try:
        heading = read_heading(path)
    except UserError:
        heading = {}
    if not heading:
        return Artifact("(not a valid config)", "")
    key = _key(heading.get("paper", ""), heading.get("artifact", ""))
    return Artifact(heading.get("title", ""), key)


def _key(paper: str, artifact: str) -> str:
    """Return the key of an artifact: the upper half of a figure has that of the figure.

    Examples
    --------
    >>> _key("geodesic_forests", "Figure 4 (bottom)"), _key("morf", "Figure 1A")
    ('gf-fig4-bottom', 'morf-fig1a')
    """
    match = _ARTIFACT.fullmatch(artifact.lower())
    if not paper or match is None:
        return ""
    kind, number, *parts = match.groups("")
    short = "".join(word[:1] for word in paper.split("_")) if "_" in paper else paper
    part = "".join(parts).replace("top", "").replace(" ", "-")
    return f"{short}-{kind[:3]}{number}-{part}".rstrip("-")


def find(name: str | Path) -> Path:
    """Return the file of a config, given by path, by name, or by figure or table.

    Raises
    ------
    UserError
        If there is none, with the nearest spellings; or several papers have such a figure.
    """
    path = Path(name)
    if path.is_file():
        return path
    configs = known_configs()
    if str(name) in configs:
        return configs[str(name)]
    if path.name and path.suffix == "":
        for ending in ENDINGS:
            if (file := path.with_name(f"{path.name}{ending}")).is_file():
                return file
    if path.is_dir():
        raise UserError(f"{name} is a folder, not a config")
    if len(path.parts) > 1 or path.suffix in ENDINGS:
        beside = sorted(str(file) for file in path.parent.glob("*") if file.suffix in ENDINGS)
        raise UserError(f"no config '{name}'{did_you_mean(str(name), beside)}")
    keys = {item.key: config for config, item in artifacts().items() if item.key}
    figure = re.sub(r"(fig|tab)[a-z.]*[ -]*(?=\d)", r"\1", str(name).lower())
    figure = re.sub(r"\W+", "-", figure).strip("-")
    matches = [key for key in keys if re.search(rf"(^|-){re.escape(figure)}(?!\d)", key)]
    if figure in keys or (len(matches) == 1 and re.search(r"\d", figure)):
        return configs[keys[figure if figure in keys else matches[0]]]
    if matches and re.search(r"\d", figure):
        listed = [f"{key} ({keys[key]})" for key in matches[:_MOST_LISTED]]
        raise UserError(f"'{name}' is in several configs; run one of {', '.join(listed)}")
    hint = did_you_mean(str(name), [*configs, *keys])
    raise UserError(f"no config '{name}'{hint} ('geoforest list configs' lists all)")
