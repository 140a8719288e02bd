"""A fixed share of what ``make faults`` and ``make fuzz`` do at length."""

import pytest

from tests.chaos.fuzz import KINDS, Ends, fuzz
from tests.chaos.kills import Tally, ordeal


def test_a_run_that_is_hit_again_and_again_ends_whole(tmp_path):
    tally = ordeal(tmp_path, kills=2, seed=0)
    assert tally.faultless, tally.table()
    assert sum(count for name, count in tally.items() if " to " in name and "runs" not in name) >= 2
    assert min(tally[name] for name in ("full disks", "damaged stores", "runs at once")) >= 1


def test_a_tally_with_a_lost_cell_is_not_faultless():
    assert Tally(lost=0).faultless
    for name in Tally.WRONG:
        assert not Tally({name: 1}).faultless


@pytest.mark.parametrize("seed", [3, 4])
def test_spoilt_input_is_taken_or_refused_in_a_sentence(tmp_path, seed):
    # a loaded machine is slow: only what never ends is a hang here
    ends = fuzz(tmp_path, 90, seed, patience=300)
    assert ends.wrong == []
    assert set(ends) <= {(kind, end) for kind in KINDS for end in Ends.ALLOWED}
    assert all(ends[kind, "exit 2"] for kind in KINDS)
