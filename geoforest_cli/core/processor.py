"""Which processor this is: floating-point results and times depend on it."""

from __future__ import annotations

import functools
import platform
from pathlib import Path

__all__ = ["processor"]


@functools.cache
def processor() -> str:
    """Return the processor's name as the system tells it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2] for line in text.splitlines() if line.startswith("model name")]
    return names[0].strip() if names else platform.machine()
