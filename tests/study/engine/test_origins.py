"""With what the shown rows were made, from made-up origins."""

from types import SimpleNamespace

import pytest

from geoforest_cli.study.engine import provenance


def table(*shown):
    """Rows of records: seconds, origin, when they were finished."""
    return SimpleNamespace(
        shown=[(SimpleNamespace(seconds=seconds), name, date) for seconds, name, date in shown]
    )


def test_each_origin_counts_its_records_and_what_differs_is_named():
    known = {
        "o": {"commit": "c0", "python": "3.12", "numba": "1"},
        "p": {"commit": "c1", "python": "3.12"},
        "q": {"commit": "never shown"},
    }
    rows = table((1.23456, "o", "b"), (2.0, "p", "a"), (1.0, "o", "c"), (0.5, "r", "a"),
                 (0.25, "p", "d"))  # fmt: skip
    assert provenance._made(SimpleNamespace(origins=lambda: known), rows) == {
        "differ": ["commit", "python", "numba"],
        "origins": [
            {"records": 2, "first": "a", "last": "d", "seconds": 2.25, **known["p"]},
            {"records": 1, "first": "a", "last": "a", "seconds": 0.5},
            {"records": 2, "first": "b", "last": "c", "seconds": 2.235, **known["o"]},
        ],
    }
    same = table((1.0, "o", "a"), (1.0, "o", "b"))
    assert provenance._made(SimpleNamespace(origins=lambda: known), same)["differ"] == []


@pytest.mark.parametrize(
    ("origins", "names"),
    [
        ([("i7", "avx2"), ("arm", "avx2")], ("arm", "i7")),
        ([("i7", "avx2"), ("i7", "avx512")], ("i7 with avx2", "i7 with avx512")),
        ([("i7", "avx2"), ("i7", "avx512"), ("i7", "")], ("i7", "i7 with avx2", "i7 with avx512")),
        ([("", "avx2"), ("i7", "avx2")], ("i7",)),
        ([], ()),
    ],
)
def test_kinds_of_processor(origins, names):
    known = {
        str(i): {"processor": name, "kernels": kernels} for i, (name, kernels) in enumerate(origins)
    }
    rows = table(*((1.0, name, "a") for name in [*known, *known]))
    assert provenance.processors(SimpleNamespace(origins=lambda: known), rows) == names
