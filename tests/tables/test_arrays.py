"""Files of numpy.save: what their header says is judged before a value is read."""

import io
import pickle
import struct

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.arrays import read_array
from geoforest_cli.tables.reading import open_table


def header(descr, shape, *, by_column=False, values=b""):
    """A file of numpy.save whose header says what it is given."""
    text = repr({"descr": descr, "fortran_order": by_column, "shape": shape}).encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + values


def saved(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


NUMBERS = st.sampled_from(["<f8", ">f8", "<f4", ">i2", "|u1", "|b1", "<f2", "<M8[s]"])


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_values_are_those_of_numpy_in_either_order_and_any_type(tmp_path, data):
    dtype = np.dtype(data.draw(NUMBERS))
    shape = data.draw(array_shapes(min_dims=2, max_dims=2, max_side=4))
    values = data.draw(arrays(dtype, shape))
    path = tmp_path / "t.npy"
    np.save(path, np.asarray(values, order=data.draw(st.sampled_from("CF"))))
    frame = read_array(path)
    np.testing.assert_array_equal(frame.to_numpy(), values)
    kinds = [kind for kind in frame.dtypes if isinstance(kind, np.dtype)]
    assert all(kind.isnative for kind in kinds)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (header("<f8", (10**12, 10), values=b"0" * 100), r"cannot be read as npy \(\S.+\)$"),
        (header("<f8", (10**19, 10), values=b"0" * 100), r"cannot be read as npy \(\S.+\)$"),
        (header("<f8", (-5, 2), values=b"0" * 80), r"cannot be read as npy \(\S.+\)$"),
        (header("<U1000000000", (10**6, 2)), r"cannot be read as npy \(\S.+\)$"),
        (header("|O", (5, 2), values=pickle.dumps(1)), r"holds Python objects, which are not loaded"),
        (saved(np.array([[1, "a"]], object), allow_pickle=True), r"holds Python objects"),
        (saved(np.zeros(3, [("a", "O")]), allow_pickle=True), r"holds Python objects"),
        (pickle.dumps(np.eye(3)), r"\(it does not begin as files of numpy.save do\)$"),
        (b"", r"\(it does not begin as files of numpy.save do\)$"),
        (saved(np.eye(9))[:-1], r"cannot be read as npy \(\S.+\)$"),
        (b"\x93NUMPY\x01\x00" + struct.pack("<H", 5000) + b"(" * 5000, r"cannot be read as npy"),
        (saved(np.zeros(5)), r"has 1 dimensions, a table has 2$"),
        (saved(np.zeros((5, 2, 2))), r"has 3 dimensions, a table has 2$"),
        (saved(np.zeros((0, 3))), r"the table has no rows$"),
        (saved(np.zeros((3, 0))), r"the table has no columns$"),
    ],
    ids=range(15),
)  # fmt: skip
def test_a_file_that_is_no_table_is_refused_soon(tmp_path, content, words):
    path = tmp_path / "t.npy"
    path.write_bytes(content)
    with pytest.raises(DataError, match=words) as refused:
        open_table(path)
    assert "allow_pickle" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_fields_are_columns(tmp_path):
    table = np.array([(1, 2.5, "a"), (2, 3.5, "b")], [("n", ">i4"), ("x", ">f8"), ("w", "U1")])
    np.save(tmp_path / "t.npy", table)
    expected = pd.DataFrame({"n": [1, 2], "x": [2.5, 3.5], "w": ["a", "b"]})
    for source in (tmp_path / "t.npy", table):
        pd.testing.assert_frame_equal(open_table(source).frame, expected, check_dtype=False)
