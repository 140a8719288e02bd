"""Figures as files: marks with their numbers."""

import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from geoforest_cli.core.figure_files import SVG, mark, save
from geoforest_cli.core.plot_style import any_letters, style

mpl.use("Agg")
WORDS = ["one", "two <b>", "three \x1b[2J\u202e"]
SHOWN = ["one", "two <b>", r"three \x1b[2J\u202e"]


@pytest.fixture
def drawn(tmp_path):
    """An SVG with a marked line, its entry in a legend, a marked band and a text."""
    with style(), any_letters():
        figure = Figure(figsize=(3, 2))
        axes = figure.subplots()
        (line,) = axes.plot([1, 2, 3], [1, 4, 2], "o-", color="#D55E00")
        mark(line, "gf", WORDS)
        (far,) = axes.plot([1, 2, 9e9, 2], [1, 2, 9e9, 3], "s", color="#000000")
        mark(far, "far", ["of another number"])
        axes.set(xlim=(0, 4), ylim=(0, 5))
        mark(axes.fill_between([1, 2], [1, 1], [2, 2], color="#0072B2"), "gf")
        entry = axes.legend([line], ["GF"]).get_texts()[0]
        mark(entry, "gf", ["hide or show GF"], key=True)
        axes.text(1, 1, "a\x1b[2J\x00-->b")
        save(figure, tmp_path / "f")
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".pdf", ".png"}
    return tmp_path / "f.svg"


def test_every_mark_has_its_numbers_and_every_series_its_name(drawn):
    text = drawn.read_text("utf-8")
    assert r"a\x1b[2J\x00" in text
    assert not set(text) & set("\x00\x1b\u202e")
    root = ET.fromstring(text)
    (band, line) = (g for g in root.iter(f"{SVG}g") if g.get("data-series") == "gf")
    uses = list(line.iter(f"{SVG}use"))
    assert [use.find(f"{SVG}title").text for use in uses] == SHOWN
    assert {use.get("role") for use in uses} == {"img"}
    assert not list(band.iter(f"{SVG}title"))
    (key,) = (g for g in root.iter(f"{SVG}g") if g.get("data-key") == "gf")
    assert key.find(f"{SVG}title").text == "hide or show GF"
    assert "{" not in "".join(g.get("id", "") for g in root.iter())
    assert not re.findall(r' d="[^"]*\.\d{3}', text)
