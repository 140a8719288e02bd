"""
Neighbours into scanpy
======================

How do blood cells look in scanpy when a Geodesic Forest chooses the neighbours?

scanpy's functions work on a graph of neighbours, and take it from any transformer of
scikit-learn's form. This example needs the extra ``ecosystem``
(``pip install 'geoforest[ecosystem]'``); where scanpy is missing it is skipped, and this page has
the code without its figure.
"""

import os

import matplotlib.pyplot as plt
import scanpy

from geoforest_cli import GeodesicNeighbors

SMALL = os.environ.get("GEOFOREST_GALLERY") == "small"
cells = scanpy.datasets.pbmc68k_reduced()  # 700 cells, comes with scanpy
cells.obs["cell type"] = cells.obs["bulk_labels"]
if SMALL:
    cells = cells[:200].copy()

# %%
# scanpy counts the cell itself: its ``n_neighbors`` is one more than that of the transformer.
forest = cells.copy()
neighbors = GeodesicNeighbors(20, n_estimators=50 if SMALL else 300, random_state=0)
scanpy.pp.neighbors(forest, n_neighbors=21, use_rep="X_pca", transformer=neighbors)
scanpy.pp.neighbors(cells, n_neighbors=21, use_rep="X_pca")

# %%
# From here on everything is scanpy's. The cell types are those that its authors assigned.
fig, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
for ax, table, title in zip(axes, (cells, forest), ("scanpy", "Geodesic Forest"), strict=True):
    scanpy.tl.umap(table, random_state=0)
    legend = "right margin" if table is forest else "none"
    scanpy.pl.umap(table, color="cell type", title=title, ax=ax, show=False, legend_loc=legend)
plt.show()
