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


def where(entry):
    """Return what tells an entry from the others of its plan."""
    return (entry.method, entry.variant, *entry.point.values(), entry.repetition)


def keys(plan):
    """The key at every place."""
    cell_keys = {where(entry): entry.cell.key for entry in plan.entries}
    assert len(cell_keys) == len(plan.entries)
    return cell_keys


def moved(before, after):
    """The places of two plans with the same places whose keys differ."""
    old, new = keys(before), keys(after)
    assert old.keys() == new.keys()
    return {at for at in old if old[at] != new[at]}


def task_of(entry, plan):
    """Return what the experiment is given at an entry."""
    with user_modules.searched_in(*entry.cell.setting.folders):
        return entry.cell.task(entry.inner, plan.experiment)


def seeds(plan):
    """The seeds at every place."""
    by_entry = {}
    for entry in plan.entries:
        task = task_of(entry, plan)
        by_entry[where(entry)] = {
            "sample": task.sample_seed,
            "method": task.method_seed,
            "metric": task.metric_seed,
            "repetition": task.repetition_seed,
        }
    return by_entry
