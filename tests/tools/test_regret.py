"""The regret of methods, on rows made up by hand."""

import pandas as pd
import pytest
from click.testing import CliRunner

from tools.regret import CELL, main, regrets, rivals, summary

PRECISIONS = {  # of two repetitions
    ("helix", "euclidean"): (0.8, 0.9),
    ("helix", "isomap"): (0.7, 0.7),
    ("helix", "adaptive"): (0.9, 0.9),
    ("sphere", "euclidean"): (0.6, 0.6),
    ("sphere", "isomap"): (0.9, 0.9),
    ("sphere", "adaptive"): (0.85, 0.85),
    ("iris", "euclidean"): (0.9, 0.9),
    ("iris", "isomap"): (0.8, 0.8),
    ("iris", "adaptive"): (0.89, 0.89),
}


@pytest.fixture
def rows():
    lines = [
        (data, 500, 0, "normal", "none", method, "recommended", repetition, "precision", value)
        for (data, method), values in PRECISIONS.items()
        for repetition, value in enumerate(values)
    ]
    names = [*CELL, "method", "variant", "repetition", "metric", "value"]
    frame = pd.DataFrame(lines, columns=names)
    other = frame.assign(value=5.0)  # neither is a precision of the recommended variant
    return pd.concat([frame, other.assign(metric="chance"), other.assign(variant="as_run")])


def test_regret_is_the_best_rivals_precision_minus_the_methods(rows):
    behind = regrets(rows, ["euclidean", "isomap", "umap"]).droplevel(CELL[1:])
    assert behind["adaptive"].to_dict() == pytest.approx(
        {"helix": -0.05, "iris": 0.01, "sphere": 0.05}
    )
    assert behind.loc["helix", "isomap"] == pytest.approx(0.15)


def test_shapes_and_tables_weigh_one_half_each(rows):
    line = summary(regrets(rows, ["euclidean", "isomap"])).loc["adaptive"]
    assert line["mean"] == pytest.approx((0.0 + 0.01) / 2)
    assert line["worst"] == pytest.approx(0.05)
    assert line["within"] == pytest.approx(2 / 3)
    assert line["cells"] == 3


def test_the_rivals_are_those_of_the_config():
    assert len(rivals()) == 12
    with pytest.raises(ValueError, match="none of the rivals"):
        regrets(pd.DataFrame(columns=[*CELL, "method", "variant", "metric", "value"]), rivals())


def test_the_command_lists_misses(rows, tmp_path):
    rows.to_csv(tmp_path / "rows.csv", index=False)
    done = CliRunner().invoke(main, [str(tmp_path), "--cells", "adaptive"])
    assert done.exit_code == 0, done.output
    assert "1 cells with adaptive more than 0.02 behind" in done.output
    assert "sphere" in done.output.splitlines()[-1]


def test_files_of_rows_are_put_together_and_the_best_rival_is_named(rows, tmp_path):
    shapes = rows["data"] != "iris"
    rows[shapes].to_csv(tmp_path / "shapes.csv", index=False)
    rows[~shapes].to_csv(tmp_path / "tables.csv", index=False)
    apart = CliRunner().invoke(main, [str(tmp_path / "shapes.csv"), str(tmp_path / "tables.csv")])
    rows.to_csv(tmp_path / "rows.csv", index=False)
    together = CliRunner().invoke(main, [str(tmp_path)])
    assert apart.exit_code == 0, apart.output
    assert apart.output == together.output
    # means of the regret: isomap (.075 + .1) / 2, euclidean (.15 + 0) / 2
    assert apart.output.splitlines()[-1] == "best single rival: euclidean"


@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        ({}, ["--cells", "adaptiv"], "'adaptiv' is no method of the rows"),
        ({"metric": "recall"}, [], "the rows have none of the rivals"),
        ({"n": "rows"}, [], "has no column 'n'"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(rows, tmp_path, change, options, sentence):
    changed = rows.rename(columns=change) if "n" in change else rows.assign(**change)
    changed.to_csv(tmp_path / "rows.csv", index=False)
    done = CliRunner().invoke(main, [str(tmp_path), *options])
    assert done.exit_code == 2
    assert sentence in " ".join(done.output.split()).replace("│ ", "")


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "rows.csv").write_text("")
    done = CliRunner().invoke(main, [str(tmp_path)])
    assert done.exit_code == 2
    assert "cannot be read" in done.output
