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
        (f"a,b\n1,{LONG}\n4,{LONG}.0\n7,x\n8,x\n", "classify t.csv --label b --folds 2"),
        (f"{LONG},{LONG}\n1,2\n4,5\n", "columns t.csv"),
        ("a,b\n1,2\n4,5\n", f"neighbors t.csv --method {LONG} -o o.csv"),
        ("a,b\n1,2\n4,5\n", f"neighbors t.csv --columns {LONG} -o o.csv"),
    ],
    ids=range(9),
)  # fmt: skip
def test_what_is_long_is_not_quoted_in_full(tmp_path, text, words):
    (tmp_path / "t.csv").write_text(text)
    done = geoforest(*words.split(), cwd=tmp_path)
    assert done.returncode == 2, done.stderr[:2000]
    assert len(done.stderr) < 2_000
    assert "Traceback" not in done.stderr
