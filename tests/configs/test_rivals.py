"""Rivals are dressed as well as a user would dress them, and no setting knows the noise."""

import pytest

from tests.configs import opened

MORF = ("circle", "bars", "impulse", "digits", "mnist")
OURS = {"morf", "sporf", "rf", "cnn"}


@pytest.mark.parametrize("name", MORF)
def test_every_rival_of_morf_comes_as_written_and_tuned(name):
    config = opened.config(name)
    rivals = {n: m for n, m in config.methods.items() if (m.use or n) not in OURS}
    assert len(rivals) >= 4
    for rival, method in rivals.items():
        tuned = {**method.params, **method.variants["recommended"].params}
        assert tuned.get("tune") is True, rival
        assert isinstance(tuned.get("budget"), int), rival
        if rival != "sklearn_rf":
            assert "as_written" in method.variants, rival


@pytest.mark.parametrize("name", MORF)
def test_claims_say_which_rivals_they_judge(name):
    claims = {claim["id"]: claim for claim in opened.config(name).claims}
    tuned = {key: claim for key, claim in claims.items() if key.endswith("_tuned")}
    assert tuned
    for claim in tuned.values():
        assert "tuned" in claim["says"]
        rivals = [one for one in claim["than"] if one["name"] not in OURS]
        assert rivals
        assert {one["variant"] for one in rivals} == {"recommended"}
    for key, claim in claims.items():
        if key not in tuned and "rivals as written" in claim["says"]:
            rivals = [one for one in claim["than"] if one["name"] not in OURS]
            assert {one["variant"] for one in rivals} == {"as_written"}


def _forests():
    for stem in opened.NAMES:
        config = opened.config(stem)
        for name, method in config.methods.items():
            if (method.use or name) == "geodesic_forest" and "recommended" in method.variants:
                yield pytest.param(method.variants["recommended"], id=f"{stem}-{name}")


@pytest.mark.parametrize("variant", list(_forests()))
def test_no_recommended_forest_changes_its_rules_with_the_noise(variant):
    """It switched its sampler at a thousand noise columns: what no user knows."""
    for case in variant.cases:
        assert not case.params


@pytest.mark.parametrize("name", ["noise", "noise_low", "noise_rescaled"])
def test_the_synthetic_forest_is_dressed_like_gf(name):
    method = opened.config(name).methods["random_forest"]
    given = {**method.params, **method.variants["recommended"].params}
    assert given["min_parent"] == "auto"
    assert given["pairs"] == "all"
    assert given.get("n_estimators") == 300


def test_rivals_of_structured_gf_know_that_places_adjoin_too():
    methods = opened.config("structured_neighbors").methods
    for name in ("euclidean", "isomap", "umap"):
        smoothed = methods[f"{name}_smoothed"]
        assert smoothed.use == name
        assert smoothed.params == methods[name].params
        assert smoothed.variants["recommended"].sample["smoothed"] > 0
        assert not methods[name].variants["recommended"].sample


def test_structured_gf_is_told_the_shape_and_nothing_else():
    method = opened.config("structured_neighbors").methods["structured_gf"]
    assert not method.params
    assert list(method.variants) == ["recommended"]
    variant = method.variants["recommended"]
    assert not variant.params
    assert {name for case in variant.cases for name in case.params} == {"image_shape", "wrap"}
