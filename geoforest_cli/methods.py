"""The table of methods: a new one is one line here."""

from geoforest_cli.registry import Entry, Registry

_NEIGHBORS = {"kind": "neighbors", "deterministic": True}

METHODS = Registry(
    "method",
    [
        Entry(
            "geodesic_forest",
            "geoforest_cli.forests.geodesic_forest:GeodesicForest",
            "Geodesic Forest (GF); URF with axis-aligned projections",
            extra=_NEIGHBORS,
        ),
        Entry(
            "random_forest",
            "geoforest_cli.baselines.random_forest:SyntheticForest",
            "random forest against shuffled copies (Shi and Horvath)",
            extra=_NEIGHBORS,
        ),
        Entry(
            "euclidean",
            "geoforest_cli.baselines.euclidean:Euclidean",
            "Euclidean distance",
            extra=_NEIGHBORS,
        ),
        Entry(
            "isomap",
            "geoforest_cli.baselines.isomap:Isomap",
            "graph distances of Isomap",
            extra=_NEIGHBORS,
        ),
        Entry(
            "umap",
            "geoforest_cli.baselines.umap:Umap",
            "distances in a UMAP layout",
            extra=_NEIGHBORS,
        ),
        Entry(
            "flann",
            "geoforest_cli.baselines.flann:Flann",
            "nearest neighbours by FLANN",
            extra=_NEIGHBORS,
        ),
    ],
)
