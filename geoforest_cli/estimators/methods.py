"""The table of methods: a new one is one line here."""

import importlib.util
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from geoforest_cli.core.registry import Entry, Registry

Kind = Literal[
    "neighbors", "classifier", "regressor", "metric", "response", "links", "local", "clusters",
    "screen",
]  # fmt: skip

# what methods of a kind are called, and the verb on a user's own table that takes them
KINDS: Mapping[Kind, tuple[str, str]] = {
    "neighbors": ("Methods of neighbours", "neighbors"),
    "classifier": ("Classifiers", "classify"),
    "regressor": ("Regressors", ""),
    "metric": ("Learned distances", ""),
    "response": ("Neighbours under a response", ""),
    "links": ("Predictors of links", ""),
    "local": ("Local distances", ""),
    "clusters": ("Clusterings", ""),
    "screen": ("Screens", ""),
}


@dataclass(frozen=True)
class MethodEntry(Entry):
    """A method.

    Attributes
    ----------
    kind : str, optional
        What it does; one of a user's own may leave that open (its class attribute ``kind``).
    needs, install : str
        The package that it needs beyond ours, and how to get it.
    peer : str
        The peer in an environment of its own that it calls.
    """

    kind: Kind | None = None
    needs: str = ""
    install: str = ""
    peer: str = ""

    def lacking(self) -> str:
        """Return why the method cannot be had here, in a sentence; empty if it can."""
        if self.needs and importlib.util.find_spec(self.needs) is None:
            return f"{self.needs} is not installed ({self.install})"
        if self.peer:
            from geoforest_cli.estimators.baselines.isolated import Peer

            return Peer(self.peer).lacking()
        return ""


def kind_of(name: str) -> Kind | None:
    """Return what a method does; None for one of a user's own that does not say."""
    entry = METHODS[name]
    return entry.kind or getattr(entry.load(), "kind", None)


_BIBTEX = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
_PAPERS = {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in _BIBTEX.split("\n\n")}


def _cited(keys: str) -> tuple[str, ...]:
    """Return the entries of references.bib with these keys, separated by spaces."""
    return tuple(_PAPERS[key].strip() for key in keys.split())


_FORESTS = "geoforest_cli.estimators.forests.classifiers"
_BASELINES = "geoforest_cli.estimators.baselines.classifiers"


_SCREENING = "geoforest_cli.estimators.screening"

METHODS = Registry(
    "method",
    [
        MethodEntry(
            "geodesic_forest",
            "geoforest_cli.estimators.forests.geodesic_forest:GeodesicForest",
            "Geodesic Forest (GF); URF with axis-aligned projections",
            version=3,
            cite=_cited("madhyastha2020geodesic"),
            kind="neighbors",
        ),
        MethodEntry(
            "structured_forest",
            "geoforest_cli.estimators.forests.structured_forest:StructuredGeodesicForest",
            "Geodesic Forest on patches of images or series (structured GF)",
            cite=_cited("madhyastha2020geodesic perry2019manifold"),
            kind="neighbors",
        ),
        MethodEntry(
            "random_forest",
            "geoforest_cli.estimators.baselines.random_forest:SyntheticForest",
            "random forest against shuffled copies (Shi and Horvath)",
            version=2,
            cite=_cited("shi2006unsupervised"),
            kind="neighbors",
        ),
        MethodEntry(
            "euclidean",
            "geoforest_cli.estimators.baselines.euclidean:Euclidean",
            "Euclidean distance",
            kind="neighbors",
        ),
        MethodEntry(
            "isomap",
            "geoforest_cli.estimators.baselines.isomap:Isomap",
            "graph distances of Isomap",
            version=2,
            cite=_cited("tenenbaum2000global"),
            kind="neighbors",
        ),
        MethodEntry(
            "umap",
            "geoforest_cli.estimators.baselines.umap:Umap",
            "distances in a UMAP layout",
            cite=_cited("mcinnes2018umap"),
            kind="neighbors",
        ),
        MethodEntry(
            "flann",
            "geoforest_cli.estimators.baselines.flann:Flann",
            "nearest neighbours by FLANN",
            version=2,
            cite=_cited("muja2009fast"),
            kind="neighbors",
        ),
        MethodEntry(
            "graph_geodesic",
            "geoforest_cli.estimators.spherelets.estimators:GraphGeodesic",
            "shortest paths over chords, spheres (spherelets) or local covariances",
            version=3,
            cite=_cited("li2019geodesic malik2018connecting"),
            kind="neighbors",
        ),
        MethodEntry(
            "sklearn_isomap",
            "geoforest_cli.estimators.baselines.peers:ScikitIsomap",
            "graph distances of scikit-learn's Isomap",
            cite=_cited("tenenbaum2000global"),
            kind="neighbors",
        ),
        MethodEntry(
            "treeple_forest",
            "geoforest_cli.estimators.baselines.peers:TreepleForest",
            "treeple's unsupervised oblique forest",
            kind="neighbors",
            peer="treeple",
        ),
        MethodEntry(
            "k_means",
            "geoforest_cli.estimators.baselines.k_means:KMeans",
            "k-means clusters",
            kind="clusters",
        ),
        MethodEntry(
            "spherical_distance",
            "geoforest_cli.estimators.spherelets.estimators:SphericalDistance",
            "local distances along spheres, chords or with local covariances",
            version=3,
            cite=_cited("li2019geodesic malik2018connecting"),
            kind="local",
        ),
        *(
            MethodEntry(name, f"{module}:{cls}", about, 2, _cited(cite), kind="classifier")
            for name, module, cls, about, cite in (
                ("morf", _FORESTS, "MorfClassifier", "manifold forest (MORF)", "perry2019manifold"),
                ("sporf", _FORESTS, "SporfClassifier", "sparse oblique forest", "tomita2020sparse"),
                ("rf", _FORESTS, "RandomForestClassifier", "random forest, our engine", ""),
                ("logistic", _BASELINES, "LogisticRegression", "logistic regression", ""),
                ("linear_svm", _BASELINES, "LinearSvm", "linear support vector machine", ""),
                ("rbf_svm", _BASELINES, "RbfSvm", "Gaussian support vector machine", ""),
                ("knn", _BASELINES, "KNeighbors", "k nearest neighbours", ""),
                ("mlp", _BASELINES, "Mlp", "one hidden layer", ""),
                ("boosting", _BASELINES, "GradientBoosting", "gradient boosted trees", ""),
            )
        ),
        MethodEntry(
            "sklearn_rf",
            "geoforest_cli.estimators.baselines.peers:ScikitForest",
            "scikit-learn's random forest",
            kind="classifier",
        ),
        *(
            MethodEntry(
                name,
                f"geoforest_cli.estimators.baselines.peers:{cls}",
                about,
                kind="classifier",
                peer=package,
            )
            for name, cls, about, package in (
                ("treeple_sporf", "TreepleSporf", "treeple's oblique forest", "treeple"),
                ("treeple_morf", "TreepleMorf", "treeple's patch forest", "treeple"),
                ("ydf_oblique", "YdfOblique", "Yggdrasil's sparse oblique forest", "ydf"),
            )
        ),
        MethodEntry(
            "cnn",
            "geoforest_cli.estimators.baselines.cnn:Cnn",
            "convolutional network (needs the extra cnn)",
            kind="classifier",
            needs="torch",
            install="pip install 'geoforest[cnn]'",
        ),
        MethodEntry(
            "smerf",
            "geoforest_cli.estimators.forests.smerf:Smerf",
            "similarity and metric random forest (SMERF)",
            version=2,
            cite=_cited("tomita2020robust"),
            kind="metric",
        ),
        MethodEntry(
            "mahalanobis",
            "geoforest_cli.estimators.baselines.metric_learning:Mahalanobis",
            "best positive semidefinite quadratic form of differences",
            version=2,
            kind="metric",
        ),
        MethodEntry(
            "plain_smerf",
            "geoforest_cli.estimators.baselines.plain_smerf:PlainSmerf",
            "SMERF in plain NumPy",
            cite=_cited("tomita2020robust"),
            kind="metric",
        ),
        MethodEntry(
            "bilinear",
            "geoforest_cli.estimators.baselines.metric_learning:Bilinear",
            "best positive semidefinite bilinear form",
            kind="metric",
        ),
        MethodEntry(
            "smerf_neighbors",
            "geoforest_cli.estimators.forests.learned_neighbors:LearnedNeighbors",
            "nearest neighbours under the distance that SMERF learns",
            version=2,
            cite=_cited("tomita2020robust"),
            kind="response",
        ),
        *(
            MethodEntry(
                name, f"geoforest_cli.estimators.baselines.nearest:{cls}", about, kind="response"
            )
            for name, cls, about in (
                ("plain_neighbors", "PlainNeighbors", "nearest neighbours, standardised columns"),
                ("nca", "ComponentsNeighbors", "neighbours after neighbourhood components"),
                ("response_forest", "ForestOfResponse", "scikit-learn's random forest"),
            )
        ),
        MethodEntry(
            "smerf_links",
            "geoforest_cli.estimators.relational.predictors:SmerfLinks",
            "links from attributes by SMERF, its settings chosen out of bag",
            version=2,
            cite=_cited("tomita2020robust"),
            kind="links",
        ),
        MethodEntry(
            "epm",
            "geoforest_cli.estimators.relational.predictors:EpmLinks",
            "infinite edge partition model of a network (EPM)",
            cite=_cited("zhou2015infinite"),
            kind="links",
        ),
        MethodEntry(
            "narm",
            "geoforest_cli.estimators.relational.predictors:NarmLinks",
            "relational model of a network with node attributes (NARM)",
            cite=_cited("zhao2017leveraging"),
            kind="links",
        ),
        MethodEntry(
            "regression_forest",
            "geoforest_cli.estimators.baselines.regression_forest:RegressionForest",
            "regression forest of scikit-learn",
            kind="regressor",
        ),
        MethodEntry(
            "rf_regressor",
            "geoforest_cli.estimators.forests.regressor:RandomForestRegressor",
            "random forest for numbers, of our engine",
            version=2,
            kind="regressor",
        ),
        *(
            MethodEntry(name, f"{_SCREENING}.{target}", about, version, _cited(cite), kind="screen")
            for name, target, about, version, cite in (
                ("pair_screen", "pairs:PairScreen", "columns that depend on another one", 1, ""),
                (
                    "forest_screen",
                    "forest:ForestScreen",
                    "columns that trees of others know",
                    2,
                    "",
                ),
                ("column_screen", "columns:ColumnScreen", "columns that depend on others", 2, ""),
                ("kurtosis_screen", "rivals:KurtosisScreen", "columns of unusual kurtosis", 1, ""),
                ("variance_screen", "rivals:VarianceScreen", "columns of unusual variance", 1, ""),
                (
                    "laplacian_screen",
                    "rivals:LaplacianScreen",
                    "Laplacian score",
                    1,
                    "he2005laplacian",
                ),
                ("all_columns", "rivals:AllColumns", "every column", 1, ""),
            )
        ),
        MethodEntry(
            "screened",
            f"{_SCREENING}.neighbors:ScreenedNeighbors",
            "any method of neighbours, on the columns that a screen keeps",
            version=3,
            kind="neighbors",
        ),
    ],
    own=MethodEntry,
)


def build(
    name: str, params: Mapping[str, Any], *, seed: int | None = None, n_jobs: int | None = None
) -> Any:
    """Return a new, unfitted method.

    Parameters
    ----------
    name : str
        A name of `METHODS`.
    params : mapping
        Parameters of the method; others have their defaults.
    seed, n_jobs : int, optional
        Its ``random_state`` and ``n_jobs``, where it has them.

    Examples
    --------
    >>> build("geodesic_forest", {"n_estimators": 50}, seed=3)
    GeodesicForest(n_estimators=50, random_state=3)
    >>> build("isomap", {"n_neighbors": 5}, seed=3).n_neighbors
    5
    """
    cls = METHODS[name].load()
    accepted = inspect.signature(cls).parameters
    engine = {"random_state": seed, "n_jobs": n_jobs}
    given = {one: value for one, value in engine.items() if value is not None and one in accepted}
    return cls(**{**params, **given})
