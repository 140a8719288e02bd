"""What several tests of tables share."""

from dataclasses import fields

from geoforest_cli.tables import options
from geoforest_cli.tables.cleaning import CleanOptions
from geoforest_cli.tables.dialect import ReadingOptions


def read_table(table, columns=(), identifier=None, *, images=False, **given):
    """Read a table; reading and cleaning options are given alike."""
    names = [field.name for field in fields(ReadingOptions) if field.name in given]
    reading = ReadingOptions(**{name: given.pop(name) for name in names})
    clean = CleanOptions(columns=columns, identifier=identifier, **given)
    return options.read_table(table, clean, reading, images=images)
