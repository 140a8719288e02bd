"""Lists of neighbours of distinct points, and of two methods."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from geoforest_cli.estimators.adaptive.lists import blend
from geoforest_cli.estimators.base.copies import distinct_points
from tests.values import changeable


@settings(max_examples=50)
@given(st.lists(st.integers(0, 6), min_size=3, max_size=25), st.data())
def test_copies_stand_where_their_point_does(values, data):
    line = np.array(values, float)
    copies = distinct_points(line[:, None], 0)
    places = line[copies.row]
    lengths = np.abs(places[copies.node][:, None] - places)
    nodes = np.argsort(lengths, axis=1, kind="stable")
    k = data.draw(st.integers(1, len(values) - 1))
    numbers = np.arange(len(values))
    distances, rows = copies.listed(np.take_along_axis(lengths, nodes, axis=1), nodes, numbers, k)
    for i in range(len(values)):
        others = np.delete(numbers, i)
        order = others[np.lexsort((others, copies.node[others], np.abs(line[others] - line[i])))]
        order = order[:k]
        assert rows[i].tolist() == order.tolist()
        assert distances[i].tolist() == np.abs(line[order] - line[i]).tolist()


@settings(max_examples=50)
@given(seed=st.integers(0, 999), share=st.floats(0, 1), k=st.integers(1, 12))
def test_whole_lists_are_blended_by_their_ranks(seed, share, k):
    rng = np.random.default_rng(seed)
    graph, forest = rng.integers(1, 9, size=(2, 12)).astype(float)
    lists = [(np.sort(d)[None], np.argsort(d, kind="stable")[None]) for d in (graph, forest)]
    ranks, others = (np.sqrt(rankdata(d, "min")) for d in (graph, forest))
    scores = (1 - share) * ranks + share * others
    blended, rows = blend(*lists, share, k, np.arange(12))
    expected = np.lexsort((np.arange(12), ranks, scores))[:k]
    np.testing.assert_allclose(blended[0], scores[expected])
    assert rows[0].tolist() == expected.tolist()


def test_a_row_that_one_list_lacks_comes_after_its_last():
    graph = np.array([[1.0, 2.0, 3.0]]), np.array([[0, 1, 2]])
    forest = np.array([[0.1, 0.2, 0.3]]), np.array([[7, 8, 2]])
    scores, rows = blend(graph, forest, 0.5, 3, np.arange(9))
    assert rows.tolist() == [[0, 7, 1]]
    np.testing.assert_allclose(scores[0], [(1 + 2) / 2, (1 + 2) / 2, (2**0.5 + 2) / 2])


def test_a_copy_is_first_whatever_the_forest_says():
    graph = np.array([[0.0, 2.0]]), np.array([[5, 6]])
    forest = np.array([[0.1, 0.2]]), np.array([[7, 6]])
    scores, rows = blend(graph, forest, 0.9, 2, np.arange(8))
    assert (scores[0, 0], rows[0, 0]) == (0.0, 5)


def test_graphs_and_scales_are_not_changed():
    assert changeable("geoforest_cli.estimators.adaptive") == set()
