"""Test errors of classifiers on structured data, against the number of training points."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.estimators.forests.patches import Patches
from geoforest_cli.problems.datasets import DATASETS
from geoforest_cli.problems.datasets.mnist import Digits
from geoforest_cli.problems.simulations import SIMULATIONS
from geoforest_cli.problems.simulations.structured import BAYES_ERROR, SHAPES
from geoforest_cli.study.experiment import Curves, Experiment, Params, Row, Task, Uses, drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from geoforest_cli.study.experiment import Context

Floats = npt.NDArray[np.floating[Any]]
Labels = npt.NDArray[np.int64]


class ClassificationParams(Params):
    """Parameters of one cell.

    `test` is the size of the test set; by default all that a real data set has.
    """

    data: Annotated[
        Literal["circle", "bars", "bars_of_random_length", "impulse", "mnist", "digits"],
        Uses(SIMULATIONS, DATASETS),
    ]
    n: Annotated[int, Field(ge=2)]
    test: Annotated[int, Field(ge=10)] | None = None


@drawing
class Pictures(Curves):
    """As `Curves`; or another picture.

    Parameters
    ----------
    examples : int
        That many example images of each class instead.
    coverage : bool
        How often a random patch of MORF's variants covers each place of a series, instead.
    """

    examples: int = 0
    coverage: bool = False


class Classification(Experiment[ClassificationParams]):
    """Train on the first n points of a repetition's sample, test on a set of its own.

    Training sets are nested (MORF, Figures 1 and 3).
    """

    methods = ("classifier",)
    yields = ("error", "bayes_error")
    figure = Pictures

    def run_cell(self, task: Task[ClassificationParams]) -> list[Row]:
        """Train, test; return the error, and Bayes' where it is known."""
        X, y, X_test, y_test = samples(task)
        classifier = task.build_method().fit(X, y)
        rows = [Row("error", float(np.mean(classifier.predict(X_test) != y_test)))]
        if task.params.data in BAYES_ERROR:
            rows.append(Row("bayes_error", BAYES_ERROR[task.params.data]))
        return rows

    @drawing
    def draw(self, context: Context) -> Figure:
        """Draw the curves of the config's figure section, or examples of the data."""
        options = Pictures.model_validate(context.options) if context.options else None
        if options and options.coverage:
            return _coverage(context, options)
        if options and options.examples:
            return _examples(str(context.config.params["data"]), options.examples, options.width)
        return super().draw(context)


def samples(task: Task[ClassificationParams]) -> tuple[Floats, Labels, Floats, Labels]:
    """Return training points and classes, test points and classes.

    The first n of a sample are the same for every n; a simulated sample is half and half in
    every pair of rows, a real one is drawn until all classes are there.
    """
    params, n = task.params, task.params.n
    if params.data in SIMULATIONS:
        test = _simulated(params.data, task.seed("repetition", "test"), params.test or 10_000)
        # one generous sample, of which every n takes a prefix
        train = _simulated(params.data, task.seed("repetition", "train"), max(2000, n))
        return train[0][:n], train[1][:n], *test
    data = _real(params.data)
    order = task.rng("repetition", "train").permutation(len(data.train))
    chosen = order[: min(n, len(order))]
    stop = params.test or len(data.test)
    return (
        data.train[chosen], data.train_labels[chosen], data.test[:stop], data.test_labels[:stop],
    )  # fmt: skip


@functools.cache
def _real(name: str) -> Digits:
    images: Digits = DATASETS[name].load()()
    return images


@functools.lru_cache(maxsize=2)
def _simulated(name: str, seed: int, size: int) -> tuple[Floats, Labels]:
    points, classes = SIMULATIONS[name].load()(size, np.random.default_rng(seed))
    return points, classes


@drawing
def _coverage(context: Context, options: Pictures) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(options.width, 2.6))
    panel = figure.subplots()
    method = context.config.methods["morf"]
    lines = zip(("-", "--", ":"), ("#D55E00", "#0072B2", "#009E73"), strict=True)
    for (name, variant), (style, colour) in zip(method.variants.items(), lines, strict=False):
        given = {**method.params, **variant.params}
        height, width = given["image_shape"]
        patches = Patches(
            height, width, tuple(given.get("patch_height", (1, 1))), tuple(given["patch_width"]),
            bool(given.get("wrap", False)), given["order"],
        )  # fmt: skip
        words = f"{name.replace('_', ' ')}: {given['order'].replace('_', ' ')}"
        words += ", wrapping" if given.get("wrap") else ""
        panel.plot(patches.coverage(), style, color=colour, label=words)
    panel.set_ylim(0, None)
    panel.set_xlabel("place in the series")
    panel.set_ylabel("chance to be in a patch")
    panel.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    return figure


@drawing
def _mean(name: str, label: int) -> Floats:
    """The mean of 2000 series of a class."""
    X, y = _simulated(name, 1, 4000)
    mean: Floats = X[y == label].mean(axis=0)
    return mean


@drawing
def _examples(name: str, count: int, width: float) -> Figure:
    from matplotlib.figure import Figure

    if name in SIMULATIONS:
        X, y = _simulated(name, 0, 2 * count)
        shape = SHAPES[name]
    else:
        data = _real(name)
        X, y, shape = data.train, data.train_labels, data.shape
    flat = shape[0] == 1
    classes = np.unique(y)[:2] if name in SIMULATIONS else np.unique(y)
    each = 0.85 if name == "impulse" else 0.55 if flat else width / count * 1.05
    figure = Figure(figsize=(width, each * len(classes) + 0.25))
    panels = figure.subplots(len(classes), count, squeeze=False)
    for line, label in zip(panels, classes, strict=True):
        shown = X[y == label][:count]
        mean = _mean(name, int(label)) if name == "impulse" else None
        for panel, image in zip(line, shown, strict=True):
            if name == "impulse":
                panel.plot(image, color="#9FB8C8", linewidth=0.6)
                # an impulse of the noise's own size is not to be seen in one series
                panel.plot(mean, color="#D55E00", linewidth=1.4)
                panel.set_ylim(-3.5, 3.5)
            else:
                panel.imshow(image.reshape(shape), cmap="Greys", aspect="auto")
            panel.set_xticks([])
            panel.set_yticks([])
        line[0].set_ylabel(f"class {label}")
    if name == "impulse":
        figure.supxlabel("time (thin: single series; thick: mean of 2000 of the class)", fontsize=8)
    figure.tight_layout(pad=0.4)
    return figure
