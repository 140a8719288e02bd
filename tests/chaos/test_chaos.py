"""A fixed share of what ``make faults`` and ``make fuzz`` do at length."""

import pytest

from tests.chaos.fuzz import KINDS, Ends, fuzz
from tests.chaos.kills import cluster, ordeal, privation
from tests.chaos.spoils import SPOILS

pytestmark = pytest.mark.nightly


def test_a_run_that_is_hit_again_and_again_ends_whole(tmp_path):
    tally = ordeal(tmp_path, kills=1, seed=0)
    assert tally.faultless, tally.table()
    assert sum(count for name, count in tally.items() if " to " in name and "runs" not in name) >= 1
    assert min(tally[name] for name in ("full disks", "runs at once")) >= 1


def test_a_run_on_a_cluster_that_is_hit_ends_whole(tmp_path):
    pytest.importorskip("distributed")
    tally = cluster(tmp_path, kills=1, seed=3)
    assert tally.faultless, tally.table()
    assert tally["on a cluster: runs brought to an end"] >= 1


def test_a_run_that_cannot_read_or_write_says_so(tmp_path):
    tally = privation(tmp_path, kills=1, seed=0)
    assert tally.faultless, tally.table()
    tried = (
        "files of no byte",
        "results in no folder",
        *(f"stores with {kind}" for kind in SPOILS),
    )
    assert min(tally[name] for name in tried) >= 1


@pytest.mark.parametrize("seed", [3, 4])
def test_spoilt_input_is_taken_or_refused_in_a_sentence(tmp_path, seed):
    # a loaded machine is slow: only what never ends is a hang here
    ends = fuzz(tmp_path, 90, seed, patience=300)
    assert ends.wrong == []
    assert set(ends) <= {(kind, end) for kind in KINDS for end in Ends.ALLOWED}
    assert all(ends[kind, "exit 2"] for kind in KINDS)
