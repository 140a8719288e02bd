"""Comparison of what a reference keeps with what the current code would compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from geoforest_cli import __version__
from geoforest_cli.core.bundled import bundled
from geoforest_cli.core.errors import UserError
from geoforest_cli.study import plan
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.engine import provenance
from geoforest_cli.study.plan.identities import method_identities
from geoforest_cli.study.results.folder import is_reference, outcomes_in, problems
from geoforest_cli.study.results.record import read_record

State: TypeAlias = Literal["same", "changed", "unknown", "damaged", "no config"]

__all__ = ["State", "Verification", "is_current", "not_kept", "summary", "to_run", "verify"]

_IN_WORDS: dict[State, str] = {
    "changed": "Changed since they were computed",
    "unknown": "Computed by an earlier version and not run again since",
    "damaged": "Damaged",
    "no config": "Without a config now",
    "same": "The same",
}
_TIMED = "bench_"  # configs that measure speed are no part of a reference


@dataclass(frozen=True)
class Verification:
    """One config of a reference beside the current code.

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
    """

    name: str
    state: State
    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    same: int = 0
    reason: str = ""

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
            return f"{self.name}: computed by an earlier version that kept nothing to compare with"
        if self.state in {"damaged", "no config"}:
            return self.reason
        lists = {"other cells now": self.changed, "not run": self.new, "left out": self.gone}
        parts = [f"{words}: {', '.join(names)}" for words, names in lists.items() if names]
        count = self.same + len(self.changed) + len(self.new)
        return "; ".join([f"{self.name}: {self.same} of {count} methods are the same", *parts])


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
    paths = known_configs()
    kept = outcomes_in(folder, profile, names)
    return (_verified(name, path, paths.get(name)) for name, path in kept.items())


def not_kept(folder: Path, profile: str) -> list[str]:
    """Return the configs of ``./configs`` whose outcome a reference does not keep.

    Those that measure the speed of programs (``bench_*``) are left out.
    """
    kept = outcomes_in(folder, profile) if is_reference(folder) else {}
    names = (path.stem for path in sorted(Path("configs").glob("*.yaml")))
    return [name for name in names if name not in kept and not name.startswith(_TIMED)]


def to_run(folder: Path, profile: str, names: Sequence[str] = ()) -> list[str]:
    """Return the configs whose run would bring a reference up to date: of `names`, or all."""
    paths, missing = known_configs(), not_kept(folder, profile)
    wanted = [Path(name).stem for name in names]
    kept = [name for name in wanted if name not in missing]
    differing = [] if wanted and not kept else verify(folder, profile, kept)
    changed = [kept.name for kept in differing if kept.state != "same" and kept.name in paths]
    return sorted([*changed, *(name for name in missing if not wanted or name in wanted)])


def summary(folder: Path) -> str:
    """Say how many configs of a reference are of the current code; "" for other results.

    Raises
    ------
    UserError
        If the provenance of the first is damaged.
    """
    if not is_reference(folder):
        return ""
    by_state: dict[State, list[str]] = {}
    for verification in verify(folder, ""):
        by_state.setdefault(verification.state, []).append(verification.name)
    total = sum(map(len, by_state.values()))
    commit = provenance.origin(bundled("configs") / "noise.yaml")["commit"]
    code = f"commit {commit[:12]}{commit[40:]}" if commit else f"version {__version__}"
    same = len(by_state.pop("same", ()))
    parts = [f"{same} of {total} results are those of the current code ({code})."]
    for state, names in by_state.items():
        words = f"{_IN_WORDS[state]}: "
        parts.append(f"{words}{', '.join(names) if len(names) < total else 'all of them'}.")
    return " ".join(parts)


def is_current(name: str, folder: Path) -> bool:
    """Return whether an outcome is what a run with the current code would compute."""
    return _verified(name, folder, known_configs().get(name)).state == "same"


def _verified(name: str, folder: Path, config: Path | None) -> Verification:
    if config is None:
        reason = f"{name}: there is no such config any more"
        return Verification(name, "no config", reason=reason)
    if wrong := "; ".join(problems(folder)):
        return Verification(name, "damaged", reason=wrong)
    record = read_record(folder)
    if not record.identities:
        return Verification(name, "unknown")
    try:
        now = method_identities(plan.load(config, record.profile, record.config.overrides))
    except UserError as error:
        reason = f"{name}: its config cannot be read any more ({error})"
        return Verification(name, "no config", reason=reason)
    kept = {method: identity.model_dump() for method, identity in record.identities.items()}
    same = [method for method in now if now[method] == kept.get(method)]
    changed = tuple(method for method in now if method in kept and method not in same)
    new = tuple(method for method in now if method not in kept)
    gone = tuple(method for method in kept if method not in now)
    state: State = "changed" if changed or new or gone else "same"
    return Verification(name, state, changed, new, gone, len(same))
