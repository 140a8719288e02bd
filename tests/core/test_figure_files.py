"""Figures as files: what stands in an SVG beside Matplotlib's marks."""

import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
from matplotlib.figure import Figure

from geoforest_cli.core.figure_files import SVG, mark, save
from geoforest_cli.core.plot_style import any_letters, style

mpl.use("Agg")


def test_every_mark_of_an_svg_has_its_numbers(tmp_path):
    with style(), any_letters():
        axes = Figure(figsize=(3, 2)).subplots()
        (line,) = axes.plot([1, 2, 3], [1, 4, 2], "o-")
        mark(line, ["one", "two <b>", "three \x1b[2J\u202e"])
        (far,) = axes.plot([1, 2, 9e9, 2], [1, 2, 9e9, 3], "s")
        mark(far, ["of another number"])
        axes.set(xlim=(0, 4), ylim=(0, 5))
        axes.text(1, 1, "a\x1b[2J\x00-->b")
        save(axes.figure, tmp_path / "f")
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".pdf", ".png"}
    text = (tmp_path / "f.svg").read_text("utf-8")
    assert r"a\x1b[2J\x00" in text
    assert not set(text) & set("\x00\x1b\u202e")
    root = ET.fromstring(text)
    uses = [use for use in root.iter(f"{SVG}use") if use.get("role") == "img"]
    titles = [use.find(f"{SVG}title").text for use in uses]
    assert titles == ["one", "two <b>", r"three \x1b[2J\u202e"]
    assert "of another number" in text
    assert "{" not in "".join(group.get("id", "") for group in root.iter())
    assert not re.findall(r' d="[^"]*\.\d{3}', text)
