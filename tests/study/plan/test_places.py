"""Where a mistake stands: the line and the column that a user is sent to."""

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.plan import load

FROM_GRID = (
    "use: geodesic_forest\n",
    "use: geodesic_forest\n    from_grid: {min_parent: parents}\n",
)
KS, ALSO = "k: [5, 10]\n", "k: [5, 10]\nalso:\n  - {noise: [3]}\n"
LEGACY = "{params: {criterion: fast_bic_legacy}}"


def _position(text, at):
    before, match, _ = text.partition(at)
    assert match
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


@pytest.mark.parametrize(
    ("changes", "at", "words"),
    [
        # values of the grid that a method takes
        ([FROM_GRID, ("  k: [5", "  parents: [20, -30]\n  k: [5")], "-30", "must be a whole"),
        ([FROM_GRID, (KS, "parents: [20]\n  " + ALSO + "  - {parents: [2, -40]}\n")],
         "-40", "must be a whole"),
        # parameters of a method, a variant and a case: the last that sets one
        ([("min_parent: 20", "min_parent: y")], "y}", "must be a whole"),
        ([("n_estimators: 30", "n_estimators: z")], "z}", "must be a whole"),
        # values that the experiment evaluates within a cell
        ([(KS, ALSO + "  - {noise: [4], k: [15, 0]}\n")], "0]}", "k must be"),
        ([(KS, ALSO + "  - {k: [15, 0]}\n")], "0]}", "k must be"),
        ([(KS, ALSO + "  - {k: [5, 15, 25]}\n")], "25]}", "k=25: 20 points have at most 19"),
        ([("k: [5, 10]", "k: [5, 20]")], "20]", "k=20: 20 points have at most 19 neighbours each"),
        ([("{n: 20}", "{k: 20}"), ("  k: [5, 10]\n", "")], "k: 20", "'k' belongs in grid"),
        # what a variant does to the sample
        ([(LEGACY, "{sample: {n: 3}}")], "3}}\n  euc", "n must be a whole number of at least 4"),
        ([(LEGACY, "{sample: {n: 8}}")], "10]\n", "k=10: 8 points have at most 7 neighbours each"),
        ([(LEGACY, "{sample: {noise: 3}}")], "noise: 3", "is set in both sample and grid"),
        ([(LEGACY, "{sample: {nn: 30}}")], "nn: 30", "unknown"),
        # the parts of a config that name others
        ([("seed: 3", "seed: 3\nleave_out: [gf, gff]")], "gff", "unknown method 'gff'"),
        ([(KS, ALSO + "  - {nois: [4]}\n")], "nois: [4]", "did you mean"),
        ([(KS, ALSO + "  - {noise: [4, 5, 4.0]}\n")], "4.0", "duplicate"),
        ([(FROM_GRID[0], FROM_GRID[1].replace("parents", "nose"))], "nose", "did you mean 'noise'"),
        ([(FROM_GRID[0], FROM_GRID[1].replace("min_parent", "min_paren"))],
         "min_paren:", "did you mean"),
    ],
)  # fmt: skip
def test_a_mistake_stands_where_it_was_made(write, changes, at, words):
    path = write(*changes)
    with pytest.raises(UserError) as caught:
        load(path)
    position = _position(path.read_text(), at)
    assert any(
        sentence.startswith(f"{path}:{position}: ") and words in sentence
        for sentence in caught.value.sentences
    ), caught.value.sentences


def test_a_variant_left_out_at_a_point_takes_no_other_along(write):
    """Neither those that follow it in the config, nor the points that follow."""
    params = "            params: {n_estimators: 30}\n            repetitions: 1\n"
    entries = load(write((params, "            leave_out: true\n"))).entries
    points = {
        (entry.method, entry.variant, entry.point["manifold"], entry.point["noise"])
        for entry in entries
    }
    pairs = [("gf", "recommended"), ("gf", "as_run"), ("euclidean", "as_written"),
             ("euclidean", "as_run")]  # fmt: skip
    assert points == {
        (*pair, manifold, noise)
        for pair in pairs
        for manifold in ("helix", "linear")
        for noise in (0, 1.5)
        if (pair, noise) != (("gf", "recommended"), 1.5)
    }
