"""scikit-learn's checks of estimators, and which of them give one number per row."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

FIT_ON_A_VECTOR = (
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit2d_1feature",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
)


def conventions(estimators, failing=lambda _: {}):
    """All checks of all estimators but those that cannot hold, which stand there with reasons.

    scikit-learn's own decorator runs these too: each is a traceback, 30 s of them in all.
    """
    pairs = [
        (instance, check)
        for estimator in estimators
        for instance, check in estimator_checks_generator(estimator)
        if check.func.__name__ not in failing(estimator)
    ]
    return pytest.mark.parametrize(("estimator", "check"), pairs, ids=_name)


def _name(value):
    if not callable(value):
        return str(value).replace(" ", "").replace("\n", "")
    given = ",".join(f"{name}={given_value}" for name, given_value in value.keywords.items())
    return f"{value.func.__name__}({given})" if given else value.func.__name__
