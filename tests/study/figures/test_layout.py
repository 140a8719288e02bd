"""All words of a figure stand on its paper, and those of an axis beside each other."""

import itertools

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from geoforest_cli.study.figures.facets import facet_word
from geoforest_cli.study.figures.options import Curves
from tests.study.report.read_back import draw, table, words
from tests.study.report.synthetic import drawn

mpl.use("Agg")

FIGURES = [
    ("noise", "figure"), ("leaderboard", "figure"), ("leaderboard", "means"),
    ("connectome", "figure"), ("hyperparameters", "figure"), ("hyperparameters", "mtry"),
    ("spherelet_phase", "figure"), ("criteria", "figure"), ("smerf_distances", "figure"),
    ("banknote", "scores"), ("runtimes", "figure"), ("mnist", "figure"), ("smerf_links", "figure"),
    ("smerf_variance", "figure"), ("own_tables", "figure"),
]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "which"), FIGURES)
def test_every_word_of_a_figure_is_on_its_paper(name, which):
    _check(drawn(name, which))


def test_what_failed_has_room_below_the_legend():
    ours = table([0.2, 0.3, 0.4, 0.5], methods=("a", "b"))
    failed = ours.iloc[:2].assign(status="failed")
    figure = draw(ours, failed=failed)
    _check(figure)
    assert any("failed" in text for text in words(figure))


def _check(figure):
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    paper = figure.bbox.padded(1)
    shown = [
        text
        for text in dict.fromkeys(figure.findobj(Text))  # legends come twice
        if text.get_visible() and text.get_text().strip() and text.get_window_extent(renderer).width
    ]
    ticks = {tick for axes in figure.axes for tick in _hidden_ticks(axes)}
    boxes = [(text, text.get_window_extent(renderer)) for text in shown if text not in ticks]
    assert len(boxes) > 3
    for text, box in boxes:
        assert paper.x0 <= box.x0 <= box.x1 <= paper.x1, text.get_text()
        assert paper.y0 <= box.y0 <= box.y1 <= paper.y1, text.get_text()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            of_axis = [box for text, box in boxes if text in axis.get_majorticklabels()]
            if not any(text.get_rotation() for text in axis.get_majorticklabels()):
                pairs = itertools.combinations(of_axis, 2)
                assert not any(text.overlaps(other) for text, other in pairs)
    outside = [
        (text, box) for text, box in boxes if text.axes is None or text is text.axes.xaxis.label
    ]
    for (this, first), (other, second) in itertools.combinations(outside, 2):
        assert not first.padded(-1).overlaps(second.padded(-1)), (this.get_text(), other.get_text())


def _hidden_ticks(axes):
    """Labels of places beyond the limits, which are not drawn."""
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks() + axis.get_minor_ticks():
            if not low <= tick.get_loc() <= high:
                yield from (tick.label1, tick.label2)


@pytest.mark.parametrize("kind", [bool, np.bool_])
def test_a_facet_of_truth_values_is_named_for_what_is_true(kind):
    options = Curves(x="n", y=("error",), columns="noisy", labels={"noisy": "with noise"})
    assert facet_word(options, "noisy", kind(True)) == "with noise"
    assert facet_word(options, "noisy", kind(False)) == "not with noise"
    named = Curves(x="n", y=("error",), columns="noisy", labels={"True": "loud", "False": "still"})
    assert [facet_word(named, "noisy", kind(value)) for value in (True, False)] == ["loud", "still"]
