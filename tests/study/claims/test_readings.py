"""The number of claims that were read after results were seen."""

import pytest

from geoforest_cli.study.claims.readings import late_among

CLAIM = {"id": "a", "origin": "paper", "primary": "yes"}


@pytest.mark.parametrize(
    ("config", "change", "count"),
    [
        ("hyperparameters", {"id": "robust_to_mtry_as_run"}, 1),
        ("hyperparameters", {"id": "another"}, 0),
        ("another", {"id": "robust_to_mtry_as_run"}, 0),
        ("hyperparameters", {"id": "robust_to_mtry_as_run", "origin": "ours"}, 0),
        ("hyperparameters", {"id": "robust_to_mtry_as_run", "primary": ""}, 0),
        # all claims of a config
        ("smerf_links", {"id": "any"}, 1),
        # the second of several configs
        ("impulse", {"id": "larger_lead_at_low_n"}, 1),
    ],
)
def test_only_late_readings_of_primary_claims_count(config, change, count):
    assert late_among([(config, CLAIM | change)]) == count
