"""Progress that is shown while the user waits."""

import numba

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
