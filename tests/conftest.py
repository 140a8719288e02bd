"""Settings of all tests: one thread for each of several workers, no deadlines, few examples by day."""

import os

from hypothesis import settings

# before numpy is imported: workers would get in each other's way
if "PYTEST_XDIST_WORKER" in os.environ:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")

    from tests.compiling import compile_in_turns

    compile_in_turns()

# no test depends on timing
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")

EXAMPLES_BY_DAY = 20


def pytest_collection_modifyitems(config, items):
    if config.option.markexpr != "not nightly":
        return
    for item in items:
        function = getattr(item, "obj", None)
        # a decorator of a test says how many examples it has at night
        if (at_night := getattr(function, "_hypothesis_internal_use_settings", None)) is not None:
            few = min(at_night.max_examples, EXAMPLES_BY_DAY)
            function._hypothesis_internal_use_settings = settings(at_night, max_examples=few)
