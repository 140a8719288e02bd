"""
Neighbours into UMAP
====================

How does UMAP's picture change when a Geodesic Forest chooses the neighbours?

UMAP draws whatever neighbours it is given. Here are 30 measurements of 569 tumours, among 60
columns of noise: once with the Euclidean neighbours that UMAP finds by itself, once with ours.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
import umap
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from geoforest_cli import GeodesicForest

SMALL = os.environ.get("GEOFOREST_GALLERY") == "small"
cancer = load_breast_cancer()
rows = slice(0, 150 if SMALL else None)
noise = np.random.default_rng(0).standard_t(2, size=(len(cancer.data), 60))
X, malignant = np.c_[cancer.data, noise][rows], cancer.target[rows] == 0

# %%
# `knn_for_umap` returns the neighbours in UMAP's form, in which each row comes first.
forest = GeodesicForest(n_estimators=50 if SMALL else 300, n_neighbors=15, random_state=0).fit(X)
print(forest.note_)
settings = {"n_neighbors": 15, "random_state": 0, "n_jobs": 1}
layouts = {
    "Euclidean neighbours": umap.UMAP(**settings).fit_transform(scale(X)),
    "neighbours of the forest": umap.UMAP(
        **settings, precomputed_knn=forest.knn_for_umap(15)
    ).fit_transform(X),
}

# %%
# The diagnosis colours the points; no method has seen it.
fig, axes = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained")
for ax, (title, layout) in zip(axes, layouts.items(), strict=True):
    ax.scatter(*layout[~malignant].T, s=8, label="benign")
    ax.scatter(*layout[malignant].T, s=8, label="malignant")
    ax.set(xticks=[], yticks=[], title=title)
axes[0].legend()
plt.show()
