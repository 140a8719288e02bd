"""Figures as files, and their drawings as part of a page."""

import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from geoforest_cli.core.figure_files import mark, save
from geoforest_cli.core.plot_style import any_letters, style
from geoforest_cli.study.report.site.drawing import inline

mpl.use("Agg")
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


def test_a_drawing_within_a_page_needs_no_styles_and_follows_its_colours(drawn):
    text = inline(drawn.read_bytes(), "first-", "Figure: <b>")
    other = inline(drawn.read_bytes(), "second-", "Figure")
    root = ET.fromstring(text)
    assert "style" not in text
    assert (root.get("aria-label"), root.get("role"), root.get("width")) == ("Figure: <b>", "group", None)  # fmt: skip
    ids = {part.get("id") for part in root.iter() if part.get("id")}
    assert not ids & {part.get("id") for part in ET.fromstring(other).iter()}
    led = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    assert led
    assert led <= ids


@pytest.mark.parametrize("data", [b"", b"<svg>", b"<g xmlns='http://www.w3.org/2000/svg'/>"])
def test_what_is_no_svg_is_refused(data):
    with pytest.raises(ValueError, match="it is no SVG"):
        inline(data, "", "")
