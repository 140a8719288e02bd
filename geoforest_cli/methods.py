"""The table of methods: a new one is one line here."""

import importlib.util
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from geoforest_cli.registry import Entry, Registry

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
    apart : str
        The peer in an environment of its own that it calls.
    """

    kind: Kind | None = None
    needs: str = ""
    install: str = ""
    apart: str = ""

    def lacking(self) -> str:
        """Return why the method cannot be had here, in a sentence; empty if it can."""
        if self.needs and importlib.util.find_spec(self.needs) is None:
            return f"{self.needs} is not installed ({self.install})"
        if self.apart:
            from geoforest_cli.baselines.apart import Peer

            return Peer(self.apart).lacking()
        return ""


def kind_of(name: str) -> Kind | None:
    """Return what a method does; None for one of a user's own that does not say."""
    entry = METHODS[name]
    return entry.kind or getattr(entry.load(), "kind", None)


_GF = """@inproceedings{madhyastha2020geodesic,
  author = {Madhyastha, Meghana and Li, Gongkai and Strnadova-Neeley, Veronika and Browne, James
            and Vogelstein, Joshua T. and Burns, Randal and Priebe, Carey E.},
  title = {Geodesic Forests}, booktitle = {KDD}, year = {2020},
  doi = {10.1145/3394486.3403094}
}"""
_RANDOM_FOREST = """@article{shi2006unsupervised,
  author = {Shi, Tao and Horvath, Steve},
  title = {Unsupervised Learning with Random Forest Predictors},
  journal = {Journal of Computational and Graphical Statistics},
  volume = {15}, number = {1}, pages = {118--138}, year = {2006}
}"""
_ISOMAP = """@article{tenenbaum2000global,
  author = {Tenenbaum, Joshua B. and de Silva, Vin and Langford, John C.},
  title = {A Global Geometric Framework for Nonlinear Dimensionality Reduction},
  journal = {Science}, volume = {290}, pages = {2319--2323}, year = {2000}
}"""
_UMAP = """@article{mcinnes2018umap,
  author = {McInnes, Leland and Healy, John and Melville, James},
  title = {UMAP: Uniform Manifold Approximation and Projection for Dimension Reduction},
  journal = {arXiv:1802.03426}, year = {2018}
}"""
_FLANN = """@inproceedings{muja2009fast,
  author = {Muja, Marius and Lowe, David G.},
  title = {Fast Approximate Nearest Neighbors with Automatic Algorithm Configuration},
  booktitle = {VISAPP}, pages = {331--340}, year = {2009}
}"""

_SPHERELETS = """@article{li2019geodesic,
  author = {Li, Didong and Dunson, David B.},
  title = {Geodesic Distance Estimation with Spherelets},
  journal = {arXiv:1907.00296}, year = {2019}
}"""
_COVARIANCE = """@article{malik2018connecting,
  author = {Malik, John and Shen, Chao and Wu, Hau-Tieng and Wu, Nan},
  title = {Connecting Dots: from Local Covariance to Empirical Intrinsic Geometry and Locally
           Linear Embedding},
  journal = {Pure and Applied Analysis}, volume = {1}, pages = {515--542}, year = {2019}
}"""

_MORF = """@article{perry2019manifold,
  author = {Perry, Ronan and Tomita, Tyler M. and Patsolic, Jesse and Falk, Benjamin
            and Vogelstein, Joshua T.},
  title = {Manifold Forests: Closing the Gap on Neural Networks},
  journal = {arXiv:1909.11799}, year = {2019}
}"""
_SPORF = """@article{tomita2020sparse,
  author = {Tomita, Tyler M. and Browne, James and Shen, Cencheng and Chung, Jaewon
            and Patsolic, Jesse L. and Falk, Benjamin and Priebe, Carey E. and Yim, Jason
            and Burns, Randal and Maggioni, Mauro and Vogelstein, Joshua T.},
  title = {Sparse Projection Oblique Randomer Forests},
  journal = {Journal of Machine Learning Research}, volume = {21}, number = {104}, year = {2020}
}"""
_FORESTS = "geoforest_cli.forests.classifiers"
_BASELINES = "geoforest_cli.baselines.classifiers"

_EPM = """@inproceedings{zhou2015infinite,
  author = {Zhou, Mingyuan},
  title = {Infinite Edge Partition Models for Overlapping Community Detection and Link Prediction},
  booktitle = {AISTATS}, pages = {1135--1143}, year = {2015}
}"""
_NARM = """@inproceedings{zhao2017leveraging,
  author = {Zhao, He and Du, Lan and Buntine, Wray},
  title = {Leveraging Node Attributes for Incomplete Relational Data},
  booktitle = {ICML}, pages = {4072--4081}, year = {2017}
}"""
_SMERF = """@article{tomita2020robust,
  author = {Tomita, Tyler M. and Vogelstein, Joshua T.},
  title = {Robust Similarity and Distance Learning via Decision Forests},
  journal = {arXiv:2007.13843}, year = {2020}
}"""

_LAPLACIAN = """@inproceedings{he2005laplacian,
  author = {He, Xiaofei and Cai, Deng and Niyogi, Partha},
  title = {Laplacian Score for Feature Selection},
  booktitle = {NIPS}, pages = {507--514}, year = {2005}
}"""
_SCREENING = "geoforest_cli.screening"

METHODS = Registry(
    "method",
    [
        MethodEntry(
            "geodesic_forest",
            "geoforest_cli.forests.geodesic_forest:GeodesicForest",
            "Geodesic Forest (GF); URF with axis-aligned projections",
            version=3,
            cite=(_GF,),
            kind="neighbors",
        ),
        MethodEntry(
            "structured_forest",
            "geoforest_cli.forests.structured_forest:StructuredGeodesicForest",
            "Geodesic Forest on patches of images or series (structured GF)",
            cite=(_GF, _MORF),
            kind="neighbors",
        ),
        MethodEntry(
            "random_forest",
            "geoforest_cli.baselines.random_forest:SyntheticForest",
            "random forest against shuffled copies (Shi and Horvath)",
            version=2,
            cite=(_RANDOM_FOREST,),
            kind="neighbors",
        ),
        MethodEntry(
            "euclidean",
            "geoforest_cli.baselines.euclidean:Euclidean",
            "Euclidean distance",
            kind="neighbors",
        ),
        MethodEntry(
            "isomap",
            "geoforest_cli.baselines.isomap:Isomap",
            "graph distances of Isomap",
            version=2,
            cite=(_ISOMAP,),
            kind="neighbors",
        ),
        MethodEntry(
            "umap",
            "geoforest_cli.baselines.umap:Umap",
            "distances in a UMAP layout",
            cite=(_UMAP,),
            kind="neighbors",
        ),
        MethodEntry(
            "flann",
            "geoforest_cli.baselines.flann:Flann",
            "nearest neighbours by FLANN",
            version=2,
            cite=(_FLANN,),
            kind="neighbors",
        ),
        MethodEntry(
            "graph_geodesic",
            "geoforest_cli.spherelets.estimators:GraphGeodesic",
            "shortest paths over chords, spheres (spherelets) or local covariances",
            version=2,
            cite=(_SPHERELETS, _COVARIANCE),
            kind="neighbors",
        ),
        MethodEntry(
            "sklearn_isomap",
            "geoforest_cli.baselines.peers:ScikitIsomap",
            "graph distances of scikit-learn's Isomap",
            cite=(_ISOMAP,),
            kind="neighbors",
        ),
        MethodEntry(
            "treeple_forest",
            "geoforest_cli.baselines.peers:TreepleForest",
            "treeple's unsupervised oblique forest",
            kind="neighbors",
            apart="treeple",
        ),
        MethodEntry(
            "k_means",
            "geoforest_cli.baselines.k_means:KMeans",
            "k-means clusters",
            kind="clusters",
        ),
        MethodEntry(
            "spherical_distance",
            "geoforest_cli.spherelets.estimators:SphericalDistance",
            "local distances along spheres, chords or with local covariances",
            version=2,
            cite=(_SPHERELETS, _COVARIANCE),
            kind="local",
        ),
        *(
            MethodEntry(name, f"{module}:{cls}", about, 2, cite, kind="classifier")
            for name, module, cls, about, cite in (
                ("morf", _FORESTS, "MorfClassifier", "manifold forest (MORF)", (_MORF,)),
                ("sporf", _FORESTS, "SporfClassifier", "sparse oblique forest", (_SPORF,)),
                ("rf", _FORESTS, "RandomForestClassifier", "random forest, our engine", ()),
                ("logistic", _BASELINES, "LogisticRegression", "logistic regression", ()),
                ("linear_svm", _BASELINES, "LinearSvm", "linear support vector machine", ()),
                ("rbf_svm", _BASELINES, "RbfSvm", "Gaussian support vector machine", ()),
                ("knn", _BASELINES, "KNeighbors", "k nearest neighbours", ()),
                ("mlp", _BASELINES, "Mlp", "one hidden layer", ()),
                ("boosting", _BASELINES, "GradientBoosting", "gradient boosted trees", ()),
            )
        ),
        MethodEntry(
            "sklearn_rf",
            "geoforest_cli.baselines.peers:ScikitForest",
            "scikit-learn's random forest",
            kind="classifier",
        ),
        *(
            MethodEntry(
                name,
                f"geoforest_cli.baselines.peers:{cls}",
                about,
                kind="classifier",
                apart=package,
            )
            for name, cls, about, package in (
                ("treeple_sporf", "TreepleSporf", "treeple's oblique forest", "treeple"),
                ("treeple_morf", "TreepleMorf", "treeple's patch forest", "treeple"),
                ("ydf_oblique", "YdfOblique", "Yggdrasil's sparse oblique forest", "ydf"),
            )
        ),
        MethodEntry(
            "cnn",
            "geoforest_cli.baselines.cnn:Cnn",
            "convolutional network (needs the extra cnn)",
            kind="classifier",
            needs="torch",
            install="pip install 'geoforest[cnn]'",
        ),
        MethodEntry(
            "smerf",
            "geoforest_cli.forests.smerf:Smerf",
            "similarity and metric random forest (SMERF)",
            version=2,
            cite=(_SMERF,),
            kind="metric",
        ),
        MethodEntry(
            "mahalanobis",
            "geoforest_cli.baselines.metric_learning:Mahalanobis",
            "best positive semidefinite quadratic form of differences",
            version=2,
            kind="metric",
        ),
        MethodEntry(
            "plain_smerf",
            "geoforest_cli.baselines.plain_smerf:PlainSmerf",
            "SMERF in plain NumPy",
            cite=(_SMERF,),
            kind="metric",
        ),
        MethodEntry(
            "bilinear",
            "geoforest_cli.baselines.metric_learning:Bilinear",
            "best positive semidefinite bilinear form",
            kind="metric",
        ),
        MethodEntry(
            "smerf_neighbors",
            "geoforest_cli.forests.learned_neighbors:LearnedNeighbors",
            "nearest neighbours under the distance that SMERF learns",
            version=2,
            cite=(_SMERF,),
            kind="response",
        ),
        *(
            MethodEntry(name, f"geoforest_cli.baselines.nearest:{cls}", about, kind="response")
            for name, cls, about in (
                ("plain_neighbors", "PlainNeighbors", "nearest neighbours, standardised columns"),
                ("nca", "ComponentsNeighbors", "neighbours after neighbourhood components"),
                ("response_forest", "ForestOfResponse", "scikit-learn's random forest"),
            )
        ),
        MethodEntry(
            "smerf_links",
            "geoforest_cli.relational.predictors:SmerfLinks",
            "links from attributes by SMERF, its settings chosen out of bag",
            version=2,
            cite=(_SMERF,),
            kind="links",
        ),
        MethodEntry(
            "epm",
            "geoforest_cli.relational.predictors:EpmLinks",
            "infinite edge partition model of a network (EPM)",
            cite=(_EPM,),
            kind="links",
        ),
        MethodEntry(
            "narm",
            "geoforest_cli.relational.predictors:NarmLinks",
            "relational model of a network with node attributes (NARM)",
            cite=(_NARM,),
            kind="links",
        ),
        MethodEntry(
            "regression_forest",
            "geoforest_cli.baselines.regression_forest:RegressionForest",
            "regression forest of scikit-learn",
            kind="regressor",
        ),
        MethodEntry(
            "rf_regressor",
            "geoforest_cli.forests.regressor:RandomForestRegressor",
            "random forest for numbers, of our engine",
            version=2,
            kind="regressor",
        ),
        *(
            MethodEntry(name, f"{_SCREENING}.{target}", about, cite=cite, kind="screen")
            for name, target, about, cite in (
                ("pair_screen", "pairs:PairScreen", "columns that depend on another one", ()),
                ("forest_screen", "forest:ForestScreen", "columns that trees of others know", ()),
                ("column_screen", "columns:ColumnScreen", "columns that depend on others", ()),
                ("kurtosis_screen", "rivals:KurtosisScreen", "columns of unusual kurtosis", ()),
                ("variance_screen", "rivals:VarianceScreen", "columns of unusual variance", ()),
                ("laplacian_screen", "rivals:LaplacianScreen", "Laplacian score", (_LAPLACIAN,)),
                ("all_columns", "rivals:AllColumns", "every column", ()),
            )
        ),
        MethodEntry(
            "screened",
            f"{_SCREENING}.neighbors:ScreenedNeighbors",
            "any method of neighbours, on the columns that a screen keeps",
            version=2,
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
