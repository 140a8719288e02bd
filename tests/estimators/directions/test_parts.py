"""Whitening, the contrast, the search, growth, and the distribution where there is nothing."""

import json
from importlib.resources import files

import numpy as np
import pytest
from scipy.stats import gumbel_r

from geoforest_cli.estimators.directions import families, null, refinement
from geoforest_cli.estimators.directions.growth import complement, grow
from geoforest_cli.estimators.directions.gumbel import Gumbel, gumbel_of
from geoforest_cli.estimators.directions.search import Direction, contrast, strongest
from geoforest_cli.estimators.directions.whitening import dependent_columns, standardised, whiten
from tests.estimators.directions import slow


def test_whitening_is_linear_and_has_the_rank():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(80, 4)) * [1, 1e-9, 1e6, 3] + [5, 0, -1e7, 2]
    table = np.c_[table, table[:, 0] + table[:, 3], np.full(80, 7.0)]
    whitened = whiten(table)
    assert whitened.scores.shape == (80, 4)
    np.testing.assert_allclose(whitened.scores.T @ whitened.scores / 80, np.eye(4), atol=1e-9)
    again = (table - whitened.mean) / whitened.width @ whitened.loadings
    np.testing.assert_allclose(again, whitened.scores, atol=1e-6)
    assert len(dependent_columns(table, 4)) == 2
    assert 5 in dependent_columns(table, 4)


def test_nothing_varies():
    assert whiten(np.ones((10, 3))).scores.shape == (10, 0)
    assert dependent_columns(np.ones((10, 3)), 0).tolist() == [0, 1, 2]


def test_contrast_is_a_standard_score_of_normal_columns():
    scores = np.random.default_rng(0).normal(size=(400, 2000))
    scores = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    z = contrast(scores)
    # Monte-Carlo errors of a mean and a deviation of 2000 values: .022 and .016; n = 400 adds .1
    assert abs(z.mean()) < 0.2
    assert abs(z.std() - 1) < 0.07
    np.testing.assert_allclose(z[:3], [slow.contrast(y) for y in scores.T[:3]], rtol=1e-3)


def test_the_search_finds_two_clusters_and_tells_its_contrast():
    rng = np.random.default_rng(3)
    table = rng.normal(size=(600, 12))
    table[:, 5] += rng.choice([-3.0, 3.0], 600)
    whitened = whiten(table @ rng.normal(size=(12, 12)))
    direction = strongest(whitened.scores, rng)
    assert np.linalg.norm(direction.vector) == pytest.approx(1)
    scores = whitened.scores @ direction.vector
    assert direction.z == pytest.approx(contrast(scores[:, None])[0])
    assert abs(np.corrcoef(scores, table[:, 5])[0, 1]) > 0.97


def test_the_complement_is_orthogonal():
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(7, 3)))[0]
    rest = complement(basis)
    whole = np.c_[basis, rest]
    np.testing.assert_allclose(whole.T @ whole, np.eye(7), atol=1e-12)
    assert complement(np.eye(3)).shape == (3, 0)


@pytest.mark.parametrize(
    "partner",
    [lambda y, e: y**2 + 0.5 * e, lambda y, e: (0.3 + np.abs(y)) * e],
    ids=["its mean depends", "its spread depends"],
)
def test_growth_finds_what_depends_on_a_family(partner):
    rng = np.random.default_rng(0)
    y = rng.uniform(-1.7, 1.7, 800)
    others = rng.normal(size=(800, 6))
    others[:, 2] = partner(y, others[:, 2])
    others = whiten(others).scores @ np.linalg.qr(rng.normal(size=(6, 6)))[0]
    y = (y - y.mean()) / y.std()
    y -= others @ (others.T @ y) / 800
    added = grow(y[:, None], others, rng, 0.01)
    made = partner(y, 0.0 * y) if partner(y, 0 * y).any() else None
    assert added is not None
    if made is not None:
        assert abs(np.corrcoef(others @ added, made)[0, 1]) > 0.8


@pytest.mark.nightly
def test_growth_keeps_its_level():
    """Of 200 tables without dependence .01 grow; more than .04 has a chance of 1e-4."""
    rng = np.random.default_rng(1)
    grown = 0
    for _ in range(200):
        y = rng.uniform(-1.7, 1.7, (200, 1))
        grown += grow(y / y.std(), whiten(rng.normal(size=(200, 4))).scores, rng, 0.01) is not None
    assert grown <= 8


def test_gumbel_is_scipys():
    ours = Gumbel(2.0, 0.5)
    theirs = gumbel_r(2.0, 0.5)
    for value in (0.0, 2.0, 5.0):
        assert ours.tail(value) == pytest.approx(theirs.sf(value))
    assert ours.threshold(0.01) == pytest.approx(theirs.isf(0.01))
    draws = theirs.rvs(20000, random_state=0)
    assert gumbel_of(draws) == pytest.approx((2.0, 0.5), abs=0.02)


TABLE = json.loads(files("geoforest_cli.estimators.directions").joinpath("null.json").read_text())


def test_nodes_of_the_table_are_its_values():
    for i, n in enumerate(TABLE["rows"]):
        for j, rank in enumerate(TABLE["ranks"]):
            wanted = TABLE["mode"][i][j], TABLE["scale"][i][j]
            assert null.null_of(n, rank) == pytest.approx(wanted)
    assert (np.diff(TABLE["mode"], axis=1) > 0).all()
    assert (np.array(TABLE["scale"]) > 0).all()


@pytest.mark.nightly
@pytest.mark.parametrize(("n", "rank"), [(300, 7), (250, 70), (200, 65)])
def test_between_nodes_the_table_is_what_a_simulation_finds(n, rank):
    """Of 12 tables the mode has a standard error of about .35 scales."""
    between = null.null_of(n, rank)
    fresh = null.simulated(n, rank, 12, seed=5)
    assert abs(fresh.mode - between.mode) < 1.3 * between.scale
    assert 0.4 < fresh.scale / between.scale < 2.2


def test_outside_of_the_table_it_is_simulated(monkeypatch):
    asked = []

    def simulated(n, rank, tables):
        asked.append((n, rank, tables))
        return Gumbel(1.0, 1.0)

    monkeypatch.setattr(null, "simulated", simulated)
    for size in ((199, 5), (20_000, 101), (300, 101)):
        null.null_of.__wrapped__(*size)
    assert asked == [(199, 5, 30), (10_000, 101, 30), (300, 101, 30)]


def test_more_rows_count_as_the_most_in_the_table():
    assert null.null_of(200_000, 5) == null.null_of(10_000, 5)


@pytest.mark.parametrize(("z", "searches"), [(50.0, 1), (-50.0, 4)])
def test_a_sure_direction_ends_the_searches(monkeypatch, z, searches):
    made = []

    def fake(whitened, rng):
        made.append(Direction(np.eye(3)[0], z + len(made)))
        return made[-1]

    monkeypatch.setattr(families, "strongest", fake)
    best, p_value = families._seed(np.zeros((300, 3)), 0.01, np.random.default_rng(0))
    assert len(made) == searches
    assert best is made[-1]
    assert p_value == pytest.approx(0.0 if z > 0 else 1.0, abs=1e-9)


def test_what_differs_by_rounding_alone_adds_no_rank():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 500))
    for difference, rank in ((1e-9, 1), (1e-4, 2)):
        assert whiten(np.c_[x, x + difference * noise]).scores.shape == (500, rank)
    step = np.r_[1.0, np.full(49, np.nextafter(1.0, 2))]
    values, _, width = standardised(np.c_[step, x[:50]])
    assert not values[:, 0].any()
    assert width[0] == 1.0


def test_of_equal_columns_the_later_are_named_wherever_they_are():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        table = rng.normal(size=(30, 7))
        first, second, third = np.sort(rng.choice(7, 3, replace=False))
        table[:, second] = table[:, third] = table[:, first]
        assert dependent_columns(table, 5).tolist() == [second, third]


def test_where_the_density_is_normal_no_step_leads_on():
    """The gradient of a normal density's logarithm is minus the score."""
    scores = whiten(np.random.default_rng(0).normal(size=(300, 5))).scores
    basis = np.eye(5)[:, :2]
    normal = -(scores @ basis)
    assert np.abs(refinement._step(scores, basis, normal)).max() < 1e-9
    # beside it: scoring by the information of what is not normal
    odd = scores[:, 2:4] ** 3
    across = np.diag([0, 0, 1, 1, 1]) @ scores.T @ odd / 300
    wanted = across @ np.linalg.inv(odd.T @ odd / 300)
    step = refinement._step(scores, basis, normal + odd)
    np.testing.assert_allclose(step, wanted, rtol=0.05, atol=0.01)
