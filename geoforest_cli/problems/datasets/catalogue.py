"""The data sets: URLs, hashes, licences and what to cite, read from catalogue.yaml."""

from __future__ import annotations

from pathlib import Path

import yaml

from geoforest_cli.problems.datasets.files import Dataset, File

__all__ = ["CATALOGUE"]


def _read(path: Path) -> dict[str, Dataset]:
    """Return the data sets of a file by name."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {
        name: Dataset(
            name=name, **entry | {"files": tuple(File(**file) for file in entry["files"])}
        )
        for name, entry in content.items()
    }


CATALOGUE = _read(Path(__file__).with_suffix(".yaml"))
