"""``geoforest data``: list, fetch and verify the real data sets."""

from __future__ import annotations

import click

from geoforest_cli.cli.output import print_table, say
from geoforest_cli.core.errors import DataError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.problems.datasets import CATALOGUE
from geoforest_cli.problems.datasets.files import Dataset, data_folder, locate
from geoforest_cli.problems.datasets.files import fetch as fetch_files

__all__ = ["data"]


@click.group()
def data() -> None:
    """List, fetch and verify the real data sets.

    They are downloaded from their public addresses into the user's cache; GEOFOREST_DATA
    names a folder, with one subfolder per set, that is used instead.
    """


def _select_datasets(names: tuple[str, ...], *, everything: bool) -> list[Dataset]:
    if everything:
        return list(CATALOGUE.values())
    if not names:
        raise click.UsageError("name a data set, or --all")
    for name in names:
        if name not in CATALOGUE:
            raise DataError(unknown("data set", name, CATALOGUE))
    return [CATALOGUE[name] for name in names]


@data.command(name="list")
def list_() -> None:
    """List all data sets: whether they are here, their licences, what they are, what needs them."""
    rows = []
    for name, dataset in CATALOGUE.items():
        here = all((data_folder(dataset) / file.name).is_file() for file in dataset.files)
        about = f"{dataset.about} ({dataset.used_for})"
        rows.append([name, "yes" if here else "no", dataset.licence, about])
    print_table(["name", "here", "licence", "what (what needs it)"], rows)


@data.command()
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All data sets.")
def fetch(*, names: tuple[str, ...], everything: bool) -> None:
    """Download the data sets NAMES; what is here already is kept."""
    for dataset in _select_datasets(names, everything=everything):
        say(f"{dataset.name}: licence {dataset.licence}; cite {dataset.cite}")
        for path in fetch_files(dataset):
            say(f"  {path}")


@data.command()
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All data sets.")
def verify(*, names: tuple[str, ...], everything: bool) -> None:
    """Compare the files of NAMES with their known hashes; exit with 2 if one is wrong."""
    wrong = []
    for dataset in _select_datasets(names, everything=everything):
        for file in dataset.files:
            try:
                say(f"ok  {locate(dataset, file)}")
            except DataError as error:
                wrong.append(str(error))
    if wrong:
        raise DataError("\n".join(wrong))
