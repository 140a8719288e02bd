"""What several tests of tables share."""

import os
import signal
import sys
from dataclasses import fields

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import options
from geoforest_cli.tables.cleaning import CleanOptions
from geoforest_cli.tables.dialect import ReadingOptions
from geoforest_cli.tables.memory import memory_of_caller
from geoforest_cli.tables.messages import as_argument, max_names


def read_table(table, columns=(), identifier=None, *, images=False, **given):
    """Read a table; reading and cleaning options are given alike."""
    names = [field.name for field in fields(ReadingOptions) if field.name in given]
    reading = ReadingOptions(**{name: given.pop(name) for name in names})
    clean = CleanOptions(columns=columns, identifier=identifier, **given)
    return options.read_table(table, clean, reading, images=images)


def abort(path, option):
    """What a parser in C does with what it has not thought of."""
    os.write(2, b"memory allocation of 549755813888 bytes failed\nmore\n")
    os.abort()


def overrun(path, option):
    os.kill(os.getpid(), signal.SIGSEGV)


def take_all(path, option):
    return bytearray(1 << 62)


def leave(path, option):
    sys.exit(3)


def ask(path, option):
    raise DataError(f"{path}: {as_argument('sheet', option)}")


def tell(path, option):
    return path, option, memory_of_caller.get(), max_names.get()
