"""Pictures of importances, read back from their axes."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.tables.classification_result import ClassificationResult
from geoforest_cli.tables.figures import draw_importances


def result(importances, shape=None):
    predictions = pd.DataFrame({"label": ["a"], "predicted": ["a"]})
    columns = tuple(sorted(importances["column"]))
    return ClassificationResult(
        "rf", {}, (0.5, 0.75), 0.25, predictions, columns, shape, (), None, {}, importances
    )


def shares(p):
    frame = pd.DataFrame({"column": [f"c{i:02}" for i in range(p)], "impurity": np.arange(p) / p})
    return frame.sort_values("impurity", ascending=False)


DROPS = pd.DataFrame({
    "column": ["b", "c", "a"], "impurity": [0.2, 0.5, 0.3], "permutation": [0.3, 0.2, 0.1],
    "low": [0.2, 0.1, 0.0], "high": [0.4, 0.25, 0.15],
})  # fmt: skip


def test_an_image_stands_as_its_rows_say():
    axes = draw_importances(result(shares(6), (2, 3))).axes[0]
    (image,) = axes.get_images()
    assert np.allclose(image.get_array(), np.arange(6).reshape(2, 3) / 6)
    # the first row on top
    assert axes.yaxis_inverted()


@pytest.mark.parametrize("gap", [False, True])
def test_a_series_is_bars_in_order_by_impurity_if_all_have_it(gap):
    table = DROPS.assign(impurity=np.nan) if gap else DROPS
    axes = draw_importances(result(table, (1, 3))).axes[0]
    expected = [0.1, 0.3, 0.2] if gap else [0.3, 0.2, 0.5]
    assert [bar.get_height() for bar in axes.patches] == expected
    assert axes.get_xlabel() == "column"


def test_bounds_are_lines_at_the_bars_of_their_columns():
    axes = draw_importances(result(DROPS)).axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["b", "c", "a"]
    assert [bar.get_width() for bar in axes.patches] == [0.3, 0.2, 0.1]
    (lines,) = axes.collections
    ends = [[point[0] for point in line] for line in lines.get_segments()]
    assert ends == [[0.2, 0.4], [0.1, 0.25], [0.0, 0.15]]
    assert axes.get_xlabel().startswith("drop of the accuracy")


@pytest.mark.parametrize("p", [30, 31])
def test_a_title_says_where_names_are_left_out(p):
    axes = draw_importances(result(shares(p))).axes[0]
    words = "" if p == 30 else "the 30 largest of 31 columns"
    assert (axes.get_title(loc="left"), len(axes.get_yticklabels())) == (words, 30)
