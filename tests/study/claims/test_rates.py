"""Error rates of the tests, simulated: the level is .025 a side."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.study.claims.estimates import student
from geoforest_cli.study.claims.verdicts import ALPHA
from tools import error_rates

pytestmark = pytest.mark.nightly
DEVIATION = math.log(2.0) ** 0.5  # of the logarithms, where the coefficient of variation is 1
# draws, their mean, and how often they were measured to be called below it, where that is often
KINDS = {
    "normal": (lambda rng, shape: rng.standard_normal(shape), 0.0, ()),
    "mean of 200": (lambda rng, shape: rng.binomial(200, 0.05, shape) / 200, 0.05, ()),
    "logarithms": (lambda rng, shape: np.log(rng.lognormal(0.0, DEVIATION, shape)), 0.0, ()),
    "skewed": (lambda rng, s: rng.beta(1, 19, s), 0.05, (0.104, 0.106, 0.089, 0.069, 0.055)),
}


@pytest.mark.parametrize("name", KINDS)
def test_t_is_wrong_as_often_as_is_known(name):
    draw, mean, rates = KINDS[name]
    rng = np.random.default_rng(len(name))
    for n, often in zip(error_rates.REPETITIONS, rates or (0.03,) * 5, strict=True):
        above, below = error_rates.wrong(draw(rng, (20_000, n)), mean)
        assert above <= 0.04
        assert below <= often + 0.01


def test_what_is_simulated_is_what_claims_are_tested_by():
    samples = np.random.default_rng(0).standard_normal((400, 5))
    tested = [student([(1.0, dict(enumerate(sample)))]) for sample in samples]
    p = np.array([[estimate.p_above(0.4), estimate.p_below(0.4)] for estimate in tested])
    assert error_rates.wrong(samples, 0.4) == pytest.approx((p <= ALPHA).mean(axis=0))


def test_the_table_of_the_docs_is_what_the_code_gives():
    page = (Path(__file__).parents[3] / "docs" / "verdicts.md").read_text(encoding="utf-8")
    for line in error_rates.tables()[2:]:
        name = line.split("|")[1]
        (shown,) = (row for row in page.splitlines() if row.startswith(f"|{name}|"))
        numbers, expected = ([float(x) for x in re.findall(r"\d+\.\d", row.partition(name)[2])]
                             for row in (line, shown))  # fmt: skip
        assert numbers == pytest.approx(expected, abs=0.11)  # as versions of NumPy may differ
