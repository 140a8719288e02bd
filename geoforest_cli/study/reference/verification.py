"""Whether what a reference keeps is what the code of now would compute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError
from geoforest_cli.study import plan
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.plan.identities import method_identities
from geoforest_cli.study.reference.formats import problems
from geoforest_cli.study.reference.outcome import ConfigOutcome, outcomes_in

__all__ = ["State", "Verification", "verify"]

State: TypeAlias = Literal["same", "changed", "unknown", "damaged", "no config"]


@dataclass(frozen=True)
class Verification:
    """One config of a reference beside the code of now.

    Attributes
    ----------
    name : str
        The config's.
    state : {"same", "changed", "unknown", "damaged", "no config"}
        Whether a run of now has the same cells. "unknown" is a record of an older version, which
        does not say what its cells were.
    changed, new, gone : tuple of str
        Methods with their variants whose cells are other ones now, that are not in the reference,
        and that are not in the config any more.
    same : int
        Number of methods, each variant counted, whose cells are the same.
    reason : str
        Why a file is damaged, or what else is wrong; empty otherwise.
    commits : tuple of str
        Those that the rows come from.
    """

    name: str
    state: State
    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    same: int = 0
    reason: str = ""
    commits: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return one line: what is not the same, and how to go on.

        Examples
        --------
        >>> Verification("noise", "changed", changed=("gf recommended",), same=14).describe()
        'noise: 14 of 15 methods are the same; other cells now: gf recommended'
        >>> Verification("noise", "same", same=15).describe()
        'noise: the same'
        """
        if self.state == "same":
            return f"{self.name}: the same"
        if self.state == "unknown":
            return f"{self.name}: kept by a version that recorded no digests of its cells"
        if self.state in {"damaged", "no config"}:
            return self.reason
        lists = {"other cells now": self.changed, "not run": self.new, "left out": self.gone}
        parts = [f"{words}: {', '.join(names)}" for words, names in lists.items() if names]
        known = self.same + len(self.changed) + len(self.new)
        return "; ".join([f"{self.name}: {self.same} of {known} methods are the same", *parts])


def verify(folder: Path, profile: str, names: Sequence[str] = ()) -> Iterator[Verification]:
    """Compare the cells that a reference keeps with those of the configs of now, one by one.

    Its files are read as `claims` and `compare` read them, so that a damaged one is noticed.

    Parameters
    ----------
    folder : Path
        Of a reference, or of results.
    profile : str
        The size whose outcome is kept there.
    names : sequence of str
        Configs; all that are kept by default.

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
    known = known_configs()
    return (_verified(kept[name], known.get(name)) for name in wanted)


def _verified(outcome: ConfigOutcome, config: Path | None) -> Verification:
    if config is None:
        reason = f"{outcome.name}: there is no such config any more"
        return Verification(outcome.name, "no config", reason=reason)
    try:
        record = outcome.record
    except UserError as error:
        return Verification(outcome.name, "damaged", reason=str(error))
    if not record.identities:
        return Verification(outcome.name, "unknown", commits=outcome.commits)
    if wrong := "; ".join(problems(outcome.folder)):
        return Verification(outcome.name, "damaged", reason=wrong)
    recorded = record.config
    try:
        now = method_identities(plan.load(config, recorded.profile, recorded.overrides))
    except UserError as error:
        reason = f"{outcome.name}: its config cannot be read any more ({error})"
        return Verification(outcome.name, "no config", reason=reason)
    kept = {name: one.model_dump() for name, one in record.identities.items()}
    return _compared(outcome, kept, now)


def _compared(
    outcome: ConfigOutcome, kept: Mapping[str, object], now: Mapping[str, object]
) -> Verification:
    same = [name for name in now if now[name] == kept.get(name)]
    changed = tuple(name for name in now if name in kept and name not in same)
    new = tuple(name for name in now if name not in kept)
    gone = tuple(name for name in kept if name not in now)
    return Verification(
        outcome.name,
        "changed" if changed or new or gone else "same",
        changed=changed,
        new=new,
        gone=gone,
        same=len(same),
        commits=outcome.commits,
    )
