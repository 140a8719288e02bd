"""Claims and published sections of a config are validated before anything runs."""

import copy
from dataclasses import replace

import pytest

from geoforest_cli.study.claims import validation
from geoforest_cli.study.plan import load
from geoforest_cli.study.repetition import Split
from geoforest_cli.study.report import published

PLAN = load("noise")


def broken(section, index, changes):
    items = [dict(copy.deepcopy(item)) for item in getattr(PLAN.config, section)]
    items[index].update(changes)
    return replace(PLAN, config=PLAN.config.model_copy(update={section: tuple(items)}))


@pytest.mark.parametrize(
    ("changes", "loc", "words"),
    [
        ({"check": "at_lest"}, "check", "did you mean 'at_least'"),
        ({"method": {"name": "fg", "variant": "recommended"}}, "name", "method 'fg'"),
        ({"method": {"name": "gf", "variant": "recomended"}}, "variant", "recommended"),
        ({"metric": "precison"}, "metric", "did you mean 'precision'"),
        ({"where": {"noise_dim": [0]}}, "noise_dim", "did you mean 'noise_dims'"),
        ({"where": {"noise_dims": [7]}}, "noise_dims", "7"),
        ({"id": "gf_beats_all_with_much_noise"}, "id", "gf_beats_all_with_much_noise"),
        ({"nonsense": 1}, "nonsense", "unknown key 'nonsense'"),
        ({"metrics": "precision"}, "metrics", "did you mean 'metric'"),
        (
            {"method": {"nam": "gf", "variant": "recommended"}},
            "nam",
            "unknown key 'nam'; did you mean 'name'",
        ),
        ({"origin": "papre"}, "origin", "'papre'"),
        ({"quote": "as it stands", "section": ""}, "claims", "needs the 'section'"),
        ({"unit": "split"}, "claims", "needs 'split', such as {test: 0.5}"),
        ({"unit": "split", "split": {"test": "noise_dim"}}, "split", "did you mean 'noise_dims'"),
    ],
)
def test_mistakes_in_claims_are_found_where_they_stand(changes, loc, words):
    problems = list(validation.checker(broken("claims", 0, changes)))
    assert problems
    text = " ".join(message for _, message in problems)
    assert words in text
    assert any(loc in map(str, at) for at, _ in problems)


def test_a_name_given_twice_is_said_to_be_that_of_the_other_claim():
    names = [claim["id"] for claim in PLAN.config.claims]
    [(at, message)] = validation.checker(broken("claims", 4, {"id": names[2]}))
    assert at == ("claims", 4, "id")
    assert message == f"the id {names[2]!r} is also that of claim 3"


def test_the_unit_is_the_claims_the_configs_or_the_experiments():
    assert PLAN.experiment.unit == "sample"
    assert PLAN.config.unit is None
    assert load("connectome").config.unit == "seed"
    config = PLAN.config.model_copy(update={"unit": "split"})
    assert "needs 'split'" in str(list(validation.checker(replace(PLAN, config=config))))
    config = config.model_copy(update={"split": Split(test=0.5)})
    assert list(validation.checker(replace(PLAN, config=config))) == []


def test_what_is_added_is_told_of_every_value():
    plan = load("smerf_links")
    split = Split(train="fraction", added={"0.1": 0.1, "0.2": 0.1})
    config = plan.config.model_copy(update={"split": split})
    found = list(validation.checker(replace(plan, config=config)))
    assert len(found) == len(plan.config.claims)
    assert found[0][1].startswith("'added' of the split lacks fraction 0.3, 0.4")


def test_a_changed_grid_need_not_have_the_values_that_claims_name():
    for plan in (load("noise", "smoke"), load("noise", overrides=["grid.noise_dims=[3]"])):
        assert plan.caution
        assert list(validation.checker(plan)) == []
    misspelt = replace(broken("claims", 0, {"where": {"noise_dim": [0]}}), profile="smoke")
    [(at, message)] = validation.checker(misspelt)
    assert at == ("claims", 0, "where", "noise_dim")
    assert "did you mean 'noise_dims'" in message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"source": "geodesic_forest"}, "did you mean 'geodesic_forests'"),
        ({"artifact": "fig4_tpo"}, "did you mean 'fig4_top'"),
        ({"columns": {"setting": "manifold", "noise_dims": "noise_dim"}}, "noise_dim"),
        ({"columns": {"settin": "manifold"}}, "settin"),
        ({"methods": {"gff": "gf"}}, "gff"),
        ({"methods": {"gf": "fg"}}, "fg"),
        ({"metrics": {"precision_at_51": "precision"}}, "precision_at_51"),
        ({"fixed": {"kk": 1}}, "kk"),
        ({"columns": {}}, "fall on one point"),
        ({"where": {"setting": "nowhere"}}, "unknown published column 'setting' (there are none)"),
    ],
)
def test_mistakes_in_published_sections(changes, words):
    problems = list(published.checker(broken("published", 0, changes)))
    assert words in " ".join(message for _, message in problems)


def test_all_published_values_of_the_figure_are_mapped():
    frame = published.load(PLAN.config.published)
    assert len(frame) == 4 * 7 * 5
    gf = frame[(frame.method == "gf") & (frame.manifold == "gaussian_mixture")]
    assert gf.sort_values("noise_dims")["value"].round(3).tolist() == [
        0.489, 0.480, 0.408, 0.361, 0.298, 0.262, 0.243,
    ]  # fmt: skip
    assert set(frame["variant"]) == {"as_run"}
    kept = published.within(frame, {"noise_dims": (0, 10), "k": (50,)})
    assert set(kept["noise_dims"]) == {0, 10}
    assert published.within(frame, {"k": (10,)}).empty


@pytest.mark.parametrize("word", ["lik", "lke", "likes", "chek"])
def test_a_claim_without_its_kind_is_told_which_key_is_misspelt(word):
    [claim, *_] = PLAN.config.claims
    other = {"id": "other", "origin": "ours", "says": "s", word: claim["id"]}
    config = PLAN.config.model_copy(update={"claims": (claim, other)})
    [(at, message)] = validation.checker(replace(PLAN, config=config))
    assert at == ("claims", 1, word)
    meant = "check" if word == "chek" else "like"
    assert f"did you mean '{meant}'" in message
