"""Shapes as a user writes them."""

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.tables.shapes import require_columns, require_no_screen, sides


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("28x14", (28, 14)),
        (" 3 X 5 ", (3, 5)),
        ((7, 2), (7, 2)),
        ("12", (1, 12)),
        (12, (1, 12)),
        (None, None),
    ],
)
def test_height_comes_before_width(written, found):
    assert sides(written) == found


@pytest.mark.parametrize("written", ["3x", "x3", "3x4x5", "-3", "2.5", ""])
def test_what_is_no_shape(written):
    with pytest.raises(UserError, match="a shape is HEIGHTxWIDTH, such as 28x28, or a length"):
        sides(written)


def test_a_shape_makes_all_columns_and_no_more():
    for shape in ("3x4", "12", (2, 6), None):
        require_columns(shape, 12)
    for shape, made in (("3x5", 15), ("3x3", 9), (11, 11)):
        with pytest.raises(UserError, match=f"that makes {made} columns, not 12"):
            require_columns(shape, 12)


def test_images_are_not_screened():
    require_no_screen(None, "3x4")
    require_no_screen("pairs", None)
    with pytest.raises(UserError, match="a screen drops columns"):
        require_no_screen("pairs", "3x4")
