"""The shipped configs load in every profile, and their short form says the same as the long one."""

import hashlib
from pathlib import Path

import pytest

from geoforest_cli.core.yaml_loader import read
from geoforest_cli.study import plan
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.config.loading import open_config, profiles_of
from geoforest_cli.study.config.writing import written_out
from geoforest_cli.study.session import Study
from tests.configs.opened import CONFIGS

ALL = sorted(CONFIGS.glob("*.yaml"))
PARTS = sorted((CONFIGS / "parts").glob("*.yaml"))
# config, profile, cells, digest of their identities
LISTED = Path(__file__).with_name("identities.txt").read_text().splitlines()
IDENTITIES = {tuple(line.split()[:2]): line.split()[2:] for line in LISTED}


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_every_config_loads_in_every_profile_with_its_old_cells(path):
    profiles = profiles_of(path)
    assert set(profiles) == {"smoke", "paper", *read(path).data.get("profiles", {})}
    for profile in profiles:
        cells = Study.open(path, profile).plan
        assert {entry.cell.key for entry in cells.entries} == set(cells.jobs) != set()
        if not any(job.cell.setting.measured for job in cells.jobs.values()):  # by the processor
            digest = hashlib.sha256("\n".join(sorted(cells.jobs)).encode()).hexdigest()[:16]
            assert IDENTITIES[path.stem, profile] == [str(len(cells.jobs)), digest]


@pytest.mark.nightly
@pytest.mark.parametrize("profile", ["smoke", "paper"])
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_config_and_its_full_form_are_one_plan(path, profile, tmp_path):
    long = tmp_path / path.name
    long.write_text(written_out(open_config(path, profile)))
    short, full = plan.load(path, profile), plan.load(long)
    assert [entry.cell.key for entry in full.entries] == [entry.cell.key for entry in short.entries]
    dump, expected = full.config.model_dump(), short.config.model_dump()
    assert {**dump, "methods": 0} == {**expected, "methods": 0}


@pytest.mark.nightly
def test_parts_are_no_configs_and_every_part_is_used():
    assert not {path.stem for path in PARTS} & set(known_configs())
    assert not any("title" in read(path).data for path in PARTS)
    used = {parent.resolve() for path in ALL for parent in open_config(path, "paper").parents}
    assert used == {path.resolve() for path in PARTS}
