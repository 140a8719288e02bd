"""Figures as files."""

import xml.etree.ElementTree as ET

from matplotlib.figure import Figure

from geoforest_cli.core.figure_files import save


def test_a_label_with_control_characters_leaves_an_svg_that_can_be_read(tmp_path, recwarn):
    figure = Figure(figsize=(2, 1))
    figure.text(0.1, 0.5, "a\x1b[2J\x00\u202e-->b")
    save(figure, tmp_path / "f")
    text = (tmp_path / "f.svg").read_text("utf-8")
    ET.fromstring(text)
    assert r"a\x1b[2J\x00\u202e" in text
    assert not set(text) & set("\x00\x1b\u202e")
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".pdf", ".png"}
