"""What the shipped configs share, and that the short form says the same as the long one."""

from pathlib import Path

import pytest

from geoforest_cli.core.yaml_loader import read
from geoforest_cli.study import plan
from geoforest_cli.study.claims import validation
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.config.loading import open_config, profiles_of
from geoforest_cli.study.config.writing import written_out

CONFIGS = Path(__file__).parents[2] / "configs"
ALL = sorted(CONFIGS.glob("*.yaml"))
PARTS = sorted((CONFIGS / "parts").glob("*.yaml"))


# at its published size the driver's bench has ten thousand cells of one kind
BOTH = [(path, size) for path in ALL for size in ("smoke", "paper")]
LARGE = (CONFIGS / "bench_driver.yaml", "paper")


@pytest.mark.parametrize(
    ("path", "profile"), [one for one in BOTH if one != LARGE],
    ids=lambda one: one if isinstance(one, str) else one.stem,
)  # fmt: skip
def test_a_config_and_its_full_form_are_one_plan(path, profile, tmp_path):
    long = tmp_path / path.name
    long.write_text(written_out(open_config(path, profile)))
    short, full = plan.load(path, profile), plan.load(long)
    assert {place.cell.key for place in short.entries} == set(short.jobs) != set()
    assert [place.cell.key for place in full.entries] == [place.cell.key for place in short.entries]
    found, expected = full.config.model_dump(), short.config.model_dump()
    assert {**found, "methods": 0} == {**expected, "methods": 0}
    assert [validation.parse(raw) for raw in full.config.claims] == [
        validation.parse(raw) for raw in short.config.claims
    ]


def test_parts_are_no_configs():
    assert PARTS
    assert not {path.stem for path in PARTS} & set(known_configs())
    for path in PARTS:
        assert "title" not in read(path).data


def test_every_part_is_used():
    used = {one.resolve() for path in ALL for one in open_config(path, "paper").parents}
    assert used == {path.resolve() for path in PARTS}


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_parts_bring_no_profile_of_their_own(path):
    own = read(path).data.get("profiles", {})
    assert set(profiles_of(path)) == {"smoke", "paper", *own}
