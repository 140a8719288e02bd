"""The first line and the first row of a file: names, values, titles and units."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import find_columns, find_neighbors
from geoforest_cli.tables.reading import _check_header, _header_is_data, open_table

NAMES = ["a", "b", "c", "d"]


def opened(folder, rows):
    path = folder / "t.csv"
    pd.DataFrame(rows).to_csv(path, index=False, header=False)
    return open_table(path)


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_three_units_of_a_first_row_are_quoted(tmp_path, columns):
    units = ["cm", "kg", "s", "m/s"][:columns]
    rows = [NAMES[:columns], units, *[[i * i + j for j in range(columns)] for i in range(5)]]
    shown = ", ".join(units[:3]) + (", ..." if columns > 3 else "")
    said = f"the first row ({shown}) is text above numbers, as names or units of columns are: leave"
    with pytest.raises(DataError, match=re.escape(said)):
        opened(tmp_path, rows)


@pytest.mark.parametrize(
    ("rows", "refused"),
    [
        ([["cm", "kg"], [1, 2], [3, 5]], True),
        ([["cm", "kg"], [1, 2]], False),  # two rows may be of anything
        ([["cm", "3"], [1, 2], [3, 5]], False),
        ([["cm", None], [1, 2], [3, 5]], False),
        ([["cm", "kg"], [1, "a"], [3, 5]], False),
        ([["cm", "kg"], [None, 2], [None, 5]], False),
        ([["cm", "kg"], [None, 2], [3, 5]], True),
        ([["?", "kg"], [1, 2], [3, 5]], False),
        ([["cm2", "kg"], [1, 2], [3, 5]], True),
    ],
)
def test_when_a_first_row_is_names_or_units(tmp_path, rows, refused):
    """Of two columns at least, all of them words above nothing but numbers."""
    rows = [["a", "b"], *rows]
    if refused:
        with pytest.raises(DataError, match="is text above numbers"):
            opened(tmp_path, rows)
    else:
        assert len(opened(tmp_path, rows).frame) == len(rows) - 1


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (["0", "1", "2"], ""), (["1", "2", "3"], ""), (["2", "3", "4"], "may be one"),
        (["1", "3", "5"], "may be one"), (["5", "3", "1"], "may be one"),
        (["1", "5", "3"], "is one"),
        (["3", "3", "3"], "is one"), (["1.5", "2.5", "3.5"], "is one"), (["100", "200", "300"], ""),
        (["300", "200", "100"], ""), (["100", "300", "200"], "is one"),
        (["100.5", "101", "102"], ""),
        (["nan", "1", "2"], ""), (["inf", "1", "2"], ""), (["a", "1", "2"], ""),
        (["0", "90", "91"], ""), (["0", "9", "91"], "may be one"), (["91", "9", "0"], "may be one"),
        (["0", "91", "9"], "is one"),
    ],
)  # fmt: skip
def test_numbers_that_may_name_columns(header, said):
    """They rise or fall evenly, or lie where no value does."""
    frame = pd.DataFrame(np.tile(np.arange(10.0)[:, None], 3))
    assert _header_is_data(frame, header) == said


def test_columns_of_text_have_names_of_their_own():
    """The numbers of the others may go on where they end."""
    frame = pd.DataFrame({"w": list("abcdefghij"), "x": np.arange(10.0), "y": np.arange(10.0)})
    assert _header_is_data(frame, ["word", "1", "2"]) == ""
    frame.insert(0, "v", "text")
    assert _header_is_data(frame, ["v", "w", "2", "3"]) == ""
    assert _header_is_data(frame, ["v", "w", "3", "4"]) == "may be one"
    assert _header_is_data(frame[["v", "w"]], ["0", "1"]) == ""
    assert _check_header(frame[:0], ["v", "w", "3", "4"], "t") == ()


@settings(max_examples=40)
@given(st.lists(st.integers(-5, 15), min_size=2, max_size=6))
def test_half_of_the_names_among_the_values_of_their_columns_are_doubtful(names):
    frame = pd.DataFrame(np.tile(np.arange(10.0)[:, None], len(names)))
    steps = np.diff(names)
    if (steps == 1).all() and names[0] in {0, 1}:
        expected = ""
    else:
        ordered = (steps > 0).all() or (steps < 0).all()
        within = 2 * sum(0 <= name <= 9 for name in names) >= len(names)
        expected = ("may be one" if within else "") if ordered else "is one"
    assert _header_is_data(frame, [str(name) for name in names]) == expected


@pytest.mark.parametrize("lines", [2, 3, 4])
def test_several_lines_of_names_above_numbers_are_refused(tmp_path, lines):
    """Few answers and two lines of names were taken for categories: 8 items became 99 columns."""
    answers = np.random.default_rng(0).integers(1, 6, (60, 3)).tolist()
    above = [[f"Question {line}.{item}" for item in range(3)] for line in range(lines)]
    ordinal = ["first", "second", "third", "fourth"][lines - 1]
    said = f"the {ordinal} row (Question {lines - 1}.0, "
    with pytest.raises(DataError, match=re.escape(said)):
        opened(tmp_path, [["a", "b", "c"], *above, *answers])


@pytest.mark.parametrize("row", [3, 30, 59])
def test_a_header_within_the_table_is_no_answer(tmp_path, row):
    """Files that were joined, each with its first line: few answers made the names categories."""
    answers = pd.DataFrame(np.random.default_rng(0).integers(1, 6, (60, 3)), columns=list("abc"))
    answers = answers.astype(object)
    answers.loc[row] = list("abc")
    answers["kind"] = ["u", "v"] * 30
    answers.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(DataError, match=f"'a' has 1 value that is no number, 'a' in row {row} "):
        find_neighbors(tmp_path / "t.csv", 5)
    found = find_neighbors(tmp_path / "t.csv", 5, missing="drop")
    assert len(found.indices) == 59
    assert found.columns[:3] == ("a", "b", "c")
    ranking = find_columns(tmp_path / "t.csv")
    assert ranking.names == ("a", "b", "c", "kind")
    said = f"Missing in the column 'c': 1 value that is no number, 'c' in row {row}."
    assert said in ranking.notes
