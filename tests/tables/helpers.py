"""Tables that several tests share."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd

from geoforest_cli.tables import options
from geoforest_cli.tables.cleaning import CleanOptions
from geoforest_cli.tables.dialect import ReadingOptions
from geoforest_cli.tables.figures.colors import MapColors, RowMap, map_colors

INPUTS = Path(__file__).parents[1] / "inputs"


def read_table(table, columns=(), identifier=None, *, images=False, **given):
    """Read a table; reading and cleaning options are given alike."""
    names = [field.name for field in fields(ReadingOptions) if field.name in given]
    reading = ReadingOptions(**{name: given.pop(name) for name in names})
    clean = CleanOptions(columns=columns, identifier=identifier, **given)
    return options.read_table(table, clean, reading, images=images)


def map_of(values=None, n=60, *, label=True, ids=None, title="a title", places=None):
    """Return a map of rows at random places; values are repeated until each row has one."""
    places = np.random.default_rng(0).normal(size=(n, 2)) if places is None else np.array(places)
    colors = MapColors(texts=[""] * len(places))
    if values is not None:
        column = pd.Series(np.resize(np.array(values, object), len(places)), name="kind")
        colors = map_colors(column.infer_objects(), label=label)
    ids = pd.Series(range(len(places))) if ids is None else pd.Series(ids, name="id", dtype=object)
    return RowMap(title, "a caption", ids, places, colors)
