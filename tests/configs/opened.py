"""The shipped configs, each opened once per process."""

import functools
from pathlib import Path

from geoforest_cli.study.config.loading import open_config

CONFIGS = Path(__file__).parents[2] / "configs"
NAMES = sorted(path.stem for path in CONFIGS.glob("*.yaml"))


@functools.cache
def config(name, profile="paper"):
    """A config of the project, for what does not change it."""
    return open_config(CONFIGS / f"{name}.yaml", profile).config
