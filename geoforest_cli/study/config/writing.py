"""A config as it is run, as YAML that is read back unchanged."""

from __future__ import annotations

from typing import Any

import yaml

from geoforest_cli.core.errors import ConfigError, ConfigErrors
from geoforest_cli.core.yaml_loader import parse
from geoforest_cli.study.config.loading import LoadedConfig
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.frames import each_of

__all__ = ["as_yaml", "written_out"]


def written_out(opened: LoadedConfig) -> str:
    """Return a config in full: what it extends, its profile and its short forms written out.

    It is a config itself, of the same cells and claims: cases of grid values that the profile
    does not have are left out.
    """
    written = {name: opened.document.get(name) for name in Config.model_fields}
    data = {name: value for name, value in written.items() if value is not None}
    for method in data["methods"].values():
        for variant in (method or {}).get("variants", {}).values():
            if variant and "cases" in variant:
                variant["cases"] = _with_cells(variant["cases"], opened.config)
    return as_yaml(data)


def _with_cells(cases: list[dict[str, Any]], config: Config) -> list[dict[str, Any]]:
    with_cells = []
    for case in cases:
        when = {
            name: [value for value in each_of(values) if value in config.grid_values[name]]
            for name, values in case["when"].items()
        }
        if all(when.values()):
            with_cells.append({**case, "when": when})
    return with_cells


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
