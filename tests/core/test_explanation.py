"""Facts about a position inside a model, to explain what is wrong there."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator

from geoforest_cli.core.explanation import explain, key_path
from geoforest_cli.core.models import Model
from geoforest_cli.core.validation_messages import annotation_at, describe, keys_at
from geoforest_cli.core.yaml_loader import parse


class Inner(BaseModel):
    size: Annotated[int, Field(gt=0)] = 1


class Outer(BaseModel):
    name: str = ""
    box: Inner | None = None
    members: list[Inner] = []
    named: Mapping[str, Inner] = {}
    counts: dict[str, int] = {}
    pair: tuple[int, Inner] = (1, Inner())
    rest: tuple[Inner, ...] = ()


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ((), list(Outer.model_fields)), (("box",), ["size"]), (("members", 3), ["size"]),
        (("named", "any"), ["size"]), (("named", "[key]"), []), (("pair", 1), ["size"]),
        (("rest", 7), ["size"]), (("pair", 0), []), (("pair", 2), []), (("counts",), []),
        (("counts", "any"), []), (("name",), []), (("unknown",), []), (("members",), []),
        (("name", "further"), []),
    ],
)  # fmt: skip
def test_the_keys_that_may_stand_at_a_place(path, keys):
    assert keys_at(Outer, path) == keys


def test_what_is_unknown_may_be_anything():
    assert annotation_at(Outer, ("unknown",)) is Any
    assert annotation_at(Outer, ("counts", "any")) is int
    assert annotation_at(Outer, ("counts", "[key]")) is str


class Part(Model):
    size: Annotated[int, Field(gt=0)] = 1
    kind: Literal["sqrt", "all"] | int = 1


class Whole(Model):
    name: str
    flag: bool = False
    box: Part = Part()
    members: tuple[Part, ...] = ()
    counts: dict[Literal["aa", "bb"], int] = Field(default_factory=dict)
    ratio: Annotated[float, Field(ge=0, lt=1)] = 0.5
    words: Annotated[tuple[str, ...], Field(min_length=1)] = ("a",)
    other: str | None = None
    third: Annotated[int, Field(multiple_of=3)] = 3

    @field_validator("other")
    @classmethod
    def _no_odd_thing(cls, value):
        if value in {"umpa", "odd"}:
            raise ValueError("unknown thing 'umpa'" if value == "umpa" else "that is odd")
        return value


KINDS = "sqrt, all or a whole number"
KEYS = "name, flag, box, members, counts, ratio, words, other, third, beside"


def explained(text, locate=lambda loc: loc):
    document = parse(text, "f")
    with pytest.raises(ValidationError) as raised:
        Whole.model_validate(document.data)
    beside = {(): ["beside"]}
    errors = explain(raised.value, document, Whole, locate, lambda loc: beside.get(loc, []))
    return [str(error) for error in errors]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("flag: yes", "7: flag must be true or false, not 'yes'; did you mean true?"),
        ("flag: Off", "7: flag must be true or false, not 'Off'; did you mean false?"),
        ("flag: no", "7: flag must be true or false, not 'no'; did you mean false?"),
        ("flag: ON", "7: flag must be true or false, not 'ON'; did you mean true?"),
        ("flag: maybe", "7: flag must be true or false, not 'maybe'"),
        ("flag: 3", "7: flag must be true or false, not 3"),
        ("box: {sise: 3}", "7: unknown key 'sise'; did you mean 'size'? (known: size, kind)"),
        ("box: 7", "6: box must be a mapping (key: value), not 7"),
        ("members: [{size: 0}]", "18: members.0.size must be a whole number above 0, not 0"),
        ("members: [{}, {kind: alll}]",
         f"22: members.1.kind must be {KINDS}, not 'alll'; did you mean 'all'?"),
        ("members: {a: 1}", "10: members must be a list, not {'a': 1}"),
        ("counts: {aaa: 1}", "10: unknown key of counts 'aaa'; did you mean 'aa'? (known: aa, bb)"),
        ("counts: {aa: x}", "14: counts.aa must be a whole number, not 'x'"),
        ("ratio: 1.0", "8: ratio must be a number of at least 0 and below 1, not 1.0"),
        ("ratio: 7%", "8: ratio must be a number of at least 0 and below 1, not '7%' (text)"),
        ("ratio: null", "8: ratio must be a number of at least 0 and below 1, not null"),
        ("ratio: true", "8: ratio must be a number of at least 0 and below 1, not true"),
        ("words: []", "8: words must be a list that is not empty, not []"),
        ("words: [a, 2]", "12: words must be text, not 2"),
        ("other: umpa", "8: unknown thing 'umpa'"),
        ("other: odd", "8: other: that is odd"),
        ("other: [a, b]", "8: other must be text or null, not ['a', 'b']"),
        ("third: 4", "8: third is wrong (input should be a multiple of 3)"),
        (f"third: {'x' * 60}", f"8: third must be a whole number, not '{'x' * 60}'"),
        (f"third: {'x' * 61}",
         f"8: third must be a whole number, not '{'x' * 60}'... (61 characters)"),
        ("besid: 1", f"1: unknown key 'besid'; did you mean 'beside'? (known: {KEYS})"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_a_sentence_with_its_place(line, sentence):
    assert explained(f"name: x\n{line}") == [f"f:2:{sentence}"]


def test_a_misspelt_key_is_one_mistake_and_a_missing_one_another():
    hint = f"unknown key 'nam'; did you mean 'name'? (known: {KEYS})"
    assert explained("nam: x") == [f"f:1:1: {hint}"]
    assert explained("flag: true") == ["f:1:1: the key 'name' is missing"]
    assert explained("flag: 3\nbox: {a: 1, size: b}") == [
        "f:2:7: unknown key 'a' (known: size, kind)",
        "f:1:1: the key 'name' is missing",
        "f:1:7: flag must be true or false, not 3",
        "f:2:19: box.size must be a whole number above 0, not 'b'",
    ]


def test_what_a_document_has_deeper_down_is_found_there():
    def within(loc):
        return ("parts", 0, *loc)

    document = parse("parts:\n  - flag: 3\n    more: 1", "f")
    with pytest.raises(ValidationError) as raised:
        Whole.model_validate(document.data["parts"][0])
    errors = [str(error) for error in explain(raised.value, document, Whole, within)]
    keys = KEYS.removesuffix(", beside")
    assert errors == [
        f"f:3:5: unknown key 'more' (known: {keys})",
        "f:2:5: the key 'name' is missing in parts",
        "f:2:11: parts.0.flag must be true or false, not 3",
    ]
    assert key_path(("parts", 0, 1)) == ("parts",)
    assert key_path(("parts", 0, "a")) == ("parts", 0, "a")
    assert key_path((0,)) == ()


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (Literal[True, None, 2, "a"], "true, null, 2 or a"),
        (list[int] | tuple[int, ...], "a list"),
        (Mapping[str, int] | Part | None, "a mapping (key: value) or null"),
        (Annotated[int, Field(le=5)] | Annotated[float, Field(lt=1e6)],
         "a whole number of at most 5 or a number below 1e+06"),
        (str, "text"),
        (complex, ""),
        (None, "null"),
    ],
)  # fmt: skip
def test_what_may_be_written_in_words(annotation, words):
    assert describe(annotation) == words
