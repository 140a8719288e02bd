"""The nearest rows of every row of a table that no process holds: an index of each part."""

from __future__ import annotations

import contextlib
import math
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

from geoforest_cli import __version__
from geoforest_cli.core import dask_client
from geoforest_cli.core.errors import DataError, MachineError, UserError
from geoforest_cli.core.files import replacing
from geoforest_cli.core.identity import derive_seed
from geoforest_cli.estimators.base.scaling import Scaling
from geoforest_cli.estimators.base.validation import constant_columns
from geoforest_cli.tables.choices import NeighborScreen
from geoforest_cli.tables.column_notes import column_notes
from geoforest_cli.tables.header import require_neighbors
from geoforest_cli.tables.messages import as_argument, format_names, ignore
from geoforest_cli.tables.options import ColumnOptions, NeighborOptions, takes_options
from geoforest_cli.tables.parameters import checked
from geoforest_cli.tables.partitioned import manifest as manifest_file
from geoforest_cli.tables.partitioned.parts import Parts, part_files
from geoforest_cli.tables.partitioned.steps import (
    Finder,
    cell_counts,
    plan_cells,
    sample_block,
)
from geoforest_cli.tables.table import UserTable

__all__ = ["PartitionOptions", "find_neighbors_in_parts"]

_WORK = "_work"
_COARSE_TREES = 2
_SAMPLE, _SAMPLE_PER_CELL = 20_000, 100  # rows

Progress = Callable[[str, int, int], None]
Task = tuple[Path | None, Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True, kw_only=True)
class PartitionOptions(ColumnOptions):
    """Options of `find_neighbors_in_parts`, described there."""

    screen: NeighborScreen | None = "auto"
    cell_rows: int = 50_000
    scheduler: str | None = None
    client: Any = None
    on_progress: Progress = ignore

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cell_rows < 100:
            argument = as_argument("cell_rows", self.cell_rows)
            raise UserError(f"{argument}: a cell has at least 100 rows")


@takes_options(PartitionOptions)
def find_neighbors_in_parts(
    paths: Sequence[Path],
    folder: Path,
    k: int = 10,
    params: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[Path]:
    """Find the k nearest rows of every row of a table in several Parquet files.

    Two coarse trees, grown on a sample, send every row to one cell each; `LeafMates` lists the
    neighbours in each cell by distance of standardised columns, and a row's two lists are merged.
    No process holds the table. What is finished is kept in `folder`: the same call goes on where it
    was stopped.

    Parameters
    ----------
    paths : sequence of path
        Parquet files of the same numeric columns, or folders of them; rows are numbered in the
        order of the files' names.
    folder : path
        Gets one Parquet file of neighbours for each file, in their order.
    k : int
    params : mapping, optional
        Of `LeafMates`, but `screen` and `rescale`.
    columns, exclude, label, identifier, level, seed, on_note
        As in `find_neighbors`.
    screen : str, optional
        As in `find_neighbors`, on a sample of about 20,000 rows: its level holds for that sample.
    cell_rows : int
        Rows of a cell, about; at most twice as many. The result depends on it.
    scheduler : str, optional
        Address of a dask scheduler whose workers see the same folders; by default workers are
        started on this machine.
    n_jobs : int, optional
        How many; by default one per core. The result does not depend on it.
    client : distributed.Client, optional
        Used instead of `scheduler`.
    on_progress : callable
        Called with the name of a step, how many more are done, and of how many.

    Returns
    -------
    list of Path
        The files of neighbours: id, rank, neighbor and distance.

    Raises
    ------
    DataError
        For files that are no parts of one numeric table, or a folder that holds something else.
    UserError
        For an option that is wrong, or a scheduler that does not answer.
    MachineError
        When workers die again and again.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> big = Path(tempfile.mkdtemp())
    >>> for part in range(2):
    ...     rows = np.random.default_rng(part).normal(size=(150, 3))
    ...     pd.DataFrame(rows, columns=["a", "b", "c"]).to_parquet(big / f"{part}.parquet")
    >>> (first, second) = find_neighbors_in_parts([big], big / "out", k=3, n_jobs=1)
    >>> len(pd.read_parquet(first))
    450
    """
    given = PartitionOptions(**options)
    files = part_files([Path(path) for path in paths])
    labels = () if given.label is None else (given.label,)
    parts = Parts.open(files, given.columns, (*given.exclude, *labels), given.identifier)
    require_neighbors(k, sum(parts.rows), str(Path(paths[0])))
    if given.cell_rows < (least := 2 * (k + 1)):
        argument = as_argument("cell_rows", given.cell_rows)
        raise UserError(f"{argument}: for {as_argument('k', k)} a cell has at least {least} rows")
    index = checked("leaf_mates", {"n_neighbors": k, **(params or {})}, "neighbors")
    for settled in {"screen", "rescale"} & index.keys():
        argument = as_argument("params", {settled: index[settled]})
        raise UserError(f"{argument}: screen and scale are those of the whole table")
    outputs = [Path(folder) / f"part-{number:05d}.parquet" for number in range(len(files))]
    with manifest_file.held(Path(folder), _manifest(parts, k, index, given)) as manifest:
        if all(output.exists() for output in outputs):
            given.on_note(f"{folder}: complete already.")
        else:
            with _client(given) as client:
                _Run(client, parts, Path(folder), k, index, given, manifest).run(outputs)
        shutil.rmtree(Path(folder) / _WORK, ignore_errors=True)
    return outputs


class _Run:
    """One call: the steps that are not finished yet, one after the other."""

    def __init__(
        self, client: Any, parts: Parts, folder: Path, k: int, index: Mapping[str, Any],
        options: PartitionOptions, manifest: dict[str, Any],
    ) -> None:  # fmt: skip
        self._client, self._parts, self._folder, self._k = client, parts, folder, k
        self._options, self._manifest = options, manifest
        self._work, self._rows = folder / _WORK, sum(parts.rows)
        self._search = Finder(
            self._work.resolve(), parts.source, parts.blocks, (), k, options.seed, index
        )

    def run(self, outputs: Sequence[Path]) -> None:
        """Write the files that are missing."""
        self._work.mkdir(exist_ok=True)
        for leftover in [*self._work.glob(".*"), *self._folder.glob(".part-*")]:
            leftover.unlink()  # of a step that was killed
        self._require_workers()
        sample = self._sample()
        kept = self._kept(sample)
        self._search = search = replace(self._search, kept=kept, scale=Scaling.fit(sample[:, kept]))
        self._grow_coarse_trees(sample)
        blocks = range(len(self._parts.blocks))
        self._do("blocks routed", [(search.routed(b), Finder.route, (search, b)) for b in blocks])
        cells = plan_cells(cell_counts(search), self._options.cell_rows, search.k)
        largest = sorted(cells, key=lambda cell: -cell.rows)
        self._do("cells", [(search.folder / c.name, Finder.search, (search, c)) for c in largest])
        self._do("parts merged", [
            (output, Finder.merge, (search, part, cells, output.resolve()))
            for part, output in enumerate(outputs)
        ])  # fmt: skip

    def preview(self, kept: int) -> str:
        """Return what is to be done, and what disk it needs."""
        per_row = _COARSE_TREES * (8 * kept + 24 + 16 * self._k) + 20 * self._k
        return (
            f"{self._rows:,} rows in {len(self._parts.rows)} files, {kept} columns; up to "
            f"{self._rows * per_row / 1e9:.1f} GB in {self._folder}."
        )

    def _drawn(self) -> np.ndarray[Any, Any]:
        """Draw the numbers of the rows of a sample."""
        size = max(_SAMPLE, _SAMPLE_PER_CELL * math.ceil(self._rows / self._options.cell_rows))
        rng = np.random.default_rng(derive_seed("sample", self._options.seed))
        return np.sort(rng.choice(self._rows, min(size, self._rows), replace=False))

    def _sample(self) -> np.ndarray[Any, Any]:
        """Read and check all parts; return a sample of their rows, which is kept."""
        path = self._work / "sample.joblib"
        if not path.exists():
            drawn, (first, *others) = self._drawn(), self._parts.blocks
            rows = np.split(drawn, np.searchsorted(drawn, [block.first for block in others]))
            tasks: list[Task] = [
                (None, sample_block, (self._parts.source, block, members))
                for block, members in zip((first, *others), rows, strict=True)
            ]
            with replacing(path) as part:
                joblib.dump(np.concatenate(self._do("blocks checked", tasks)), part)
        sample: np.ndarray[Any, Any] = joblib.load(path)
        return sample

    def _kept(self, sample: np.ndarray[Any, Any]) -> tuple[int, ...]:
        """Return the columns that vary in the sample and pass the screen; note what does not."""
        names, options = self._parts.source.columns, self._options
        if "kept" not in self._manifest:
            constant = constant_columns(sample)
            if constant.all():
                raise DataError(f"{self._parts.blocks[0].path}: no column varies in the sample")
            kept = [name for name, same in zip(names, constant, strict=True) if not same]
            notes = self._column_notes(sample[:, ~constant], kept)
            if constant.any():
                same = format_names([name for name in names if name not in kept])
                notes.append(f"Left out, the same in all rows of a sample: {same}.")
            screening = NeighborOptions(
                screen=options.screen, level=options.level, seed=options.seed, n_jobs=options.n_jobs
            ).column_screen(images=False)
            if screening is not None:
                screened = screening.keep(sample[:, ~constant], kept, "the sample")
                notes.append(f"{screened.sentence()} It saw a sample of {len(sample):,} rows: "
                             "its level holds for that sample.")  # fmt: skip
                kept = list(screened.selected)
            self._manifest |= {"kept": kept, "notes": notes}
            manifest_file.write(self._folder, self._manifest)
        kept = self._manifest["kept"]
        for note in (*self._manifest["notes"], self.preview(len(kept))):
            options.on_note(note)
        return tuple(names.index(name) for name in kept)

    def _column_notes(self, sample: np.ndarray[Any, Any], names: list[str]) -> list[str]:
        """Return what is said of the values of columns where a table is read whole."""
        drawn, columns, options = self._drawn(), tuple(names), self._options
        table = UserTable(
            sample, pd.Series(drawn), columns, columns, (), "the sample", rows=drawn,
            count=len(names),
        ).with_feature_notes(
            named=options.identifier is None, classes=True, looked_at=not options.columns
        )  # fmt: skip
        notes = [*column_notes(sample, names, drawn), *table.notes]
        if notes and len(drawn) < self._rows:
            notes.append(f"The columns were looked at in a sample of {len(drawn):,} rows.")
        return notes

    def _grow_coarse_trees(self, sample: np.ndarray[Any, Any]) -> None:
        from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest

        if self._search.coarse().exists():
            return
        rows = len(sample) * self._options.cell_rows / self._rows
        forest = GeodesicForest(
            _COARSE_TREES, screen=None, min_parent=max(2, math.floor(rows)),
            random_state=derive_seed("coarse", self._options.seed) % 2**32,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # coarse trees may have few cuts
            forest.fit(self._search.scale.apply(sample[:, self._search.kept]))
        with replacing(self._search.coarse()) as part:
            joblib.dump(forest, part)

    def _do(self, what: str, tasks: Sequence[Task]) -> list[Any]:
        """Run the tasks whose file is missing, and return what they return."""
        import distributed

        completed: Any = distributed.as_completed
        waiting = [task for task in tasks if task[0] is None or not task[0].exists()]
        futures = [
            self._client.submit(function, *args, pure=False, priority=-number)
            for number, (_, function, args) in enumerate(waiting)
        ]
        if len(waiting) < len(tasks):
            self._options.on_progress(what, len(tasks) - len(waiting), len(tasks))
        try:
            for future in completed(futures, loop=self._client.loop):
                future.result()
                self._options.on_progress(what, 1, len(tasks))
            return [future.result() for future in futures]
        except distributed.KilledWorker:
            raise MachineError(
                f"{what}: a worker died four times of the same work, perhaps for lack of memory; "
                f"fewer rows in a cell ({as_argument('cell_rows')}) need less"
            ) from None
        except Exception as error:
            if self._client.status == "running":
                raise
            raise MachineError(
                "the dask scheduler has gone; what is finished is kept: run it again to go on"
            ) from error
        finally:
            if self._client.status == "running":
                self._client.cancel(futures, force=True)

    def _require_workers(self) -> None:
        """Refuse workers that do not see the folder, or have another geoforest."""
        manifest = (self._folder / manifest_file.MANIFEST).resolve()
        self._client.wait_for_workers(1, timeout=60)
        for address, version in self._client.run(_version, manifest, on_error="return").items():
            # one that has died is an OSError; another one is started for it
            if version != __version__ and not isinstance(version, OSError):
                problem = "does not see" if version is None else f"has geoforest {version}, for"
                raise UserError(
                    f"the worker {address} {problem} {manifest}; workers share the folders and "
                    f"geoforest {__version__} with this machine"
                )


def _version(manifest: Path) -> str | None:
    return __version__ if manifest.is_file() else None


@contextlib.contextmanager
def _client(options: PartitionOptions) -> Iterator[Any]:
    if options.client is not None:
        yield options.client
        return
    address, cluster = options.scheduler, None
    if address is not None:
        client = dask_client.connect(address)
    else:
        client, cluster = dask_client.start(options.n_jobs)
    try:
        yield client
    finally:
        dask_client.close(client, cluster)


def _manifest(
    parts: Parts, k: int, index: Mapping[str, Any], options: PartitionOptions
) -> dict[str, Any]:
    """Return all that the result depends on."""
    return {
        "geoforest": __version__, "k": k, "columns": list(parts.source.columns),
        "id": options.identifier, "screen": options.screen, "level": options.screen_level,
        "seed": options.seed, "cell_rows": options.cell_rows, "params": dict(index),
        "inputs": parts.state,
    }  # fmt: skip
