"""Estimators, verbs and functions give one answer, on files where they once gave several."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.estimators.methods import build
from geoforest_cli.tables import find_neighbors
from tests.tables.helpers import INPUTS, read_table

K = 5
LEFT_OUT = {
    "class_NA": ["continent"], "patients_1_exception": ["patient", "outcome"],
    "random_walk_classes": ["regime"], "repeated_ids": ["class"], "row_total_rounding": ["soil"],
    "scaled_before_correlation_counts": ["type"], "ties_few_distinct_rows": ["label"],
}  # fmt: skip
NAMES = sorted(path.stem for path in INPUTS.glob("*.csv"))

pytestmark = pytest.mark.compiled


def shares(method, points):
    """Return the share of neighbours that two tables' lists have in common, with one seed."""
    lists = [_neighbors(method, table) for table in points]
    return np.mean([len({*a} & {*b}) / K for a, b in zip(*lists, strict=True)])


def _neighbors(method, points):
    fitted = build(method, {}, seed=1).fit(points)
    if hasattr(fitted, "kneighbors"):
        return fitted.kneighbors(n_neighbors=K, return_distance=False)
    lengths = fitted.distances().copy()
    np.fill_diagonal(lengths, np.inf)
    return np.argsort(lengths, axis=1, kind="stable")[:, :K]


@pytest.mark.parametrize("method", ["adaptive_neighbors", "euclidean"])
@pytest.mark.parametrize("name", NAMES)
def test_python_and_the_command_line_agree(name, method, tmp_path):
    path, out = INPUTS / f"{name}.csv", tmp_path / "near.csv"
    left_out = LEFT_OUT.get(name, [])
    words = ["neighbors", path, "-k", K, "--method", method, "--seed", 1, "--missing", "drop"]
    words += ["--scale", "none"] if method == "euclidean" else []
    words += [word for column in left_out for word in ("--exclude", column)]
    screen = ["--screen", "none"] if method == "euclidean" else []
    done = CliRunner().invoke(cli, [str(word) for word in [*words, *screen, "-o", out]])
    assert done.exit_code == 0, done.output
    listed = pd.read_csv(out)
    table = read_table(path, exclude=left_out, missing="drop")
    distances, rows = (
        build(method, {"n_neighbors": K} if method != "euclidean" else {}, seed=1)
        .fit(table.points)
        .kneighbors(n_neighbors=K)
    )
    ids = table.ids.to_numpy()
    assert listed["neighbor"].tolist() == ids[rows].ravel().tolist()
    np.testing.assert_allclose(listed["distance"], distances.ravel(), rtol=1e-6)


@pytest.mark.filterwarnings("ignore:none of the 3 columns")
@pytest.mark.parametrize(
    "method",
    ["adaptive_neighbors", "euclidean", "cosine", "leaf_mates", "flann", "screened"],
)
def test_among_copies_the_first_rows_are_no_nearer(method):
    table = pd.read_csv(INPUTS / "ties_few_distinct_rows.csv")
    points, label = table[["q1", "q2", "q3"]].to_numpy(float), table["label"].to_numpy()
    fitted = build(method, {}, seed=1).fit(points)
    lists = fitted.kneighbors(n_neighbors=K, return_distance=False)
    chance = (label[:, None] == label).mean()
    assert abs((label[lists] == label[:, None]).mean() - chance) < 0.05
    assert len(np.unique(lists)) > 280
    new = fitted.kneighbors(points, K, return_distance=False)
    assert abs((label[new] == label[:, None]).mean() - chance) < 0.05


@pytest.mark.parametrize(
    "method",
    ["adaptive_neighbors", "geodesic_forest", "euclidean", "isomap", "umap", "random_forest"],
)
def test_a_column_constant_up_to_rounding_changes_no_neighbour(method):
    table = pd.read_csv(INPUTS / "row_total_rounding.csv").drop(columns="soil")
    points = table.to_numpy(float)
    assert shares(method, (points, points[:, :-1])) == 1
    angle = np.random.default_rng(0).uniform(0, 6, 150)
    circle = np.c_[np.cos(angle), np.sin(angle)]
    third = np.where(angle > 3, 0.3, 0.1 + 0.2)
    assert shares(method, (np.c_[circle, third], circle)) == 1


def test_the_verb_leaves_out_what_is_constant_up_to_rounding():
    result = find_neighbors(INPUTS / "row_total_rounding.csv", K, "euclidean", exclude=["soil"])
    assert "total" not in result.columns
    assert "Left out, the same in every row: total." in result.notes


@pytest.mark.parametrize("method", ["geodesic_forest", "adaptive_neighbors", "screened"])
def test_one_rule_says_which_columns_are_dropped(method):
    rng = np.random.default_rng(0)
    t = rng.uniform(size=300)
    points = np.c_[t, t**2, np.sin(3 * t), rng.normal(size=300)]
    fitted = build(method, {}, seed=0).fit(points)
    kept = getattr(fitted, "kept_", getattr(fitted, "_kept", None))
    assert kept.tolist() == [0, 1, 2, 3]
    assert set(find_neighbors(points, K, method).columns) == {"0", "1", "2", "3"}


def test_a_seeded_layout_of_copies_is_the_same_in_every_run():
    points = pd.read_csv(INPUTS / "umap_duplicates.csv").to_numpy(float)
    first, second = (build("umap", {}, seed=1).fit(points).embedding_ for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("method", ["graph_geodesic", "spherical_distance", "euclidean", "isomap"])
def test_values_beyond_the_range_are_named(method):
    points = np.random.default_rng(0).normal(size=(40, 3)) * 1e160
    with pytest.raises(ValueError, match=r"row 0, column \d .* values up to 1e\+150 are allowed"):
        build(method, {}).fit(points)


@pytest.mark.parametrize("method", ["euclidean", "adaptive_neighbors"])
@pytest.mark.parametrize(("seed", "distinct"), [(0, 3), (1, 5), (2, 8), (3, 12)])
def test_the_order_of_rows_changes_no_score(method, seed, distinct):
    """Of 200 rows that are copies of a few: by order as by seed, within three standard errors."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(distinct, 3))[np.sort(rng.integers(distinct, size=200))]
    label = np.arange(200) < 100
    order = rng.permutation(200)
    lists = _neighbors(method, points)
    turned = _neighbors(method, points[order])
    shares = [
        (label[lists] == label[:, None]).mean(),
        (label[order][turned] == label[order][:, None]).mean(),
    ]
    assert abs(shares[0] - shares[1]) < 3 * np.sqrt(2 * 0.25 / 200)
