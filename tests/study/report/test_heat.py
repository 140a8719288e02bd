"""Heat maps and mean ranks as tables, whole, from made-up summaries."""

from types import SimpleNamespace

import pandas as pd
import pytest

from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.report.site.heat import Cell, HeatTable, heat_tables


def run(figure, values, name="mine", more=None):
    """`values`: (method, variant, metric, n, noise) -> mean."""
    columns = ["method", "variant", "metric", "n", "noise", "mean"]
    lines = pd.DataFrame([(*place, mean) for place, mean in values.items()], columns=columns)
    variants = {"recommended": {}, "as_run": {}}
    config = Config.model_validate({
        "title": "T", "experiment": "e", "grid": {"n": [20, 10], "noise": [0.0, 0.5]},
        "methods": {"gf": {"label": "GF", "variants": variants},
                    "isomap": {"variants": variants}, "umap": {"variants": variants}},
        "figure": figure, "more_figures": more or {},
    })  # fmt: skip
    return SimpleNamespace(config=config, lines=lines, title="T", name=name)


VALUES = {
    ("isomap", "recommended", "precision", 10, 0.0): 0.5,
    ("gf", "recommended", "precision", 10, 0.0): 0.99,
    ("gf", "as_run", "precision", 10, 0.0): 0.95,
    ("gf", "recommended", "precision", 20, 0.0): 1.0,
    ("isomap", "recommended", "precision", 20, 0.0): 0.0,
    ("gf", "recommended", "precision", 20, 0.5): 0.25,
    ("isomap", "recommended", "precision", 20, 0.5): 0.25,
    ("gf", "recommended", "chance", 10, 0.0): 0.1,
    ("gf", "recommended", "recall", 10, 0.0): 0.7,
}
NOTHING = Cell(None, "–", 0, best=False)


def test_a_heat_map_in_columns_of_two_grid_parameters():
    figure = {"kind": "heat", "x": "n", "y": ["precision"], "columns": "noise"}
    [found] = heat_tables(run(figure, VALUES))
    assert found == HeatTable(
        title="T", groups=[("noise 0", 2), ("noise 0.5", 1)], heads=["20", "10", "20"],
        rows=[
            ("GF (recommended)",
             [Cell(1.0, "1.00", 9, best=True), Cell(0.99, "0.99", 9, best=True),
              Cell(0.25, "0.25", 2, best=True)]),
            ("GF (as run)", [NOTHING, Cell(0.95, "0.95", 9), NOTHING]),
            ("isomap", [Cell(0.0, "0.00", 0), Cell(0.5, "0.50", 5),
                        Cell(0.25, "0.25", 2, best=True)]),
        ],
        chance=[NOTHING, Cell(0.1, "0.10", 1), NOTHING],
        note="Precision, mean over repetitions, by n; the largest of a column is bold",
    )  # fmt: skip


def test_a_heat_map_has_a_table_for_each_row_of_panels():
    figure = {"kind": "heat", "x": "n", "y": ["precision"], "rows": "noise", "y_label": "share",
              "x_label": "size"}  # fmt: skip
    first, second = heat_tables(run(figure, VALUES, more={"by_n": {**figure, "rows": None}}))[:2]
    assert [first.title, second.title] == ["T, noise 0", "T, noise 0.5"]
    assert (first.groups, first.heads, second.heads) == ([], ["20", "10"], ["20"])
    assert first.chance == [NOTHING, Cell(0.1, "0.10", 1)]
    assert second.chance == []
    assert second.rows == [(name, [Cell(0.25, "0.25", 2, best=True)]) for name in ("GF", "isomap")]
    assert first.note == "Share, mean over repetitions, by size; the largest of a column is bold"
    last = heat_tables(run(figure, VALUES, more={"by_n": {**figure, "rows": None}}))[2]
    assert last.title == "T: by n"


@pytest.mark.parametrize(
    "figure",
    [
        {"x": "n", "y": ["precision"]},
        {"kind": "heat", "x": "n", "y": ["precision", "recall"], "rows": "metric"},
        {"kind": "heat", "x": "n", "y": ["precision"], "columns": "method"},
        {"kind": "heat", "x": "n", "y": ["no_such"]},
    ],
)
def test_other_figures_are_no_tables(figure):
    assert heat_tables(run(figure, VALUES)) == []


def test_values_on_a_logarithmic_axis_and_large_ones():
    powers = dict(zip(VALUES, (0, 1, 2, 3.5, 4, 5, 6), strict=False))
    seconds = {key: 10.0**-power for key, power in powers.items()}
    figure = {"kind": "heat", "x": "n", "y": ["precision"], "columns": "noise", "y_scale": "log"}
    [found] = heat_tables(run(figure, seconds))
    steps = {cell.text: cell.step for _, row in found.rows for cell in row if cell.value}
    assert steps == {"1": 9, "0.1": 8, "0.01": 6, "0.00032": 4, "0.0001": 3, "1e-05": 1, "1e-06": 0}
    large = {key: 12.345 * i for i, key in enumerate(VALUES) if key[2] == "precision"}
    figure = {"kind": "heat", "x": "n", "y": ["precision"], "where": {"noise": 0.0}}
    [found] = heat_tables(run(figure, large))
    assert [cell.text for cell in found.rows[0][1]] == ["37.0", "12.3"]
    same = dict.fromkeys(large, 5.0)
    [found] = heat_tables(run({**figure, "bounds": {"precision": (None, None)}}, same))
    assert {cell for _, row in found.rows for cell in row} == {Cell(5.0, "5.00", 0, True), NOTHING}


def test_mean_ranks_have_a_column_for_each_panel():
    values = {
        (method, "recommended", "precision", n, noise): value
        for n in (10, 20)
        for noise in (0.0, 0.5)
        for method, value in zip(
            ("umap", "gf", "isomap"), (0.5, 0.9, 0.5) if noise else (0.8, 0.7, 0.6), strict=True
        )
    }
    figure = {"x": "n", "y": ["precision"], "columns": "n", "ranks": "noise"}
    [found] = heat_tables(run(figure, values))
    assert found == HeatTable(
        title="T", groups=[("n", 2)], heads=["10", "20"],
        rows=[
            ("GF", [Cell(1.5, "1.50", 2, best=True)] * 2),
            ("isomap", [Cell(2.75, "2.75", 8)] * 2),
            ("umap", [Cell(1.75, "1.75", 3)] * 2),
        ],
        chance=[],
        note="Mean rank by precision over every noise; 1 is best. Methods whose mean ranks differ "
        "by less than the critical difference are not told apart (Friedman and Nemenyi): "
        "2.3 (10, 2 noises), 2.3 (20, 2 noises)",
    )  # fmt: skip
    few = {key: value for key, value in values.items() if key[0] != "umap"}
    assert heat_tables(run(figure, few)) == []
    assert heat_tables(SimpleNamespace(config=None, lines=None)) == []


def test_mean_ranks_are_of_two_values_at_least_and_of_methods_with_all_of_them():
    figure = {"x": "n", "y": ["precision"], "columns": "n", "ranks": "noise"}
    values = {
        (method, "recommended", "precision", n, noise): value + noise
        for n, noises in ((10, (0.0, 0.5)), (20, (0.5,)))
        for noise in noises
        for method, value in (("umap", 0.3), ("gf", 0.1), ("isomap", 0.2))
    }
    [found] = heat_tables(run(figure, values))
    assert (found.heads, found.groups) == (["10"], [("n", 1)])
    del values["gf", "recommended", "precision", 10, 0.5]
    assert heat_tables(run(figure, values)) == []


@pytest.mark.parametrize(
    ("values", "shown"),
    [((0.0, 2.0), ["0.00", "2.00"]), ((0.0, 2.5), ["0.0", "2.5"]), ((5.0, 7.0), ["5.00", "7.00"])],
)
def test_values_have_two_decimals_where_they_lie_close(values, shown):
    lines = {("gf", "as_run", "loss", n, 0.0): one for n, one in zip((20, 10), values, strict=True)}
    [found] = heat_tables(run({"kind": "heat", "x": "n", "y": ["loss"]}, lines))
    [(_, cells)] = found.rows
    assert [cell.text for cell in cells] == shown
    assert [cell.step for cell in cells] == [0, 9]
