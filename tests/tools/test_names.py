"""Names and docstrings that `tools.names` refuses."""

import pytest

from tools import names


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("found = 1", "found"), ("_OWN = 1", "_OWN"), ("def f(told): ...", "told"),
        ("self.near = 1", "near"), ("import os as place", "place"), ("_AT_ONCE = 1", "_AT_ONCE"),
        ("[one for one in x]", "one"), ("n_twins = 1", "n_twins"), ('"""A slow twin."""', "twin"),
        ('def f():\n    """Whether it is."""', "Whether"), (f"def test_{'x' * 56}(): ...", "test_"),
    ],
)  # fmt: skip
def test_what_is_against_a_rule_is_named(source, name):
    assert [fault[1][: len(name)] for fault in names.faults(source)] == [name]


@pytest.mark.parametrize(
    "source",
    ["f(one=1)", "print(found)", "chosen_ = own_rows = 1", "_FEW_ROWS = 1", '"""Return what."""'],
)
def test_other_names_are_not(source):
    assert list(names.faults(source)) == []


def test_names_of_classes_are_unique(tmp_path, monkeypatch, capsys):
    (tmp_path / "geoforest_cli").mkdir()
    for name in ("a", "b"):
        (tmp_path / "geoforest_cli" / f"{name}.py").write_text("class Row: ...\n")
    monkeypatch.chdir(tmp_path)
    assert names.main() == 1
    assert capsys.readouterr().out.endswith("b.py:1: Row: is a class of geoforest_cli/a.py too\n")
