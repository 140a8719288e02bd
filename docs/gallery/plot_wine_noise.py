"""
Columns of wine among noise
===========================

Can the measured columns of a table be told from columns of noise, without labels?

The table has 13 measurements of 178 wines. We append 60 columns of skewed noise, and let
`ColumnScreen` drop the columns that depend on no other one.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale

from geoforest_cli import ColumnScreen

SMALL = os.environ.get("GEOFOREST_GALLERY") == "small"
wine = load_wine()
noise = np.random.default_rng(0).lognormal(size=(len(wine.data), 13 if SMALL else 60))
X = np.c_[wine.data, noise]

# %%
# The score of a column says how surely it depends on another one, in standard errors.
screen = ColumnScreen("auto", random_state=0).fit(X)
kept = screen.get_support()
print(f"kept {kept[:13].sum()} of 13 measurements and {kept[13:].sum()} columns of noise")


# %%
# What it brings: the share of the ten nearest wines that are of the same grower, who is not a
# column of the table.
def same_grower(columns):
    rows = NearestNeighbors(n_neighbors=10).fit(scale(columns)).kneighbors(return_distance=False)
    return (wine.target[rows] == wine.target[:, None]).mean()


shares = {"all columns": same_grower(X), "kept columns": same_grower(X[:, kept])}
shares["measurements"] = same_grower(wine.data)

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained", width_ratios=(2, 1))
order = np.argsort(screen.scores_)[::-1]
left.bar(range(len(order)), screen.scores_[order], color=np.where(order < 13, "C0", "C7"))
left.bar(0, 0, color="C0", label="measurement")
left.bar(0, 0, color="C7", label="noise")
left.axvline(kept.sum() - 0.5, color="black", linestyle=":", label="kept, to the left")
left.set(xlabel="column, by score", ylabel="score (standard errors)")
left.legend()
right.bar(list(shares), list(shares.values()), color=["C7", "C1", "C0"])
right.set(ylim=(0, 1), ylabel="neighbours of the same grower")
right.tick_params(axis="x", rotation=20)
plt.show()
