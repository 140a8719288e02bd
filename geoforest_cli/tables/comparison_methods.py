"""The methods that a comparison on a user's table runs, and how each of them is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.tables.messages import as_argument
from geoforest_cli.tables.nearest import FEWEST_COLUMNS
from geoforest_cli.tables.options import NeighborOptions
from geoforest_cli.tables.scaling import Scale
from geoforest_cli.tables.screens import NeighborScreen

__all__ = ["COMPARED", "ComparedMethod", "chosen_methods"]


@dataclass(frozen=True)
class ComparedMethod:
    """A method with the settings that a comparison gives it.

    Attributes
    ----------
    method : str
        Its name in the table of methods.
    params : mapping
    scale : str, optional
        Its scale, whatever the user's is.
    screen : str, optional
        Its screen, whatever the user's is.
    plain : bool
        It takes all columns unless the user asks for a screen: so it is used elsewhere.
    """

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    scale: Scale | None = None
    screen: NeighborScreen | None = None
    plain: bool = True

    @property
    def fewest_columns(self) -> int:
        """Columns that it needs to tell rows apart by more than Euclidean distance does."""
        return max(int(self.params.get("n_components", 0)) + 1, FEWEST_COLUMNS.get(self.method, 1))

    def options(self, given: NeighborOptions) -> NeighborOptions:
        """Return the user's options as this method takes them."""
        screen = self.screen or given.screen
        if self.plain and screen == "auto":
            screen = "none"
        return replace(given, scale=self.scale or given.scale, screen=screen)

    def arguments(self, given: NeighborOptions) -> str:
        """Return the arguments that list this method's neighbours, in the user's words."""
        settings = self.options(given)
        words = [as_argument("method", self.method)]
        if self.params:
            words.append(as_argument("params", dict(self.params)))
        if settings.scale != given.scale:
            words.append(as_argument("scale", settings.scale))
        if settings.screen != given.screen and given.shape is None:
            words.append(as_argument("screen", settings.screen))
        return " ".join(words)


def _with_screen(method: str, screen: NeighborScreen | None = None) -> ComparedMethod:
    return ComparedMethod(method, screen=screen, plain=False)


def _raw_and_standardised(name: str, method: str, **params: int) -> dict[str, ComparedMethod]:
    """Return what the name says of the numbers given, and the same of standardised columns."""
    return {
        name: ComparedMethod(method, params, scale="none"),
        f"{name}_standardised": ComparedMethod(method, params, scale="standardise"),
    }


_UNSCREENED, _WITH_SHAPE = "geodesic_forest_unscreened", "structured_forest"
# the quick ones first: what is finished can be read while the others run
COMPARED: Mapping[str, ComparedMethod] = {
    **_raw_and_standardised("euclidean", "euclidean"),
    "normal_scores": ComparedMethod("normal_scores", scale="none"),
    **_raw_and_standardised("correlation", "correlation"),
    **_raw_and_standardised("cosine", "cosine"),
    **_raw_and_standardised("pca_10", "first_components", n_components=10),
    **_raw_and_standardised("pca_50", "first_components", n_components=50),
    "geodesic_forest": _with_screen("geodesic_forest"),
    _UNSCREENED: _with_screen("geodesic_forest", "none"),
    _WITH_SHAPE: _with_screen(_WITH_SHAPE),
    "random_forest": ComparedMethod("random_forest"),
    "adaptive_neighbors": _with_screen("adaptive_neighbors"),
    "isomap": ComparedMethod("isomap"),
    "umap": ComparedMethod("umap"),
}


def chosen_methods(
    names: Sequence[str], options: NeighborOptions, columns: int
) -> dict[str, ComparedMethod]:
    """Return the methods to compare, by name.

    Parameters
    ----------
    names : sequence of str
        Names of `COMPARED`, or of any other method of neighbours with its default parameters; by
        default all of `COMPARED` that suit the table.
    options : NeighborOptions
    columns : int
        Fewest columns that a method will see.

    Raises
    ------
    UserError
        For an unknown name.

    Examples
    --------
    >>> "pca_50" in chosen_methods((), NeighborOptions(), 64)
    True
    >>> chosen_methods(["pca50"], NeighborOptions(), 64)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    geoforest_cli.core.errors.UserError: methods: unknown method 'pca50'; did you mean 'pca_50'? ...
    """
    if not names:
        return {
            name: compared
            for name, compared in COMPARED.items()
            if _suits(name, compared, options, columns)
        }
    others = [name for name, entry in METHODS.items() if entry.kind == "neighbors"]
    allowed = [*COMPARED, *(name for name in others if name not in COMPARED)]
    for name in names:
        if name not in allowed:
            raise UserError(f"{as_argument('methods')}: {unknown('method', name, allowed)}")
    return {name: COMPARED.get(name) or ComparedMethod(name) for name in names}


def _suits(name: str, compared: ComparedMethod, options: NeighborOptions, columns: int) -> bool:
    if name == _WITH_SHAPE:
        return options.shape is not None
    if name == _UNSCREENED and (options.screen != "auto" or options.shape is not None):
        return False  # the same as with the screen
    return columns >= compared.fewest_columns
