"""``geoforest neighbors``: the nearest rows of a user's own table."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
import pandas as pd
from pydantic import ValidationError

from geoforest_cli.cli.watching import watching
from geoforest_cli.config.wording import annotation_at, describe
from geoforest_cli.config.yaml_loader import parse
from geoforest_cli.datasets.user_table import UserTable, read_table
from geoforest_cli.errors import DataError, UserError
from geoforest_cli.hints import unknown
from geoforest_cli.methods import METHODS
from geoforest_cli.metrics.ranking import rank_neighbors
from geoforest_cli.registry import parameter_model

__all__ = ["method_parameters", "neighbors"]

_BLOCK = 50_000  # rows of the user's table that are written at once
_MANY_ROWS, _SEARCH = 100_000, 10_000
_BYTES_PER_PAIR = 24  # a matrix of float64 and what is made of it on the way


@click.command()
@click.argument("table", type=click.Path(path_type=Path))
@click.option(
    "-k", "k", type=click.IntRange(min=1), default=10, show_default=True, help="Neighbours."
)
@click.option("--method", default="geodesic_forest", show_default=True, help="A method's name.")
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the method, n_estimators=500 say; may be repeated.",
)
@click.option("--columns", default="", metavar="A,B,...", help="Columns to use.  [default: all]")
@click.option("--id", "identifier", help="Column that names the rows.  [default: row numbers]")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="Parquet, CSV or TSV."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of everything random.")
@click.option("--jobs", type=click.IntRange(min=1), help="Threads.  [default: one per core]")
def neighbors(
    *,
    table: Path,
    k: int,
    method: str,
    params: tuple[str, ...],
    columns: str,
    identifier: str | None,
    output: Path,
    seed: int,
    jobs: int | None,
) -> None:
    """List the K nearest rows of every row of TABLE (CSV, TSV, Parquet or NPY).

    OUTPUT (Parquet, CSV or TSV) has one line per pair: id, rank, neighbor, distance, and for
    forests proximity = 1 - distance, the share of trees in which both lie in one leaf. Equally
    near rows stand in a random order that --seed fixes. Rows are numbered from 0 without --id.
    """
    if output.suffix.lower() not in {".parquet", ".csv", ".tsv"}:
        raise DataError(f"{output}: the output is .parquet, .csv or .tsv, not {output.suffix!r}")
    if output.parent != Path() and not output.parent.is_dir():
        raise DataError(f"{output}: there is no folder {output.parent}")
    names = [name.strip() for name in columns.split(",") if name.strip()]
    given = method_parameters(method, params, "neighbors")
    data = read_table(table, names, identifier)
    for note in data.notes:
        click.echo(note, err=True)
    n = len(data.points)
    if not 1 <= k <= n - 1:
        raise DataError(f"-k {k}: {table} has {n} rows, so that 1 to {n - 1} are possible")
    if method == "geodesic_forest" and n > _MANY_ROWS and "max_search" not in given:
        given["max_search"] = _SEARCH
        click.echo(
            f"{n} rows: nodes of more than {_SEARCH} rows choose their cut on that many of them "
            "(--param max_search=null: on all)",
            err=True,
        )
    fitted = _built(method, given, seed, jobs)
    with watching(), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        distances, indices = _nearest(fitted, data.points, k, seed)
    for warning in heard:
        if issubclass(warning.category, UserWarning):
            click.echo(f"Note: {warning.message}", err=True)
    _write(output, data, distances, indices, forest=hasattr(fitted, "proximity"))
    click.echo(f"{n} rows, {len(data.columns)} columns, {k} neighbours each: {output}")


def method_parameters(method: str, params: tuple[str, ...], kind: str) -> dict[str, Any]:
    """Validate NAME=VALUE pairs against a method's parameters.

    Raises
    ------
    UserError
        For a method that is unknown or of another kind, or a parameter that is wrong.
    """
    fitting = [name for name, entry in METHODS.items() if entry.extra.get("kind") == kind]
    if method not in fitting:
        raise UserError(f"--method: {unknown('method', method, fitting)}")
    model = parameter_model(METHODS[method].load())
    given: dict[str, Any] = {}
    for pair in params:
        name, equals, value = pair.partition("=")
        if not equals:
            raise UserError(f"--param {pair}: a parameter is NAME=VALUE, such as n_estimators=500")
        if name not in model.model_fields:
            raise UserError(f"--param {pair}: {unknown('parameter', name, model.model_fields)}")
        given[name] = parse(value, f"--param {pair}").data
    try:
        model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        allowed = describe(annotation_at(model, (name,))) if name else ""
        rule = f"must be {allowed}" if allowed else first["msg"]
        raise UserError(f"--param {name}={given.get(name)}: {name} {rule}") from None
    return given


def _built(method: str, given: dict[str, Any], seed: int, jobs: int | None) -> Any:
    cls = METHODS[method].load()
    accepted = inspect.signature(cls).parameters
    if "random_state" in accepted:
        given = {**given, "random_state": seed}
    if "n_jobs" in accepted:
        given = {**given, "n_jobs": jobs or -1}
    return cls(**given)


def _nearest(
    method: Any, points: npt.NDArray[Any], k: int, seed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    if hasattr(method, "kneighbors"):
        found: tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]
        found = method.fit(points).kneighbors(k)
        return found
    from geoforest_cli.forests.proximity import require_memory

    require_memory(len(points), _BYTES_PER_PAIR)
    matrix = method.fit(points).distances()
    indices = rank_neighbors(matrix, k, "random", np.random.default_rng(seed))
    return np.take_along_axis(matrix, indices, axis=1), indices


def _write(
    output: Path,
    data: UserTable,
    distances: npt.NDArray[np.float64],
    indices: npt.NDArray[np.int64],
    *,
    forest: bool,
) -> None:
    ids = pd.Series(data.ids)
    n, k = indices.shape
    writer = _Writer(output)
    with writer:
        for start in range(0, n, _BLOCK):
            part = slice(start, min(start + _BLOCK, n))
            size = part.stop - start
            block = pd.DataFrame(
                {
                    "id": np.repeat(ids.iloc[part].to_numpy(), k),
                    "rank": np.tile(np.arange(1, k + 1), size),
                    "neighbor": ids.to_numpy()[indices[part].ravel()],
                    "distance": distances[part].ravel(),
                }
            )
            if forest:
                block["proximity"] = 1.0 - block["distance"]
            writer.add(block)


class _Writer:
    """Writes blocks of one table to a file that appears only when it is whole."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self._part = output.with_name(f".{output.name}.part")
        self._parquet: Any = None
        self._first = True

    def __enter__(self) -> _Writer:
        return self

    def add(self, block: pd.DataFrame) -> None:
        """Append a block."""
        if self._output.suffix.lower() == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            table = pa.Table.from_pandas(block, preserve_index=False)
            if self._parquet is None:
                self._parquet = pq.ParquetWriter(self._part, table.schema)
            self._parquet.write_table(table)
        else:
            separator = "\t" if self._output.suffix.lower() == ".tsv" else ","
            block.to_csv(
                self._part,
                sep=separator,
                index=False,
                mode="w" if self._first else "a",
                header=self._first,
            )
        self._first = False

    def __exit__(self, kind: object, *rest: object) -> None:
        if self._parquet is not None:
            self._parquet.close()
        if kind is None:
            self._part.replace(self._output)
        else:
            self._part.unlink(missing_ok=True)
