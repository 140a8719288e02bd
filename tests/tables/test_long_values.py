"""A message quotes at most a line of a value, however long the value is."""

import pytest

from tests.e2e.inside import geoforest

LONG = "9" * 400_000
WORD = "a long word " * 40_000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"a,b\n1,2\n{LONG},3\n4,5\n", "neighbors t.csv -k 1 --method euclidean -o o.csv"),
        (f"a,b\n1,2\n3,{WORD}\n4,5\n6,8\n", "neighbors t.csv -k 1 --method euclidean -o o.csv"),
        (f"a,b\n1,2\n3,{WORD}\n4,5\n", "neighbors t.csv -k 1 --columns b -o o.csv"),
        (f"a,{WORD}\n1,2\n4,5\n7,7\n", "neighbors t.csv -k 1 --columns c -o o.csv"),
        (f"a,{WORD},{WORD}\n1,2,3\n4,5,6\n", "neighbors t.csv -k 1 -o o.csv"),
        (f"a,b\n1,{WORD}\n4,{WORD}\n7,x\n8,x\n", "classify t.csv --label b --folds 2"),
        (f"a,b\n1,{LONG}\n4,{LONG}.0\n7,x\n8,x\n", "classify t.csv --label b --folds 2"),
        (f"{LONG},{LONG}\n1,2\n4,5\n", "columns t.csv"),
        ("a,b\n1,2\n4,5\n", f"neighbors t.csv --method {LONG} -o o.csv"),
        ("a,b\n1,2\n4,5\n", f"neighbors t.csv --columns {LONG} -o o.csv"),
    ],
    ids=range(10),
)  # fmt: skip
def test_what_is_long_is_not_quoted_in_full(tmp_path, text, words):
    (tmp_path / "t.csv").write_text(text)
    done = geoforest(*words.split(), cwd=tmp_path)
    assert done.returncode == 2, done.stderr[:2000]
    assert len(done.stderr) < 2_000
    assert "Traceback" not in done.stderr


def test_a_label_of_a_megabyte_takes_no_more_than_itself(tmp_path):
    """An array of text has the length of the longest for every row: 4,000 of them took 15 GiB."""
    names = "\n".join(
        f"{i}.5,{'xy'[i % 2] * 1_000_000 if i < 4 else 'xy'[i % 2]}" for i in range(4_000)
    )
    (tmp_path / "t.csv").write_text(f"a,b\n{names}\n")
    done = geoforest("classify", "t.csv", "--label", "b", "--method", "knn", cwd=tmp_path)
    assert done.returncode == 2
    assert "the label 'b' has a text of 1,000,000 characters, which names no class" in done.stderr


_VERBS = (
    "neighbors t.csv -o o.csv",
    "columns t.csv",
    "directions t.csv",
    "classify t.csv --label b",
)


@pytest.mark.parametrize(
    "words",
    [
        *(["neighbors", "t.csv", "-k", "1", "-o", "o.csv", option, f"{before}{long}"]
          for long in (LONG, WORD)
          for option, before in [
              ("--param", ""), ("--param", "n_neighbors="), ("--scale", ""), ("--missing", ""),
              ("--group", ""), ("--color", ""), ("--id", ""), ("-k", ""), ("--seed", ""),
              ("--sep", ""), ("--encoding", ""), ("--decimal", ""), ("--exclude", ""),
              ("--jobs", ""), ("--shape", ""), ("--picture", ""), ("--sheet", ""),
          ]),
        *([*verb.split(), "--method", long] for verb in _VERBS for long in (LONG, WORD)),
        *(["columns", "t.csv", option, f"t.{long}"]
          for option in ("-o", "--picture") for long in (LONG, WORD)),
        *(["check", "settings", "--set", f"{before}{long}"]
          for before in ("", "params.n=", "params.", "timeout=", "methods.a.use=")
          for long in (LONG, WORD)),
        *([*verb, LONG]
          for verb in (["run"], ["check"], ["show"], ["figure"], ["cite"], ["list"], ["data"], [],
                       ["run", "settings", "--results"], ["claims", "--results"], ["init"],
                       ["check", "settings", "--profile"], ["reference", "verify", "-o"],
                       ["compare", "."], ["neighbors", "t.csv", "-o", "o.csv", "--" + LONG])),
    ],
    ids=lambda words: " ".join(word[:9] for word in words),
)  # fmt: skip
def test_what_is_long_in_an_option_is_not_quoted_in_full(tmp_path, words):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n4,5\n7,7\n8,3\n")
    done = geoforest(*words, cwd=tmp_path)
    assert done.returncode == 2, done.stderr[:2000]
    assert len(done.stderr) < 2_000
    assert max(map(len, done.stderr.split())) <= 300
    assert "Traceback" not in done.stderr
