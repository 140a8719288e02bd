"""
Directions in mixed columns
===========================

Can structure be found that no single column shows?

Ten sensors each pick up a share of three measurements of iris flowers and a share of seven sources
of noise. No column can be dropped, but `DirectionScreen` finds weighted sums that are not noise.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.preprocessing import scale

from geoforest_cli import DirectionScreen

SMALL = os.environ.get("GEOFOREST_GALLERY") == "small"
iris = load_iris()
rng = np.random.default_rng(0)
sources = np.c_[scale(iris.data)[:, :3], rng.normal(size=(len(iris.data), 4 if SMALL else 7))]
sensors = sources @ rng.normal(size=(sources.shape[1], sources.shape[1]))

# %%
# The p-value says how often as strong a direction is found in a table of noise alone.
screen = DirectionScreen(random_state=0).fit(sensors)
print(f"{len(screen.components_)} directions, p-values {screen.p_values_.round(4)}")
found = screen.transform(sensors)

# %%
# Principal components are the baseline: they look for the largest spread, which noise has as well.
pictures = {"two of the sensors": sensors, "principal components": PCA(2).fit_transform(sensors)}
pictures["directions"] = found
fig, axes = plt.subplots(1, 3, figsize=(11, 4), layout="constrained")
for ax, (title, columns) in zip(axes, pictures.items(), strict=True):
    for kind, name in enumerate(iris.target_names):
        ax.scatter(*columns[iris.target == kind, :2].T, s=12, label=name)
    ax.set(xticks=[], yticks=[], title=title)
axes[0].legend()
plt.show()
