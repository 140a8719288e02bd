"""What is said while the user waits."""

import numba
from click.testing import CliRunner

from geoforest_cli.cli.main import cli
from geoforest_cli.cli.progress import show_compiling, show_progress


def test_compiling_is_said_once_and_only_where_it_happens(capsys):
    with show_compiling():
        pass
    assert capsys.readouterr().err == ""
    double, triple = (numba.njit(lambda x, n=n: n * x) for n in (2, 3))
    with show_progress():
        assert (double(4.0), triple(4.0)) == (8.0, 12.0)
    assert capsys.readouterr().err == "Compiling, once on this machine, for up to a minute ...\n"
    with show_compiling():
        assert double(5.0) == 10.0
    assert capsys.readouterr().err == ""


def test_verbs_on_a_table_say_it(monkeypatch, tmp_path):
    """Each of them computes in the foreground."""
    kernel = numba.njit(lambda x: x + 1)

    def compute(*_, **__):
        kernel(len(asked) + 1j if asked else 1.0)
        asked.append(1)
        raise KeyboardInterrupt

    asked = []
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 12)
    for function, *call in (
        ("find_neighbors", "neighbors", "-o", str(tmp_path / "o.csv")),
        ("cross_validate", "classify", "--label", "b"),
    ):
        monkeypatch.setattr(f"geoforest_cli.tables.{function}", compute)
        done = CliRunner().invoke(cli, [call[0], str(tmp_path / "t.csv"), *call[1:]])
        assert done.stderr.count("Compiling, once") == 1, call
