"""Adaptive neighbours with choices that are made up."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli import AdaptiveNeighbors
from geoforest_cli.estimators.adaptive import estimator as _estimator
from geoforest_cli.estimators.adaptive.columns import Kept

T = np.random.default_rng(0).uniform(size=60)
ALL, GRAPH = "kept all 3 columns", "graph geodesic"
LEFT = "left out, groups that are linear or weakly dependent"
CURVE = np.c_[np.cos(3 * T), np.sin(3 * T), T]


def model_of(**choices):
    model = AdaptiveNeighbors()
    usual = {
        "kept_": np.arange(3), "n_features_in_": 3, "groups_": np.ones(3, int), "scale_": "raw",
        "left_out_": np.empty(0, int), "forest_share_": 0.0, "n_samples_fit_": 9,
    }  # fmt: skip
    for name, value in {**usual, **choices}.items():
        setattr(model, name, value)
    return model


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({}, f"{ALL}; columns raw; {GRAPH}, no forest"),
        ({"n_features_in_": 4}, f"kept 3 of 4 columns; columns raw; {GRAPH}, no forest"),
        ({"scale_": "standardised"}, f"{ALL}; columns standardised; {GRAPH}, no forest"),
        ({"scale_": "logarithm"}, f"{ALL}; columns by logarithm; {GRAPH}, no forest"),
        ({"scale_": "cube_root"}, f"{ALL}; columns by cube root; {GRAPH}, no forest"),
        ({"scale_": "correlation"}, f"{ALL}; rows by correlation; {GRAPH}, no forest"),
        ({"forest_share_": 0.126}, f"{ALL}; columns raw; {GRAPH}, forest share 0.13"),
        ({"forest_share_": 1.0}, f"{ALL}; columns raw; forest alone"),
        (
            {"groups_": np.array([1, 1, 2, 2, 2]), "left_out_": np.array([0, 2]),
             "feature_names_in_": np.array(list("abc"))},
            f"{ALL}; columns raw; {GRAPH}, no forest; columns form 2 independent groups; {LEFT}: a, c",
        ),
    ],
)  # fmt: skip
def test_choices_are_a_sentence(choices, sentence):
    assert model_of(**choices).describe() == sentence


@pytest.mark.parametrize(
    ("detour", "share"), [(1.0, 0), (1.33, 0), (1.38, 0.15), (1.43, 0.3), (9.0, 0.3)]
)
def test_the_share_of_the_forest_grows_with_detours(detour, share):
    model = model_of(detour_=detour)
    assert model._share(independent=False, flat=False) == pytest.approx(share)
    # many dimensions that are flat need none, columns that are independent nothing else
    assert model._share(independent=False, flat=True) == 0
    assert model._share(independent=True, flat=False) == 1
    assert model._share(independent=True, flat=True) == 1
    assert model_of(detour_=9.0, scale_="correlation")._share(independent=True, flat=False) == 0
    model.forest_share = 0.7
    assert model._share(independent=True, flat=True) == 0.7


def test_columns_and_scale_are_those_that_are_found(monkeypatch):
    kept = Kept(np.array([0, 2]), np.array([1, -1, 1]), np.array([1]), wide=True)
    asked = []
    monkeypatch.setattr(_estimator, "kept_columns", lambda *given: asked.append(given[2:]) or kept)
    model = AdaptiveNeighbors(random_state=5, level=0.01, n_jobs=1).fit(CURVE)
    assert (model.kept_.tolist(), model.dropped_.tolist()) == ([0, 2], [1])
    assert (model.groups_.tolist(), model.left_out_.tolist()) == ([1, -1, 1], [1])
    assert (model.scale_, model.forest_share_) == ("correlation", 0)
    ((n_jobs, seed, level),) = asked
    assert (n_jobs, level) == (1, 0.01)
    assert seed == model._seed
    assert AdaptiveNeighbors(scale="raw").fit(CURVE).scale_ == "raw"
    whole = AdaptiveNeighbors(screen=None, scale="standardised").fit(np.c_[CURVE, np.ones(60)])
    assert (whole.kept_.tolist(), whole.groups_.tolist()) == ([0, 1, 2], [-1] * 4)


def test_steps_are_told_with_their_seconds(monkeypatch, capsys):
    clock = iter(np.arange(0, 9, 1.25))
    monkeypatch.setattr(_estimator.time, "perf_counter", lambda: next(clock))
    frame = pd.DataFrame(CURVE, columns=["a", "b", "c"])
    fitted = AdaptiveNeighbors(verbose=True).fit(frame)
    assert capsys.readouterr().out.splitlines() == [
        "[AdaptiveNeighbors] columns: 1.25 s",
        "[AdaptiveNeighbors] scale: 2.50 s",
        "[AdaptiveNeighbors] graph: 3.75 s",
        "[AdaptiveNeighbors] forest: 5.00 s",
        f"[AdaptiveNeighbors] {fitted.describe()}",
    ]
    AdaptiveNeighbors().fit(frame)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("mode", "entries"), [("distance", 5), ("connectivity", 4)])
def test_a_row_is_counted_among_its_own_neighbours_only_by_ones(mode, entries):
    fitted = AdaptiveNeighbors(4, mode=mode, scale="raw", screen=None).fit(CURVE)
    sparse = fitted.transform(CURVE[:7])
    assert sparse.shape == (7, 60)
    assert np.diff(sparse.indptr).tolist() == [entries] * 7
    distances, rows = fitted.kneighbors(CURVE[:7], entries)
    assert rows[:, 0].tolist() == list(range(7))
    expected = np.zeros((7, 60))
    np.put_along_axis(expected, rows, distances if mode == "distance" else 1.0, axis=1)
    np.testing.assert_array_equal(sparse.toarray(), expected)
    few = AdaptiveNeighbors(4, mode=mode, screen=None).fit(CURVE[:3]).transform(CURVE[:2])
    assert np.diff(few.indptr).tolist() == [3, 3]
