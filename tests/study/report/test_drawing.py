"""Figures as files: marks with their numbers."""

import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from geoforest_cli.core.figure_files import SVG, mark, save
from geoforest_cli.core.plot_style import any_letters, style

mpl.use("Agg")
TITLE = f"{SVG}title"
WORDS = ["one", "two <b>", "three \x1b[2J\u202e"]


@pytest.fixture
def drawn(tmp_path):
    """An SVG with marked lines, a legend and a text."""
    with style(), any_letters():
        figure = Figure(figsize=(3, 2))
        axes = figure.subplots()
        (line,) = axes.plot([1, 2, 3], [1, 4, 2], "o-", color="#D55E00")
        mark(line, WORDS)
        (far,) = axes.plot([1, 2, 9e9, 2], [1, 2, 9e9, 3], "s", color="#000000")
        mark(far, ["of another number"])
        axes.set(xlim=(0, 4), ylim=(0, 5))
        axes.legend([line], ["GF"])
        axes.text(1, 1, "a\x1b[2J\x00-->b")
        save(figure, tmp_path / "f")
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".pdf", ".png"}
    return tmp_path / "f.svg"


def test_every_mark_has_its_title_in_letters_that_xml_allows(drawn):
    text = drawn.read_text("utf-8")
    assert r"a\x1b[2J\x00" in text
    assert not set(text) & set("\x00\x1b\u202e")
    marked = [
        title.text for use in ET.fromstring(text).iter(f"{SVG}use") for title in use.iter(TITLE)
    ]
    assert marked == ["one", "two <b>", r"three \x1b[2J\u202e"]
    assert not re.findall(r' d="[^"]*\.\d{3}', text)
