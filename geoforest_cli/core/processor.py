"""Name and features of this processor: floating-point results and times depend on it."""

from __future__ import annotations

import functools
import platform
from pathlib import Path
from typing import Any

__all__ = ["kernels", "processor"]


@functools.cache
def processor() -> str:
    """Return the processor's name as the system tells it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2] for line in text.splitlines() if line.startswith("model name")]
    return names[0].strip() if names else platform.machine()


@functools.cache
def kernels() -> str:
    """Return which of their kernels BLAS and NumPy have chosen for the processor's features.

    Processors of one name may differ in these: virtual machines name a family.
    """
    import numpy as np
    from threadpoolctl import threadpool_info

    cores = sorted({pool["architecture"] for pool in threadpool_info() if "architecture" in pool})
    config: Any = np.show_config(mode="dicts")
    vectors = config["SIMD Extensions"].get("found", ())
    parts = (("BLAS", cores), ("NumPy", vectors))
    return " and ".join(" ".join((name, *(features or ["baseline"]))) for name, features in parts)
