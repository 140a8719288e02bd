"""Simulated manifolds, each with its exact geodesic; a new one is one line here."""

from geoforest_cli.core.registry import Entry, Registry

_HERE = "geoforest_cli.problems.manifolds"

MANIFOLDS = Registry(
    "manifold",
    [
        Entry("linear", f"{_HERE}.linear:draw", "a straight line in space"),
        Entry("helix", f"{_HERE}.helix:draw", "a conical helix"),
        Entry("sphere", f"{_HERE}.sphere:draw", "a sphere of radius 9"),
        Entry("gaussian_mixture", f"{_HERE}.gaussian_mixture:draw", "three spherical Gaussians"),
        Entry("euler_spiral", f"{_HERE}.euler_spiral:draw", "an Euler spiral, arc length 0 to 2"),
        Entry("arc", f"{_HERE}.arc:draw", "an arc of a circle"),
        Entry("torus", f"{_HERE}.torus:draw", "a torus of radii 5 and 1"),
        Entry("ellipses", f"{_HERE}.ellipses:draw", "two concentric ellipses"),
        Entry("swiss_roll", f"{_HERE}.swiss_roll:draw", "a Swiss roll"),
        Entry("s_curve", f"{_HERE}.s_curve:draw", "an S-curve"),
        Entry("moons", f"{_HERE}.moons:draw", "two half circles that interlock"),
        Entry("circle", f"{_HERE}.circle:draw", "a unit circle"),
        Entry("sphere5", f"{_HERE}.unit_sphere:draw_5", "the unit sphere in five dimensions"),
        Entry("sphere10", f"{_HERE}.unit_sphere:draw_10", "the unit sphere in ten dimensions"),
        Entry("parity", f"{_HERE}.parity:draw", "three columns of signs whose product is one"),
        Entry("trefoil", f"{_HERE}.trefoil:draw", "a trefoil knot in space"),
        Entry("plane", f"{_HERE}.plane:draw", "a square in space, parallel to no pair of axes"),
        Entry("branching_tree", f"{_HERE}.branching_tree:draw", "a trunk that forks twice"),
        Entry("lemniscate", f"{_HERE}.lemniscate:draw", "a figure of eight"),
        Entry("cone", f"{_HERE}.cone:draw", "a circular cone"),
        Entry("linked_circles", f"{_HERE}.linked_circles:draw", "two linked unit circles"),
        Entry("random_curve", f"{_HERE}.random_shapes:draw_curve", "a random curve, new each time"),
        Entry("random_sheet", f"{_HERE}.random_shapes:draw_sheet", "a random sheet, new each time"),
        Entry("random_clusters", f"{_HERE}.random_shapes:draw_clusters", "random normal clusters"),
    ],
    make_entry=Entry,
)
