"""Messages of the verbs on a user's own table, in the words of the command line."""

import contextlib
import re
import shlex
import warnings

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from geoforest_cli.cli import table_options
from geoforest_cli.cli.main import cli
from geoforest_cli.cli.table_options import in_options
from geoforest_cli.tables.messages import MAX_NAMES, argument_format, max_names


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(40, 2)), columns=["height, cm", "b"]).assign(c=range(40))


def ask(tmp_path, *args, verb="neighbors", table="t.csv"):
    out = ["-k", "2", "--method", "euclidean", "-o", tmp_path / "o.csv"]
    given = [verb, tmp_path / table, *(out if verb == "neighbors" else []), *args]
    return CliRunner().invoke(cli, [str(word) for word in given])


@pytest.mark.parametrize(
    "args",
    [
        ["--columns", '"height, cm",b'],
        ["--columns", 'b, "height, cm"'],
        ["--columns", '"height, cm"', "--columns", "b"],
    ],
)
def test_names_with_commas(frame, tmp_path, args):
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = ask(tmp_path, *args)
    assert done.exit_code == 0, done.output
    names = ['"height, cm"', "b"]
    used = ", ".join(names if not args[1].startswith("b,") else reversed(names))
    assert done.stderr.splitlines()[-1] == f"Used, 2 of 3 columns: {used}."


def test_a_part_of_a_name_with_a_comma_is_told_how_to_be_written(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = ask(tmp_path, "--columns", "height, cm,b")
    assert str(done.exception).endswith("""; --columns '"height, cm"' is one name""")


def test_what_the_file_shows_is_told_in_options_that_ask_for_it(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",", encoding="utf-16")
    first = ask(tmp_path)
    before = (tmp_path / "o.csv").read_text()
    [message] = [line for line in first.stderr.splitlines() if line.startswith("Read as")]
    assert message == "Read as the file shows (--encoding utf-16 --sep ';' --decimal ,)."
    asked = ask(tmp_path, "--encoding", "utf-16", "--sep", ";", "--decimal", ",")
    assert asked.exit_code == 0
    assert "Read as" not in asked.stderr
    assert (tmp_path / "o.csv").read_text() == before
    frame.to_csv(tmp_path / "t.csv", index=False, sep="\t")
    assert "(--sep tab)" in ask(tmp_path).stderr
    assert ask(tmp_path, "--sep", "tab").exit_code == 0
    assert ask(tmp_path, "--sep", "\\t").exit_code == 0


@pytest.mark.parametrize("verb", ["neighbors", "classify"])
def test_ways_out_are_options_that_the_verb_has(frame, tmp_path, verb):
    frame.assign(b=[np.nan, *frame["b"][1:]], kind=["u", "v"] * 20).to_csv(
        tmp_path / "t.csv", index=False
    )
    label = ["--label", "kind", "--method", "knn"] if verb == "classify" else []
    done = ask(tmp_path, *label, verb=verb)
    assert "in row 0 (rows count from 0); fill them" in str(done.exception)
    assert "(--missing drop)" in str(done.exception)
    assert ("(--missing impute)" in str(done.exception)) == (verb == "neighbors")
    done = ask(tmp_path, *label, "--missing", "drop", verb=verb)
    assert done.exit_code == 0, done.output
    assert "Left out, 1 of 40 rows misses a value; the first is row 0" in done.stderr


def test_many_columns_are_named_on_demand(tmp_path):
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(30, 40))).add_prefix("x")
    wide.to_csv(tmp_path / "t.csv", index=False)
    assert "x9 and 30 more." in ask(tmp_path).stderr
    message = ask(tmp_path, "--verbose").stderr
    assert message.endswith(f": {', '.join(wide.columns)}.\n")
    assert "and 30 more" in ask(tmp_path).stderr


def test_rows_and_ids_count_from_0_distances_have_seven_digits(frame, tmp_path):
    frame.assign(b=[*frame["b"][:5], np.nan, *frame["b"][6:]]).to_csv(
        tmp_path / "t.csv", index=False
    )
    done = ask(tmp_path)
    assert "in row 5 (" in str(done.exception)
    ask(tmp_path, "--missing", "drop")
    table = pd.read_csv(tmp_path / "o.csv")
    assert sorted(set(range(40)) - set(table["id"])) == [5]
    cells = pd.read_csv(tmp_path / "o.csv", dtype=str)["distance"]
    assert cells.str.replace(r"^0\.0*|\.|e.*", "", regex=True).str.len().max() == 7
    ask(tmp_path, "--missing", "drop", "-o", tmp_path / "o.parquet")
    exact = pd.read_parquet(tmp_path / "o.parquet")["distance"]
    assert np.allclose(exact, table["distance"], rtol=1e-6, atol=0)
    assert not (exact == table["distance"]).any()


def test_estimators_warn_in_options(capsys):
    with in_options():
        warnings.warn('columns drown others (binary_columns="exclude" does not)', stacklevel=1)
        warnings.warn("ask for max_search=None, where n = 5", stacklevel=1)
    assert capsys.readouterr().err.splitlines() == [
        "Note: columns drown others (--param binary_columns=exclude does not)",
        "Note: ask for --param max_search=null, where n = 5",
    ]


def test_names_in_options_can_be_pasted_into_a_shell(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=["a", "b", "mass (g)"])
    frame.loc[:9, "mass (g)"] = np.nan
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = ask(tmp_path, "--missing", "drop")
    assert done.exit_code == 0
    assert "30 of 30 rows would stay (--exclude 'mass (g)')." in done.stderr


@pytest.mark.parametrize("verb", ["neighbors", "columns", "classify", "directions"])
def test_every_command_on_a_table_takes_the_options_of_reading(verb):
    """And those on its columns: a call for one command is a call for the next."""
    names = {param.name for param in cli.get_command(None, verb).params}
    assert {"sep", "decimal", "encoding", "sheet", "matrix"} <= names
    assert {"columns", "exclude", "label", "identifier", "seed", "n_jobs", "verbose"} <= names


@pytest.mark.parametrize(
    ("argument", "value", "shown"),
    [
        ("k", 5, "-k 5"),
        ("k", None, "-k"),
        ("params", {"a": None, "b": True, "c": 2, "d": "x"}, "--param a=null b=true c=2 d=x"),
        ("sep", "\t", "--sep tab"),
        ("sep", ";", "--sep ';'"),
        ("columns", "b", "--columns b"),
        ("columns", "a, b", "--columns '\"a, b\"'"),
        ("exclude", "a,b", "--exclude '\"a,b\"'"),
        ("label", "a,b", "--label a,b"),
        ("label", "two words", "--label 'two words'"),
        ("color", "two words", "--color 'two words'"),
        ("group", "x y", "--group 'x y'"),
        ("group", 2, "--group 2"),
        ("identifier", "i d", "--id 'i d'"),
        ("method", "two words", "--method 'two words'"),
        ("importances", None, "--picture"),
        ("cell_rows", 3, "--cell-rows 3"),
        ("find_columns", None, "geoforest columns"),
        ("find_directions", None, "geoforest directions"),
        ("find_neighbors", None, "geoforest neighbors"),
        ("find_neighbors_by_group", None, "--group each"),
        ("cross_validate", None, "geoforest classify"),
    ],
)
def test_arguments_are_named_as_options(argument, value, shown):
    with table_options.in_options():
        assert argument_format.get()(argument, value) == shown


def test_options_are_named_and_columns_counted_in_the_block():
    before = argument_format.get(), max_names.get()
    with contextlib.suppress(ValueError), table_options.in_options(verbose=True):
        assert max_names.get() > 1e6
        raise ValueError
    assert (argument_format.get(), max_names.get()) == before
    with table_options.in_options():
        assert max_names.get() == MAX_NAMES


def test_other_warnings_are_no_notes(capsys):
    with table_options.in_options():
        warnings.warn("the user should know", stacklevel=1)
        warnings.warn("a library will change", DeprecationWarning, stacklevel=1)
        warnings.warn("the user should know", stacklevel=1)
    assert capsys.readouterr().err == "Note: the user should know\n" * 2


def test_names_are_read_as_commas_separate_them():
    names = table_options._split
    assert names(None, None, ("a, b", '"c, d",e', " f ,,")) == ("a", "b", "c, d", "e", "f")
    assert names(None, None, ()) == ()
    with pytest.raises(click.BadParameter, match="names of columns are separated by commas"):
        names(None, None, ("a\nb\r c",))


@pytest.mark.parametrize(("ending", "sep"), [("csv", ","), ("tsv", "\t")])
def test_columns_are_named_without_the_blanks_of_the_file(tmp_path, ending, sep):
    lines = ["x, y, who", "1,2,a", "4,5,b", "2,9,c", "7,7,d"]
    (tmp_path / f"t.{ending}").write_text("\n".join(lines).replace(",", sep))
    done = ask(tmp_path, "--columns", "x,y", "--id", "who", table=f"t.{ending}")
    assert done.exit_code == 0, done.output
    assert "Used, 2 of 3 columns: x, y." in done.stderr


def test_what_a_note_advises_can_be_pasted(frame, tmp_path):
    copies = frame.assign(**{"b2": 2 * frame["b"], "cm, x": -3 * frame["b"]})
    copies.to_csv(tmp_path / "t.csv", index=False)
    (advice,) = re.findall(r"\((--exclude .*)\)", ask(tmp_path).output)
    assert advice == """--exclude 'b2,"cm, x"'"""
    done = ask(tmp_path, *shlex.split(advice))
    assert done.exit_code == 0
    assert "height, cm" in done.output
    assert "counts twice" not in done.output
