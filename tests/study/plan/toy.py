"""A toy experiment and config as text, and what tests ask of its plans."""

from geoforest_cli.core import user_modules

EXPERIMENT = '''"""A toy protocol."""

from typing import Annotated

from pydantic import Field

from geoforest_cli.study.experiment import (
    Count, Experiment, Inner, ManifoldName, Model, Params, Row, drawing,
)


class ToyFigure(Model):
    x: str = "k"


class ToyParams(Params):
    manifold: ManifoldName
    n: Annotated[int, Field(ge=4)] = 50
    noise: float = 1.0
    k: Inner[Count] = (5,)


class Toy(Experiment[ToyParams]):
    """Halves."""

    methods = ("neighbors",)
    yields = ("half",)
    figure = ToyFigure

    def run_cell(self, task):
        """Halve."""
        return [Row("half", task.params.n / 2 * k, k=k) for k in task.params.k]

    def draw(self, context):
        raise AssertionError
'''

CONFIG = """
title: a toy
experiment: ./toy.py
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


def edited(text, *replacements):
    """A text with some of it replaced; what is replaced must be there."""
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text


def where(place):
    """What tells a place from the others of its plan."""
    return (place.method, place.variant, *place.point.values(), place.repetition)


def keys(plan):
    """The key at every place."""
    found = {where(place): place.cell.key for place in plan.entries}
    assert len(found) == len(plan.entries)
    return found


def moved(before, after):
    """The places of two plans with the same places whose keys differ."""
    old, new = keys(before), keys(after)
    assert old.keys() == new.keys()
    return {one for one in old if old[one] != new[one]}


def task_of(place, plan):
    """What the experiment is given at a place."""
    with user_modules.searched_in(*place.cell.setting.folders):
        return place.cell.task(place.inner, plan.experiment)


def seeds(plan):
    """The seeds at every place."""
    found = {}
    for place in plan.entries:
        task = task_of(place, plan)
        found[where(place)] = {
            "sample": task.sample_seed,
            "method": task.method_seed,
            "metric": task.metric_seed,
            "repetition": task.repetition_seed,
        }
    return found
