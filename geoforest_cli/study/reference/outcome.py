"""The outcome of one config, read from a folder of results or from a reference."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from geoforest_cli.core.errors import UserError

__all__ = ["FILES", "ConfigOutcome", "is_reference", "outcomes_in"]

FILES = ("claims.json", "summary.csv", "provenance.json")
_NUMBERS = ["mean", "half", "repetitions", "undefined", "failed"]
_MACHINE = ("processor", "kernels")
_NAMES = ["method", "variant", "metric"]


@dataclass(frozen=True)
class ConfigOutcome:
    """Claims, summary and provenance of a config at one size.

    Attributes
    ----------
    name : str
        The config's.
    folder : Path
        Where the files of `FILES` lie.
    """

    name: str
    folder: Path

    @cached_property
    def provenance(self) -> Mapping[str, Any]:
        """Where the rows come from.

        Raises
        ------
        UserError
            For this and the other files: if it cannot be read or is damaged.
        """
        found = self._json("provenance.json")
        if not isinstance(found, dict):
            raise self._damaged("provenance.json", "it holds no object")
        return found

    @cached_property
    def claims(self) -> dict[str, Mapping[str, Any]]:
        """The claims by their id."""
        found = self._json("claims.json")
        try:
            return {str(one["id"]): {**one, "verdict": str(one["verdict"])} for one in found}
        except (LookupError, TypeError) as error:
            raise self._damaged("claims.json", error) from None

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One line per grid point, method, variant and metric."""
        try:
            # text as it stands: a grid column may hold numbers in one outcome, gaps in the other
            lines = pd.read_csv(
                io.BytesIO(self.bytes_of("summary.csv")), dtype=str, keep_default_na=False
            )
        except ValueError as error:
            raise self._damaged("summary.csv", error) from None
        lacking = [name for name in (*_NAMES, *_NUMBERS) if name not in lines]
        if lacking:
            raise self._damaged("summary.csv", f"the column {lacking[0]!r} is missing")
        try:
            return lines.assign(**{name: pd.to_numeric(lines[name]) for name in _NUMBERS})
        except ValueError as error:
            raise self._damaged("summary.csv", error) from None

    @property
    def profile(self) -> str:
        """The size that was run."""
        return str(self._within("config", "profile"))

    @property
    def machines(self) -> dict[str, tuple[str, ...]]:
        """What decides the last digits of its rows: names of processors, and their kernels."""
        origins = self._within("made", "origins")
        try:
            known = {name: {str(one[name]) for one in origins if name in one} for name in _MACHINE}
        except TypeError as error:
            raise self._damaged("provenance.json", error) from None
        return {name: tuple(sorted(values)) for name, values in known.items() if values}

    @property
    def commits(self) -> tuple[str, ...]:
        """The commits that the rows come from; "" where none was known."""
        origins = self._within("made", "origins")
        try:
            found = dict.fromkeys(str(one.get("commit", "")) for one in origins)
        except (TypeError, AttributeError) as error:
            raise self._damaged("provenance.json", error) from None
        return tuple(found)

    @property
    def seconds_per_cell(self) -> float:
        """How long its cells took on average."""
        origins = self._within("made", "origins")
        try:
            seconds = sum(float(one["seconds"]) for one in origins)
            return seconds / max(1, sum(int(one["records"]) for one in origins))
        except (TypeError, ValueError, LookupError) as error:
            raise self._damaged("provenance.json", error) from None

    @property
    def measures_time(self) -> bool:
        """Whether its values belong to the machine that they were measured on."""
        return bool(self.provenance.get("measures_time", False))

    def bytes_of(self, file: str) -> bytes:
        """Return the content of a file."""
        try:
            return (self.folder / file).read_bytes()
        except OSError as error:
            raise UserError(f"cannot read {self.folder / file}: {error.strerror}") from None

    def _json(self, file: str) -> Any:
        try:
            return json.loads(self.bytes_of(file))
        except ValueError as error:
            raise self._damaged(file, error) from None

    def _within(self, *names: str) -> Any:
        found: Any = self.provenance
        for name in names:
            if not isinstance(found, dict) or name not in found:
                raise self._damaged("provenance.json", f"{'.'.join(names)} is missing")
            found = found[name]
        return found

    def _damaged(self, file: str, why: object) -> UserError:
        reason = " ".join(str(why).split())
        return UserError(f"{self.folder / file} is damaged or of another version ({reason})")


def is_reference(folder: Path) -> bool:
    """Whether a folder holds outcomes as `geoforest reference` writes them."""
    return bool(_kept(folder))


def _kept(folder: Path) -> list[Path]:
    """Return the claims of each config of a reference; what else lies there is none."""
    places = sorted(folder.glob("*/claims.json"))
    return [path for path in places if path.with_name("provenance.json").is_file()]


def outcomes_in(folder: Path, profile: str) -> dict[str, ConfigOutcome]:
    """Return the outcomes in a folder of results, or in a reference, by config.

    Parameters
    ----------
    folder : Path
    profile : str
        Which size; of a reference its only one.

    Raises
    ------
    UserError
        If the folder is not there.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}")
    places = _kept(folder) or sorted(folder.glob(f"*/{profile}/claims.json"))
    named = ((path.relative_to(folder).parts[0], path.parent) for path in places)
    return {name: ConfigOutcome(name, at) for name, at in named}
