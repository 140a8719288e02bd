"""A ranking of columns: its order, its lines and its sentence."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoforest_cli.tables.columns import ColumnRanking
from geoforest_cli.tables.screens import ScreenOptions


def ranking(kept, pvalues=None, scores=None, partners=None, groups=None, rows=50):
    p = len(kept)
    pvalues = np.full(p, 0.5) if pvalues is None else np.array(pvalues, float)
    return ColumnRanking(
        names=tuple(f"c{i}" for i in range(p)), kept=np.array(kept, bool),
        scores=np.zeros(p) if scores is None else np.array(scores, float),
        pvalues=pvalues, adjusted=np.minimum(p * pvalues, 1.0),
        partners=np.full(p, -1) if partners is None else np.array(partners),
        groups=np.where(kept, 1, -1) if groups is None else np.array(groups),
        screening=ScreenOptions("pairs", 0.05, "fdr"), rows=rows, notes=(),
    )  # fmt: skip


COLUMN = st.tuples(
    st.booleans(), st.sampled_from([0.0, 1e-300, 1e-9, 0.01, 0.5, 1.0]),
    st.sampled_from([-1.5, 0.0, 2.0, 7.0, 40.0]), st.sampled_from([0.0, 1e-12]),
)  # fmt: skip


@given(st.lists(COLUMN, min_size=1, max_size=12))
def test_the_surest_come_first_and_equal_ones_stay_in_order(columns):
    """By what is kept, the p-value, then z; what differs by rounding is equal."""
    kept, pvalues, scores, bits = zip(*columns, strict=True)
    changed = [p * (1 + bit) for p, bit in zip(pvalues, bits, strict=True)]
    result = ranking(kept, changed, np.array(scores) + bits)
    keys = [(not k, p, -z, i) for i, (k, p, z, _) in enumerate(columns)]
    assert [tuple(keys[i]) for i in result.ranking] == sorted(keys)


def test_lines_of_columns_without_a_partner_or_a_group():
    result = ranking(
        [1, 0, 1, 0], [0.1, 0.4, 0.001, 0.3], [3, 0, 5, 1], [2, -1, 0, 0], [1, -1, 1, -1]
    )
    expected = pd.DataFrame({
        "rank": [1, 2, 3, 4], "column": ["c2", "c0", "c3", "c1"],
        "kept": [True, True, False, False], "z": [5.0, 3.0, 1.0, 0.0],
        "p_value": [0.001, 0.1, 0.3, 0.4], "adjusted": [0.004, 0.4, 1.0, 1.0],
        "partner": pd.Series(["c0", "c2", "c0", None], dtype="string"),
        "group": pd.Series([1, 1, None, None], dtype="Int64"),
    })  # fmt: skip
    pd.testing.assert_frame_equal(result.frame(), expected, check_dtype=False)


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([-1, -1], "No column of 2 was found to depend on another ({})."),
        ([-1, 1], "1 of 2 columns depends on others, in 1 group ({})."),
        ([1, 1, -1], "2 of 3 columns depend on others, in 1 group ({})."),
        ([1, 1, 2, 2], "4 of 4 columns depend on others, in 2 groups ({})."),
    ],
)
def test_how_many_columns_depend_on_others(groups, said):
    result = ranking(np.array(groups) > 0, groups=groups, rows=17)
    assert result.summary() == said.format("pairs, false discovery rate 0.05, 17 rows")
    assert result.count == max(*groups, 0)
    members = [f"c{i}" for i, group in enumerate(groups) if group == 1]
    assert result.group_of(1) == tuple(members)
