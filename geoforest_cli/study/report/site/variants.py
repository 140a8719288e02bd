"""What a config runs: each method as written, as run and as recommended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from geoforest_cli.study.config.schema import Config, Method, Variant, VariantName
from geoforest_cli.study.config.writing import as_yaml

__all__ = ["VARIANTS", "Line", "lines"]

VARIANTS: tuple[VariantName, ...] = get_args(VariantName)


@dataclass(frozen=True)
class Line:
    """A method of a config.

    Attributes
    ----------
    use : str
        Its name in the table of methods.
    shared : list of str
        Parameters of all its variants.
    variants : dict
        Variant -> what it adds; variants that are not run are left out.
    """

    name: str
    label: str
    use: str
    shared: list[str]
    variants: dict[VariantName, list[str]]


def lines(config: Config) -> list[Line]:
    """Return the methods of a config with the parameters of their variants."""
    return [_line(name, method) for name, method in config.methods.items()]


def _line(name: str, method: Method) -> Line:
    shared = [
        *_described(method.params),
        *(f"{a}: of the grid ({b})" for a, b in method.from_grid.items()),
    ]
    return Line(
        name=name,
        label=method.label or name,
        use=method.use or name,
        shared=shared,
        variants={one: _added(method.variants[one]) for one in VARIANTS if one in method.variants},
    )


def _added(variant: Variant) -> list[str]:
    sample = [f"sample {one}" for one in _described(variant.sample)]
    return [*_described(variant.params), *sample]


def _described(params: Mapping[str, Any]) -> list[str]:
    return [f"{name}: {_value(value)}" for name, value in params.items()]


def _value(value: Any) -> str:
    text = as_yaml([value]).strip()
    return text.removeprefix("- ") if text.startswith("- ") else text[1:-1]
