"""A plugin of pytest that records which test runs which line, and how much time each takes.

Time is the processor's, of the test and of its children: others may keep the machine busy.

Coverage is started in every process by `sitecustomize` (see `covering`); the process that a
test runs in, which may be one of several, says here which test it is.
"""

import json
import os
import resource
import time
from pathlib import Path

import coverage
import pytest

TARGET = "FAULTS_SECONDS"  # names the file that the seconds are written to


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    begun = _used()
    try:
        return (yield)
    finally:
        item.user_properties.append(("setup", _used() - begun))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    begun = _used()
    try:
        return (yield)
    finally:
        item.user_properties.append(("call", _used() - begun))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    measured = coverage.Coverage.current()
    if measured is None:
        return (yield)
    measured.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        measured.switch_context("")


class Seconds:
    """How much time each test took that passed."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed and not hasattr(report, "wasxfail"):
            spent = (value for name, value in report.user_properties if name in {"setup", "call"})
            self.seconds[report.nodeid] = round(sum(spent), 4)

    def pytest_sessionfinish(self):
        self.target.write_text(json.dumps(self.seconds, indent=0), encoding="utf-8")


def pytest_configure(config):
    target = os.environ.get(TARGET)
    if target and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Seconds(Path(target)))
