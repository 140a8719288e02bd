"""Data as YAML that is read back unchanged."""

from __future__ import annotations

from typing import Any

import yaml

from geoforest_cli.config.yaml_loader import parse
from geoforest_cli.errors import ConfigError, ConfigErrors

__all__ = ["as_yaml"]


def as_yaml(data: Any) -> str:
    """Return data as YAML, short lists and mappings on one line.

    Examples
    --------
    >>> print(as_yaml({"n": [1, 1e-3], "label": "1e3", "about": None}), end="")
    n: [1, 0.001]
    label: '1e3'
    about: null
    """
    return yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=96, default_flow_style=None
    )


class _Dumper(yaml.SafeDumper):
    """Writes everything out: what stands twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    # PyYAML reads other words as numbers than a config does
    style = None if _reads_back(text) else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _reads_back(text: str) -> bool:
    try:
        return bool(parse(f"a: {text}", "").data == {"a": text})
    except (ConfigError, ConfigErrors):
        return True  # not a plain word: PyYAML quotes it by itself


_Dumper.add_representer(str, _text)
