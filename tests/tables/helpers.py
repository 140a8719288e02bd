"""What several tests of tables share."""

from geoforest_cli.tables import options
from geoforest_cli.tables.cleaning import CleanOptions
from geoforest_cli.tables.dialect import ReadingOptions


def read_table(table, columns=(), identifier=None, *, images=False, **given):
    """Read a table; reading and cleaning options are given alike."""
    reading = {name: given.pop(name) for name in ReadingOptions.__annotations__ if name in given}
    clean = CleanOptions(columns=columns, identifier=identifier, **given)
    return options.read_table(table, clean, images=images, **reading)
