"""The parts of a cell's key, and the seeds, as they are in every store."""

import hashlib
from dataclasses import fields, replace
from pathlib import Path

from geoforest_cli.study.plan import load
from geoforest_cli.study.plan.cells import Setting
from geoforest_cli.study.plan.identities import method_identities
from tests.study.plan.toy import seeds

OF_THE_KEY = {
    "code": "edited.1",
    "params": {"n": 21},
    "used": {"manifold helix": 9},
    "use": "isomap",
    "method_version": "another",
    "method_params": {"n_neighbors": 6},
    "variant": "as_run",
    "seed": 4,
    "measured": "abacus",
    "withdrawn": {"rounds": 1},
}
NOT_OF_THE_KEY = {
    "experiment": Path("elsewhere.py"),
    "folders": (Path("elsewhere"),),
    "drawn": {},
    "point": {},
    "inner_names": ("j", "k"),
    "detail": ("row",),
    "timeout": 1.0,
    "memory": 10**9,
    "axes": frozenset(),
}


def test_every_part_of_a_setting_is_part_of_the_key_or_is_not(write):
    """A new one belongs to one of the two."""
    assert {field.name for field in fields(Setting)} == OF_THE_KEY.keys() | NOT_OF_THE_KEY.keys()
    cell = load(write()).entries[0].cell
    changed = [
        replace(cell, setting=replace(cell.setting, **{name: value}))
        for name, value in OF_THE_KEY.items()
    ]
    keys = {setting.key for setting in (cell, replace(cell, repetition=7), *changed)}
    assert len(keys) == len(changed) + 2
    for name, value in NOT_OF_THE_KEY.items():
        assert getattr(cell.setting, name) != value
        assert replace(cell, setting=replace(cell.setting, **{name: value})).key == cell.key


def test_a_parameter_that_is_withdrawn_changes_no_key(write):
    setting = load(write()).entries[0].cell.setting
    (name, value), *others = setting.method_params.items()
    shorter = replace(setting, method_params=dict(others), withdrawn={name: value})
    assert (shorter.digest, shorter.point_group) == (setting.digest, setting.point_group)


def test_seeds_are_those_of_the_rows_that_are_kept(write):
    """A seed that is derived in another way gives other rows under the same key."""

    def seed(text):
        return int(hashlib.sha256(text.encode()).hexdigest()[:16], 16) // 2

    point = '{"manifold":"helix","n":20,"noise":0.0}'
    by_cell = seeds(load(write()))
    assert by_cell["gf", "as_run", "helix", 0, 1] == {
        "sample": seed(f'["sample",3,1,{point},"as_run"]'),
        "method": seed(f'["method",3,1,{point},"geodesic_forest"]'),
        "metric": seed(f'["metric",3,1,{point},"geodesic_forest","as_run"]'),
        "repetition": seed('["repetition",3,1]'),
    }
    assert by_cell["gf", "recommended", "helix", 0, 1]["sample"] == seed(
        f'["sample",3,1,{point},"as_written"]'
    )


def test_a_method_is_known_by_its_cells_and_sixteen_digits(write):
    """Published results hold them: in another form all of it would be out of date."""
    plan = load(write())
    identities = method_identities(plan)
    assert {name: identity["cells"] for name, identity in identities.items()} == {
        "euclidean as_run": 8, "euclidean as_written": 8, "gf as_run": 8, "gf recommended": 6,
    }  # fmt: skip
    assert list(identities) == sorted(identities)
    for each in identities.values():
        assert len(each["digest"]) == 16
        assert int(each["digest"], 16) > 0
    assert len({identity["digest"] for identity in identities.values()}) == 4
    backwards = replace(plan, entries=plan.entries[::-1])
    assert method_identities(backwards) == identities
    assert method_identities(load(write(("k: [5, 10]", "k: [10, 5]")))) == identities
    other = method_identities(load(write(("k: [5, 10]", "k: [5, 11]"))))
    assert all(other[name]["digest"] != identity["digest"] for name, identity in identities.items())
