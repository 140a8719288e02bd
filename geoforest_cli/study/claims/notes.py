"""The sentences that stand beside a verdict: what it rests on, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence

from geoforest_cli.study.claims.points import GridPoint
from geoforest_cli.study.claims.results import Looks
from geoforest_cli.study.claims.verdicts import Decision, State

__all__ = [
    "interval_sentence",
    "looks_sentence",
    "missing_cells",
    "nothing_to_judge",
    "states_sentence",
]

_NO_SPREAD = (
    "All repetitions gave the same value, which shows nothing: the metric has no known range. A "
    "deterministic method on fixed data says so with `interval: none`."
)


_ENDED = "No further look is declared: the claim stays undecided."


def states_sentence(states: Sequence[State | None]) -> str:
    """Say how many points are clear by themselves, where there are several."""
    if len(states) < 2:
        return ""
    kinds: tuple[State, ...] = ("supported", "refuted", "tie")
    found = [f"{states.count(kind)} {kind}" for kind in kinds if states.count(kind)]
    return f"Clear by themselves: {', '.join(found) or 'none'} of {len(states)} points."


def missing_cells(points: Sequence[GridPoint]) -> str:
    """Say at how many points cells failed or are missing."""
    lost = sum(point.missing > 0 for point in points)
    where = f" at {lost} of {len(points)} points" if len(points) > 1 else ""
    return f"cells failed or are missing{where}"


def nothing_to_judge(points: Sequence[GridPoint]) -> str:
    """Say why there is no number."""
    if any(point.missing for point in points):
        return missing_cells(points)
    return "no repetition gave a number" if points else "there are no rows to judge"


def interval_sentence(chosen: Decision | None, *, exact: bool) -> str:
    """Say why a claim has no interval, where it has none."""
    if exact:
        return "No interval: the estimate alone decides."
    if chosen and chosen.n == 1:
        return "A single repetition has no interval."
    if chosen and chosen.low is None:
        return _NO_SPREAD
    return ""


def looks_sentence(chosen: Decision | None, looks: Looks, *, ended: bool = False) -> str:
    """Say which look this is, and what an undecided claim can still expect.

    A number of repetitions that would decide is named within a declared design only: who repeats
    until a claim is decided is wrong more often than the level says. A claim has `ended` whose
    methods have no repetitions beyond this look.

    Examples
    --------
    >>> looks_sentence(None, {"taken": [5, 10], "declared": [5, 10, 20], "undeclared": []})
    'Look 2 of 3, at 10 repetitions, each at a third of the level.'
    >>> looks_sentence(None, {"taken": [10], "declared": [10], "undeclared": [5]})
    'Judged at 5 repetitions before these looks were declared: the error rate is above .025.'
    """
    declared, taken = looks["declared"], looks["taken"]
    parts = []
    if len(declared) > 1:
        share = {2: "half", 3: "a third", 4: "a quarter"}.get(len(declared), f"1 / {len(declared)}")
        last = "the last of methods that are not repeated further"
        at = last if ended else f"at {taken[-1]} repetitions"
        parts.append(f"Look {len(taken)} of {len(declared)}, {at}, each at {share} of the level.")
    if chosen and chosen.state == "undecided" and chosen.n > 1 and declared:
        parts.append(_ENDED if ended else _expectation(chosen, looks))
    if looks["undeclared"]:
        before = " and ".join(map(str, looks["undeclared"]))
        parts.append(
            f"Judged at {before} repetitions before these looks were declared: the error rate is "
            "above .025."
        )
    return " ".join(parts)


def _expectation(chosen: Decision, looks: Looks) -> str:
    left = looks["declared"][len(looks["taken"]) :]
    if not left:
        return _ENDED
    if chosen.repetitions is None:
        return (
            f"At this mean and spread no look would decide; the next is at {left[0]} repetitions."
        )
    needed = max(chosen.repetitions, chosen.n + 1)
    return (
        f"About {needed} repetitions would decide with power .8, if mean and spread stay as they "
        f"are; the next look is at {left[0]}."
    )
