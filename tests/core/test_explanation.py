"""What is known of a place inside a model, to explain what is wrong there."""

from collections.abc import Mapping
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from geoforest_cli.core.validation_messages import annotation_at, keys_at


class Inner(BaseModel):
    size: Annotated[int, Field(gt=0)] = 1


class Outer(BaseModel):
    name: str = ""
    one: Inner | None = None
    several: list[Inner] = []
    named: Mapping[str, Inner] = {}
    counts: dict[str, int] = {}
    pair: tuple[int, Inner] = (1, Inner())
    rest: tuple[Inner, ...] = ()


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ((), list(Outer.model_fields)), (("one",), ["size"]), (("several", 3), ["size"]),
        (("named", "any"), ["size"]), (("named", "[key]"), []), (("pair", 1), ["size"]),
        (("rest", 7), ["size"]), (("pair", 0), []), (("pair", 2), []), (("counts",), []),
        (("counts", "any"), []), (("name",), []), (("unknown",), []), (("several",), []),
        (("name", "further"), []),
    ],
)  # fmt: skip
def test_the_keys_that_may_stand_at_a_place(path, keys):
    assert keys_at(Outer, path) == keys


def test_what_is_unknown_may_be_anything():
    assert annotation_at(Outer, ("unknown",)) is Any
    assert annotation_at(Outer, ("counts", "any")) is int
    assert annotation_at(Outer, ("counts", "[key]")) is str
