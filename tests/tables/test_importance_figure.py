"""What the pictures of a user's table show, read back from their axes."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.tables.importance_figure import draw_importances


def _shares(p):
    return pd.Series(np.arange(p) / (p * (p - 1) / 2), index=[f"c{i}" for i in range(p)])


def test_an_image_stands_as_its_rows_say():
    shares = _shares(6)
    axes = draw_importances(shares, (2, 3)).axes[0]
    (image,) = axes.get_images()
    assert np.allclose(image.get_array(), [[0, 1 / 15, 2 / 15], [3 / 15, 4 / 15, 5 / 15]])
    # the first row on top
    assert axes.yaxis_inverted()


def test_a_series_is_bars_in_order():
    shares = _shares(6)
    axes = draw_importances(shares, (1, 6)).axes[0]
    assert [bar.get_height() for bar in axes.patches] == shares.tolist()
    assert axes.get_xlabel() == "column"


def test_bounds_are_lines_at_the_bars_of_their_columns():
    drops = pd.Series([0.1, 0.3, 0.2], index=["a", "b", "c"], name="permutation")
    bounds = pd.DataFrame({"high": [0.15, 0.4, 0.25], "low": [0.0, 0.2, 0.1]}, index=list("abc"))
    axes = draw_importances(drops, None, bounds).axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["b", "c", "a"]
    (lines,) = axes.collections
    ends = [[place[0] for place in line] for line in lines.get_segments()]
    assert ends == [[0.2, 0.4], [0.1, 0.25], [0.0, 0.15]]
    assert axes.get_xlabel().startswith("drop of the accuracy")


@pytest.mark.parametrize("p", [30, 31])
def test_a_title_says_where_names_are_left_out(p):
    axes = draw_importances(_shares(p)).axes[0]
    told = "" if p == 30 else "the 30 largest of 31 columns"
    assert (axes.get_title(loc="left"), len(axes.get_yticklabels())) == (told, 30)
