import pytest
from pydantic import ValidationError

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.config.schema import Config

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


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("memory: 99999999999999 TB", "3:9: memory must be a whole number above 0 and of at most"),
        (f"memory: {'9' * 400} TB", "3:9: memory: a size is a number and a unit"),
        ("memory: 0", "3:9: memory must be"),
        ("timeout: .inf", "3:10: timeout must be a number above 0 and of at most"),
    ],
)
def test_limits_that_no_machine_has(tmp_path, given, words):
    path = tmp_path / "x.yaml"
    path.write_text(f"title: t\nextends: noise\n{given}\n")
    with pytest.raises(UserError, match=words):
        open_config(path, "smoke")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"timeout": 0}, "greater than 0"),
        ({"repetitions": 0}, "greater than or equal to 1"),
        ({"seed": -1}, "greater than or equal to 0"),
        ({"grid": {}}, "at least 1"),
        ({"grid": {"n": []}}, "at least 1"),
        ({"methods": {}}, "at least 1"),
        ({"unit": "fold"}, "'sample', 'split', 'seed' or 'query'"),
    ],
)
def test_what_is_out_of_range(changes, words):
    with pytest.raises(ValidationError, match=words):
        Config.model_validate(CONFIG | changes)


def test_what_a_config_does_not_say():
    """Seed and repetitions decide which cells there are, and the seed which numbers they draw."""
    empty = Config.model_validate(CONFIG)
    assert (empty.seed, empty.repetitions, empty.sentences) == (0, 1, {})
    assert (empty.timeout, empty.memory, empty.unit, empty.split) == (3600.0, None, None, None)
