"""The section of a config that says where its published values are."""

import copy
from dataclasses import replace

import pytest

from geoforest_cli.study.plan import load
from geoforest_cli.study.report import published


@pytest.fixture(scope="module")
def plan():
    return load("noise")


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
def test_mistakes_are_found(plan, changes, words):
    sections = [dict(copy.deepcopy(item)) for item in plan.config.published]
    sections[0].update(changes)
    config = plan.config.model_copy(update={"published": tuple(sections)})
    problems = published.checker(replace(plan, config=config))
    assert words in " ".join(message for _, message in problems)


def test_all_published_values_of_the_figure_are_mapped(plan):
    frame = published.load(plan.config.published)
    assert len(frame) == 4 * 7 * 5
    gf = frame[(frame.method == "gf") & (frame.manifold == "gaussian_mixture")]
    assert gf.sort_values("noise_dims")["value"].round(3).tolist() == [
        0.489, 0.480, 0.408, 0.361, 0.298, 0.262, 0.243,
    ]  # fmt: skip
    assert set(frame["variant"]) == {"as_run"}
    kept = published.within(frame, {"noise_dims": (0, 10), "k": (50,)})
    assert set(kept["noise_dims"]) == {0, 10}
    assert published.within(frame, {"k": (10,)}).empty
