"""Trees of every forest, bit for bit as they were: a change of the kernels shows here.

A change that is meant to alter trees rewrites its digests, and no others:
``python -m tests.estimators.forests.test_digests``.
"""

import hashlib
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.estimators.forests.classifiers import (
    MorfClassifier,
    RandomForestClassifier,
    SporfClassifier,
)
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.growth import CRITERIA, Growth, grow_forest
from geoforest_cli.estimators.forests.kernels.workspace import MOST_CACHED
from geoforest_cli.estimators.forests.regressor import RandomForestRegressor
from geoforest_cli.estimators.forests.smerf import Smerf, response_distances
from geoforest_cli.estimators.forests.structured_forest import StructuredGeodesicForest

STORED = Path(__file__).with_name("digests.json")
_draws = np.random.default_rng(20)
T = np.sort(_draws.uniform(0, 1, 50))
CURVE = np.c_[4 * T, 6 * T**2, 9 * np.sqrt(T), _draws.normal(0, 2, (50, 2))]
WHOLE = _draws.integers(0, 9, size=(50, 6)).astype(float)
IMAGES = _draws.integers(0, 4, size=(40, 12)).astype(float)
CLASSES = _draws.integers(0, 3, 50)
RESPONSE = CURVE[:, 0] + _draws.normal(0, 0.1, 50)
Z = response_distances(RESPONSE[:24])
HIDDEN = Z.copy()
HIDDEN[2, 5] = HIDDEN[5, 2] = np.nan
# nodes that are large enough for the bound of their cuts; columns that come twice, and by steps
LARGE_TABLE = np.c_[
    np.sin(np.linspace(0, 9, 260)),
    np.linspace(-1, 1, 260),
    _draws.normal(size=(260, 3)),
    _draws.poisson(2, 260),
]
LARGE_TABLE = np.c_[LARGE_TABLE, LARGE_TABLE[:, [0, 3]], _draws.standard_cauchy(260)]
# so large that the projections of a node are made together
WIDE = np.random.default_rng(3).normal(size=(64, MOST_CACHED // 64 + 1))
CLUSTERS = [c for c in CRITERIA if c not in {"gini", "variance", "pairwise", "largest_gap"}]

DENSE = {"sampler": "oblique", "n_projections": 4, "n_nonzeros": WIDE.shape[1] + 1}


def grown(X=CURVE, **rules):
    fields = {"n_projections": 3, "n_nonzeros": 4, "min_parent": 8, "variance_floor": 1e-3}
    return lambda: grow_forest(X, Growth(**(fields | rules)), 3, 5)


def fitted(estimator, *data):
    return lambda: estimator.fit(*data).forest_


def classes(forest, X=CURVE):
    return fitted(forest(n_estimators=3, random_state=5), X, CLASSES[: len(X)])


def morf(**shape):
    return fitted(MorfClassifier(3, random_state=5, **shape), IMAGES, CLASSES[:40])


def structured(X=IMAGES, **more):
    return fitted(StructuredGeodesicForest(3, min_parent=8, random_state=5, **more), X)


def smerf(distances, **more):
    forest = Smerf(2, min_parent=6, random_state=5, **more)
    return fitted(forest, CURVE[:24], distances)


IMAGE = {"image_shape": (3, 4), "patch_height": (1, 2), "patch_width": (1, 3)}
FORESTS = {
    **{
        f"gf-{criterion}-{sampler}": grown(criterion=criterion, sampler=sampler)
        for criterion in CLUSTERS
        for sampler in ("axis", "oblique")
    },
    "gf-default": fitted(GeodesicForest(4, screen=None, min_parent=20, random_state=5), LARGE_TABLE),
    "gf-default-copies": fitted(
        GeodesicForest(3, min_parent=40, random_state=5), LARGE_TABLE[:, [3, 3, 4, 4, 3]]
    ),
    "gf-default-delta_bic": fitted(
        GeodesicForest(2, screen=None, criterion="delta_bic", min_parent=40, random_state=5), LARGE_TABLE
    ),
    "gf-delta_bic-whole": grown(WHOLE, criterion="delta_bic", sampler="mixed", max_projections=9),
    "gf-mean_bic-whole": grown(
        WHOLE, criterion="mean_bic", sampler="mixed", stop_score=0.0, max_projections=9
    ),
    "gf-single-precision": grown(CURVE.astype(np.float32), criterion="fast_bic", sampler="oblique"),
    "gf-no-floor": grown(criterion="fast_bic", sampler="axis", variance_floor=0.0),
    "gf-searched-in-part": grown(criterion="fast_bic", sampler="axis", max_search=20),
    "gf-shallow": grown(criterion="fast_bic", sampler="axis", max_depth=2),
    "gf-together": grown(WIDE, **DENSE, criterion="fast_bic"),
    "gf-together-two_means": grown(WIDE, **DENSE, criterion="two_means"),
    "rf": classes(RandomForestClassifier),
    "rf-ties": classes(RandomForestClassifier, np.repeat(CURVE[:25], 2, axis=0)),
    "rf-whole": classes(RandomForestClassifier, WHOLE),
    "sporf": classes(SporfClassifier),
    "sporf-whole": classes(SporfClassifier, WHOLE),
    "sporf-poisson": fitted(
        SporfClassifier(3, nonzeros="poisson", random_state=5), CURVE, CLASSES
    ),
    "morf-series": morf(),
    "morf-image": morf(**IMAGE),
    "morf-wrap": morf(**IMAGE, wrap=True),
    "morf-corner-first": morf(**IMAGE, order="corner_first"),
    "structured-series": structured(),
    "structured-image": structured(**IMAGE),
    "structured-wrap": structured(CURVE, wrap=True, patch_width=(1, 4)),
    "structured-two-means": structured(criterion="two_means", order="corner_first"),
    "regressor": fitted(RandomForestRegressor(3, random_state=5), CURVE, RESPONSE),
    "regressor-oblique": fitted(
        RandomForestRegressor(3, projection="oblique", max_features=0.5, random_state=5),
        CURVE, RESPONSE,
    ),
    "smerf-axis": smerf(Z, projection="axis"),
    "smerf-oblique": smerf(Z),
    "smerf-masked": smerf(HIDDEN),
}  # fmt: skip


def digest(forest):
    """Hash the flat arrays; how wide a count or a leaf's number is stored does not matter."""
    sha256 = hashlib.sha256()
    for name in ("first_node", "children", "threshold", "first", "features", "weights"):
        sha256.update(np.ascontiguousarray(getattr(forest, name)).tobytes())
    sha256.update(forest.leaf_of.astype(np.int32).tobytes())
    sha256.update(forest.in_bag.astype(np.int64).tobytes())
    return sha256.hexdigest()[:16]


# what compiles a grower that no paper's figure needs
AT_NIGHT = re.compile(
    r"gf-(two_means|mean_bic|mclust|fast_bic_legacy|single|together)|-whole$|wrap|two-means"
)


def marks_of(name):
    night = [pytest.mark.nightly] * bool(AT_NIGHT.search(name))
    return night + [pytest.mark.compiled] * name.startswith("gf-together")


@pytest.mark.parametrize("name", [pytest.param(n, marks=marks_of(n)) for n in FORESTS])
def test_trees_are_what_they_were(name):
    assert digest(FORESTS[name]()) == json.loads(STORED.read_text())[name]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    digests = {name: digest(grow()) for name, grow in FORESTS.items()}
    STORED.write_text(json.dumps(digests, indent=1) + "\n")
