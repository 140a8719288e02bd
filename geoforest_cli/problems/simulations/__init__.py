"""Simulated data for supervised methods; a new one is one line here."""

from geoforest_cli.core.registry import Entry, Registry

__all__ = ["SIMILARITIES", "SIMULATIONS"]

_STRUCTURED = "geoforest_cli.problems.simulations.structured"
_SIMILARITY = "geoforest_cli.problems.simulations.similarity"

# drawn as (n, rng) -> points, classes
SIMULATIONS = Registry(
    "simulation",
    [
        Entry("circle", f"{_STRUCTURED}:circle", "two runs of ones on a circle of 100 places"),
        Entry("bars", f"{_STRUCTURED}:bars", "images of horizontal or vertical bars, 28 x 28"),
        Entry(
            "bars_of_random_length",
            f"{_STRUCTURED}:bars_of_random_length",
            "images of bars of 1 to 28 pixels, horizontal or vertical",
        ),
        Entry("impulse", f"{_STRUCTURED}:impulse", "an impulse in 100 steps of noise"),
    ],
)
# drawn as (n, rng) -> points, their pairwise distances
SIMILARITIES = Registry(
    "similarity",
    [
        Entry("regression", f"{_SIMILARITY}:regression", "squared differences of a response"),
        Entry("bilinear", f"{_SIMILARITY}:bilinear", "one minus products"),
        Entry("radial", f"{_SIMILARITY}:radial", "squared differences of radii"),
    ],
)
