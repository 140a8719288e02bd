"""Strict YAML: scalars of YAML 1.2, duplicates refused, places kept."""

import contextlib
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoforest_cli.core import yaml_loader
from geoforest_cli.core.errors import ConfigError, ConfigErrors, UserError
from geoforest_cli.core.yaml_loader import parse, read

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("1.", 1.0),
        (".5", 0.5),
        ("-3", -3),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("10:30", "10:30"),
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("'12'", "12"),
        ('"true"', "true"),
        ("1e-3x", "1e-3x"),
        (".inf", math.inf),
        ("+.Inf", math.inf),
        ("-.INF", -math.inf),
        ("1_000", "1_000"),
        ("-.inf", -math.inf),
        ("2020-01-01", "2020-01-01"),
        ("[1, 2.5, a]", [1, 2.5, "a"]),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text, value):
    scalar = parse(f"a: {text}", "x.yaml").data["a"]
    assert scalar == value
    assert type(scalar) is type(value)


def test_every_key_and_value_has_its_position():
    node = parse("a:\n  b: [1,\n    {c: 2}]\n", "x.yaml")
    inner = node.find(("a", "b"))
    assert (inner.key.line, inner.key.column) == (2, 3)
    assert (inner.position.line, inner.position.column) == (2, 6)
    assert node.find(("a", "b", 1, "c")).position.line == 3
    assert node.find(("a", "b", 7)) is None
    assert node.find(("a", "b", 0, 0)) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("? [1, 2]\n: 3", "a key must be a plain word"),
        ("a: &x [*x]\n", "x.yaml:1:4: an anchor must not contain itself"),
        ("a: " + "[" * 3000, "x.yaml:1:1: this is nested too deeply"),
        ("a: 0x" + "f" * 101, "x.yaml:1:4: the number 0xf+... is too long"),
        ("a: !!str 5", "x.yaml:1:4: tags .* are not supported"),
    ],
)
def test_what_is_not_strict_yaml_is_one_sentence_with_its_place(text, words):
    with pytest.raises(ConfigError, match=words) as caught:
        parse(text, "x.yaml")
    assert "\n" not in str(caught.value)


def test_several_mistakes_are_told_at_once():
    with pytest.raises(ConfigErrors) as caught:
        parse("a: 1\na: 2\nb: {c: 1, c: 2}\n", "x.yaml")
    assert [(error.line, error.column) for error in caught.value.problems] == [(2, 1), (3, 11)]


words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
scalars = st.one_of(st.none(), st.booleans(), numbers, words)


@given(st.dictionaries(words, scalars, max_size=6))
def test_json_is_read_back(data):
    parsed = parse(json.dumps(data, ensure_ascii=False), "x.yaml").data
    assert parsed == data
    assert [type(value) for value in parsed.values()] == [type(value) for value in data.values()]


@given(st.text(max_size=40))
def test_any_text_is_data_or_the_users_mistake(text):
    with contextlib.suppress(UserError):
        parse(text, "x.yaml")


def test_what_is_behind_an_anchor_counts_as_often_as_it_is_used():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
    with pytest.raises(ConfigError, match=r"x.yaml:\d+:\d+: a config has at most 100000 keys and"):
        parse("\n".join(lines), "x.yaml")
    assert parse("\n".join(lines[:4]), "x.yaml").data["a3"][8][8][8] == ["x"] * 9


# what the faster parser must leave to the other, or take in the same way
TEXTS = (
    "a: 1\n# é\nb: [x, 'y', {z: \"q\"}]\nc: |\n  two\n   lines\nd: >-\n  one\n  line\n",
    "base: &b {x: 1}\nother: *b\n",
    "a: !!str 1",
    "a:\t1",
    "? a\n: b",
    "\ufeffa: 1",
    "a: 1\na: 2\n<<: 3\n",
    "a: [1, 2",
    "- - - a\n    - b\n",
    "-   " * 400_000,
    "[" * 300_000,
    "--- a\n--- b\n",
)


def _parsed(text):
    try:
        return parse(text, "x.yaml")
    except (ConfigError, ConfigErrors) as error:
        return str(error)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_both_parsers_say_the_same(text, monkeypatch):
    expected = _parsed(text)
    monkeypatch.setattr(yaml_loader, "_FAST", None)
    assert _parsed(text) == expected


def test_both_parsers_read_the_same_configs(monkeypatch):
    texts = [path.read_text() for path in sorted(ROOT.glob("configs/**/*.yaml"))]
    assert len(texts) > 40
    expected = [_parsed(text) for text in texts]
    monkeypatch.setattr(yaml_loader, "_FAST", None)
    assert [_parsed(text) for text in texts] == expected


ENDS = "the file ends here while"


def error_of(text):
    with pytest.raises(UserError) as caught:
        parse(text, "x.yaml") if isinstance(text, str) else read(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: [\n", f"2:1: {ENDS} parsing a flow node that begins in line 2, column 1"),
        ("a: {b: 1}\nc: 'd\n\n",
         f"4:1: {ENDS} scanning a quoted scalar that begins in line 2, column 4"),
        ("b: 1\n---\nc: 2\n", "2:1: a second document begins here; a config is one document"),
        ("a: 1\n  b: 2\n", "2:4: this is not YAML: mapping values are not allowed here"),
        ("a:\n  - 1\n \t- 2\n", "3:2: a tab; YAML is indented with spaces"),
        ("a: 1\nbc: d\x07", "2:6: the character '\\x07' is not allowed in YAML"),
        ("a: !mine x", "1:4: tags (!mine) are not supported"),
        ("a: 1\nb: {<<: 2}", "2:5: '<<' takes a mapping, or a list of them"),
        ("a: &x {b: 1}\nc: {<<: [*x, 2]}", "2:5: '<<' takes a mapping, or a list of them"),
        ("a: &x\n  <<: *x", "1:4: an anchor must not contain itself"),
        ("a: 1\n[b]: 2", "2:1: a key must be a plain word"),
        ("a:\n  b: 1\n  c: 2\n  b: 3", "4:3: duplicate key 'b', first in line 2, column 3"),
    ],
)  # fmt: skip
def test_mistakes_are_told_to_the_letter(text, sentence):
    assert error_of(text) == f"x.yaml:{sentence}"


@pytest.mark.parametrize(
    ("merging", "data"),
    [
        ("<<: *x", {"a": 1, "b": 2}),
        ("<<: [*x, *y]", {"a": 1, "b": 2, "c": 4}),
        ("<<: [*y, *x]", {"a": 1, "b": 3, "c": 4}),
        ("<<: {b: 5}", {"b": 5}),
        ("<<: *x, b: 6", {"a": 1, "b": 6}),
        ("b: 6, <<: *x", {"a": 1, "b": 6}),
        ("'<<': *x", {"<<": {"a": 1, "b": 2}}),
    ],
)
def test_a_mapping_takes_the_keys_of_others_that_it_lacks(merging, data):
    text = f"x: &x {{a: 1, b: 2}}\ny: &y {{b: 3, c: 4}}\nz: {{{merging}}}"
    assert parse(text, "x.yaml").get("z") == data


def test_a_key_that_is_taken_stands_where_it_was_written():
    node = parse("x: &x {a: 1}\nz: {<<: *x}", "x.yaml")
    assert str(node.locate(("z", "a")).error("no")) == "x.yaml:1:11: no"


def test_a_mapping_merges_once():
    assert "duplicate key '<<'" in error_of("x: &x {a: 1}\ny: &y {b: 1}\nz: {<<: *x, <<: *y}")


def test_numbers_have_a_hundred_digits_at_most_and_show_twenty():
    assert parse("9" * 100, "x.yaml").data == int("9" * 100)
    assert error_of("9" * 101) == f"x.yaml:1:1: the number {'9' * 20}... is too long"
    for zeros, shown in ((15, f"1{'0' * 15}e999"), (16, f"1{'0' * 16}e99...")):
        assert error_of(f"1{'0' * zeros}e999") == f"x.yaml:1:1: the number {shown} is too large"
    assert parse("-0x1f", "x.yaml").data == "-0x1f"
    assert [parse(text, "x").data for text in ("+7", "-07", "0O7", "1e5", "1E-2", "+.5")] == [
        7, -7, "0O7", 1e5, 0.01, 0.5,
    ]  # fmt: skip


def test_a_byte_that_is_no_letter_has_a_place(tmp_path):
    path = tmp_path / "x.yaml"
    for data, position, byte in (
        (b"\xff", "1:1", "ff"), (b"a: 1\nb: \xfe", "2:4", "fe"), (b"a:\n\n\xc3(", "3:1", "c3"),
    ):  # fmt: skip
        path.write_bytes(data)
        assert error_of(path) == f"{path}:{position}: the file is not UTF-8 (byte 0x{byte})"
    path.write_bytes(b"\xef\xbb\xbfa: 1")
    assert read(path).data == {"a": 1}
    assert error_of(tmp_path) == f"{tmp_path}: the file cannot be read: Is a directory"


def test_a_million_bytes_are_a_config(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: 1 #" + "x" * 999_994)
    assert read(path).data == {"a": 1}
    path.write_text("a: 1 #" + "x" * 1_499_994)
    assert error_of(path) == f"{path}: the file has 1.5 MB; a config has at most 1 MB"


def test_keys_and_values_are_counted(monkeypatch):
    monkeypatch.setattr(yaml_loader, "_MAX_NODES", 4)
    assert parse("a: [1, 2]", "x.yaml").data == {"a": [1, 2]}
    assert error_of("a: [1, 2, 3]") == (
        "x.yaml:1:11: a config has at most 4 keys and values; an anchor counts wherever it is used"
    )


@pytest.mark.parametrize(
    "text", ["a: 1\nb: secret\nb: 2", "a: 1\nb: 1\nb: 2\na: 3", "a:\n\n\tsecret"]
)
def test_nothing_of_a_file_that_is_no_config_is_quoted(tmp_path, text):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read(path, quoted=False)
    assert str(caught.value) == (
        f"{path}:3: this is not a config; 'geoforest check' of the file itself says more"
    )


def test_nodes_are_looked_up_by_their_keys():
    node = parse("a: {b: [1, x]}\nc:\n", "x.yaml")
    assert (node.get("a"), node.get("c"), node.get("d")) == ({"b": [1, "x"]}, None, None)
    assert list(node.mapping) == ["a", "c"]
    assert node.find(("a", "b")).mapping == {}
    assert node.find(("a", "b", 1)).get("x") is None
    assert node.find(()) is node
    position = node.locate(("a", "b"), key=True)
    assert str(position.error("no")) == "x.yaml:1:5: no"
    assert str(node.locate(("a", "b")).error("no")) == "x.yaml:1:8: no"
    assert parse("", "x.yaml").position.error("no").args == ("no", "x.yaml", 1, 1)
