"""Published numbers, carried as data with their source, in the form of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from pydantic import BaseModel, ConfigDict, ValidationError

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.claims.validation import Problem, problems_of
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.frames import each_of, plain, within

if TYPE_CHECKING:
    from geoforest_cli.study.plan.cells import Plan

__all__ = ["Spec", "checker", "load", "own_table", "sources", "table", "within"]

Target = str | dict[str, Any]
_RESERVED = ("method", "variant", "metric")
_NO_GRID = (*_RESERVED, "value", "source", "artifact")
_DEFAULTS = {"variant": "recommended", "source": ""}  # of a file of the user's own
_COLUMNS = ["method", "variant", "repetition", "metric", "value", "status", "cell", "source"]


class Spec(BaseModel):
    """Published numbers of a config, and the mapping of their names onto ours.

    A target is a name, or a mapping of any of ``method``, ``variant``, ``metric`` and grid
    columns to what they shall be; so that ``"k=50": {k: 50}`` turns a published variant into a
    grid value, and ``gf/two_means: gf_two_means`` a published method and variant into a method.

    Parameters
    ----------
    source : str
        Name of a table, as `sources` lists them; or a file of your own, a path from the config's
        folder that ends in .csv, with the columns method, metric and value, perhaps variant (by
        default "recommended") and source, and columns of the grid.
    artifact : str, optional
        The figure or table in it; a file of your own needs none.
    where : mapping
        Published column -> value or values to keep.
    methods : mapping, optional
        Published method, or "method/variant" -> our method. Others are left out. By default the
        names are the same.
    metrics : mapping, optional
        Published metric -> ours. Others are left out. By default the names are the same.
    variants : mapping, optional
        Published variant -> our variant. Others are left out. By default all are ``as_run``, and in
        a file of your own what the file says.
    columns : mapping
        Published column -> our grid column; the name in ``x_name`` stands for ``x``. In a file of
        your own columns have the names of the grid's by default.
    values : mapping
        Published column -> {published value: our value}.
    fixed : mapping
        Grid columns that are the same for all.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    artifact: str | None = None
    where: Mapping[str, Any] = {}
    methods: Mapping[str, Target] | None = None
    metrics: Mapping[str, Target] | None = None
    variants: Mapping[str, Target] | None = None
    columns: Mapping[str, str] = {}
    values: Mapping[str, Mapping[str | int | float, Any]] = {}
    fixed: Mapping[str, Any] = {}

    @property
    def of_user(self) -> bool:
        """True where the source is a file of the user's own."""
        return self.source.endswith(".csv")

    def grid_columns(self, names: Iterable[str]) -> Mapping[str, str]:
        """Return which of some published columns are which of the grid's."""
        default = {name: name for name in names if name not in _NO_GRID} if self.of_user else {}
        return self.columns or default


def sources() -> list[str]:
    """The names of the tables of published numbers."""
    folder = resources.files(__package__) / "published"
    return sorted(f.name.removesuffix(".csv") for f in folder.iterdir() if f.name.endswith(".csv"))


@cache
def table(source: str) -> pd.DataFrame:
    """All published numbers of one paper.

    Returns
    -------
    pandas.DataFrame
        Columns paper, artifact, setting, method, variant, x_name, x, metric, value, n, source,
        note.

    Raises
    ------
    UserError
        If there is no such table.

    Examples
    --------
    >>> len(table("geodesic_forests"))
    758
    """
    if source not in sources():
        raise UserError(suggestions.unknown("source of published values", source, sources()))
    with (resources.files(__package__) / "published" / f"{source}.csv").open("rb") as file:
        return pd.read_csv(file, keep_default_na=False, na_values={"x": [""], "n": [""]})


def own_table(source: str, folders: Sequence[Path]) -> pd.DataFrame:
    """Return the published numbers of a file of the user's own.

    Parameters
    ----------
    source : str
        A path from one of the folders.
    folders : sequence of Path
        Of the config, then of what it extends.

    Raises
    ------
    UserError
        If there is no such file, or it lacks a column or a number.
    """
    path = next((folder / source for folder in folders if (folder / source).is_file()), None)
    if path is None:
        raise UserError(f"there is no file {source} beside the config")
    try:
        frame = pd.read_csv(path, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise UserError(f"{source} cannot be read as CSV: {error}") from None
    for name in ("method", "metric", "value"):
        if name not in frame:
            raise UserError(f"{source} has no column {name!r}")
    numbers = pd.to_numeric(frame["value"], errors="coerce")
    for index in frame.index[numbers.isna()][:1]:
        value = frame["value"][index]
        raise UserError(f"{source}:{index + 2}: the value must be a number, not {value!r}")
    return frame.assign(value=numbers, **{n: d for n, d in _DEFAULTS.items() if n not in frame})


def load(specs: Iterable[Mapping[str, Any]], folders: Sequence[Path] = ()) -> pd.DataFrame:
    """Published numbers in the form of rows.

    Parameters
    ----------
    specs : iterable of mappings
        The ``published`` section of a config, see `Spec`.
    folders : sequence of Path
        Where files of the user's own are looked for.

    Returns
    -------
    pandas.DataFrame
        Grid columns, then method, variant, repetition (0), metric, value, status, cell (empty)
        and source.

    Examples
    --------
    >>> rows = load([{
    ...     "source": "geodesic_forests", "artifact": "fig4_top", "methods": {"gf": "gf"},
    ...     "metrics": {"precision_at_50": {"metric": "precision", "k": 50}},
    ...     "columns": {"setting": "manifold", "noise_dims": "noise_dims"},
    ... }])
    >>> rows.loc[0, ["manifold", "method", "variant", "metric"]].tolist()
    ['linear', 'gf', 'as_run', 'precision']
    >>> float(rows.loc[0, "value"])
    0.8111
    """
    rows = [row for spec in specs for row in _rows(Spec.model_validate(dict(spec)), folders)]
    grid = [n for n in dict.fromkeys(key for row in rows for key in row) if n not in _COLUMNS]
    return pd.DataFrame(rows, columns=[*grid, *_COLUMNS])


def _rows(spec: Spec, folders: Sequence[Path]) -> list[dict[str, Any]]:
    rows = (_row(spec, record) for record in _records(spec, folders))
    return [row for row in rows if row is not None]


def _table(spec: Spec, folders: Sequence[Path]) -> pd.DataFrame:
    return own_table(spec.source, folders) if spec.of_user else table(spec.source)


def _records(spec: Spec, folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    frame = _table(spec, folders)
    if spec.artifact is not None:
        frame = frame[frame["artifact"] == spec.artifact]
    for record in frame.to_dict("records"):
        named = {str(name): plain(value) for name, value in record.items()}
        if not spec.of_user:
            named[str(named["x_name"])] = named["x"]
        if all(named.get(name) in each_of(allowed) for name, allowed in spec.where.items()):
            yield named


def _row(spec: Spec, record: Mapping[str, Any]) -> dict[str, Any] | None:
    method, variant, metric = (str(record[name]) for name in _RESERVED)
    both = f"{method}/{variant}"
    targets = (
        ("method", spec.methods, both if both in (spec.methods or {}) else method),
        ("variant", spec.variants, variant),
        ("metric", spec.metrics, metric),
    )
    row: dict[str, Any] = {**spec.fixed, "method": method, "metric": metric}
    row["variant"] = variant if spec.of_user else "as_run"
    for name, mapping, key in targets:
        if mapping is not None and key not in mapping:
            return None
        row |= _target({name: row[name]} if mapping is None else mapping[key], name)
    for name, column in spec.grid_columns(record).items():
        if name in record:
            value = record[name]
            row[column] = spec.values.get(name, {}).get(value, value)
    artifact = f" {spec.artifact}" if spec.artifact else ""
    source = f"{spec.source}{artifact}: {record['source'] or 'its values'}"
    rest = {"repetition": 0, "value": record["value"], "status": "ok", "cell": ""}
    return {**row, **rest, "source": source}


def _target(target: Target, name: str) -> Mapping[str, Any]:
    return target if isinstance(target, Mapping) else {name: target}


def checker(plan: Plan) -> Iterator[Problem]:
    """Find what is wrong with the ``published`` section of a config.

    Parameters
    ----------
    plan : Plan

    Yields
    ------
    tuple
        Where, as a path into the config, and a sentence.
    """
    config = plan.config
    for index, raw in enumerate(config.published):
        at = ("published", index)
        try:
            spec = Spec.model_validate(dict(raw))
        except ValidationError as error:
            yield from problems_of(error, at, Spec)
            continue
        problems = [((*at, *location), message) for location, message in _problems(spec, plan)]
        yield from problems
        if not problems:
            yield from _clashes(_rows(spec, plan.folders), at)


def _problems(spec: Spec, plan: Plan) -> Iterator[Problem]:
    try:
        frame = _table(spec, plan.folders)
    except UserError as error:
        yield ("source",), str(error)
        return
    artifacts = list(dict.fromkeys(frame["artifact"])) if "artifact" in frame else []
    if spec.artifact is None and not spec.of_user:
        yield (), f"'artifact' is missing (known: {', '.join(artifacts)})"
    elif spec.artifact is not None and spec.artifact not in artifacts:
        yield ("artifact",), suggestions.unknown("artifact", spec.artifact, artifacts)
    else:
        yield from _mistakes(spec, list(_records(spec, plan.folders)), plan.config)


def _mistakes(spec: Spec, records: list[dict[str, Any]], config: Config) -> Iterator[Problem]:
    columns = list(dict.fromkeys(name for record in records for name in record))
    for section in ("where", "columns", "values"):
        for name in getattr(spec, section):
            if name not in columns:
                yield (section, name), suggestions.unknown("published column", name, columns)
    published = {name: {str(record[name]) for record in records} for name in _RESERVED}
    published["method"] |= {f"{r['method']}/{r['variant']}" for r in records}
    for name, values in published.items():
        section = f"{name}s"
        for key, target in (getattr(spec, section) or {}).items():
            if key not in values:
                message = suggestions.unknown(f"published {name}", key, sorted(values))
                yield (section, key), message
            yield from _unknown_targets(_target(target, name), (section, key), config)
    used = {("columns", name): column for name, column in spec.grid_columns(columns).items()}
    used |= {("fixed", column): column for column in spec.fixed}
    for at, column in used.items():
        if column not in config.grid:
            yield at, suggestions.unknown("grid parameter", column, config.grid)


def _unknown_targets(
    target: Mapping[str, Any], at: tuple[str, ...], config: Config
) -> Iterator[Problem]:
    names = [*_RESERVED, *config.grid]
    for column, value in target.items():
        if column == "method" and value not in config.methods:
            yield at, suggestions.unknown("method", str(value), config.methods)
        elif column not in names:
            yield (*at, column), suggestions.unknown("grid parameter", column, names)


def _clashes(rows: list[dict[str, Any]], at: tuple[str | int, ...]) -> Iterator[Problem]:
    rest = ("value", "source")
    keys = [tuple((k, v) for k, v in row.items() if k not in rest) for row in rows]
    if not keys:
        yield at, "no published value is left by this selection"
        return
    key, times = Counter(keys).most_common(1)[0]
    if times > 1:
        point = ", ".join(f"{k} {v}" for k, v in key if k not in ("repetition", "status", "cell"))
        sentence = (
            f"{times} published values fall on one point ({point}); map 'setting', 'variant' "
            "or 'x' to a grid column, or choose among them with 'where'"
        )
        yield at, sentence
