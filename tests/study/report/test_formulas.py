"""Formulas in the words of a figure."""

import matplotlib as mpl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.report import formulas
from geoforest_cli.study.session import Study

mpl.use("Agg")

CONFIG = """title: t
extends: noise
methods:
  gf:
    label: {label}
grid:
  manifold: [helix]
figure:
  x_label: {x_label}
  labels: {{helix: {word}}}
more_figures:
  more:
    x: noise_dims
    y: [precision]
    y_label: {y_label}
"""
FINE = {"label": "GF", "x_label": "k", "word": "helix", "y_label": "precision"}


def opened(folder, **words):
    path = folder / "mine.yaml"
    path.write_text(CONFIG.format(**{**FINE, **words}))
    return Study.open(path, "smoke")


@pytest.mark.parametrize(
    ("name", "position"), [("label", "5:12"), ("x_label", "9:12"), ("word", "10:19"), ("y_label", "15:14")]
)  # fmt: skip
def test_a_formula_that_cannot_be_drawn_is_found_before_the_work(tmp_path, name, position):
    with pytest.raises(UserError) as caught:
        opened(tmp_path, **{name: r"'a $\frac{$ b'"})
    (sentence,) = caught.value.sentences
    assert sentence.startswith(f"{tmp_path / 'mine.yaml'}:{position}: the formula in 'a $")
    assert sentence.endswith("cannot be drawn (Expected \\frac{num}{den})")
    opened(tmp_path, **{name: r"'a $\frac{1}{k}$ b'"})


@pytest.mark.parametrize(
    "words",
    ["a $ b", "$k$", r"\$5 and $6", "$5 and $6", r"\$", "$$", r"$\foo$", "$x_{1$", "$a$ $b$", "$$$",
     r"$\mathrm{GF}_2$", "", "100 %", r"$\left(x$"],
)  # fmt: skip
def test_the_check_agrees_with_the_drawing(words):
    figure = Figure()
    figure.text(0.5, 0.5, words)
    try:
        FigureCanvasAgg(figure).draw()
        drawn = True
    except ValueError:
        drawn = False
    assert (formulas._problem(words) == "") == drawn
