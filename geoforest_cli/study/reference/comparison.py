"""What changed between two outcomes of the same configs, beyond noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.claims.results import ClaimResult
from geoforest_cli.study.reference import noise
from geoforest_cli.study.reference.noise import Sample
from geoforest_cli.study.reference.outcome import FILES, ConfigOutcome, is_reference, outcomes_in

__all__ = ["ClaimChange", "Comparison", "ConfigComparison", "ValueChange", "compare"]

_OURS = ("mean", "half", "repetitions", "undefined", "failed", "published", "difference")
_METRIC = ("method", "variant", "metric")
_OPPOSITE = {"supported", "refuted"}
_OUTCOME = ("claims.json", "summary.csv")

Row: TypeAlias = tuple[tuple[str, str], ...]


class Line(NamedTuple):
    """What is compared of a line of a summary."""

    mean: float
    half: float
    repetitions: float
    failed: float


@dataclass(frozen=True)
class ValueChange:
    """A line of the summary whose mean is another one.

    Attributes
    ----------
    row : dict
        Grid columns, method, variant, metric.
    before, after : float or None
        Means; None where no repetition gave a number.
    p : float or None
        How likely so large a difference is if nothing has changed; None where it is not known.
    """

    row: Mapping[str, str]
    before: float | None
    after: float | None
    p: float | None = None


@dataclass(frozen=True)
class ClaimChange:
    """A claim whose state is another one.

    Attributes
    ----------
    id, before, after : str
    counts : bool
        Whether that is more than noise.
    alone : bool
        Whether only one outcome has a state: rows are missing in the other.
    """

    id: str
    before: str
    after: str
    counts: bool
    alone: bool


@dataclass
class ConfigComparison:
    """One config in both outcomes.

    Attributes
    ----------
    name : str
    same : bool
        Whether claims and summary are equal to the byte.
    timed : bool
        Whether it measures time: then nothing of it counts.
    processors : tuple of str
        In words, where the rows were computed on other processors than before: the two kinds.
    rows, untested : int
        Lines that both summaries have; those that differ and whose noise is not known.
    differing : int
        Lines whose means differ by more than rounding.
    changed : list of ValueChange
        Those that changed beyond noise.
    lost : list of ValueChange
        Those that have a number in one outcome only.
    failed : list of (dict, int, int)
        Lines with another number of failed cells.
    claims : list of ClaimChange
    missing, new : dict of str to list
        What only one outcome has: "rows" and "claims".
    """

    name: str
    same: bool = False
    timed: bool = False
    processors: tuple[str, ...] = ()
    rows: int = 0
    differing: int = 0
    untested: int = 0
    changed: list[ValueChange] = field(default_factory=list)
    lost: list[ValueChange] = field(default_factory=list)
    failed: list[tuple[Mapping[str, str], int, int]] = field(default_factory=list)
    claims: list[ClaimChange] = field(default_factory=list)
    missing: dict[str, list[Any]] = field(default_factory=lambda: {"rows": [], "claims": []})
    new: dict[str, list[Any]] = field(default_factory=lambda: {"rows": [], "claims": []})

    def counts(self, *, common: bool) -> bool:
        """Whether something changed beyond noise; with `common`, in what both have."""
        if self.timed:
            return False
        changed = self.changed or self.lost or self.failed or any(c.counts for c in self.claims)
        alone = any(part for side in (self.missing, self.new) for part in side.values())
        alone = alone or any(claim.alone for claim in self.claims)
        return bool(changed) or (alone and not common)


@dataclass(frozen=True)
class Comparison:
    """Two outcomes, config by config.

    Attributes
    ----------
    configs : tuple of ConfigComparison
        Those that both have.
    missing, new : tuple of str
        Configs that only the first, or only the second, has.
    level : float
        Probability that a change is reported where nothing has changed.
    common : bool
        Whether only what both have counts.
    """

    configs: tuple[ConfigComparison, ...]
    missing: tuple[str, ...]
    new: tuple[str, ...]
    level: float
    common: bool

    @property
    def changed(self) -> bool:
        """Whether anything counts as changed."""
        alone = bool(self.missing or self.new) and not self.common
        return alone or any(one.counts(common=self.common) for one in self.configs)

    @property
    def same(self) -> bool:
        """Whether all is equal to the byte."""
        return not self.missing and not self.new and all(one.same for one in self.configs)


def compare(
    first: Path, second: Path, *, profile: str | None = None, common: bool = False
) -> Comparison:
    """Compare two folders of results, or references, config by config.

    Parameters
    ----------
    first, second : Path
        Folders with one folder per config.
    profile : str, optional
        Which size; by default that of the reference if one of the two is one, else "paper".
    common : bool
        What only one of them has does not count as changed.

    Raises
    ------
    UserError
        If a folder holds no outcome, a file is damaged, or the two are of different sizes.
    """
    size = profile or _size_of(first, second) or "paper"
    a, b = _read(first, size), _read(second, size)
    configs = [ConfigComparison(name, same=_equal(a[name], b[name])) for name in a if name in b]
    differing = [config for config in configs if not config.same]
    pairs = [_Pair(a[config.name], b[config.name]) for config in differing]
    tested = [pair.p for pair in pairs if not pair.timed]
    # one correction for all values of all configs
    beyond = iter(noise.beyond_noise(np.concatenate(tested)).tolist() if tested else [])
    for config, pair in zip(differing, pairs, strict=True):
        pair.record(config, [not pair.timed and next(beyond) for _ in pair.rows])
    return Comparison(
        configs=tuple(configs),
        missing=tuple(name for name in a if name not in b),
        new=tuple(name for name in b if name not in a),
        level=noise.LEVEL,
        common=common,
    )


def _size_of(*folders: Path) -> str | None:
    for folder in folders:
        if is_reference(folder):
            return next(iter(outcomes_in(folder, "").values())).profile
    return None


def _read(folder: Path, profile: str) -> dict[str, ConfigOutcome]:
    found = outcomes_in(folder, profile)
    if not found:
        raise UserError(f"{folder} holds no outcome of profile {profile}")
    for one in found.values():
        for file in FILES:
            one.bytes_of(file)
        if one.profile != profile:
            raise UserError(
                f"{one.folder} is of profile {one.profile}, and profile {profile} is compared"
            )
    return found


def _equal(a: ConfigOutcome, b: ConfigOutcome) -> bool:
    return all(a.bytes_of(file) == b.bytes_of(file) for file in _OUTCOME)


def _keyed(outcome: ConfigOutcome) -> dict[Row, Line]:
    """The summary by its grid columns, method, variant and metric, as texts in one order.

    Empty columns are left out.
    """
    lines = outcome.summary
    grid = (str(name) for name in lines if name not in {*_OURS, *_METRIC})
    names = [*sorted(grid), *_METRIC]
    keys = (
        tuple((name, str(text)) for name, text in zip(names, texts, strict=True) if text)
        for texts in zip(*(lines[name] for name in names), strict=True)
    )
    numbers = zip(*(lines[name].astype(float) for name in Line._fields), strict=True)
    found = {key: Line(*one) for key, one in zip(keys, numbers, strict=True)}
    if len(found) < len(lines):
        raise UserError(f"{outcome.folder / 'summary.csv'} has a line twice")
    return found


def _p_values(before: Sequence[Line], after: Sequence[Line], rows: Sequence[Row]) -> noise.Floats:
    """Return p values of lines that both have; not a number where one has no mean."""
    p = np.full(len(rows), np.nan)
    known = [
        i
        for i, (a, b) in enumerate(zip(before, after, strict=True))
        if not (math.isnan(a.mean) or math.isnan(b.mean))
    ]
    if known:
        metrics = [dict(rows[i])["metric"] for i in known]
        a, b = (_sample([lines[i] for i in known]) for lines in (before, after))
        p[known] = noise.p_values(a, b, metrics)
    return p


def _sample(lines: Sequence[Line]) -> Sample:
    mean, half, n, _ = np.array(lines, dtype=float).T
    return Sample(mean, noise.spread_of(half, n), n)


class _Pair:
    """One config in both outcomes, while they are compared."""

    def __init__(self, a: ConfigOutcome, b: ConfigOutcome) -> None:
        self.a, self.b = a, b
        self.timed = a.measures_time or b.measures_time
        before, after = _keyed(a), _keyed(b)
        self.rows = [row for row in before if row in after]
        self.missing = [dict(row) for row in before if row not in after]
        self.new = [dict(row) for row in after if row not in before]
        self.before = [before[row] for row in self.rows]
        self.after = [after[row] for row in self.rows]
        self.p = _p_values(self.before, self.after, self.rows)

    def record(self, one: ConfigComparison, beyond: Sequence[bool]) -> None:
        """Record the differences of a config."""
        one.timed = self.timed
        one.processors = _other_processors(self.a.machines, self.b.machines)
        one.rows = len(self.rows)
        lines = zip(self.rows, self.before, self.after, self.p, beyond, strict=True)
        for row, before, after, p, changed in lines:
            _record_row(one, dict(row), (before, after), float(p), changed=changed)
        claims, others = self.a.claims, self.b.claims
        one.missing = {
            "rows": self.missing,
            "claims": [name for name in claims if name not in others],
        }
        one.new = {"rows": self.new, "claims": [name for name in others if name not in claims]}
        one.claims = list(_claims(claims, others, settled=not one.changed))


def _other_processors(
    before: Mapping[str, tuple[str, ...]], after: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """Return the first known fact in which two outcomes' processors differ, of each."""
    for fact in before:
        if fact in after and before[fact] != after[fact]:
            return "; ".join(before[fact]), "; ".join(after[fact])
    return ()


def _record_row(
    one: ConfigComparison,
    row: Mapping[str, str],
    pair: tuple[Line, Line],
    p: float,
    *,
    changed: bool,
) -> None:
    before, after = pair
    if before.failed != after.failed:
        one.failed.append((row, int(before.failed), int(after.failed)))
    means = _number(before.mean), _number(after.mean)
    if None in means:
        if means != (None, None):
            one.lost.append(ValueChange(row, *means))
    elif p != 1:
        one.differing += 1
        one.untested += math.isnan(p)
        if changed:
            one.changed.append(ValueChange(row, *means, p))


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _claims(
    before: Mapping[str, ClaimResult],
    after: Mapping[str, ClaimResult],
    *,
    settled: bool,
) -> Iterable[ClaimChange]:
    """Return the claims of another state.

    From supported to refuted, or back, is more than noise: each has a probability of at most .025
    where the other is true. Any other change of state is noise, unless values have changed too
    (`settled` says that none has).
    """
    for name in before:
        if name not in after:
            continue
        one, other = before[name], after[name]
        if _state(one) == _state(other):
            continue
        opposite = {_bare(one), _bare(other)} == _OPPOSITE and not _same_estimate(one, other)
        alone = _has_state(one) != _has_state(other)
        counts = not alone and (opposite or not settled)
        yield ClaimChange(name, _state(one), _state(other), counts, alone)


def _has_state(claim: ClaimResult) -> tuple[bool, bool]:
    return claim.verdict != "not judged", _bare(claim) != "none"


def _bare(claim: ClaimResult) -> str:
    """The state, or what the numbers at hand say."""
    judged = str(claim.verdict)
    return str(claim.preliminary or "none") if judged == "not judged" else judged


def _state(claim: ClaimResult) -> str:
    if claim.verdict == "not judged":
        return f"not judged (so far: {_bare(claim)})"
    return str(claim.verdict)


def _same_estimate(one: ClaimResult, other: ClaimResult) -> bool:
    numbers = [one.estimate, other.estimate]
    if not all(isinstance(number, int | float) for number in numbers):
        return False
    a, b = (np.array([float(number)]) for number in numbers if number is not None)
    return bool(noise.same_number(a, b)[0])
