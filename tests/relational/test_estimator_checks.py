"""scikit-learn's own checks of the relational models."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli.relational.estimators import EdgePartition, NodeAttributeModel

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")

NEEDS_A_NETWORK = dict.fromkeys(
    [
        "check_complex_data",
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_dtype_object",
        "check_estimators_dtypes",
        "check_estimators_empty_data_messages",
        "check_estimators_fit_returns_self",
        "check_estimators_nan_inf",
        "check_estimators_overwrite_params",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
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
    ],
    "fits a square, symmetric matrix of zeros and ones, the checks have a table of points",
)


@parametrize_with_checks(
    [EdgePartition(3, n_burnin=3, n_samples=3), NodeAttributeModel(3, n_burnin=3, n_samples=3)],
    expected_failed_checks=lambda estimator: NEEDS_A_NETWORK,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
