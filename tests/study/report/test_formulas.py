"""Words of figures and tables that would be read as commands."""

import re

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.report import formulas, tables
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
    ("name", "place"), [("label", "5:12"), ("x_label", "9:12"), ("word", "10:19"), ("y_label", "15:14")]
)  # fmt: skip
def test_a_formula_that_cannot_be_drawn_is_found_before_the_work(tmp_path, name, place):
    with pytest.raises(UserError) as caught:
        opened(tmp_path, **{name: r"'a $\frac{$ b'"})
    (told,) = caught.value.sentences
    assert told.startswith(f"{tmp_path / 'mine.yaml'}:{place}: the formula in 'a $")
    assert told.endswith("cannot be drawn (Expected \\frac{num}{den})")
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


ROUGH = ["a|b", "a\nb", "a\r\n\\end{tabular}", "{x}", "}", "\\", "a\\|b", "[0.5]", "*", "x & y", "50%",
         "#1", "~^", "\x1b[2J", "<script>", "`c`", "$x$", "  padded"]  # fmt: skip


def lines(methods):
    return pd.DataFrame(
        [
            {"setting": value, "method": name, "variant": "as_written", "metric": "precision",
             "mean": 0.5, "half": 0.1, "repetitions": 3, "undefined": 0, "failed": 0,
             "published": None, "difference": None}
            for name in methods for value in ("a|b\nc", "{d}")
        ]
    )  # fmt: skip


def unescaped(line, sign):
    return len(re.findall(rf"(?<!\\)(?:\\\\)*{re.escape(sign)}", line))


def test_labels_break_no_markdown_table():
    text = tables.markdown(lines(map(str, range(len(ROUGH)))), "t\n# u", lambda n: ROUGH[int(n)])
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == len(ROUGH) + 2
    assert {unescaped(row, "|") for row in rows} == {4}
    assert [line for line in text.splitlines() if line.startswith("# ")] == ["# t \\# u"]
    assert "\x1b" not in text
    assert "<script>" not in text.replace("\\<script\\>", "")


def test_labels_break_no_latex_table():
    text = tables.latex(
        lines(map(str, range(len(ROUGH)))), "t\n\\input{u}", lambda n: ROUGH[int(n)]
    )
    shown = [line for line in text.splitlines() if not line.startswith("%")]
    rows = [line for line in shown if line.endswith("\\\\")]
    assert len(rows) == len(ROUGH) + 1
    assert text.count("\\begin{tabular}") == 1
    assert len([line for line in shown if line == "\\end{tabular}"]) == 1
    for row in rows:
        inside = row.removesuffix("\\\\")
        assert unescaped(inside, "&") == 2
        assert unescaped(inside, "{") == unescaped(inside, "}")
        assert not unescaped(inside, "%")
        assert inside[0] not in "[*"
    assert "\\input" not in "".join(shown)
    assert "\x1b" not in text
