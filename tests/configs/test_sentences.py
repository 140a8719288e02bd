"""Claims that were read anew say their sentence: made-up rows turn each of them both ways."""

import pytest

from tests.configs.made_up import judged
from tests.configs.opened import config

pytestmark = pytest.mark.nightly
MORF = ("bars", "circle", "impulse")
BASELINES = ["knn", "linear_svm", "logistic", "mlp", "rbf_svm", "rf", "sporf"]


def by_method(otherwise, **values):
    """A value for each method, and one for the others."""
    return lambda row: values.get(row["method"], otherwise)


def at(column, places, there, elsewhere):
    """One function of the row at some values of a column, another elsewhere."""
    return lambda row: (there if row[column] in places else elsewhere)(row)


def verdicts(name, start, value, metrics, **options):
    """Verdicts of a config's claim, or of all that begin so, on rows; chance is 0.05."""
    all_ids = [claim["id"] for claim in config(name).claims]
    ids = {start} if start in all_ids else {key for key in all_ids if key.startswith(start)}
    with_chance = lambda row: 0.05 if row["metric"] == "chance" else value(row)  # noqa: E731
    items = judged(name, with_chance, lambda claim: claim["id"] in ids, metrics.split(), **options)
    return {result.verdict for result in items.values()}


# config, claims, metrics, the value of most methods, and others with which they hold and fail
BY_METHOD = [
    *((name, "morf_beats_all_but_cnn", "error", 0.35, {"morf": 0.2}, {"knn": 0.15, "morf": 0.2})
      for name in MORF),
    ("circle", "most_others", "error", 0.5, {}, dict.fromkeys(BASELINES, 0.4)),
    ("noise", "gf_three_times_chance", "precision chance", 0.2, {}, {"gf": 0.1}),
    ("noise", "gf_as_run_beats_all_with_much_noise", "precision", 0.2,
     {"gf": 0.5, "flann": 1.0}, {"gf": 0.5, "umap": 0.6}),
    ("noise", "isomap_degrades_next", "precision", 0.5, {"isomap": 0.2}, {"isomap": 0.7}),
    ("runtimes", "morf_tests_like", "test_seconds", 1.0, {"morf": 1.5}, {"morf": 4.0}),
    ("smerf_links", "smerf_best_in_many_settings", "auc_roc average_precision", 0.7,
     {"smerf": 0.9}, {"smerf": 0.6}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "claim", "metrics", "most", "holds", "fails"), BY_METHOD)
def test_methods_turn_the_claim(name, claim, metrics, most, holds, fails):
    assert verdicts(name, claim, by_method(most, **holds), metrics) == {"supported"}
    assert verdicts(name, claim, by_method(most, **fails), metrics) == {"refuted"}


# config, claims, metrics, and two functions of a row with which they hold and fail
BY_PLACE = [
    *(("noise", f"{method}_at_chance", "precision chance",
       at("noise_dims", [10000], by_method(0.05), by_method(0.1)),
       at("noise_dims", [10000], by_method(0.1), by_method(0.05)))
      for method in ("isomap", "umap", "random_forest", "euclidean")),
    ("splitting", "beats_two_means_everywhere", "precision",
     by_method(0.5, gf_fast_bic=0.6, gf_mclust=0.6),
     at("k", [200], by_method(0.5, gf_two_means=0.6), by_method(0.7, gf_two_means=0.5))),
    *(("smerf_distances", f"{method}_fails_somewhere", "spearman",
       at("setting", ["radial"], by_method(0.4), by_method(0.9)), by_method(0.9))
      for method in ("mahalanobis", "bilinear")),
    ("spiral_noisy", "sg_robust_to_noise", "relative_frobenius",
     at("noise", [0.03], by_method(0.1, sg=0.3), by_method(0.3, sg=0.1)),
     at("noise", [0.001], by_method(0.3, sg=0.1), by_method(0.1, sg=0.3))),
    *((name, "larger_lead_at_low_n", "error",
       at("n", [10, 50, 100], by_method(0.4, morf=0.1), by_method(0.15, morf=0.05)),
       # ahead everywhere, of one of them by more at high n
       at("n", [1000, 2000], by_method(0.4, morf=0.2, rf=0.6), by_method(0.6, morf=0.3)))
      for name in MORF),
    ("ellipses", "sg_beats_eg", "adjusted_rand",
     at("noise", [0.05], by_method(0.6, sg=0.9), by_method(1.0)),
     at("noise", [0.05], by_method(0.9, sg=0.6), by_method(1.0))),
    ("connectome", "gf_higher_recall_as_run", "recall",
     at("k", [150], by_method(0.6), by_method(0.5, gf=0.6)),
     at("k", [130, 150], by_method(0.7, gf=0.6), by_method(0.5, gf=0.6))),
    ("smerf_links", "lazega_narm_catches_up", "auc_roc",
     at("fraction", [0.9], by_method(0.6), by_method(0.5, smerf=0.9)),
     at("fraction", [0.9], by_method(0.5, smerf=0.6), by_method(0.6))),
]  # fmt: skip


@pytest.mark.parametrize(("name", "claim", "metrics", "holds", "fails"), BY_PLACE)
def test_places_turn_the_claim(name, claim, metrics, holds, fails):
    # scores that may fail take more repetitions than a config has
    options = {"spread": 1e-9, "times": 4 if metrics in {"spearman", "adjusted_rand"} else 1}
    assert verdicts(name, claim, holds, metrics, **options) == {"supported"}
    assert verdicts(name, claim, fails, metrics, **options) == {"refuted"}


@pytest.mark.parametrize(
    ("claim", "metric", "ours", "theirs", "fraction"),
    [
        ("smerf_beats_narm_at_small_fractions", "auc_roc", "smerf", "narm", 0.2),
        ("comparable_precision", "average_precision", "smerf", "narm", 0.5),
        ("both_beat_epm", "auc_roc", "smerf", "epm", 0.6),
    ],
)
def test_one_fraction_turns_a_claim_about_lazega(claim, metric, ours, theirs, fraction):
    """On the mean, and at most of the fractions, ours would still be far ahead."""
    ahead = by_method(0.5, **{ours: 0.9, theirs: 0.6})
    behind = at("fraction", [fraction], by_method(0.5, **{ours: 0.5, theirs: 0.6}), ahead)
    assert verdicts("smerf_links", f"lazega_{claim}", ahead, metric) == {"supported"}
    assert verdicts("smerf_links", f"lazega_{claim}", behind, metric) == {"refuted"}


@pytest.mark.parametrize("name", MORF)
def test_a_hair_is_a_tie_and_not_worse(name):
    hair, ahead = by_method(0.35, morf=0.2009, rf=0.2), by_method(0.35, morf=0.2)
    value = at("n", [200], hair, ahead)
    assert verdicts(name, "morf_beats_all_but_cnn", value, "error", spread=1e-4) == {"tie"}
    assert verdicts(name, "morf_lower_at_all_sizes", value, "error", spread=1e-4) == {"refuted"}
