"""With what the shown rows were made, from made-up origins."""

from types import SimpleNamespace

import pytest

from geoforest_cli.study.engine import provenance


def table(*shown):
    """Rows of records: seconds, origin, when they were finished."""
    return SimpleNamespace(
        shown=[(SimpleNamespace(seconds=seconds), name, date) for seconds, name, date in shown]
    )


def test_each_origin_counts_its_records_and_names_differences():
    origins = {
        "o": {"commit": "c0", "python": "3.12", "numba": "1"},
        "p": {"commit": "c1", "python": "3.12"},
        "q": {"commit": "never shown"},
    }
    rows = table((1.23456, "o", "b"), (2.0, "p", "a"), (1.0, "o", "c"), (0.5, "r", "a"),
                 (0.25, "p", "d"))  # fmt: skip
    assert provenance._environment(SimpleNamespace(origins=lambda: origins), rows) == {
        "differ": ["commit", "python", "numba"],
        "origins": [
            {"records": 2, "first": "a", "last": "d", "seconds": 2.25, **origins["p"]},
            {"records": 1, "first": "a", "last": "a", "seconds": 0.5},
            {"records": 2, "first": "b", "last": "c", "seconds": 2.235, **origins["o"]},
        ],
    }
    same = table((1.0, "o", "a"), (1.0, "o", "b"))
    assert provenance._environment(SimpleNamespace(origins=lambda: origins), same)["differ"] == []


@pytest.mark.parametrize(
    ("origins", "sentence"),
    [
        ([("i7", "avx2", "2.4"), ("arm", "avx2", "2.4")], "2 kinds of processor (arm, i7)"),
        (
            [("i7", "avx2", "2.4"), ("i7", "avx512", "2.4")],
            "2 kinds of processor (i7 with avx2, i7 with avx512)",
        ),
        ([("", "avx2", "2.4"), ("i7", "avx2", "2.4")], ""),
        ([("i7", "AVX2", "2.4.6"), ("i7", "X86_V3", "2.5.0")], "numpy 2.4.6 and 2.5.0"),
        (
            [("i7", "avx2", "2.4"), ("arm", "neon", "2.5")],
            "2 kinds of processor (arm, i7), numpy 2.4 and 2.5",
        ),
        ([], ""),
    ],
)
def test_kinds_of_processor_and_versions_of_numpy_are_named(origins, sentence):
    names = "processor", "kernels", "numpy"
    by_name = {str(i): dict(zip(names, origin, strict=True)) for i, origin in enumerate(origins)}
    rows = table(*((1.0, name, "a") for name in [*by_name, *by_name]))
    assert provenance.mixture(SimpleNamespace(origins=lambda: by_name), rows) == sentence
