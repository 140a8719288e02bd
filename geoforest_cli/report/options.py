"""What a config's figure section can say; without matplotlib, which cells have no use for."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["Boxes", "Curves", "compact"]

_WORDS = {
    "as_run": "as run",
    "as_written": "as written",
    "bayes_error": "Bayes error",
    "gaussian_mixture": "Gaussian mixture",
    "k": "k",
}


def compact(value: Any) -> str:
    """A number as a short tick label.

    Examples
    --------
    >>> [compact(v) for v in (0, 50, 1000, 2500, 10000, 0.25, "helix")]
    ['0', '50', '1k', '2.5k', '10k', '0.25', 'helix']
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if abs(value) >= size and value % (size // 10) == 0:
            return f"{value / size:g}{letter}"
    if 0 < abs(value) < 0.001:
        return f"{value:.0e}".replace("e-0", "e-")
    return f"{value:g}"


class Curves(BaseModel):
    """What to draw. Also usable as an experiment's ``FigureOptions``.

    Parameters
    ----------
    x : str
        Grid column along the horizontal axis.
    y : tuple of str
        Metrics; several need ``rows`` or ``columns`` to be "metric".
    x_metric : str, optional
        Draw ``y`` against this metric instead, the points joined in the order of ``x`` (a
        precision-recall curve).
    columns, rows : str, optional
        Facets: a grid column, or "metric", "method", "variant", or "sample" (cells on the sample
        of the authors' programs apart from those on the sample of the text).
    where : mapping
        Column -> value or values to keep.
    scale : {"category", "linear", "log", "symlog"}
        "category" spaces the values of ``x`` evenly, whatever they are.
    y_scale : {"linear", "log"}
    x_label, y_label, labels, limits
        Words for the axes, words for facet values and metrics, limits of the vertical axis
        (by default 0 to 1 if all values lie there).
    chance : str, optional
        Metric drawn as a dotted grey line.
    published : bool
        Draw published values.
    width, row_height : float
        Inches.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    x: str
    y: tuple[str, ...]
    x_metric: str | None = None
    columns: str | None = None
    rows: str | None = None
    where: dict[str, Any] = {}
    scale: Literal["category", "linear", "log", "symlog"] = "category"
    y_scale: Literal["linear", "log"] = "linear"
    x_label: str = ""
    y_label: str = ""
    labels: dict[str, str] = {}
    limits: tuple[float, float] | None = None
    chance: str | None = "chance"
    published: bool = True
    width: float = 7.0
    row_height: float = 1.75

    def word(self, value: Any) -> str:
        """What a value is called in the figure."""
        text = compact(value)
        return self.labels.get(str(value), _WORDS.get(text, text.replace("_", " ")))


class Boxes(BaseModel):
    """What to draw. Also usable as an experiment's ``FigureOptions``.

    Parameters
    ----------
    y : str
        Metric.
    columns : str, optional
        Grid column whose values make panels.
    where : mapping
        Column -> value or values to keep.
    y_label : str
    labels : mapping
        Words for panel titles.
    width, height : float
        Inches.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    y: str
    columns: str | None = None
    where: dict[str, Any] = {}
    y_label: str = ""
    labels: dict[str, str] = {}
    width: float = 7.0
    height: float = 2.8
