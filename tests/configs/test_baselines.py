"""Baselines get the settings that a user would give them, and no setting knows the noise."""

import pytest

from tests.configs import opened

MORF = ("circle", "bars", "impulse", "digits", "mnist")
OURS = {"morf", "sporf", "rf", "cnn"}


@pytest.mark.parametrize("name", MORF)
def test_every_baseline_of_morf_comes_as_written_and_tuned(name):
    config = opened.config(name)
    baselines = {n: m for n, m in config.methods.items() if (m.use or n) not in OURS}
    assert len(baselines) >= 4
    for baseline, method in baselines.items():
        tuned = {**method.params, **method.variants["recommended"].params}
        assert tuned.get("tune") is True, baseline
        assert isinstance(tuned.get("budget"), int), baseline
        if baseline != "sklearn_rf":
            assert "as_written" in method.variants, baseline


def test_no_recommended_forest_changes_its_rules_with_the_noise():
    """No user knows how many columns are noise."""
    for stem in opened.NAMES:
        for name, method in opened.config(stem).methods.items():
            if (method.use or name) == "geodesic_forest" and "recommended" in method.variants:
                cases = method.variants["recommended"].cases
                assert not any(case.params for case in cases), (stem, name)
