"""
Missing values
==============

How much do neighbours suffer when values are missing?

We delete more and more of the 13 measurements of 178 wines at random, and count how many of the
ten nearest wines are of the same grower. In front of ``GeodesicForest`` scikit-learn's
``KNNImputer`` fills the gaps with means of the nearest wines; the baseline fills them with medians,
and measures Euclidean distances.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale

from geoforest_cli import GeodesicForest

SMALL = os.environ.get("GEOFOREST_GALLERY") == "small"
X, grower = load_wine(return_X_y=True)
shares = [0, 0.3] if SMALL else [0, 0.05, 0.1, 0.2, 0.3, 0.5]
repetitions = 1 if SMALL else 4


def forest(table):
    model = GeodesicForest(n_estimators=100, n_neighbors=10, random_state=0)
    return model.fit(KNNImputer().fit_transform(scale(table))).kneighbors(return_distance=False)


def medians(table):
    filled = scale(SimpleImputer(strategy="median").fit_transform(table))
    return NearestNeighbors(n_neighbors=10).fit(filled).kneighbors(return_distance=False)


# %%
# Both methods get the same tables.
rng = np.random.default_rng(0)
right = np.zeros((2, len(shares), repetitions))
for i, share in enumerate(shares):
    for repetition in range(repetitions):
        holes = np.where(rng.uniform(size=X.shape) < share, np.nan, X)
        for method, find in enumerate((forest, medians)):
            right[method, i, repetition] = (grower[find(holes)] == grower[:, None]).mean()

# %%
fig, ax = plt.subplots(layout="constrained")
for values, name in zip(right, ("Geodesic Forest", "medians, Euclid"), strict=True):
    (line,) = ax.plot(shares, values.mean(axis=1), label=name)
    ax.plot(shares, values, ".", color=line.get_color(), alpha=0.6)
chance = (np.bincount(grower) * (np.bincount(grower) - 1)).sum() / (len(X) * (len(X) - 1))
ax.axhline(chance, color="black", linestyle=":", label="chance")
ax.set(xlabel="share of missing values", ylabel="neighbours of the same grower", ylim=(0, 1))
ax.legend()
plt.show()
