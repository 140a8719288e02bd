"""Areas under curves of links: by hand, and with the program's thresholds."""

import numpy as np
import pytest

from geoforest_cli.estimators.relational.link_scores import area_under_pr


def program_area(links, scores):
    """One threshold after the other, quantiles between the midpoints of the sorted scores."""
    n = len(scores)
    midpoints = (np.arange(n) + 0.5) / n
    cuts = [np.interp(step / 3000, midpoints, np.sort(scores)) for step in range(2999, 0, -1)]
    area, recall, precision = 0.0, 0.0, 1.0
    for cut in [*cuts, scores.min()]:
        above = scores >= cut
        met = links[above].sum()
        area += (met / links.sum() - recall) * (met / above.sum() + precision) / 2
        recall, precision = met / links.sum(), met / above.sum()
    return area


@pytest.mark.parametrize("n", [50, 7000])
def test_area_of_many_scores_has_the_programs_thresholds(n):
    rng = np.random.default_rng(3)
    links = rng.random(n) < 0.2
    scores = rng.normal(size=n) + links
    links[scores.argmin()] = True
    assert area_under_pr(links, scores) == pytest.approx(program_area(links, scores), abs=1e-12)
