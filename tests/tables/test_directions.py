"""Directions of a user's table: what is left out, what is said, what is written."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgba

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.plot_style import BLUE
from geoforest_cli.tables import find_directions
from geoforest_cli.tables.directions import Directions
from geoforest_cli.tables.figures import draw_directions
from geoforest_cli.tables.writers import write_table

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 2 * np.pi, 400)
    clean = np.c_[np.cos(t), np.sin(t), rng.normal(size=(400, 6))]
    return pd.DataFrame(clean @ rng.normal(size=(8, 8))).add_prefix("sensor")


def test_directions_of_a_mixed_table(table):
    result = find_directions(table)
    assert result.names == ("family1_1", "family1_2")
    assert result.better == "directions"
    assert result.summary() == "2 directions in 1 family (level 0.01, 400 rows, rank 8)."
    assert result.advice().startswith("8 of 8 columns depend on others")
    frame = result.frame()
    assert frame.columns.tolist() == ["direction", "family", "z", "p_value", "columns"]
    number = table.columns.get_loc(frame["columns"][0].split(" ")[0])
    wanted = np.corrcoef(result.projected[:, 0], table.to_numpy()[:, number])[0, 1]
    assert result.correlations[0, number] == pytest.approx(wanted)
    assert abs(wanted) == pytest.approx(np.abs(result.correlations[0]).max())
    np.testing.assert_allclose(
        result.projected, (table - table.mean()).to_numpy() @ result.weights.T, atol=1e-9
    )
    written = result.rows()
    assert written.columns.tolist() == ["id", *result.names]
    np.testing.assert_array_equal(written[list(result.names)], result.projected)


@pytest.mark.nightly
def test_columns_are_better_on_axes_directions_after_rotation():
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 2 * np.pi, 600)
    clean = np.c_[np.cos(t), np.sin(t), 8 * rng.normal(size=(600, 12))]
    on_axes = find_directions(clean)
    assert len(on_axes.names) == 2
    assert on_axes.better == "columns"
    assert on_axes.advice().startswith("2 of 14 columns depend on others")
    turned = find_directions(clean @ np.linalg.qr(rng.normal(size=(14, 14)))[0])
    assert turned.better == "directions"


@pytest.mark.parametrize(
    ("kind", "seed"),
    [("measured", 0), ("answers", 1)],
)
@pytest.mark.nightly
def test_directions_that_are_independent_columns_are_no_choice(kind, seed):
    """Six normal columns depend on one cause; directions see what is not normal, the others."""
    rng = np.random.default_rng(seed)
    cause = rng.normal(size=500)
    dependent = cause[:, None] + 0.6 * rng.normal(size=(500, 6))
    alone = rng.uniform(size=(500, 4))
    if kind == "answers":
        dependent = np.clip(np.rint(dependent + 3), 1, 5)
        alone = rng.integers(1, 6, (500, 4))
    result = find_directions(np.c_[dependent, alone])
    assert result.kept_by_pairs == 0.6
    assert result.better == "columns"


def test_what_adds_nothing_is_named(table):
    notes = []
    wide = table.assign(
        again=2 * table["sensor3"], same=5, colour=np.where(table["sensor0"] > 0, "red", "blue")
    )
    result = find_directions(wide, on_note=notes.append)
    (twice,) = (note for note in notes if "in sensor3 = again: if that" in note)
    assert [note for note in notes if note != twice] == [
        "Left out, the same in every row: same.",
        "Left out, categories have no directions: colour.",
        "Adds nothing, other columns determine it: again.",
    ]
    assert result.rank == 8
    assert result.columns == (*table.columns, "again")
    with pytest.raises(DataError, match="all columns are categories, and directions need numbers"):
        find_directions(wide, columns=["colour"])


def test_a_table_without_directions():
    table = np.random.default_rng(0).normal(size=(300, 6))
    result = find_directions(table)
    assert result.names == ()
    assert result.frame().empty
    assert result.better == "columns"
    assert (
        result.summary()
        == "No direction with light tails or clusters was found (level 0.01, 300 rows, rank 6)."
    )
    assert "find_columns is the better choice" in result.advice()


def test_bad_input_is_one_sentence(table):
    with pytest.raises(UserError, match=r"level=1\.5: a level lies between 0 and 1"):
        find_directions(table, level=1.5)
    with pytest.raises(DataError, match="15 rows of 8 columns, but directions need at least 16"):
        find_directions(table[:15])
    assert len(find_directions(table[:16]).ids) == 16
    with pytest.raises(DataError, match="'sensor1' is the only column of numbers"):
        find_directions(table[["sensor1"]])
    gaps = table.copy()
    gaps.iloc[7] = np.nan
    with pytest.raises(
        DataError, match=r"'sensor0' has 1 missing value, in row 7 .*fill them.*missing='drop'"
    ):
        find_directions(gaps)
    assert len(find_directions(gaps, missing="drop").ids) == 399


def test_few_rows_are_told(table):
    notes = []
    find_directions(table[:30], on_note=notes.append)
    assert notes == [
        (
            "Note: 30 rows of 8 columns: with fewer than 5 rows per column hardly any direction is "
            "found."
        )
    ]


def test_the_picture_has_a_panel_for_each_family(table):
    result = find_directions(table)
    (panel,) = draw_directions(result).axes
    assert panel.get_title().startswith("family 1: 2 directions, p = ")
    assert (panel.get_xlabel(), panel.get_ylabel()) == result.names
    rng = np.random.default_rng(1)
    clusters = rng.normal(size=(400, 4)) + rng.choice([-4, 4], (400, 1)) * [1, 0, 0, 0]
    (panel,) = draw_directions(find_directions(clusters)).axes
    assert panel.get_ylabel() == "rows"


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
    ("sizes", "correlations", "share", "better"),
    [
        ((), np.empty((0, 4)), 0.25, "columns"),
        ((), np.empty((0, 4)), 0.5, "columns"),
        # 0.6 and 0.68 together are a multiple correlation of more than 0.9
        ((2,), [[0.6, 0, 0, 0], [0.68, 0.1, 0, 0]], 0.25, "columns"),
        ((2,), [[0.6, 0, 0, 0], [0, 0.68, 0, 0]], 0.25, "directions"),
        # but not of one family
        ((1, 1), [[0.6, 0, 0, 0], [0.68, 0.1, 0, 0]], 0.25, "directions"),
        ((1, 1), [[0.6, 0, 0, 0], [0.1, 0.1, 0, -0.91]], 0.25, "columns"),
        ((1,), [[0.9, 0, 0, 0]], 0.49, "columns"),
        ((1,), [[0.95, 0, 0, 0]], 0.5, "directions"),
        # of columns that depend on no other, pair by pair
        ((1,), [[0, 0, 0, 0.95]], 0.5, "columns"),
        ((2,), [[0, 0.2, 0.4, 0.95], [0, 0, 0.8, 0.1]], 0.5, "columns"),
        ((1, 1), [[0, 0, 0, 0.95], [0, 0.95, 0, 0]], 0.5, "directions"),
        ((1, 1), [[0, 0, 0, 0.95], [0.3, 0.3, 0.5, 0.5]], 0.5, "directions"),
    ],
)  # fmt: skip
def test_which_screen_suits_the_table(sizes, correlations, share, better):
    by_pairs = (share > 0, share >= 0.5, False, False)
    result = directions(sizes, correlations=np.array(correlations), by_pairs=by_pairs)
    assert result.better == better
    name = "directions are" if better == "directions" else "find_columns is"
    assert result.advice().endswith(f" pair by pair: {name} the better choice here.")
    # the other end of a direction is the same direction
    turned = np.array(correlations) * np.where(np.arange(len(correlations)) % 2, 1, -1)[:, None]
    assert directions(sizes, correlations=turned, by_pairs=by_pairs).better == better
    mirrored = np.array(correlations) * np.array([1, -1, 1, -1])
    assert directions(sizes, correlations=mirrored, by_pairs=by_pairs).better == better


def test_the_table_names_three_columns_of_a_direction():
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
    result = directions((2,), n=3, ids=pd.Series(["x", "y", "z"]), identifier="who")
    write_table(tmp_path / "o.tsv", [result.rows()], result.names)
    lines = (tmp_path / "o.tsv").read_text().splitlines()
    assert lines[0] == "who\tfamily1_1\tfamily1_2"
    values = [[float(f"{value:.7g}") for value in row] for row in result.projected]
    assert lines[1:] == [f"{name}\t{a}\t{b}" for name, (a, b) in zip("xyz", values, strict=True)]


def test_a_family_is_a_plane_of_its_first_two_or_a_histogram():
    result = directions((1, 3), pvalues=[1e-12, 9.9e-13])
    alone, plane = draw_directions(result).axes
    assert alone.get_title() == "family 1: 1 direction, p = 1e-12"
    assert plane.get_title() == "family 2: 3 directions, p < 1e-12"
    assert (alone.get_xlabel(), alone.get_ylabel()) == ("family1_1", "rows")
    assert (plane.get_xlabel(), plane.get_ylabel()) == ("family2_1", "family2_2")
    heights = [bar.get_height() for bar in alone.patches]
    assert heights == np.histogram(result.projected[:, 0], 40)[0].tolist()
    assert to_hex(alone.patches[0].get_facecolor()).upper() == BLUE
    (points,) = plane.collections
    assert np.array_equal(points.get_offsets().data, result.projected[:, 1:3])
    assert points.get_sizes().tolist() == [4]
    assert tuple(points.get_facecolor()[0]) == pytest.approx(to_rgba(BLUE, 0.7))
    assert plane.get_aspect() == 1
