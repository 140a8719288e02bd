"""Rows do not vanish in a text, and spellings of one name are one name."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import cross_validate, open_table


def _table(remarks: list[str], sep: str = ",", first: bool = False) -> str:
    lines = []
    for number, remark in enumerate(remarks):
        values = [f"{number * 0.37 % 1:.3f}", str(number)]
        lines.append(sep.join([remark, *values] if first else [*values, remark]))
    names = ["remark", "x", "y"] if first else ["x", "y", "remark"]
    return "\n".join([sep.join(names), *lines, ""])


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(("sep", "name"), [(",", "t.csv"), ("\t", "t.tsv"), (";", "t.csv")])
@pytest.mark.parametrize("far", [7, 40])
def test_rows_between_two_stray_quotes_are_not_one_value(tmp_path, first, sep, name, far):
    remarks = [f"fine {i}" for i in range(60)]
    (tmp_path / name).write_text(_table(remarks, sep, first))
    assert len(open_table(tmp_path / name).frame) == 60
    remarks[5], remarks[far] = '"good product', 'bad" one'
    (tmp_path / name).write_text(_table(remarks, sep, first))
    with pytest.raises(DataError, match=r"'remark' has a text of \d+ lines in row 5 .*a quote is"):
        open_table(tmp_path / name)


@pytest.mark.parametrize("text", ["Dear\nSir,\nall, well, so\nbye", "a\n1,x\nb", "a,1,2\nb,3,4"])
def test_a_text_of_several_lines_is_a_text(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(_table([f'"{text}"'] * 20))
    assert open_table(path).frame["remark"].tolist() == [text] * 20


@pytest.fixture(scope="module")
def visits():
    """Thirty patients, of whom the class tells nothing, with six visits each."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(30), 6)
    points = rng.normal(size=(30, 4))[patient] + 0.05 * rng.normal(size=(180, 4))
    frame = pd.DataFrame(points, columns=list("abcd"))
    return frame.assign(patient=patient, kind=np.where(patient % 2, "yes", "no"))


def test_two_spellings_of_the_number_of_a_subject_are_refused(visits):
    names = visits["patient"].astype(str)
    for other in (names + ".0", "0" + names):
        mixed = visits.assign(patient=names.where(visits.index % 2 == 0, other))
        with pytest.raises(DataError, match="one number spelt in two ways"):
            cross_validate(mixed, "kind", "knn", together="patient")
