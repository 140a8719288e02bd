"""What holds for all tests: no deadlines, and one thread for each of several workers."""

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
