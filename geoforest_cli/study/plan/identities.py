"""Digests of the cells of a plan: enough to tell whether code has changed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypedDict

from geoforest_cli.core.identity import digest
from geoforest_cli.study.plan.cells import Plan, Setting

__all__ = ["MethodIdentity", "method_identities"]

_DIGITS = 16


class MethodIdentity(TypedDict):
    """The cells of one method in one variant.

    `cells` is their number, `digest` a hash of everything that their rows
    depend on: the identities of the cells and the inner values that are evaluated in them. The
    processor is left out, so that a measurement has the same digest everywhere.
    """

    cells: int
    digest: str


def method_identities(plan: Plan) -> dict[str, MethodIdentity]:
    """Return the identity of each method and variant of a plan, such as ``"gf as_run"``.

    Examples
    --------
    >>> from geoforest_cli.study import plan
    >>> known = method_identities(plan.load("spiral_local", "smoke"))
    >>> sorted(known["cg as_written"])
    ['cells', 'digest']
    >>> known == method_identities(plan.load("spiral_local", "smoke"))
    True
    """
    groups: dict[str, dict[str, set[str]]] = {}
    settings: dict[int, str] = {}
    for entry in plan.entries:
        setting = entry.cell.setting
        if id(setting) not in settings:
            settings[id(setting)] = _without_processor(setting)
        cell = f"{settings[id(setting)]}:{entry.repetition}"
        name = f"{entry.method} {entry.variant}"
        groups.setdefault(name, {}).setdefault(cell, set()).update(_inner(entry.inner))
    return {
        name: {
            "cells": len(cells),
            "digest": digest([[cell, sorted(cells[cell])] for cell in sorted(cells)])[:_DIGITS],
        }
        for name, cells in sorted(groups.items())
    }


def _without_processor(setting: Setting) -> str:
    return (replace(setting, measured="") if setting.measured else setting).digest


def _inner(inner: Mapping[str, tuple[Any, ...]]) -> Iterator[str]:
    return (f"{name}={value!r}" for name, values in inner.items() for value in values)
