"""
A map of handwritten digits
===========================

Which handwritten digits look alike to a forest that never sees their labels?

`GeodesicNeighbors` finds the nearest images of each image, and t-SNE places them in the plane.
"""

import os

import matplotlib.pyplot as plt
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE
from sklearn.pipeline import make_pipeline

from geoforest_cli import GeodesicNeighbors

SMALL = os.environ.get("GEOFOREST_GALLERY") == "small"
images, digits = load_digits(return_X_y=True)
if SMALL:
    images, digits = images[:200], digits[:200]

# %%
# t-SNE looks at three times the perplexity, and the image itself is one of them: 3 * 10 + 1.
steps = 300 if SMALL else 1000
layout = make_pipeline(
    GeodesicNeighbors(31, n_estimators=50 if SMALL else 300, random_state=0),
    TSNE(metric="precomputed", init="random", perplexity=10, max_iter=steps, random_state=0),
).fit_transform(images)

# %%
# Colours are the labels, which neither step has seen; some images stand at their places.
fig, ax = plt.subplots(figsize=(7, 6), layout="constrained")
points = ax.scatter(*layout.T, c=digits, cmap="tab10", vmin=-0.5, vmax=9.5, s=6)
for row in range(0, len(images), 25):
    picture = OffsetImage(images[row].reshape(8, 8), cmap="Greys", zoom=2)
    ax.add_artist(AnnotationBbox(picture, layout[row], pad=0.1))
ax.set(xticks=[], yticks=[], title=f"{len(images)} images, placed by their neighbours")
fig.colorbar(points, ticks=range(10), label="digit")
plt.show()
