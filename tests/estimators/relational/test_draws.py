"""Single draws against slow code, which take the same numbers from NumPy in turn."""

import numpy as np
import pytest

from geoforest_cli.estimators.relational.kernels import draws


def tables(rng, customers, concentration):
    """Each customer after the first opens a table with the chance r / (r + those seated)."""
    new = [
        rng.random() * (concentration + seated) < concentration for seated in range(1, customers)
    ]
    return (customers > 0) + sum(new)


def positive_poisson(rng, rate):
    if rate > 1:
        return next(count for count in iter(lambda: rng.poisson(rate), None) if count > 0)
    while True:
        count = 1 + rng.poisson(max(rate, 1e-300))
        if rng.random() * count < 1:
            return count


def shuffled(rng, size):
    order = list(range(size))
    for i in reversed(range(1, size)):
        j = rng.integers(0, i + 1)
        order[i], order[j] = order[j], order[i]
    return order


@pytest.fixture
def both():
    return np.random.default_rng(7), np.random.default_rng(7)


@pytest.mark.parametrize("customers", [-1, 0, 1, 2, 9])
@pytest.mark.parametrize("concentration", [1e-3, 0.5, 40.0])
def test_tables_are_opened_as_customers_come(both, customers, concentration):
    ours, theirs = both
    for _ in range(40):
        expected = tables(theirs, customers, concentration)
        assert draws.crt(ours, customers, concentration) == expected
    assert ours.random() == theirs.random()


@pytest.mark.parametrize("rate", [0.0, 1e-9, 0.3, 1.0, 1.0001, 30.0])
def test_positive_counts_are_drawn_until_one_is(both, rate):
    ours, theirs = both
    for _ in range(60):
        assert draws.truncated_poisson(ours, rate) == positive_poisson(theirs, rate)
    assert ours.random() == theirs.random()


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_orders_are_shuffled_from_the_last_to_the_first(both, size):
    ours, theirs = both
    for _ in range(20):
        assert draws.permutation(ours, size).tolist() == shuffled(theirs, size)
    assert ours.random() == theirs.random()


def test_a_gamma_variable_is_a_standard_one_over_the_rate(both):
    ours, theirs = both
    for shape in (0.01, 1.0, 7.5):
        assert draws.gamma(ours, shape, 4.0) == theirs.standard_gamma(shape) / 4.0
    for nothing in (0.0, -1.0):
        assert draws.gamma(ours, nothing, 4.0) == 0.0
    assert ours.random() == theirs.random()


@pytest.mark.parametrize(
    "weights", [[1.0], [1.0, 3.0], [0.0, 2.0, 0.0, 1.0, 5.0, 0.0], [0.0] * 4, [2.0, 0.0, 0.0]]
)
def test_an_index_is_picked_where_the_sums_go_beyond_the_draw(both, weights):
    ours, theirs = both
    sums = np.cumsum(weights)
    picks = []
    for _ in range(400):
        index = np.searchsorted(sums, theirs.random() * sums[-1], side="right")
        picks.append(draws.pick(ours, sums))
        assert picks[-1] == min(index, len(weights) - 1)
    # an index without weight is never picked, but the last where none has any
    assert set(picks) == set(np.flatnonzero(weights) if any(weights) else [len(weights) - 1])


@pytest.mark.parametrize(
    ("theta", "rate", "expected"),
    [(0.0, 3.0, 0.0), (3.0, 1.0, np.log(4.0)), (1e300, 1e-300, -np.log(2.2251e-308))],
)
def test_the_log_of_a_share_is_bounded(theta, rate, expected):
    assert draws.minus_log_share(theta, rate) == pytest.approx(expected)
