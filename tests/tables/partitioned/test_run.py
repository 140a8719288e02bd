"""One call of a search in parts: what it tells, draws, keeps and asks of its workers."""

from types import SimpleNamespace

import numpy as np
import pytest

from geoforest_cli import __version__
from geoforest_cli.core.errors import DataError, MachineError, UserError
from geoforest_cli.core.identity import derive_seed
from geoforest_cli.tables.partitioned import manifest
from geoforest_cli.tables.partitioned.neighbors import PartitionOptions, _Run
from geoforest_cli.tables.partitioned.parts import Parts, PartSource, RowBlock

SOURCE = PartSource(("a", "b"), None, single=False)


def run(tmp_path, rows=(600, 300), k=5, client=None, manifest=None, **options):
    blocks, first = [], 0
    for part, count in enumerate(rows):
        blocks.append(RowBlock(part, f"p{part}", (0,), first, count, 0))
        first += count
    table = Parts(SOURCE, tuple(blocks), tuple(rows), [])
    given = PartitionOptions(**options)
    params = {"n_neighbors": k}
    return _Run(client, table, tmp_path, k, params, given, {} if manifest is None else manifest)


@pytest.mark.parametrize(("rows", "cell_rows", "size"), [(900, 100, 900), (90_000, 50_000, 20_000),
                                                         (90_000, 100, 90_000), (90_000, 400, 22_500)])  # fmt: skip
def test_the_sample_is_drawn_from_all_rows(tmp_path, monkeypatch, rows, cell_rows, size):
    started = run(tmp_path, (rows // 3, rows - rows // 3), cell_rows=cell_rows, seed=5)
    (tmp_path / "_work").mkdir()
    drawn = []

    def do(what, tasks):
        assert what == "blocks checked"
        drawn.extend(task[2][2] for task in tasks)
        return [np.zeros((len(task[2][2]), 2)) for task in tasks]

    monkeypatch.setattr(started, "_do", do)
    assert len(started._sample()) == size
    assert (drawn[0] < rows // 3).all()
    assert (drawn[1] >= rows // 3).all()
    rng = np.random.default_rng(derive_seed("sample", 5))
    wanted = np.sort(rng.choice(rows, size, replace=False))
    assert np.concatenate(drawn).tolist() == wanted.tolist()
    drawn.clear()
    started._sample()
    assert drawn == []


def answering(**answers):
    """A client of workers, each of which answers with something of its own."""
    return SimpleNamespace(
        wait_for_workers=lambda *_, **__: None,
        run=lambda function, *_, on_error: answers if on_error == "return" else None,
    )


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (None, "the worker b does not see {}"),
        ("0.0.1", "the worker b has geoforest 0.0.1, for {}"),
    ],
)
def test_workers_see_the_folder_and_have_this_version(tmp_path, answer, problem):
    with pytest.raises(UserError) as raised:
        run(tmp_path, client=answering(a=__version__, b=answer))._require_workers()
    assert str(raised.value).startswith(problem.format(tmp_path / "_manifest.json"))
    run(tmp_path, client=answering(a=__version__, b=__version__))._require_workers()


def test_what_does_not_vary_in_the_sample_is_left_out_and_said(tmp_path):
    notes = []
    started = run(
        tmp_path, (1, 1), manifest={"k": 5}, screen="none",
        on_note=notes.append,
    )  # fmt: skip
    assert started._kept(np.array([[1.0, 7.0], [2.0, 7.0]])) == (0,)
    assert notes[0] == "Left out, the same in all rows of a sample: b."
    assert notes[1].startswith("2 rows in 2 files, 1 columns; up to ")
    assert manifest.read(tmp_path / "_manifest.json") == {
        "k": 5, "kept": ["a"], "notes": notes[:1],
    }  # fmt: skip
    with pytest.raises(DataError, match=r"^p0: no column varies in the sample"):
        run(
            tmp_path,
        )._kept(np.ones((2, 2)))
    # what a call before has kept is not asked again
    again = run(tmp_path, manifest={"kept": ["b"], "notes": []})
    assert again._kept(np.ones((2, 2))) == (1,)


@pytest.mark.parametrize(("rows", "sampled"), [(900, False), (30_000, True)])
def test_what_a_whole_table_is_told_a_table_in_parts_is_told(tmp_path, rows, sampled):
    notes = []
    started = run(tmp_path, (rows,), screen="none", on_note=notes.append)
    drawn = started._drawn()
    values = np.random.default_rng(0).normal(size=len(drawn))
    values[7] = 1e4
    started._kept(np.c_[drawn, values])
    *heard, _ = notes
    assert heard == [
        (
            f"Far from all other values of the column: b (10000 in row {drawn[7]}). Scales, distances "
            "and directions rest on it; if it is a mistake, correct it or leave the row out."
        ),
        (
            "Used as features, though the values are row numbers: a; identifier names the rows by "
            "a column, exclude leaves it out."
        ),
        *["The columns were looked at in a sample of 20,000 rows."] * sampled,
    ]
    asked = []
    limited = run(
        tmp_path, (rows,), screen="none", columns=("a", "b"),
        on_note=asked.append,
    )  # fmt: skip
    limited._kept(np.c_[drawn, np.where(values > 0, -999, values)])
    assert [note.split(" far from")[0] for note in asked[:-1]] == [
        "-999 lies", *["The columns were looked at in a sample of 20,000 rows."] * sampled
    ]  # fmt: skip


class Working:
    """A client that does what it is given at once, and notes it."""

    def __init__(self, status="running"):
        self.submitted, self.cancelled, self.status, self.loop = [], [], status, "the loop"

    def submit(self, function, *args, pure, priority):
        self.submitted.append((args, pure, priority))
        return SimpleNamespace(result=lambda: function(*args))

    def cancel(self, futures, force):
        self.cancelled.append((len(futures), force))


@pytest.fixture
def distributed(monkeypatch):
    """Dask's library, whose futures are done as soon as they are there."""
    module = pytest.importorskip("distributed")
    monkeypatch.setattr(module, "as_completed", lambda futures, loop: iter(futures[::-1]))
    return module


@pytest.mark.parametrize("there", [0, 2])
def test_work_whose_file_is_there_is_not_done_again(tmp_path, distributed, there):
    steps, client = [], Working()
    started = run(tmp_path, client=client, on_progress=lambda *step: steps.append(step))
    files = [tmp_path / f"{number}" for number in range(4)]
    for file in files[:there]:
        file.touch()
    tasks = [(None, abs, (-9,)), *((file, int, (str(i),)) for i, file in enumerate(files))]
    assert started._do("cells", tasks) == [9, *range(there, 4)]
    # what comes first is done first, and the same work again is not another's
    assert client.submitted == [
        (args, False, -number)
        for number, args in enumerate([(-9,), *((str(i),) for i in range(there, 4))])
    ]
    before = [("cells", there, 5)] if there else []
    assert steps == [*before, *[("cells", 1, 5)] * (5 - there)]
    assert client.cancelled == [(5 - there, True)]


@pytest.mark.parametrize("status", ["running", "closed"])
def test_errors_of_workers_and_the_end_of_the_scheduler(tmp_path, distributed, status):
    client = Working(status)
    started = run(tmp_path, client=client)
    kind = ValueError if status == "running" else MachineError
    said = "invalid literal" if status == "running" else "the dask scheduler has gone; what is"
    with pytest.raises(kind, match=said):
        started._do("cells", [(None, int, ("x",))])
    assert len(client.cancelled) == (status == "running")

    def die():
        raise distributed.KilledWorker.__new__(distributed.KilledWorker)

    with pytest.raises(MachineError, match=r"^cells: a worker died four times .* \(cell_rows\)"):
        started._do("cells", [(None, die, ())])
