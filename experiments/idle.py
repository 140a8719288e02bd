"""Cells that do nothing: what is left is what the engine itself costs."""

from geoforest_cli.study.experiment import Experiment, Params, Row, Task


class IdleParams(Params):
    """Two numbers that tell the cells apart."""

    a: int = 0
    b: int = 0


class Idle(Experiment[IdleParams]):
    """Return at once."""

    methods = ("neighbors",)
    yields = ("nothing",)

    def run_cell(self, task: Task[IdleParams]) -> list[Row]:
        """Return one row."""
        return [Row("nothing", 0.0)]
