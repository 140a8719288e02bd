"""Areas under curves of links: by hand, and with the program's thresholds."""

import numpy as np
import pytest

from geoforest_cli.estimators.relational.link_scores import area_under_pr, link_scores


def test_three_areas_by_hand():
    # ranks 1 and 3 of four are links, the scores of ranks 2 and 3 are equal in the second case
    links = np.array([False, True, True, False])
    apart = link_scores(links, np.array([0.6, 0.9, 0.5, 0.1]))
    assert apart["auc_roc"] == pytest.approx(3 / 4)
    assert apart["average_precision"] == pytest.approx((1 + 2 / 3) / 2)
    # from (0, 1) over (1/2, 1), (1/2, 1/2) and (1, 2/3) to (1, 1/2)
    assert apart["auc_pr"] == pytest.approx(1 / 2 + (1 / 2 + 2 / 3) / 4)
    tied = link_scores(links, np.array([0.6, 0.9, 0.6, 0.1]))
    assert tied["auc_roc"] == pytest.approx(7 / 8)
    assert tied["average_precision"] == pytest.approx((1 + 2 / 3) / 2)
    assert tied["auc_pr"] == pytest.approx(1 / 2 + (1 + 2 / 3) / 4)


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
