"""Figures from the means and intervals that a reference keeps."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.study.figures import boxes
from geoforest_cli.study.figures.context import NothingToDraw
from geoforest_cli.study.figures.numbers import summary_text
from geoforest_cli.study.figures.options import Boxes
from geoforest_cli.study.reference.outcome import ConfigOutcome
from geoforest_cli.study.reference.redrawing import _values, rows_of_summary
from geoforest_cli.study.report.tables import summary
from tests.e2e.inside import geoforest
from tests.study.report.read_back import bands, bars, context_of, dotted, draw, lines, table, words


def repeated(count=5, **columns):
    """Noisy repetitions of two methods, and chance."""
    rng = np.random.default_rng(0)
    parts = [
        table(lambda *_: list(rng.uniform(0.3, 0.9, count)), methods=["a", "b"], **columns),
        table([0.1] * count, "chance", methods=["a", "b"], **columns),
    ]
    return pd.concat(parts, ignore_index=True)


def kept(frame, folder, grid):
    """The same as a reference has it: written, read, as rows."""
    (folder / "summary.csv").write_text(summary_text(summary(frame)))
    return rows_of_summary(ConfigOutcome("any", folder).summary, grid)


@pytest.fixture
def both(tmp_path):
    def pictures(frame, **options):
        rows, halves = kept(frame, tmp_path, {"n": (1, 2, 3)})
        return draw(frame, **options), draw(rows, halves=halves, **options)

    return pictures


@pytest.mark.parametrize("data", ["one", 0.5, True])
def test_lines_bands_and_chance_are_those_of_the_rows(both, data):
    ours, theirs = both(repeated(data=data), y=("precision",), columns="data", chance="chance")
    for mine, other in zip(ours.axes, theirs.axes, strict=True):
        assert mine.get_title() == other.get_title()
        for one, two in zip(lines(mine), lines(other), strict=True):
            np.testing.assert_allclose(one.get_xydata(), two.get_xydata(), rtol=1e-5)
        for one, two in zip(bands(mine), bands(other), strict=True):
            first, second = (band.get_paths()[0].vertices for band in (one, two))
            np.testing.assert_allclose(first, second, rtol=1e-5)
        np.testing.assert_allclose(dotted(mine), dotted(other), rtol=1e-5)
    assert words(ours) == words(theirs)


def test_few_repetitions_have_no_interval(both):
    ours, theirs = both(repeated(count=3), y=("precision",))
    assert not bands(ours.axes[0])
    assert not bands(theirs.axes[0])
    assert "single repetitions" in words(ours)
    assert "single repetitions" not in words(theirs)


def test_an_average_over_settings_has_no_interval(both):
    frame = pd.concat([repeated(data="one"), repeated(data="two")])
    ours, theirs = both(frame, y=("precision",))
    assert len(bands(ours.axes[0])) == 2
    assert not bands(theirs.axes[0])
    assert not bars(theirs.axes[0])
    for one, two in zip(lines(ours.axes[0]), lines(theirs.axes[0]), strict=True):
        np.testing.assert_allclose(one.get_ydata(), two.get_ydata(), rtol=1e-5)


def test_a_logarithmic_axis_has_arithmetic_means_and_says_so(both):
    ours, theirs = both(repeated(), y=("precision",), y_scale="log")
    mean = repeated().query("method == 'a' and metric == 'precision' and n == 1")["value"].mean()
    (line,) = (one for one in lines(theirs.axes[0]) if one.get_label() == "a recommended")
    assert line.get_ydata()[0] == pytest.approx(mean)
    assert "95 % interval of the geometric mean" in words(ours)
    assert "95 % interval" in words(theirs)
    low = bands(theirs.axes[0])[0].get_paths()[0].vertices[:, 1].min()
    assert low > 0


def test_grid_values_are_those_of_the_config(tmp_path):
    frame = repeated(data="none", share=0.5, rotated=True)
    grid = {"n": (1, 2, 3), "share": (0.5,), "rotated": (True, False)}
    rows, halves = kept(frame, tmp_path, grid)
    assert set(rows["n"]) == {1, 2, 3}
    assert set(rows["data"]) == {"none"}
    assert set(rows["rotated"]) == {True}
    assert list(halves.index) == list(rows.index)


def test_single_repetitions_are_not_made_up(tmp_path):
    rows, halves = kept(repeated(), tmp_path, {})
    with pytest.raises(NothingToDraw, match="single repetitions or points"):
        boxes.draw_boxes(context_of(rows, halves=halves), Boxes(y="precision"))


def test_the_figures_of_a_reference_are_drawn_again(mine):
    assert geoforest("reference", "write", cwd=mine).returncode == 0
    folder = mine / "results" / "reference" / "first"
    for name in ("figure.png", "figure_dropped.png"):
        (folder / name).write_bytes(b"old")
    (folder / "figure_decades.png").unlink()
    other = (folder.parent / "second" / "figure.png").read_bytes()
    before = (folder / "summary.csv").read_bytes()
    done = geoforest("reference", "redraw", "first", cwd=mine)
    assert done.returncode == 0, done.stderr
    assert "2 figures drawn: " in done.stdout
    files = {path.name for path in folder.iterdir()}
    assert files >= {"figure.png", "figure.svgz", "figure_decades.png", "figure_decades.svgz"}
    assert "figure_dropped.png" not in files
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "summary.csv").read_bytes() == before
    assert (folder.parent / "second" / "figure.png").read_bytes() == other
    again = geoforest("reference", "redraw", "frist", cwd=mine)
    assert again.returncode == 2
    assert "did you mean 'first'" in again.stderr


def test_what_is_not_drawn_stays_and_is_named(mine):
    assert geoforest("reference", "write", cwd=mine).returncode == 0
    folder = mine / "results" / "reference" / "first"
    before = (folder / "figure.png").read_bytes()
    path = mine / "configs" / "first.yaml"
    path.write_text(path.read_text().replace("y: [error]}\n", "y: [error], where: {n: 7}}\n", 1))
    done = geoforest("reference", "redraw", "first", cwd=mine)
    assert done.returncode == 0
    assert "first: figure is not drawn: there are no rows of error to draw" in done.stderr
    assert (folder / "figure.png").read_bytes() == before


@pytest.mark.parametrize(
    ("wanted", "texts", "values"),
    [
        ((1, 10, 2.5), ["10", "1.0", "2.5", "7", "7.5"], [10, 1, 2.5, 7.0, 7.5]),
        ((True, False), ["False", "True"], [False, True]),
        (("a", "10"), ["10", "a", "b"], ["10", "a", "b"]),
        ((), ["3", "x", "True"], [3.0, "x", True]),
        ((0.1 + 0.2,), ["0.3", repr(0.1 + 0.2)], [0.3, 0.1 + 0.2]),
    ],
)
def test_a_text_is_read_as_the_value_that_it_was_written_from(wanted, texts, values):
    found = _values(pd.Series([*texts, ""], dtype=object), wanted).tolist()
    assert found[:-1] == values
    assert np.isnan(found[-1])
    ours = {type(value) for value in wanted} & {bool, str}
    assert all(type(value) in ours for value in found[:-1] if value in wanted and ours)
