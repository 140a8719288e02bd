"""Mean ranks against scipy and counting; maps of two grid parameters."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare, studentized_range

from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.figures import maps, ranks
from geoforest_cli.study.figures.context import Context, NothingToDraw
from geoforest_cli.study.figures.options import Curves

METHODS = ("first", "second", "third")


def _context(values):
    """Rows of one metric: {(method, manifold, n, repetition): value}."""
    rows = pd.DataFrame(
        [
            {"manifold": m, "n": n, "method": name, "variant": "recommended", "repetition": r,
             "metric": "share", "value": v, "status": "ok", "cell": "c"}
            for (name, m, n, r), v in values.items()
        ]
    )  # fmt: skip
    config = Config.model_validate(
        {
            "title": "t", "experiment": "e", "grid": {"manifold": ["a", "b", "c"], "n": [10, 20]},
            "methods": {name: {"use": "euclidean", "variants": {"recommended": {}}}
                        for name in METHODS},
        }
    )  # fmt: skip
    return Context(rows=rows, published=rows.iloc[:0], config=config)


@pytest.fixture
def context():
    rng = np.random.default_rng(0)
    return _context(
        {
            (name, m, n, r): float(np.clip(0.3 * i + 0.05 * rng.normal(), 0, 1))
            for i, name in enumerate(METHODS)
            for m in "abc"
            for n in (10, 20)
            for r in (0, 1)
        }
    )


def test_mean_ranks_by_hand_and_against_scipy():
    values = np.array([[0.9, 0.5, 0.1], [0.8, 0.8, 0.2], [0.1, 0.2, 0.3], [0.7, 0.6, 0.5]])
    found = ranks.mean_ranks(values)
    assert found.mean.tolist() == [
        (1 + 1.5 + 3 + 1) / 4,
        (2 + 1.5 + 2 + 2) / 4,
        (3 + 3 + 1 + 3) / 4,
    ]
    assert found.p == friedmanchisquare(*values.T).pvalue
    q = studentized_range.ppf(0.95, 3, np.inf) / np.sqrt(2)
    assert found.critical == pytest.approx(q * np.sqrt(3 * 4 / (6 * 4)))


def test_critical_difference_is_that_of_the_literature():
    # Demsar 2006: q = 2.569 for four classifiers, N = 14: 1.25
    assert ranks.mean_ranks(np.random.default_rng(0).random((14, 4))).critical == pytest.approx(
        1.25, abs=0.005
    )


def test_equal_methods_share_all_ranks():
    found = ranks.mean_ranks(np.ones((3, 4)))
    assert found.mean.tolist() == [2.5] * 4
    assert found.p == 1


def test_ranks_are_drawn_with_the_best_above(context):
    options = Curves(x="n", y=("share",), columns="n")
    figure = ranks.draw(context, options, "manifold")
    assert len(figure.axes) == 2
    for axes in figure.axes:
        assert [label.get_text() for label in axes.get_yticklabels()] == list(METHODS[::-1])
        assert "3 settings" in axes.get_xlabel()


def test_bars_join_neighbours_that_are_not_told_apart():
    values = {
        (name, m, 10, 0): 0.9 - 0.4 * place for place, name in enumerate(METHODS) for m in "abcdef"
    }
    (axes,) = ranks.draw(_context(values), Curves(x="n", y=("share",)), "manifold").axes
    critical = 2.343 * np.sqrt(3 * 4 / (6 * 6))
    single = [line for line in axes.lines if len(line.get_xdata()) == 1]
    marks = [(line.get_xdata()[0], line.get_ydata()[0]) for line in single]
    assert marks == [(1, 0), (2, 1), (3, 2)]
    bars = [list(line.get_ydata()) for line in axes.lines if line.get_linewidth() == 2.2]
    assert bars == [pytest.approx([-0.3, 1.3]), pytest.approx([0.7, 2.3])]
    (dashed,) = (line for line in axes.lines if line.is_dashed())
    assert list(dashed.get_xdata()) == pytest.approx([1 + critical] * 2, abs=1e-3)
    beside = [text.get_text().split() for text in axes.texts[:3]]
    assert beside == [["1.0", "0.90"], ["2.0", "0.50"], ["3.0", "0.10"]]


def test_a_method_that_lacks_a_block_is_left_out(context):
    rows = context.rows
    gone = (rows["method"] == "third") & (rows["manifold"] == "b")
    fewer = Context(rows=rows[~gone], published=rows.iloc[:0], config=context.config)
    with pytest.raises(NothingToDraw, match="three methods"):
        ranks.draw(fewer, Curves(x="n", y=("share",)), "manifold")


def test_maps_show_the_means_and_leave_the_unknown_open(context):
    rows = context.rows
    gone = (rows["manifold"] == "a") & (rows["n"] == 20)
    fewer = Context(rows=rows[~gone], published=rows.iloc[:0], config=context.config)
    options = Curves(x="n", y=("share",), rows="method")
    figure = maps.draw(fewer, options, "manifold")
    assert len(figure.axes) == 3
    first = rows[~gone & (rows["method"] == "first")].groupby(["manifold", "n"])["value"].mean()
    shown = figure.axes[0].images[0].get_array()
    assert shown.shape == (3, 2)
    bottom, top = figure.axes[0].get_ylim()
    assert bottom < top  # the first value stands below
    assert shown[1, 1] == pytest.approx(first["b", 20])
    assert np.isnan(np.asarray(shown.filled(np.nan))[0, 1])
    grid = [*figure.axes[0].get_xgridlines(), *figure.axes[0].get_ygridlines()]
    assert not any(line.get_visible() for line in grid)  # it would cross the numbers
    words = {text.get_text() for text in figure.axes[0].texts}
    assert len(figure.axes[0].texts) == 5
    assert f"{first['b', 20]:.2f}".replace("0.", ".") in words


@pytest.mark.parametrize(("width", "left"), [(5.0, 0.15), (10.0, 0.1), (20.0, 0.1)])
def test_maps_leave_room_for_their_labels(context, width, left):
    options = Curves(x="n", y=("share",), rows="method", width=width)
    figure = maps.draw(context, options, "manifold")
    assert figure.axes[0].get_position().x0 == pytest.approx(left)


def test_maps_without_rows_say_so(context):
    with pytest.raises(NothingToDraw, match="no rows of other"):
        maps.draw(context, Curves(x="n", y=("other",)), "manifold")
