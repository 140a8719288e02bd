"""What directions say of themselves and where everything stands in their picture."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgba

from geoforest_cli.core.plot_style import BLUE
from geoforest_cli.tables import Directions
from geoforest_cli.tables.directions_figure import draw_directions


def directions(sizes, n=50, p=4, pvalues=None, correlations=None, **more):
    families = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    k = len(families)
    rng = np.random.default_rng(0)
    names = [f"family{f}_{i + 1}" for f, size in enumerate(sizes, 1) for i in range(size)]
    given = {
        "pvalues": np.full(k, 0.004) if pvalues is None else np.repeat(pvalues, sizes),
        "correlations": rng.uniform(-0.4, 0.4, (k, p)) if correlations is None else correlations,
        "by_pairs": (True, False, False, False), "rank": p, "level": 0.05, "identifier": "id", "notes": (),
        "ids": pd.Series(range(n)),
    }  # fmt: skip
    return Directions(
        names=tuple(names), families=families, scores=np.arange(k) + 5.0,
        weights=np.zeros((k, p)), columns=tuple("abcdefgh"[:p]),
        projected=rng.normal(size=(n, k)), **(given | more),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ((), "No direction with light tails or clusters was found (level 0.05, 50 rows, rank 4)."),
        ((1,), "1 direction in 1 family (level 0.05, 50 rows, rank 4)."),
        ((3,), "3 directions in 1 family (level 0.05, 50 rows, rank 4)."),
        ((2, 1), "3 directions in 2 families (level 0.05, 50 rows, rank 4)."),
    ],
)
def test_how_many_directions_there_are(sizes, sentence):
    assert directions(sizes).summary() == sentence


@pytest.mark.parametrize(
    ("sizes", "correlations", "share", "better", "advice"),
    [
        ((), np.empty((0, 4)), 0.25, "columns", "1 of 4 columns depend on others, pair by pair: they stand for themselves, and find_columns is the better choice here."),
        ((), np.empty((0, 4)), 0.5, "directions", "2 of 4 columns depend on others, pair by pair: they may be mixed, and directions are the better choice here."),
        # 0.6 and 0.68 together are a multiple correlation of more than 0.9
        ((2,), [[0.6, 0, 0, 0], [0.68, 0.1, 0, 0]], 0.25, "columns", None),
        ((2,), [[0.6, 0, 0, 0], [0, 0.68, 0, 0]], 0.25, "directions", "1 of 4 columns depend on others, pair by pair, but the directions are sums of many columns, and the better choice here."),
        # but not of one family
        ((1, 1), [[0.6, 0, 0, 0], [0.68, 0.1, 0, 0]], 0.25, "directions", None),
        ((1, 1), [[0.6, 0, 0, 0], [0.1, 0.1, 0, -0.91]], 0.25, "columns", None),
        ((1,), [[0.9, 0, 0, 0]], 0.49, "columns", None),
        ((1,), [[0.95, 0, 0, 0]], 0.5, "directions", None),
        # of columns that depend on no other, pair by pair
        ((1,), [[0, 0, 0, 0.95]], 0.5, "columns", "2 of 4 columns depend on others, pair by pair, and the directions are made of the rest: find_columns is the better choice here."),
        ((2,), [[0, 0.2, 0.4, 0.95], [0, 0, 0.8, 0.1]], 0.5, "columns", None),
        ((1, 1), [[0, 0, 0, 0.95], [0, 0.95, 0, 0]], 0.5, "directions", None),
        ((1, 1), [[0, 0, 0, 0.95], [0.3, 0.3, 0.5, 0.5]], 0.5, "directions", None),
    ],
)  # fmt: skip
def test_which_screen_suits_the_table(sizes, correlations, share, better, advice):
    by_pairs = (share > 0, share >= 0.5, False, False)
    found = directions(sizes, correlations=np.array(correlations), by_pairs=by_pairs)
    assert found.better == better
    assert advice is None or found.advice() == advice
    # the other end of a direction is the same direction
    turned = np.array(correlations) * np.where(np.arange(len(correlations)) % 2, 1, -1)[:, None]
    assert directions(sizes, correlations=turned, by_pairs=by_pairs).better == better
    mirrored = np.array(correlations) * np.array([1, -1, 1, -1])
    assert directions(sizes, correlations=mirrored, by_pairs=by_pairs).better == better


def test_the_table_names_the_three_columns_that_a_direction_follows():
    correlations = np.array([[0.1, -0.9, 0.5, 0.2], [0.5, 0.5, -0.5, -0.5]])
    frame = directions((1, 1), pvalues=[0.001, 0.01], correlations=correlations).frame()
    expected = pd.DataFrame({
        "direction": ["family1_1", "family2_1"],
        "family": [1, 2],
        "z": [5.0, 6.0],
        "p_value": [0.001, 0.01],
        "columns": ["b (-0.90), c (0.50), d (0.20)", "a (0.50), b (0.50), c (-0.50)"],
    })  # fmt: skip
    pd.testing.assert_frame_equal(frame, expected)


def test_files_have_seven_digits_and_the_names_of_rows(tmp_path):
    found = directions((2,), n=3, ids=pd.Series(["x", "y", "z"]), identifier="who")
    found.write(tmp_path / "o.tsv")
    lines = (tmp_path / "o.tsv").read_text().splitlines()
    assert lines[0] == "who\tfamily1_1\tfamily1_2"
    values = [[float(f"{value:.7g}") for value in row] for row in found.projected]
    assert lines[1:] == [f"{name}\t{a}\t{b}" for name, (a, b) in zip("xyz", values, strict=True)]


@pytest.mark.parametrize(
    ("families", "size", "panels"),
    [(1, (5.4, 3.4), 1), (2, (5.6, 3.4), 2), (3, (8.2, 3.4), 3), (4, (8.2, 6.0), 4),
     (6, (8.2, 6.0), 6), (7, (8.2, 6.0), 6)],
)  # fmt: skip
def test_three_families_stand_beside_each_other(families, size, panels):
    found = directions((1,) * families)
    figure = draw_directions(found)
    assert figure.get_size_inches() == pytest.approx(size)
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title() for axes in shown] == [
        f"family {number}: 1 direction, p = 0.004" for number in range(1, panels + 1)
    ]
    assert [axes.get_xlabel() for axes in shown] == list(found.names[:panels])
    plural = "s" if families > 1 else ""
    word = "families" if families > 1 else "family"
    rest = "; the first 6 families" if families > 6 else ""
    assert figure.get_suptitle() == (
        f"{families} direction{plural} in {families} {word}\nlevel 0.05, 50 rows, rank 4{rest}"
    )


def test_a_family_is_a_plane_of_its_first_two_and_a_single_one_a_histogram():
    found = directions((1, 3), pvalues=[1e-12, 9.9e-13])
    alone, plane = draw_directions(found).axes
    assert alone.get_title() == "family 1: 1 direction, p = 1e-12"
    assert plane.get_title() == "family 2: 3 directions, p < 1e-12"
    assert (alone.get_xlabel(), alone.get_ylabel()) == ("family1_1", "rows")
    assert (plane.get_xlabel(), plane.get_ylabel()) == ("family2_1", "family2_2")
    heights = [bar.get_height() for bar in alone.patches]
    assert heights == np.histogram(found.projected[:, 0], 40)[0].tolist()
    assert to_hex(alone.patches[0].get_facecolor()).upper() == BLUE
    (points,) = plane.collections
    assert np.array_equal(points.get_offsets().data, found.projected[:, 1:3])
    assert points.get_sizes().tolist() == [4]
    assert tuple(points.get_facecolor()[0]) == pytest.approx(to_rgba(BLUE, 0.7))
    assert plane.get_aspect() == 1
