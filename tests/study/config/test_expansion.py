"""Claims written shortly: what they mean, and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.core.errors import ConfigErrors
from geoforest_cli.core.yaml_loader import parse
from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.config.writing import as_yaml

HEAD = """\
title: short
experiment: toy
grid: {k: [5]}
methods:
  gf: {label: GF, params: {a: 1, b: 2}, variants: {as_run: {}, recommended: {}}}
  isomap: {label: Isomap, variants: {as_run: {}, as_written: {}}}
  umap: {label: UMAP, variants: {as_run: {}, as_written: {}}}
  own: {variants: {recommended: {}}}
"""
FIRST = """\
  - id: first
    says: one
    expect: nothing
    check: greater
    metric: score
    where: {k: [5]}
    method: {name: gf, variant: as_run}
    than: [{name: isomap, variant: as_run}]
"""


@pytest.fixture
def claims(tmp_path):
    def read(text, more=""):
        path = tmp_path / "x.yaml"
        path.write_text(f"{HEAD}{more}claims:\n{text}")
        return list(open_config(path, "paper").config.claims)

    return read


def _than(name, *variants):
    return [{"name": name, "variant": variant} for variant in variants]


def _all(variant, *names):
    return [{"name": name, "variant": variant} for name in names]


def test_a_claim_takes_the_keys_of_another(claims):
    first, second = claims(
        FIRST.replace("- id", "- &first\n    id")
        + "  - {<<: *first, id: second, method: {name: umap, variant: as_run}, than: all_others}\n"
    )
    changed = {"id": "second", "method": _all("as_run", "umap")[0]}
    assert second == {**first, **changed, "than": _all("as_run", "gf", "isomap")}


@pytest.mark.parametrize(
    ("than", "expected"),
    [
        ("all_others", _all("as_run", "isomap", "umap")),
        ("{names: all_others, variant: as_written}", _all("as_written", "isomap", "umap")),
        ("{names: all_others, but: umap}", _all("as_run", "isomap")),
        ("{names: all_others, variant: recommended}", _all("recommended", "own")),
        ("near", _all("as_run", "umap", "isomap")),
        ("{names: near, variant: as_written, but: [umap]}", _all("as_written", "isomap")),
        ("mixed", [*_all("as_run", "umap"), *_all("as_written", "isomap"), *_all("recommended", "own")]),
        ("isomap", _all("as_run", "isomap")),
        ("[isomap, {name: own, variant: recommended}]", [*_all("as_run", "isomap"), *_all("recommended", "own")]),
        ("{names: [near, own], variant: x}", _all("x", "umap", "isomap", "own")),
        ("[{name: own, variant: recommended}]", _all("recommended", "own")),
    ],
)  # fmt: skip
def test_groups_of_methods(claims, than, expected):
    groups = (
        "groups:\n  near: [umap, isomap]\n"
        "  mixed: [umap, {name: isomap, variant: as_written}, {names: own, variant: recommended}]\n"
    )
    text = FIRST.replace("[{name: isomap, variant: as_run}]", than)
    (claim,) = claims(text, groups)
    assert claim["than"] == expected


def test_several_methods_are_a_claim_for_each(claims):
    text = (
        "  - &good {id: '{method}_is_{metric}', says: '{method} is good', check: at_least, "
        "metric: [x, y], value: 1, method: {names: [gf, umap], variant: as_run}}\n"
        "  - {<<: *good, id: other, says: '{method}', method: [{name: own, variant: recommended}]}\n"
    )
    expanded = claims(text)
    assert [claim["id"] for claim in expanded] == [
        "gf_is_x", "gf_is_y", "umap_is_x", "umap_is_y", "other_own_x", "other_own_y",
    ]  # fmt: skip
    assert [claim["says"] for claim in expanded[1:3]] == ["GF is good", "UMAP is good"]
    assert expanded[3]["method"] == {"name": "umap", "variant": "as_run"}
    assert expanded[4]["says"] == "own"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[{name: isomap, variant: as_run}]", "baselins", r":18:11: unknown method or group 'baselins'; did you mean 'baselines'"),
        ("[{name: isomap, variant: as_run}]", "[umpa]", r":18:12: unknown method or group 'umpa'; did you mean 'umap'"),
        ("[{name: isomap, variant: as_run}]", "{names: all_others, variant: as_wrtten}", r":18:19: all_others: no other method has the variant 'as_wrtten'"),
        ("[{name: isomap, variant: as_run}]", "{names: [umap], varient: as_run}", r":18:27: unknown key 'varient'; did you mean 'variant'"),
        ("[{name: isomap, variant: as_run}]", "round", r":9:18: unknown method or group 'round'"),
        ("{name: gf, variant: as_run}", "gf", r":17:13: the method 'gf' needs a variant"),
        ("{name: gf, variant: as_run}", "{names: all_others}", r":17:21: all_others needs a variant"),
        ("metric: score", "metric: []", r":15:13: metric must name at least one metric"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_out(claims, old, new, sentence):
    assert old in FIRST
    groups = "groups: {round: [round], baselines: [umap]}\n"
    with pytest.raises(ConfigErrors, match=sentence):
        claims(FIRST.replace(old, new), groups)


_words = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.sampled_from(" -:#'\"e1.0"),
    max_size=12,
)
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | _words | st.sampled_from(["1e3", "no", "0o7", "null", "~", "1_000", "<<", "=", "12:30"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["a", "b", "no", "1e3", "7"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=50, deadline=None)
@given(_values)
def test_what_is_shown_is_read_back(value):
    assert parse(as_yaml({"key": value}), "x.yaml").data == {"key": value}
