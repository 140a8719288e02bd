"""
A claim checked
===============

Is MORF's map of important pixels smoother than those of forests that do not know about images?

The paper says so of a three and a five of MNIST. The config ``digits_importance`` asks it of the
8 x 8 digits that come with scikit-learn, and `run` computes its rows, judges its claims and draws
its figure, as ``geoforest run digits_importance`` does.
"""

import os
import tempfile

import matplotlib.image
import matplotlib.pyplot as plt

import geoforest_cli

SMALL = os.environ.get("GEOFOREST_GALLERY") == "small"
with tempfile.TemporaryDirectory() as folder:
    done = geoforest_cli.run(
        "digits_importance", profile="smoke" if SMALL else "paper", results=folder, jobs=2
    )
    picture = matplotlib.image.imread(done.figure.with_suffix(".png"))

# %%
# The claims and their verdicts. An estimate has an interval over the repetitions;
# a claim is supported or refuted where the whole interval is on one side.
for claim in done.verdicts.itertuples():
    print(f"{claim.verdict}: {claim.says}")
done.verdicts[["id", "verdict", "estimate", "low", "high", "n"]].round(3)

# %%
# The figure of the run, as the run saved it.
fig, ax = plt.subplots(figsize=(9, 9 * picture.shape[0] / picture.shape[1]), layout="constrained")
ax.imshow(picture)
ax.axis("off")
plt.show()
