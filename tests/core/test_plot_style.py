"""Looks of methods and variants, and what figures leave of Matplotlib's settings."""

import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from geoforest_cli.core import plot_style
from geoforest_cli.core.figure_files import save, save_as
from geoforest_cli.core.plot_style import (
    Look,
    any_letters,
    graded,
    look,
    looks,
    style,
    variant_styles,
)

NAMES = [f"method {i}" for i in range(600)]


def pairs(drawn):
    return [(look.color, look.marker) for look in drawn]


def test_a_method_of_no_paper_is_drawn_thinly_by_its_name():
    every = [look(name) for name in NAMES]
    assert every == [look(name) for name in NAMES]
    assert {(look.width, look.order) for look in every} == {(1.1, 3)}
    # six colours and seven markers, each with each
    assert len(set(pairs(every))) == 42
    assert look("geodesic_forest") == Look("#D55E00", "o", 2.0, 6)
    assert look("logistic") == Look("#000000", "s", 1.1, 3)


def test_methods_have_colours_of_their_own_while_there_are_any():
    six = looks(dict.fromkeys(NAMES[:6], ""))
    assert list(six) == NAMES[:6]
    assert len({look.color for look in six.values()}) == 6
    assert len({look.marker for look in looks(dict.fromkeys(NAMES[:7], "")).values()}) == 7
    # afterwards each has the one that its name says
    more = looks(dict.fromkeys(NAMES[:30], ""))
    assert pairs(more[name] for name in NAMES[7:30]) == pairs(map(look, NAMES[7:30]))


def test_a_name_takes_the_look_of_what_it_uses_if_it_is_free():
    assert looks({"mine": "urf"})["mine"] == look("urf")
    # both are vermilion: the second is not the first one's
    two = looks({"mine": "geodesic_forest", "yours": "gf_fast_bic"})
    assert two["mine"] == look("geodesic_forest")
    assert two["yours"].color in plot_style._SPARE_COLORS
    assert two["yours"].marker in plot_style._SPARE_MARKERS
    # a look that is fixed is kept, wherever it stands
    both = looks({"mine": "geodesic_forest", "gf_fast_bic": "umap"})
    assert both["gf_fast_bic"] == look("gf_fast_bic")
    assert both["mine"].color != "#D55E00"
    assert looks({"urf": "geodesic_forest"})["urf"] == look("urf")


def test_graded_lines_go_from_dark_to_light():
    colors = mpl.colormaps["viridis"]
    assert [look.color for look in graded(3)] == [to_hex(colors(x)) for x in (0.0, 0.44, 0.88)]
    assert graded(1) == [Look(to_hex(colors(0.0)), "o")]
    assert graded(0) == []
    markers = [look.marker for look in graded(16)]
    assert len(set(markers)) == 14
    assert markers[14:] == markers[:2]


def test_line_styles_are_told_apart_where_there_are_several():
    run, written = (0, (7, 2)), (0, (4, 1.3, 1, 1.3))
    assert variant_styles([["as_run", "as_written"]], titled=True) == {
        "as_run": run, "as_written": written,
    }  # fmt: skip
    assert variant_styles([["as_written"], ["as_run"]], titled=False) == {
        "as_run": run, "as_written": written,
    }  # fmt: skip
    assert variant_styles([["as_written"], ["as_run"]], titled=True) == {
        "as_run": "-", "as_written": "-",
    }  # fmt: skip
    assert variant_styles([["as_run"], ["as_run"]], titled=False) == {"as_run": "-"}
    assert variant_styles([], titled=False) == {}
    styles = variant_styles([["z", "as_run", "recommended", "b"]], titled=True)
    assert list(styles) == ["recommended", "as_run", "b", "z"]
    assert styles["recommended"] == "-"
    assert len({str(dashes) for dashes in variant_styles([NAMES], titled=False).values()}) == 3


def test_settings_hold_within_a_figure_and_no_longer():
    with mpl.rc_context({"font.size": 31, "lines.linestyle": ":"}):
        with style("salt of this figure"):
            assert mpl.rcParams["font.size"] == 8
            assert mpl.rcParams["lines.linestyle"] == mpl.rcParamsDefault["lines.linestyle"]
            assert mpl.rcParams["svg.hashsalt"] == "salt of this figure"
            assert not mpl.rcParams["axes.spines.top"]
        assert (mpl.rcParams["font.size"], mpl.rcParams["lines.linestyle"]) == (31, ":")
    with style():
        assert mpl.rcParams["svg.hashsalt"] == "geoforest"


def test_only_letters_without_a_picture_are_passed_over():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with any_letters():
            warnings.warn("Glyph 9 is missing", UserWarning, stacklevel=1)
            with pytest.raises(UserWarning, match="something else"):
                warnings.warn("something else", UserWarning, stacklevel=1)
        with pytest.raises(UserWarning, match="Glyph"):
            warnings.warn("Glyph 9 is missing", UserWarning, stacklevel=1)


def drawn(text="a"):
    figure = Figure(figsize=(2, 1))
    figure.text(0.5, 0.5, text)
    return figure


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_equal_figures_are_equal_files_without_a_date(tmp_path, kind, monkeypatch):
    files = []
    for day in ("0", "86400"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", day)
        with style():
            save(drawn(), tmp_path / f"of.day {day}", (kind,))
        (file,) = tmp_path.glob(f"of.day {day}.*")
        assert file.name == f"of.day {day}.{kind}"
        files.append(file.read_bytes())
    assert files[0] == files[1]
    assert b"1970" not in files[0]
    assert b"matplotlib" not in files[0].lower() or kind != "png"


def test_a_page_is_as_large_as_the_figure_or_as_what_is_drawn(tmp_path):
    wide = drawn("long texts" * 20)
    with style():
        save(wide, tmp_path / "own", ("png",))
        save(wide, tmp_path / "whole", ("png",), whole=True)
        save_as(wide, tmp_path / "LOUD.PNG")
    page, whole = (mpl.image.imread(tmp_path / f"{name}.png") for name in ("own", "whole"))
    assert page.shape[:2] == (200, 400)
    rows, columns = np.nonzero(whole[:, :, 0] < 0.5)
    # .03 inches are left free around the letters
    edges = rows.min(), columns.min(), len(whole) - rows.max(), whole.shape[1] - columns.max()
    assert edges == pytest.approx((6, 6, 6, 6), abs=3)
    assert (tmp_path / "LOUD.PNG").read_bytes() == (tmp_path / "own.png").read_bytes()
