"""The outcome of one config, read from a folder of results or from a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.claims.results import ClaimResult
from geoforest_cli.study.claims.storage import read_claims
from geoforest_cli.study.reference.columns import SUMMARY, require_columns
from geoforest_cli.study.report.record import Record, read_record

__all__ = ["FILES", "ConfigOutcome", "chosen_outcomes", "is_reference", "outcomes_in"]

FILES = ("claims.json", "summary.csv", "provenance.json")
_NUMBERS = ["mean", "half", "repetitions", "undefined", "failed"]
_MACHINE = ("processor", "kernels")


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
    def record(self) -> Record:
        """Where the rows come from.

        Raises
        ------
        UserError
            For this and the other files: if it cannot be read or is damaged.
        """
        return read_record(self.folder)

    @cached_property
    def claims(self) -> dict[str, ClaimResult]:
        """The claims by their id."""
        return {claim.id: claim for claim in read_claims(self.folder).claims}

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One line per grid point, method, variant and metric."""
        path = self.folder / "summary.csv"
        require_columns(path, SUMMARY)
        # text as it stands: a grid column may hold numbers in one outcome, gaps in the other
        lines = pd.read_csv(path, dtype=str, keep_default_na=False)
        numbers = {name: pd.to_numeric(lines[name]) for name in _NUMBERS}
        return lines.assign(**numbers)

    @property
    def profile(self) -> str:
        """The size that was run."""
        return self.record.config.profile

    @property
    def machines(self) -> dict[str, tuple[str, ...]]:
        """What decides the last digits of its rows: names of processors, and their kernels."""
        origins = self.record.made.origins
        known = {
            name: {str(fact) for origin in origins if (fact := origin.fact(name))}
            for name in _MACHINE
        }
        return {name: tuple(sorted(values)) for name, values in known.items() if values}

    @property
    def commits(self) -> tuple[str, ...]:
        """The commits that the rows come from; "" where none was known."""
        commits = (str(origin.fact("commit") or "") for origin in self.record.made.origins)
        return tuple(dict.fromkeys(commits))

    @property
    def measures_time(self) -> bool:
        """Whether its values belong to the machine that they were measured on."""
        return self.record.measures_time

    def bytes_of(self, file: str) -> bytes:
        """Return the content of a file."""
        try:
            return (self.folder / file).read_bytes()
        except OSError as error:
            raise UserError(f"cannot read {self.folder / file}: {error.strerror}") from None


def is_reference(folder: Path) -> bool:
    """Whether a folder holds outcomes as `geoforest reference write` writes them."""
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


def chosen_outcomes(folder: Path, profile: str, names: Sequence[str] = ()) -> list[ConfigOutcome]:
    """Return the outcomes of named configs in a folder; all of them without names.

    Raises
    ------
    UserError
        If the folder or the outcome of a named config is not there.
    """
    kept = outcomes_in(folder, profile)
    if not kept:
        raise UserError(f"{folder} holds no outcome of profile {profile}")
    wanted = list(dict.fromkeys(Path(name).stem for name in names)) or sorted(kept)
    for name in wanted:
        if name not in kept:
            raise UserError(suggestions.unknown(f"config kept in {folder}", name, kept))
    return [kept[name] for name in wanted]
