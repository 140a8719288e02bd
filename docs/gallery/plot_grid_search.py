"""
A pipeline with GridSearchCV
============================

Which screen and how many neighbours suit a classifier, as cross-validation sees it?

Screens, neighbours and forests are scikit-learn estimators: they stand in a pipeline, and
`GridSearchCV` searches their parameters. The table has 13 measurements of wine and 40 columns of
noise.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from geoforest_cli import ColumnScreen

SMALL = os.environ.get("GEOFOREST_GALLERY") == "small"
X, grower = load_wine(return_X_y=True)
X = np.c_[X, np.random.default_rng(0).normal(size=(len(X), 40))]

# %%
# A step of a pipeline is a parameter too: "passthrough" is the pipeline without a screen. Each
# fold screens its own training rows.
screens = {"no screen": "passthrough", "pairs": ColumnScreen("pairs"), "auto": ColumnScreen("auto")}
neighbors = [1, 5, 15] if SMALL else [1, 3, 5, 9, 15, 25, 41]
pipeline = Pipeline(
    [("screen", "passthrough"), ("scale", StandardScaler()), ("classify", KNeighborsClassifier())]
)
grid = {"screen": list(screens.values()), "classify__n_neighbors": neighbors}
search = GridSearchCV(pipeline, grid, cv=3 if SMALL else 10).fit(X, grower)
print(search.best_params_, round(search.best_score_, 3))

# %%
# The results have one line per pair of parameters; the number of neighbours comes first.
mean = search.cv_results_["mean_test_score"].reshape(len(neighbors), len(screens))
error = search.cv_results_["std_test_score"].reshape(mean.shape) / np.sqrt(search.n_splits_)
fig, ax = plt.subplots(layout="constrained")
for i, name in enumerate(screens):
    ax.errorbar(neighbors, mean[:, i], error[:, i], marker="o", capsize=3, label=name)
ax.set(xlabel="neighbours", ylabel="accuracy (bars: standard error over folds)", xscale="log")
ax.set_xticks(neighbors, neighbors, minor=False)
ax.minorticks_off()
ax.legend(title="screen")
plt.show()
