"""A small experiment and config on disk, for tests of the config layer."""

import textwrap

import pytest

EXPERIMENT = '''
"""A toy protocol."""
from typing import Annotated
from pydantic import AfterValidator, Field
from geoforest_cli.config.schema import Model
from geoforest_cli.manifolds import MANIFOLDS

VERSION = 1
KIND = "neighbors"
INNER = ("k",)

class Params(Model):
    manifold: Annotated[str, AfterValidator(MANIFOLDS.check)]
    n: Annotated[int, Field(ge=4)] = 50
    noise: float = 1.0
    k: tuple[Annotated[int, Field(ge=1)], ...] = (5,)

class FigureOptions(Model):
    x: str = "k"

def run_cell(task):
    return []

def draw(context):
    raise AssertionError
'''

CONFIG = """
title: a toy
experiment: toy
seed: 3
repetitions: 2
params: {n: 20}
grid:
  manifold: [helix, linear]
  noise: [0, 1.5]
  k: [5, 10]
methods:
  gf:
    use: geodesic_forest
    params: {n_estimators: 10}
    variants:
      recommended:
        params: {min_parent: 20}
        cases:
          - when: {noise: [1.5]}
            params: {n_estimators: 30}
            repetitions: 1
      as_run: {params: {criterion: fast_bic_legacy}}
  euclidean:
    variants: {as_written: {}, as_run: {}}
profiles:
  smoke:
    repetitions: 1
    grid: {noise: [0]}
    methods: {gf: {params: {n_estimators: 2}}}
  tiny:
    leave_out: [gf]
"""


@pytest.fixture
def write(tmp_path):
    """Write the toy experiment and a config with some text replaced; return its path."""

    def make(*replacements, name="toy_config.yaml", experiment=EXPERIMENT):
        (tmp_path / "toy.py").write_text(textwrap.dedent(experiment))
        text = CONFIG
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new, 1)
        path = tmp_path / name
        path.write_text(text)
        return path

    return make


@pytest.fixture
def toy(write):
    """The toy config as it stands."""
    return write()
