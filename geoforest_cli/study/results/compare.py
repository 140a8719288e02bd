"""Changes between two outcomes of the same configs, beyond noise.

The hypothesis of a line of a summary is that both outcomes come from the same distribution, with
one variance: its p value is that of Student's two-sample t test. Two repetitions say little of a
variance, so that it is at least the mean variance of the lines of its metric, and has four more
degrees of freedom. The p values of all configs are corrected together.

References
----------
Y. Benjamini, Y. Hochberg, Controlling the false discovery rate, Journal of the Royal Statistical
Society B 57, 1995.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.claims.results import ClaimResult
from geoforest_cli.study.results.folder import (
    SUMMARY,
    folders_in,
    is_reference,
    outcomes_in,
    read_file,
    summary_of,
)
from geoforest_cli.study.results.record import RunRecord, read_record

__all__ = ["LEVEL", "ClaimChange", "ConfigComparison", "Difference", "ValueChange", "compare"]

Floats: TypeAlias = npt.NDArray[np.float64]

LEVEL = 0.01
MIN_GROUP = 8  # lines of one metric that show how noisy it is, or that it is not
BORROWED = 4  # degrees of freedom that a line borrows from such a group
_METRIC = ("method", "variant", "metric")
_NUMBERS = ["mean", "half", "repetitions", "failed"]
_NOT_COMPARED = {"undefined", "published", "difference"}
_RELATIVE_TOLERANCE = 1e-6  # of another processor, or other libraries, after many operations
_ABSOLUTE_TOLERANCE = 1e-9
_OPPOSITE = {"supported", "refuted"}


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
        Whether summaries are equal to the byte, and claims are equal.
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
        """Return whether something changed beyond noise; with `common`, in what both have."""
        if self.timed:
            return False
        changed = self.changed or self.lost or self.failed or any(c.counts for c in self.claims)
        alone = any(part for side in (self.missing, self.new) for part in side.values())
        alone = alone or any(claim.alone for claim in self.claims)
        return bool(changed) or (alone and not common)


@dataclass(frozen=True)
class Difference:
    """Difference of two outcomes, config by config.

    Attributes
    ----------
    configs : tuple of ConfigComparison
        Those that both have.
    missing, new : tuple of str
        Configs that only the first, or only the second, has.
    common : bool
        Whether only what both have counts.
    """

    configs: tuple[ConfigComparison, ...]
    missing: tuple[str, ...]
    new: tuple[str, ...]
    common: bool

    @property
    def changed(self) -> bool:
        """True where anything counts as changed."""
        alone = bool(self.missing or self.new) and not self.common
        return alone or any(config.counts(common=self.common) for config in self.configs)

    @property
    def same(self) -> bool:
        """True where all is equal."""
        return not self.missing and not self.new and all(config.same for config in self.configs)


def compare(
    first: Path, second: Path, *, profile: str | None = None, common: bool = False
) -> Difference:
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
    both = [name for name in a if name in b]
    pairs = [_Pair(name, a[name], b[name]) for name in both if not _equal(a[name], b[name])]
    tested = [pair.p for pair in pairs if not pair.result.timed]
    # one correction for all values of all configs
    changed = iter(_beyond_noise(np.concatenate([np.empty(0), *tested])).tolist())
    for pair in pairs:
        pair.record([not pair.result.timed and next(changed) for _ in pair.p])
    differing = {pair.result.name: pair.result for pair in pairs}
    return Difference(
        configs=tuple(differing.get(name, ConfigComparison(name, same=True)) for name in both),
        missing=tuple(name for name in a if name not in b),
        new=tuple(name for name in b if name not in a),
        common=common,
    )


Outcome: TypeAlias = tuple[Path, RunRecord]


def _size_of(*folders: Path) -> str | None:
    records = (read_record(kept) for folder in folders if is_reference(folder)
               for kept in folders_in(folder))  # fmt: skip
    return next((record.profile for record in records), None)


def _read(folder: Path, profile: str) -> dict[str, Outcome]:
    outcomes = {
        name: (kept, read_record(kept)) for name, kept in outcomes_in(folder, profile).items()
    }
    for kept, record in outcomes.values():
        if record.profile != profile:
            raise UserError(
                f"{kept} is of profile {record.profile}, and profile {profile} is compared"
            )
    return outcomes


def _equal(a: Outcome, b: Outcome) -> bool:
    return read_file(*a, SUMMARY) == read_file(*b, SUMMARY) and a[1].judged == b[1].judged


class _Pair:
    """One config in both outcomes, while they are compared."""

    def __init__(self, name: str, a: Outcome, b: Outcome) -> None:
        self.records = a[1], b[1]
        self.before, self.after = _numbers(a), _numbers(b)
        self.both = pd.concat(
            {"before": self.before, "after": self.after}, axis=1, join="inner", sort=False
        )
        self.p = _p_values(self.both)
        self.result = ConfigComparison(
            name,
            timed=a[1].measures_time or b[1].measures_time,
            processors=_other_processors(*self.records),
            rows=len(self.both),
        )

    def record(self, changed: Sequence[bool]) -> None:
        """Record the differences of a config."""
        result = self.result
        lines = zip(self.both.itertuples(), self.p.tolist(), changed, strict=True)
        for (key, *numbers), p, beyond in lines:
            _record_line(result, json.loads(key), numbers, p, changed=beyond)
        claims, others = ({claim.id: claim for claim in record.claims} for record in self.records)
        result.missing = {
            "rows": _rows(self.before.index.difference(self.both.index, sort=False)),
            "claims": [name for name in claims if name not in others],
        }
        result.new = {
            "rows": _rows(self.after.index.difference(self.both.index, sort=False)),
            "claims": [name for name in others if name not in claims],
        }
        common = [(claims[name], others[name]) for name in claims if name in others]
        result.claims = [
            _claim_change(before, after, settled=not result.changed)
            for before, after in common
            if _state(before) != _state(after)
        ]


def _rows(keys: Iterable[str]) -> list[dict[str, str]]:
    return [json.loads(key) for key in keys]


def _numbers(outcome: Outcome) -> pd.DataFrame:
    """The numbers of a summary by grid columns, method, variant and metric, as JSON.

    Empty columns are left out: a grid column may hold numbers in one outcome, gaps in the other.
    """
    lines = summary_of(*outcome, dtype=str, keep_default_na=False)
    grid = sorted({str(name) for name in lines} - {*_NUMBERS, *_NOT_COMPARED, *_METRIC})
    rows = lines[[*grid, *_METRIC]].to_dict("records")
    keys = [json.dumps({name: text for name, text in row.items() if text}) for row in rows]
    numbers: pd.DataFrame = lines[_NUMBERS].apply(pd.to_numeric).set_axis(pd.Index(keys), axis=0)
    return numbers


def _p_values(both: pd.DataFrame) -> Floats:
    """Return, line by line, how likely so large a difference is if nothing has changed.

    1 where the means are the same up to rounding; 0 for other means where no line of the metric
    has any noise; not a number where nothing is known of the noise.
    """
    from scipy import special

    sides = [both[side].to_numpy(float).T for side in ("before", "after")]
    (mean, _, n, _), (other, _, m, _) = sides
    freedom, squares = np.zeros(len(both)), np.zeros(len(both))
    with np.errstate(divide="ignore", invalid="ignore"):
        for _, half, count, _ in sides:
            more = np.where(count >= 2, count - 1, 0)
            deviation = half * np.sqrt(count) / special.stdtrit(np.maximum(more, 1), 0.975)
            freedom += more
            squares += np.where(more > 0, more * deviation**2, 0)
        variance = squares / freedom
        quiet = (freedom > 0) & _same_number(mean, mean + np.sqrt(variance))
        noisy = (freedom > 0) & ~quiet
        metrics = np.array([json.loads(key)["metric"] for key in both.index])
        for group in (metrics == metric for metric in set(metrics)):
            if np.sum(group & noisy) >= MIN_GROUP:
                typical = np.average(variance[group & noisy], weights=freedom[group & noisy])
                variance[group] = np.fmax(variance[group], typical)
                freedom[group] += BORROWED
            else:
                settled = np.sum(group & quiet) >= MIN_GROUP and not (group & noisy).any()
                variance[group & quiet] = 0 if settled else np.nan
        t = np.abs(mean - other) / np.sqrt(variance * (1 / n + 1 / m))
        p: Floats = 2 * special.stdtr(freedom, -t)
    p[_same_number(mean, other)] = 1
    return p


def _same_number(a: Floats, b: Floats) -> npt.NDArray[np.bool_]:
    """Return whether numbers are the same up to rounding."""
    return np.isclose(a, b, rtol=_RELATIVE_TOLERANCE, atol=_ABSOLUTE_TOLERANCE)


def _beyond_noise(p: Floats) -> npt.NDArray[np.bool_]:
    """Return which lines have changed; at most the share `LEVEL` of them is expected not to have.

    Examples
    --------
    >>> _beyond_noise(np.array([0.5, 0.001, 0.004, np.nan, 1.0])).tolist()
    [False, True, True, False, False]
    """
    from scipy import stats

    has_p = ~np.isnan(p)
    changed = np.zeros(len(p), dtype=bool)
    if has_p.any():
        changed[has_p] = stats.false_discovery_control(p[has_p]) <= LEVEL
    return changed


def _record_line(
    result: ConfigComparison,
    row: Mapping[str, str],
    numbers: Sequence[float],
    p: float,
    *,
    changed: bool,
) -> None:
    mean, _, _, failed, other, _, _, now_failed = numbers
    if failed != now_failed:
        result.failed.append((row, int(failed), int(now_failed)))
    before, after = (None if math.isnan(value) else value for value in (mean, other))
    if before is None or after is None:
        if before != after:
            result.lost.append(ValueChange(row, before, after))
    elif p != 1:
        result.differing += 1
        result.untested += math.isnan(p)
        if changed:
            result.changed.append(ValueChange(row, before, after, p))


def _other_processors(before: RunRecord, after: RunRecord) -> tuple[str, ...]:
    """Return the first fact in which two outcomes' processors differ, of each."""
    for name in ("processor", "kernels"):
        kinds = [
            "; ".join(sorted({origin.fact(name) for origin in record.environment.origins} - {""}))
            for record in (before, after)
        ]
        if all(kinds) and kinds[0] != kinds[1]:
            return tuple(kinds)
    return ()


def _claim_change(before: ClaimResult, after: ClaimResult, *, settled: bool) -> ClaimChange:
    """Return the change of a claim's state.

    From supported to refuted, or back, is more than noise: each has a probability of at most .025
    where the other is true. Any other change of state is noise, unless values have changed too
    (`settled` says that none has).
    """
    numbers = before.estimate, after.estimate
    moved = None in numbers or not bool(_same_number(*(np.array(x, float) for x in numbers)))
    opposite = {_bare(before), _bare(after)} == _OPPOSITE and moved
    alone = _has_state(before) != _has_state(after)
    counts = not alone and (opposite or not settled)
    return ClaimChange(before.id, _state(before), _state(after), counts, alone)


def _has_state(claim: ClaimResult) -> tuple[bool, bool]:
    return claim.verdict != "not judged", _bare(claim) != "none"


def _bare(claim: ClaimResult) -> str:
    """The state, or what the numbers at hand say."""
    return str((claim.preliminary or "none") if claim.verdict == "not judged" else claim.verdict)


def _state(claim: ClaimResult) -> str:
    return f"not judged (so far: {_bare(claim)})" if claim.verdict == "not judged" else _bare(claim)
