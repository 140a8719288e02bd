"""Any method of neighbours, on the columns that a screen keeps."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Annotated, Any, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, ValidationError, ValidationInfo
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.core.registry import parameter_model
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import Jobs
from geoforest_cli.estimators.screening.adjust import Adjust
from geoforest_cli.estimators.screening.auto import cautious_choice
from geoforest_cli.estimators.screening.base import Level
from geoforest_cli.estimators.screening.columns import ColumnScreen, Method
from geoforest_cli.estimators.screening.row_order import dependent_rows_allowed

__all__ = ["ScreenedNeighbors"]

F = TypeVar("F", bound=Callable[..., Any])
Params = Mapping[str, Any] | None


def _of_neighbors(name: str) -> str:
    """Refuse what is no method of neighbours.

    Raises
    ------
    ValueError
    """
    from geoforest_cli.estimators.methods import METHODS, kind_of

    METHODS.check(name)
    if kind_of(name) not in {"neighbors", None}:
        fitting = [name for name, entry in METHODS.items() if entry.kind == "neighbors"]
        raise ValueError(unknown("method of neighbours", name, fitting))
    return name


def _accepted(name: str, params: Params) -> Params:
    """Refuse parameters that the method does not take.

    Raises
    ------
    ValueError
    """
    from geoforest_cli.estimators.methods import METHODS

    model = parameter_model(METHODS[name].load())
    for parameter in params or {}:
        if parameter not in model.model_fields:
            raise ValueError(f"{name}: {unknown('parameter', parameter, model.model_fields)}")
    try:
        model.model_validate(dict(params or {}))
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise ValueError(f"{name}: {where} = {problem['input']!r}: {problem['msg']}") from None
    return params


def _with_method(params: Params, info: ValidationInfo) -> Params:
    return _accepted(info.data["method"], params) if "method" in info.data else params


def _if_the_method_has(name: str) -> Callable[[F], F]:
    """Hide a function where the inner method has no such one."""

    def check(model: Any) -> bool:
        from geoforest_cli.estimators.methods import METHODS

        inner = model.method_ if hasattr(model, "method_") else METHODS[model.method].load()
        return hasattr(inner, name)

    return cast("Callable[[F], F]", available_if(check))


class ScreenedNeighbors(Estimator):
    """Drop the columns that depend on no other, then run a method on the rest.

    Parameters
    ----------
    method : str
        A method of kind "neighbors".
    params : mapping, optional
        Its parameters; its own screen, if it has one, is off by default.
    screen : {"pairs", "correlation", "forest", "auto", "both"}
        See `ColumnScreen`, as for the next two.
    level : float
    adjust : {"fdr", "fwer"}
    n_jobs : int, optional
        Threads of screen and method.
    random_state : int, RandomState or None
        Of screen and method.

    Attributes
    ----------
    screen_ : ColumnScreen
        What it keeps and drops: ``screen_.get_support()``.
    method_ : object
        The method, fitted on the columns that `cautious_choice` keeps: on all if fewer than two
        depend on others, if at most one, or one in twenty, does not, or of fewer than 10 rows.
    n_features_in_ : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=200)
    >>> X = np.c_[t, t**2, 70 * rng.normal(size=(200, 20))]
    >>> near = ScreenedNeighbors("euclidean").fit(X).kneighbors(n_neighbors=3)[1]
    >>> bool(np.abs(t[near] - t[:, None]).max() < 0.1)
    True
    """

    method: Annotated[str, AfterValidator(_of_neighbors)] = field(
        default="euclidean", kw_only=False
    )
    params: Annotated[Params, AfterValidator(_with_method)] = field(default=None, kw_only=False)
    screen: Method = "both"
    level: Level = 0.01
    adjust: Adjust = "fwer"
    n_jobs: Jobs = None
    random_state: Any = None

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Screen the columns of X (N, p), then fit the method on those kept; y is ignored.

        Raises
        ------
        InvalidParameterError
            For a method or parameters that do not exist.

        Warns
        -----
        UserWarning
            If no column is kept: then all are.
        """
        from geoforest_cli.estimators.methods import build

        table: npt.NDArray[Any] = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        self.screen_ = ColumnScreen(
            self.screen, level=self.level, adjust=self.adjust, n_jobs=self.n_jobs,
            random_state=self.random_state, find_groups=False,
        )  # fmt: skip
        with dependent_rows_allowed():
            self.screen_.fit(table)
        choice = cautious_choice(self.screen_.support_, table, self.n_jobs)
        if len(choice.independent) == table.shape[1]:
            warnings.warn(
                f"none of the {table.shape[1]} columns is found to depend on another one: "
                "all are kept",
                stacklevel=3,
            )
        self._kept = choice.kept
        self.n_samples_fit_ = len(table)
        self.method_ = build(
            self.method, self._method_params(), seed=self.random_state, n_jobs=self.n_jobs
        ).fit(table[:, self._kept])
        return self

    def _method_params(self) -> dict[str, Any]:
        """Return the method's parameters; one with a screen of its own needs it no more."""
        from geoforest_cli.estimators.forests.geodesic_forest import ColumnForest
        from geoforest_cli.estimators.methods import METHODS

        cls = METHODS[self.method].load()
        params = dict(self.params or {})
        if isinstance(cls, type) and issubclass(cls, ColumnForest):
            params.setdefault("screen", None)
        return params

    @_if_the_method_has("distances")
    def distances(self) -> npt.NDArray[np.float64]:
        """Return the method's distances (N, N)."""
        check_is_fitted(self)
        distances: npt.NDArray[np.float64] = self.method_.distances()
        return distances

    @_if_the_method_has("kneighbors")
    def kneighbors(
        self,
        X: npt.ArrayLike | None = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,  # noqa: FBT001, FBT002  scikit-learn's signature
    ) -> Any:
        """Return distances and rows of the method's nearest points.

        Parameters
        ----------
        X : (m, p), optional
            With all columns; by default the training points, each left out of its own list.
        n_neighbors : int, optional
            The method's own by default.
        return_distance : bool
        """
        check_is_fitted(self)
        new = None
        if X is not None:
            new = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
            new = new[:, self._kept]
        return self.method_.kneighbors(new, n_neighbors, return_distance)
