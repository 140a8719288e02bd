"""Splits of networks, areas under curves, and the three predictors of links."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests.smerf import tuning_grid
from geoforest_cli.estimators.relational.link_scores import link_scores
from geoforest_cli.estimators.relational.predictors import EpmLinks, NarmLinks, SmerfLinks
from geoforest_cli.estimators.relational.splits import node_split, pair_split, training_size
from geoforest_cli.problems.datasets.networks import Network


def planted(nodes=24, seed=0):
    rng = np.random.default_rng(seed)
    label = np.arange(nodes) % 2
    rate = np.where(label[:, None] == label[None, :], 0.7, 0.05)
    upper = np.triu(rng.random(rate.shape) < rate, 1)
    links = (upper | upper.T).astype(np.uint8)
    binary = np.column_stack([label, rng.integers(0, 2, (nodes, 3))]).astype(np.uint8)
    return Network(links, binary, binary.astype(float))


def test_training_sizes_round_half_up():
    assert [training_size(71, f) for f in (0.1, 0.5, 0.9)] == [7, 36, 64]
    assert training_size(5, 0.5) == 3


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [4, 12, 20])
def test_no_node_loses_its_last_link(seed, size):
    links = planted(24, seed).links
    observed = pair_split(links, size, np.random.default_rng(seed), keep_last_link=True)
    assert (observed == observed.T).all()
    assert not np.diag(observed).any()
    left = (links.astype(bool) & observed).any(axis=1)
    assert (left == links.any(axis=1)).all()
    assert np.triu(observed).sum() >= size * (size - 1) // 2


def test_areas_agree_with_scikit_learn():
    rng = np.random.default_rng(1)
    links = rng.random(4000) < 0.1
    scores = rng.normal(size=4000).round(1) + links
    areas = link_scores(links, scores)
    assert areas["auc_roc"] == pytest.approx(roc_auc_score(links, scores))
    expected = average_precision_score(links, scores)
    assert areas["average_precision"] == pytest.approx(expected)
    assert areas["auc_pr"] == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize("links", [[False, False], [True, True]])
def test_one_class_has_no_area(links):
    assert all(np.isnan(v) for v in link_scores(np.array(links), np.arange(2.0)).values())


@pytest.mark.compiled
@pytest.mark.parametrize("method", [EpmLinks, NarmLinks, SmerfLinks])
def test_methods_find_planted_blocks(method):
    network = planted(40)
    rng = np.random.default_rng(2)
    if method is EpmLinks:
        observed = pair_split(network.links, 36, rng, keep_last_link=False)
    else:
        training = node_split(40, 30, rng)
        observed = np.outer(training, training) & ~np.eye(40, dtype=bool)
    sizes = {"n_estimators": 40} if method is SmerfLinks else {"n_burnin": 200, "n_samples": 200}
    fitted = method(**sizes, random_state=3).fit(network, observed)
    hidden = np.triu(~observed, 1)
    for metric, scores in fitted.scores().items():
        areas = link_scores(network.links[hidden].astype(bool), scores[hidden])
        assert areas["auc_roc"] > 0.75
        assert areas[metric] > network.links[hidden].mean()
    fewer = {name: size // 10 for name, size in sizes.items()}
    first, again = (
        method(**fewer, random_state=3).fit(network, observed).scores()["auc_roc"] for _ in range(2)
    )
    assert np.array_equal(first, again)


@pytest.mark.compiled
def test_trees_cut_by_the_cosine_of_links_find_planted_blocks():
    network = planted(40)
    training = node_split(40, 30, np.random.default_rng(2))
    observed = np.outer(training, training) & ~np.eye(40, dtype=bool)
    scores = SmerfLinks(40, cuts="cosine", random_state=3).fit(network, observed).scores()
    by_links = SmerfLinks(40, random_state=3).fit(network, observed).scores()
    hidden = np.triu(~observed, 1)
    area = link_scores(network.links[hidden].astype(bool), scores["auc_roc"][hidden])["auc_roc"]
    assert area > 0.75
    assert not np.array_equal(scores["auc_roc"], by_links["auc_roc"])


def test_forest_needs_whole_blocks():
    network = planted()
    observed = pair_split(network.links, 20, np.random.default_rng(0), keep_last_link=False)
    with pytest.raises(DataError, match="split by nodes"):
        SmerfLinks(5).fit(network, observed)


@pytest.mark.parametrize(
    ("p", "expected"), [(8, [2, 3, 5, 8]), (227, [4, 15, 58, 227]), (100, [3, 10, 32, 100])]
)
def test_settings_are_the_papers(p, expected):
    assert list(dict.fromkeys(d for d, _ in tuning_grid(p, "axis"))) == expected
