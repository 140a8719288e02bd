import pytest
from pydantic import ValidationError

from geoforest_cli.config.schema import Config

CONFIG = {
    "title": "A title",
    "experiment": "toy",
    "grid": {"n": 10},
    "methods": {"euclidean": {"variants": {"as_written": {}}}},
}


@pytest.mark.parametrize(
    ("written", "size"),
    [("6 GB", 6 * 10**9), ("1.5kb", 1500), (" 2 GiB ", 2**31), (7, 7), ("7", 7), (None, None)],
)
def test_a_size_is_a_number_of_bytes(written, size):
    memory = Config.model_validate(CONFIG | {"memory": written}).memory
    assert memory == size
    assert type(memory) in {int, type(None)}


@pytest.mark.parametrize("written", ["6 GB or so", "6 Gb!", "6 gigs", "GB", "-6 GB", 6.5, True, []])
def test_what_is_no_size_is_one_sentence(written):
    with pytest.raises(ValidationError, match=r"a size is a number and a unit .*, such as '6 GB'"):
        Config.model_validate(CONFIG | {"memory": written})


@pytest.mark.parametrize("written", [0, -1, "0 GB"])
def test_a_size_is_above_zero(written):
    with pytest.raises(ValidationError, match="greater than 0"):
        Config.model_validate(CONFIG | {"memory": written})
