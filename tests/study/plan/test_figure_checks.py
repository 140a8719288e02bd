"""Names in a config's figures that no row would have are refused where they stand."""

import re

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.plan import load

CONFIG = """\
title: Small
experiment: manifold_neighbors
seed: 1
repetitions: 2
params: {n: 60}
grid: {manifold: [helix, sphere], k: [5, 10]}
methods: {euclidean: {variants: {recommended: {}}}}
profiles: {smoke: {grid: {k: [5]}}}
"""


def _messages(path, text, profile="paper"):
    path.write_text(CONFIG + text, encoding="utf-8")
    try:
        load(path, profile)
    except UserError as error:
        return str(error).splitlines()
    return []


@pytest.mark.parametrize(
    ("figure", "at", "said"),
    [
        ("{x: kk, y: [precision]}", "9:13", "unknown column 'kk'; did you mean 'k'?"),
        ("{x: k, y: [precison]}", "9:20", "unknown metric 'precison'; did you mean 'precision'?"),
        ("{x: k, y: [precision], columns: manifolds}", "9:41", "unknown column 'manifolds'"),
        ("{x: k, y: [precision], where: {kk: 5}}", "9:40", "unknown column 'kk'"),
    ],
)
def test_names_that_no_row_has_are_refused(tmp_path, figure, at, said):
    path = tmp_path / "small.yaml"
    (message,) = _messages(path, f"figure: {figure}\n")
    assert f"small.yaml:{at}: " in message
    assert said in message
    (message,) = _messages(path, f"more_figures: {{one: {figure}}}\n")
    assert said in message


@pytest.mark.parametrize(
    "figure",
    [
        "{x: manifold, y: [precision], where: {k: [5, 10], method: euclidean}}",
        "{x: k, y: [precision], where: {manifold: [helix, torus]}}",
        "{x: k, y: [recall], columns: method, rows: variant, where: {repetition: 0}}",
    ],
)
def test_names_that_rows_have_are_taken(tmp_path, figure):
    # values that only a larger grid has are filters of a smaller one too
    assert _messages(tmp_path / "small.yaml", f"figure: {figure}\n", "smoke") == []


@pytest.mark.parametrize("parent", ["a_whole", "whole"])
@pytest.mark.parametrize(("value", "allowed"), [(80, True), (90, True), (85, False)])
def test_cases_of_what_is_extended_are_its_own_whatever_its_name(tmp_path, parent, value, allowed):
    cases = f"{{cases: [{{when: {{n: [{value}]}}}}]}}"
    case = f"methods: {{euclidean: {{variants: {{recommended: {cases}}}}}}}"
    text = CONFIG.replace("methods: {euclidean: {variants: {recommended: {}}}}", case)
    text = text.replace("params: {n: 60}\n", "").replace(
        "k: [5, 10]}\n", "n: [60, 80, 90], k: [5]}\n"
    )
    (tmp_path / f"{parent}.yaml").write_text(text, encoding="utf-8")
    small = tmp_path / "small.yaml"
    small.write_text(f"title: Small\nextends: {parent}\ngrid: {{n: [60]}}\n", encoding="utf-8")
    assert len(load(small).entries) == 4
    small.write_text(f"title: Small\nextends: {parent}\ngrid: {{n: [60]}}\n{case}\n", "utf-8")
    with pytest.raises(UserError, match=f"small.yaml:4:.* unknown value of n {value}"):
        load(small)
    whole = tmp_path / f"{parent}.yaml"
    if allowed:
        assert len(load(whole).entries) == 12
    else:
        with pytest.raises(UserError, match=rf"{parent}.yaml:\d+:\d+: unknown value of n 85"):
            load(whole)


def test_every_mistake_of_every_case_is_told(tmp_path):
    cases = "[{when: {manifol: [helix], n: [60]}}, {when: {manifold: [helx, sphere, spere]}}]"
    path = tmp_path / "small.yaml"
    text = CONFIG.replace("recommended: {}", f"recommended: {{cases: {cases}}}")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load(path)
    said = [sentence.partition(": ")[2] for sentence in caught.value.sentences]
    assert [re.split(r";| \(", message)[0] for message in said] == [
        "unknown grid parameter 'manifol'",
        "unknown grid parameter 'n'",
        "unknown value of manifold 'helx'",
        "unknown value of manifold 'spere'",
    ]
