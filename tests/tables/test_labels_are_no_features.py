"""A label and excluded columns are never features, whatever the verb."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import compare_neighbors, find_columns, find_neighbors
from geoforest_cli.tables import comparison as comparing
from geoforest_cli.tables.comparison_methods import COMPARED
from geoforest_cli.tables.options import NeighborOptions
from geoforest_cli.tables.reading import open_table


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b", "c"], 40)
    points = rng.normal(size=(120, 3)) + 3 * np.arange(3).repeat(40)[:, None]
    return pd.DataFrame(points, columns=list("xyz")).assign(kind=kind, grade=np.arange(120) % 4)


def call(*args):
    return CliRunner().invoke(cli, [str(arg) for arg in args], catch_exceptions=False)


@pytest.mark.parametrize("method", ["adaptive_neighbors", "geodesic_forest"])
@pytest.mark.parametrize("label", ["kind", "grade"])
def test_neighbors_with_a_label_are_those_without_it(frame, tmp_path, method, label):
    frame = frame.drop(columns={"kind", "grade"} - {label})
    frame.to_csv(tmp_path / "xy.csv", index=False)
    frame.drop(columns=label).to_csv(tmp_path / "x.csv", index=False)
    params = ["--param", "n_estimators=20"] if "forest" in method else []
    for name, more in (("xy", ["--label", label]), ("x", [])):
        out = tmp_path / f"{name}_out.csv"
        done = call(
            "neighbors", tmp_path / f"{name}.csv", "-k", 5, "--method", method, *params, "-o", out,
            *more,
        )  # fmt: skip
        assert done.exit_code == 0, done.output
    assert (tmp_path / "xy_out.csv").read_bytes() == (tmp_path / "x_out.csv").read_bytes()


def test_columns_with_a_label_are_those_of_the_table_without_it(frame, tmp_path):
    for name, table, more in (
        ("with", frame, ["--label", "kind", "--exclude", "grade"]),
        ("without", frame[["x", "y", "z"]], []),
    ):
        table.to_csv(tmp_path / "t.csv", index=False)
        done = call("columns", tmp_path / "t.csv", "-o", tmp_path / f"{name}.csv", *more)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "with.csv").read_bytes() == (tmp_path / "without.csv").read_bytes()


@pytest.mark.nightly
def test_no_method_of_a_comparison_sees_a_label(frame, monkeypatch):
    """Each of them finds what it finds in the file without these columns."""
    seen = []
    real = comparing.neighbors_of

    def neighbors_of(raw, *rest):
        result = real(raw, *rest)
        seen.append(result.indices.tobytes())
        return result

    monkeypatch.setattr(comparing, "neighbors_of", neighbors_of)
    whole = compare_neighbors(frame, 3, "kind", exclude=["grade"])
    assert len(seen) == len(whole.methods) > 9
    for number, name in enumerate(whole.methods):
        compared = COMPARED[name]
        alone = real(
            open_table(frame[["x", "y", "z"]]), 3, compared.method, compared.params,
            compared.options(NeighborOptions()),
        )  # fmt: skip
        assert seen[number] == alone.indices.tobytes(), name


@pytest.mark.parametrize(
    "ask",
    [
        find_neighbors,
        find_columns,
        lambda frame, label="kind", **more: compare_neighbors(frame, 3, label, **more),
    ],
)
def test_a_misspelt_column_to_leave_out_is_named(frame, ask):
    with pytest.raises(DataError, match="unknown column 'grad'; did you mean 'grade'"):
        ask(frame, exclude=["grad"])
    with pytest.raises(DataError, match="unknown column 'kinds'; did you mean 'kind'"):
        ask(frame, label="kinds")
    with pytest.raises(DataError, match=r"'x' cannot be both used \(columns\) and left out"):
        ask(frame, columns=["x", "y"], exclude=["x"])
