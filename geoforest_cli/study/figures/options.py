"""Options of a config's figure section; without matplotlib, which cells have no use for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = [
    "METHOD_LABELS", "VARIANT_WORDS", "Boxes", "Curves", "Limits", "Range", "Scale", "Scatter",
    "compact", "fill_in", "natural", "prose", "word",
]  # fmt: skip

Scale: TypeAlias = Literal["linear", "log"]
Limits: TypeAlias = tuple[float, float]
Range: TypeAlias = tuple[float | None, float | None]

VARIANT_WORDS = {"as_run": "as run", "as_written": "as written"}
_TABLES = yaml.safe_load(Path(__file__).with_name("words.yaml").read_text("utf-8"))
METHOD_LABELS: dict[str, str] = _TABLES["methods"]
_WORDS: dict[str, str] = _TABLES["values"]
_RANGES: dict[str, Range] = {
    name: tuple(kind["range"]) for kind in _TABLES["metrics"] for name in kind["names"].split()
}


def natural(metric: str) -> Range:
    """The smallest and largest value that a metric can have; None where it is not known.

    Examples
    --------
    >>> natural("precision"), natural("fit_seconds"), natural("log_likelihood")
    ((0.0, 1.0), (0.0, None), (None, None))
    """
    return _RANGES.get(metric, (None, None))


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


def word(value: Any, labels: Mapping[str, str]) -> str:
    """Return a value in words for a figure: as `labels` has it, or a plain form of itself.

    Examples
    --------
    >>> word("gaussian_mixture", {}), word(2500, {}), word(4, {"4": "four"})
    ('Gaussian mixture', '2.5k', 'four')
    """
    text = compact(value)
    return labels.get(str(value), _WORDS.get(text, text.replace("_", " ")))


def prose(value: Any) -> str:
    """Return what a value or a column is called in a sentence: whole numbers are not shortened.

    Examples
    --------
    >>> prose("noise_dims"), prose(10000), prose("as_run")
    ('noise columns', '10,000', 'as run')
    """
    return f"{value:,}" if type(value) is int else word(value, {})


def fill_in(text: str, where: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Replace ``{name}`` in a label by the value of a parameter, or by its name if it has several.

    Parameters
    ----------
    text : str
    where : mapping
        The figure's filters: column -> value or values.
    defaults : mapping
        Parameter -> value or values, of the whole config.

    Examples
    --------
    >>> fill_in("precision at k = {k}", {}, {"k": (50,)})
    'precision at k = 50'
    >>> fill_in("precision at {k}", {"n": 1000}, {"k": (50, 100)})
    'precision at k'
    """
    all_values = {**defaults, **where}

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name not in all_values:
            return match[0]
        given = all_values[name]
        values = list(given) if isinstance(given, list | tuple) else [given]
        return compact(values[0]) if len(values) == 1 else name

    return re.sub(r"\{(\w+)\}", value, text)


class Curves(BaseModel):
    """Options of curves. Also usable as the ``figure`` of an experiment.

    Parameters
    ----------
    x : str
        Grid column along the horizontal axis.
    y : tuple of str
        Metrics; several need ``rows`` or ``columns`` to be "metric".
    kind : {"lines", "heat"}
        "heat" draws cells of methods x values of ``x`` with their numbers instead of lines: for
        more methods than lines can distinguish. Intervals are in the summary then.
    lines : str, optional
        Grid column whose values make the lines, from dark to light, or the rows of a heat map,
        instead of the methods; ``where`` must name one method, unless each has a panel.
    columns, rows : str, optional
        Facets: a grid column, or "metric", "method", "variant", or "sample" (cells on the sample
        of the authors' programs apart from those on the sample of the text). Six columns and more
        without rows stand in several rows of at most four.
    where : mapping
        Column -> value or values to keep.
    scale : {"category", "linear", "log"}
        "category" spaces the values of ``x`` evenly, whatever they are.
    y_scale : {"linear", "log"}, or mapping from metrics to these
        On a logarithmic axis means are geometric and intervals those of the logarithms.
    x_label, y_label, labels
        Words for the axes, words for facet values and metrics. In those for the axes ``{k}`` is
        the value of k, if the figure shows only one.
    chance : str, or mapping from metrics to these, optional
        Metric whose mean is drawn as a thin grey line beside every ``y``, or each its own.
    levels : mapping
        Metric -> {words for the legend: value}: constant thin lines.
    published : bool
        Draw published values.
    width, row_height : float
        Inches.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    x: str
    y: tuple[str, ...]
    kind: Literal["lines", "heat"] = "lines"
    lines: str | None = None
    columns: str | None = None
    rows: str | None = None
    where: dict[str, Any] = {}
    scale: Literal["category", "linear", "log"] = "category"
    y_scale: Scale | dict[str, Scale] = "linear"
    x_label: str = ""
    y_label: str = ""
    labels: dict[str, str] = {}
    chance: str | dict[str, str] | None = "chance"
    levels: dict[str, dict[str, float]] = {}
    published: bool = True
    width: float = 7.0
    row_height: float = 1.75

    @model_validator(mode="after")
    def _one_method(self) -> Self:
        apart = "method" in (self.rows, self.columns)
        if self.lines and not apart and not isinstance(self.where.get("method"), str):
            raise ValueError(
                f"lines: {self.lines} draws one method, and where says none: "
                "where: {method: NAME, ...}"
            )
        return self

    def filled(self, defaults: Mapping[str, Any]) -> Self:
        """The same with the values of parameters in the labels of the axes; see `fill_in`."""
        labels = ("x_label", "y_label")
        return self.model_copy(
            update={name: fill_in(getattr(self, name), self.where, defaults) for name in labels}
        )

    def word(self, value: Any) -> str:
        """Return a value in the figure's words."""
        return word(value, self.labels)

    def scale_of(self, metric: str) -> Scale:
        """The scale of a metric's axis."""
        return (
            self.y_scale.get(metric, "linear") if isinstance(self.y_scale, dict) else self.y_scale
        )

    def range_of(self, metric: str, values: Iterable[float] = ()) -> Range:
        """The smallest and largest value that a metric can have.

        An end that one of the values goes beyond is none: an experiment that a user wrote may
        mean something else by a name.
        """
        low, high = natural(metric)
        seen = list(values)
        return (
            None if low is None or min(seen, default=low) < low else low,
            None if high is None or max(seen, default=high) > high else high,
        )

    def chance_of(self, metric: str) -> str | None:
        """The metric that says what chance makes of a metric."""
        return self.chance.get(metric) if isinstance(self.chance, dict) else self.chance


class Boxes(BaseModel):
    """Options of boxes. Also usable as the ``figure`` of an experiment.

    Parameters
    ----------
    y : str
        Metric.
    columns : str, optional
        Grid column whose values make panels, or "variant"; the vertical axis of variants is one.
    where : mapping
        Column -> value or values to keep.
    y_label : str
    labels : mapping
        Words for panel titles.
    width : float
        Inches.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    y: str
    columns: str | None = None
    where: dict[str, Any] = {}
    y_label: str = ""
    labels: dict[str, str] = {}
    width: float = 7.0


class Scatter(BaseModel):
    """Options of points in the plane. Also usable as the ``figure`` of an experiment.

    A cell yields the place of a point as two metrics, x and y, each with the point's number and
    the name of its group in the columns "point" and "group" of `detail`. Points of the first
    repetition are drawn, those of a group in one colour and marker, eight of which differ.

    Parameters
    ----------
    lines : tuple of str
        Groups whose points are joined in their order, instead of single markers.
    columns : str, optional
        Grid column, or "method", whose values make panels.
    where : mapping
        Column -> value or values to keep.
    equal : bool
        All panels have the same axes, and a unit is as long on one as on the other.
    x_label, y_label : str
    labels : mapping
        Words for groups and panel titles. Groups are drawn in its order, the last on top.
    size : float
        Diameter of a marker in points.
    width, row_height : float
        Inches.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    lines: tuple[str, ...] = ()
    columns: str | None = None
    where: dict[str, Any] = {}
    equal: bool = True
    x_label: str = ""
    y_label: str = ""
    labels: dict[str, str] = {}
    size: Annotated[float, Field(gt=0)] = 4.0
    width: float = 7.0
    row_height: float = 2.4
