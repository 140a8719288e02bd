"""Spelling hints, escapes, annotations and errors, in words."""

from typing import Annotated, Literal, Optional, Union

import pytest
from pydantic import Field

from geoforest_cli.core.annotations import choices, members, split
from geoforest_cli.core.errors import ConfigError, ConfigErrors, DataError, UserError
from geoforest_cli.core.escaping import (
    escape_control_characters,
    escaped_json,
    quoted,
    shorten_words,
    shortened,
    without_middle,
)
from geoforest_cli.core.suggestions import missing, suggest, unknown
from tests.values import changeable


@pytest.mark.parametrize(
    ("word", "words", "suggestion"),
    [
        # letters that are swapped, large ones, beginnings
        ("fg", ["gf", "urf"], "gf"),
        ("UMAP", ["isomap", "umap"], "umap"),
        ("umap", ["Isomap", "UMAP"], "UMAP"),
        ("ge", ["geodesic_forest", "umap"], "geodesic_forest"),
        ("GE", ["geodesic_forest", "umap"], "geodesic_forest"),
        # a beginning of two is none, a letter is no beginning
        ("ge", ["geodesic_forest", "geodesic_neighbors"], None),
        ("g", ["geodesic_forest", "umap"], None),
        ("", ["geodesic_forest"], None),
        # six tenths alike are enough
        ("abcxx", ["abcyy"], "abcyy"),
        ("abxxx", ["abyyy"], None),
        # of two that are the same but for large letters the first
        ("umapp", ["UMAP", "umap"], "UMAP"),
        ("anything", [], None),
    ],
)
def test_the_nearest_word_is_suggested(word, words, suggestion):
    assert suggest(word, words) == suggestion


@pytest.mark.parametrize(("count", "end"), [(30, "w29)"), (31, "w29, and 1 more)")])
def test_thirty_words_are_listed(count, end):
    words = [f"w{i}" for i in range(count)]
    message = unknown("thing", "qq", words)
    assert message == f"unknown thing 'qq' (known: {', '.join(words[:29])}, {end}"


@pytest.mark.parametrize(("length", "hinted"), [(200, True), (201, False)])
def test_very_long_words_are_not_compared(length, hinted):
    message = unknown("thing", "a" * length, ["a" * (length - 1)])
    assert ("did you mean" in message) == hinted
    assert message.startswith(f"unknown thing '{'a' * 100}'... ({length} characters)")


def test_what_something_does_not_have_is_a_sentence():
    assert missing("gf", "parameter", 3, ["x"]) == "gf has no parameter 3 (known: x)"
    assert missing("gf", "parameter", 3, []) == "gf has no parameter 3 (there are none)"
    assert unknown("key", "ab", ["abc"]) == "unknown key 'ab'; did you mean 'abc'? (known: abc)"


def test_exactly_what_a_terminal_obeys_is_escaped():
    """Control characters but tab and new line, what turns the writing, halves of pairs."""
    obeyed = [*range(9), *range(11, 32), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F]
    obeyed += [*range(0x2028, 0x202F), *range(0x2066, 0x206A), *range(0xD800, 0xE000)]
    codes = [code for code in range(0x11000) if escape_control_characters(chr(code)) != chr(code)]
    assert codes == obeyed
    for code in obeyed:
        shown = escape_control_characters(chr(code))
        assert shown == (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
        assert escaped_json(chr(code)).isprintable()
    assert escape_control_characters("a\tb\nc") == "a\tb\nc"
    assert escape_control_characters("a\tb\nc\r", one_line=True) == r"a\tb\nc\x0d"
    assert escaped_json({"é\u202e": ["\x7f"]}) == '{\n  "é\\u202e": [\n    "\\u007f"\n  ]\n}'


def test_texts_of_a_hundred_characters_are_quoted_whole():
    assert shortened("x" * 100) == "x" * 100
    assert shortened("x" * 101) == f"{'x' * 100}... (101 characters)"
    assert quoted("x" * 100) == f"'{'x' * 100}'"
    assert quoted("x" * 1234) == f"'{'x' * 100}'... (1,234 characters)"
    assert quoted([7] * 60) == f"{str([7] * 60)[:100]}... (180 characters)"


def test_words_longer_than_the_name_of_a_file_are_shortened():
    word, longer = "w" * 255, "w" * 256
    assert shorten_words(f"no {word} here") == f"no {word} here"
    assert shorten_words(f"no {longer} here") == f"no {'w' * 100}... (256 characters) here"
    spaced, more = "a b" * 84 + "a ", "a b" * 85
    assert shorten_words(f"no '{spaced}' here") == f"no '{spaced}' here"
    assert shorten_words(f"no '{more}' here") == f"no '{more[:99]}... (257 characters) here"
    # an apostrophe within a word begins no quotation
    assert shorten_words(f"don't {more} isn't") == f"don't {more} isn't"


@pytest.mark.parametrize("most", [5, 10, 26])
def test_a_name_without_its_middle_keeps_both_ends(most):
    name = "abcdefghijklmnopqrstuvwxyz0123456789"
    short = without_middle(name, most)
    first, last = short.split("…")
    assert len(short) == most
    assert len(first) == most * 3 // 5
    assert name.startswith(first)
    assert name.endswith(last)
    assert without_middle(name[:most], most) == name[:most]


def test_unions_are_taken_apart_also_within_others():
    positive = Annotated[int, Field(ge=1)]
    nested = Union[Optional[positive], Literal["a", 1], Annotated[float | str, "text"]]  # noqa: UP007, UP045
    assert members(nested) == [positive, type(None), Literal["a", 1], float, str]
    assert choices(nested) == ["a"]
    assert choices(Literal["b", "c"] | list[str]) == ["b", "c"]
    assert members(positive) == [positive]
    assert split(int) == (int, [])
    assert split(Annotated[float, Field(gt=0, le=2), "text"]) == (
        float, [*Field(gt=0, le=2).metadata, "text"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("position", "text"),
    [
        ((), "no"),
        (("a.yaml",), "a.yaml: no"),
        (("a.yaml", 3), "a.yaml:3: no"),
        (("a.yaml", 3, 5), "a.yaml:3:5: no"),
        (("--set x=1", None, 2), "--set x=1:2: no"),
        ((None, 3, 5), "no"),
    ],
)
def test_a_problem_of_a_config_is_told_with_its_place(position, text):
    error = ConfigError("no", *position)
    assert str(error) == text
    assert error.sentences == (text,)


def test_problems_of_a_config_are_a_line_each():
    errors = ConfigErrors(iter([ConfigError("no", "a", 1), ConfigError("nor")]))
    assert str(errors) == "a:1: no\nnor"
    assert errors.sentences == ("a:1: no", "nor")
    assert isinstance(errors, UserError)
    assert UserError("one\ntwo").sentences == ("one\ntwo",)
    assert isinstance(DataError("no"), ValueError)


def test_what_is_known_is_not_changed_but_while_yaml_is_read():
    assert changeable("geoforest_cli.core") == {"_Builder"}
