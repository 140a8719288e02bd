"""Parsers of others run in a process of their own, and its end is a sentence."""

import contextvars
import io
import pickle
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from geoforest_cli.cli.table_options import in_options
from geoforest_cli.core.errors import DataError, Unavailable, UserError
from geoforest_cli.tables import foreign
from geoforest_cli.tables.foreign import in_child
from geoforest_cli.tables.memory import memory_of_caller
from geoforest_cli.tables.messages import argument_format
from geoforest_cli.tables.reading import open_table
from tests.tables import helpers
from tests.tables.test_excel import ROWS, workbook


@pytest.mark.parametrize(
    ("read", "reason"),
    [
        (helpers.abort, "its reader died of SIGABRT: memory allocation of 549755813888 bytes fail"),
        (helpers.overrun, "its reader died of SIGSEGV: no reason given"),
        (helpers.leave, "its reader ended: no reason given"),
    ],
)
def test_the_end_of_a_parser_is_a_sentence(tmp_path, read, reason):
    path = tmp_path / "t.xlsx"
    with pytest.raises(DataError, match=rf"^{path}: cannot be read as xlsx \({reason}"):
        in_child(read, path, None)
    assert list(tmp_path.iterdir()) == []


def test_memory_that_runs_out_has_the_words_of_a_table_that_is_too_large(tmp_path):
    path = tmp_path / "t.parquet"
    with pytest.raises(
        DataError, match=rf"^{path}: its table takes more than the [\d.,]+ GB that "
    ):
        in_child(helpers.take_all, path, None)


def test_its_errors_name_arguments_as_the_caller_does(tmp_path):
    with pytest.raises(DataError, match=r"t: sheet='a b'$"):
        in_child(helpers.ask, tmp_path / "t", "a b")
    with in_options(), pytest.raises(DataError, match=r"t: --sheet 'a b'$"):
        in_child(helpers.ask, tmp_path / "t", "a b")


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_a_table_of_arrow(tmp_path, kind):
    frame = pd.DataFrame({"x": np.arange(5.0), "who": list("abcab")})
    path = tmp_path / f"t.{kind}"
    getattr(frame, f"to_{kind}")(path)
    found = open_table(path).frame
    assert found["x"].tolist() == frame["x"].tolist()
    assert found["who"].tolist() == frame["who"].tolist()


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("columns", [2, 1200])
def test_text_that_is_no_utf_8_is_refused(tmp_path, kind, columns):
    starts = np.arange(4, dtype=np.int32)
    text = pa.StringArray.from_buffers(3, pa.py_buffer(starts), pa.py_buffer(b"a\xffb"))
    numbers = {f"x{i}": [1.0, 2.0, 3.0] for i in range(columns - 1)}
    table = pa.table({**numbers, "who": text})
    path = tmp_path / f"t.{kind}"
    write = pq.write_table if kind == "parquet" else feather.write_feather
    write(table, path)
    with pytest.raises(DataError, match=rf"^{path}: cannot be read as {kind} \(.*UTF8"):
        open_table(path)


def test_workbooks_arrays_and_tables_of_arrow_are_read_in_a_child(tmp_path, monkeypatch):
    called = []

    def noted(read, path, option):
        called.append(path.name)
        return in_child(read, path, option)

    monkeypatch.setattr("geoforest_cli.tables.reading.in_child", noted)
    workbook(tmp_path / "t.xlsx", one=ROWS)
    pd.DataFrame({"x": [1.0, 2.0]}).to_parquet(tmp_path / "t.parquet")
    np.save(tmp_path / "t.npy", np.eye(3))
    for name in ("t.xlsx", "t.parquet", "t.npy"):
        open_table(tmp_path / name)
    assert called == ["t.xlsx", "t.parquet", "t.npy"]


@pytest.mark.parametrize("kind", ["csv.gz", "csv.zst", "parquet", "feather", "npy", "xlsx", "h5ad"])
def test_every_failure_has_a_reason_and_one_wording(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    path.write_bytes(b"\x1f\x8b\x08 no such thing, for sure\n" * 3)
    ending = r"csv|gz|zst" if kind.startswith("csv") else kind
    with pytest.raises(
        DataError, match=rf"^{re.escape(str(path))}: cannot be read as ({ending}) \(\S.+\)$"
    ):
        open_table(path)


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (Unavailable("needs anndata"), "unavailable", "needs anndata"),
        (DataError("has no rows"), "error", "has no rows"),
        (UserError("unknown sheet"), "error", "unknown sheet"),
        (MemoryError(), "error", "a/t.csv: its table takes more than the 3.0 GB that are free; "),
        (ValueError("two\n  lines"), "error", "a/t.csv: cannot be read as csv (two lines)"),
        (KeyError(), "error", "a/t.csv: cannot be read as csv (KeyError)"),
        (RecursionError(" "), "error", "a/t.csv: cannot be read as csv (RecursionError)"),
    ],
)
def test_what_a_reader_raises_is_an_answer(error, kind, said):
    def read(path, option):
        assert (path, option) == (Path("a/t.csv"), "it")
        raise error

    token = memory_of_caller.set(3 * 10**9)
    try:
        found, content = foreign._answer(request(read))
    finally:
        memory_of_caller.reset(token)
    assert found == kind
    assert content.startswith(said)
    assert foreign._answer(request(lambda path, option: [path, option]))[0] == "read"


def request(read):
    return foreign._Request(read, Path("a/t.csv"), "it", 10**9, b"", 10)


@pytest.mark.parametrize("length", [300, 301])
def test_a_long_reason_is_shortened(length):
    def read(*_):
        raise ValueError("x" * length)

    _, content = foreign._answer(request(read))
    assert (f"({'x' * length})" in content) == (length == 300)


@pytest.mark.parametrize(
    ("status", "stderr", "said"),
    [
        (3, b"", "its reader ended: no reason given"),
        (0, b" \n  first \nsecond\n", "its reader ended: first"),
        (-11, b"\xff\n", "its reader died of SIGSEGV: \ufffd"),
        (-1, b"", "its reader died of SIGHUP: no reason given"),
    ],
)
def test_how_a_reader_ended(status, stderr, said):
    assert foreign._cause(subprocess.CompletedProcess([], status, b"", stderr)) == said


def test_words_for_arguments_that_cannot_be_handed_on_are_left_out():
    assert pickle.loads(foreign._formatting()) is argument_format.get()
    token = argument_format.set(lambda argument, _: argument)
    try:
        assert foreign._formatting() == b""
    finally:
        argument_format.reset(token)


@pytest.mark.parametrize(
    ("most", "bound"), [(-1, (6 << 30)), (1 << 40, 6 << 30), (5 << 30, 5 << 30), (6 << 30, 6 << 30)]
)
def test_a_reader_has_the_memory_that_is_free_and_room_for_libraries(
    tmp_path, monkeypatch, most, bound
):
    """Four GB of addresses that nothing fills; never more than the process may have anyway."""
    limits = {}
    fake = SimpleNamespace(
        RLIMIT_CORE="core", RLIMIT_AS="space", getrlimit=lambda _: (1, most),
        setrlimit=limits.__setitem__,
    )  # fmt: skip
    monkeypatch.setattr(foreign, "resource", fake)
    monkeypatch.setattr(foreign.faulthandler, "disable", lambda: None)
    monkeypatch.setattr(foreign.sys, "platform", "linux")
    asked = foreign._Request(helpers.tell, tmp_path / "t", "it", 2 << 30, b"", 7)
    stream = SimpleNamespace(buffer=io.BytesIO(pickle.dumps(asked)))
    monkeypatch.setattr(foreign.sys, "stdin", stream)
    contextvars.copy_context().run(foreign.main, str(tmp_path / "answer"))
    assert limits == {"core": (0, 0), "space": (bound, most)}
    kind, content = pickle.loads((tmp_path / "answer").read_bytes())
    assert (kind, content) == ("read", (tmp_path / "t", "it", 2 << 30, 7))
