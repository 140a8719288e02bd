"""Clients of dask, by a package that stands for it and writes down what it is asked for."""

import logging
import signal
import sys
import types

import pytest

from geoforest_cli.core import dask_client
from geoforest_cli.core.errors import MachineError, Unavailable, UserError

LOGGERS = ("asyncio", "distributed", "distributed.nanny", "distributed.client", "distributed.core")


def blocked():
    return signal.pthread_sigmask(signal.SIG_BLOCK, [])


class Closes:
    """A client or a cluster."""

    def __init__(self, *given, **options):
        self.given, self.options = given, options
        self.while_made = blocked()
        self.closed = []

    def close(self, **options):
        self.closed.append(options)


class Cluster(Closes):
    """A cluster that cannot be had for seven workers, and of which one of six dies."""

    def __init__(self, *given, **options):
        super().__init__(*given, **options)
        if options["n_workers"] == 6:
            raise RuntimeError("Nanny failed to start.")
        if options["n_workers"] == 7:
            raise OSError(self.while_made)


@pytest.fixture
def distributed(monkeypatch):
    package = types.SimpleNamespace(Client=Closes, LocalCluster=Cluster)
    monkeypatch.setitem(sys.modules, "distributed", package)
    levels = {name: logging.getLogger(name).level for name in LOGGERS}
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.INFO)
    yield package
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def test_a_client_of_a_scheduler_is_not_everybodys(distributed):
    client = dask_client.connect("tcp://here:8786")
    assert client.given == ("tcp://here:8786",)
    assert client.options == {"timeout": 10.0, "set_as_default": False}
    assert [logging.getLogger(name).level for name in LOGGERS] == [logging.CRITICAL] * 5


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (OSError("timed  out\nafter 10 s"), "timed out after 10 s"),
        (ValueError("unknown address scheme"), "unknown address scheme"),
        (TypeError(), "TypeError"),
    ],
)
def test_a_scheduler_that_does_not_answer_is_one_sentence(distributed, error, cause):
    def fail(*_, **__):
        raise error

    distributed.Client = fail
    with pytest.raises(UserError) as raised:
        dask_client.connect("tcp://nowhere")
    assert str(raised.value) == f"no dask scheduler answers at 'tcp://nowhere': {cause}"


def test_workers_of_one_thread_do_not_see_the_interrupt(distributed, monkeypatch):
    monkeypatch.setattr(dask_client, "n_threads", {-1: 5}.__getitem__)
    before = blocked()
    assert signal.SIGINT not in before
    client, cluster = dask_client.start(3, processes=False)
    assert cluster.given == ()
    assert cluster.options == {
        "n_workers": 3, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0",
        "silence_logs": logging.CRITICAL, "processes": False,
    }  # fmt: skip
    assert (client.given, client.options) == ((cluster,), {"set_as_default": False})
    assert cluster.while_made == client.while_made == before | {signal.SIGINT}
    assert blocked() == before
    # by default one for each core
    assert dask_client.start()[1].options["n_workers"] == 5


def test_a_worker_that_dies_while_it_starts_is_one_sentence(distributed):
    with pytest.raises(MachineError) as raised:
        dask_client.start(6)
    assert str(raised.value) == (
        "a worker died while it started, perhaps for lack of memory (in a script, perhaps for lack "
        'of `if __name__ == "__main__":`): run it again, or with fewer workers (Nanny failed to '
        "start.)"
    )
    assert signal.SIGINT not in blocked()


@pytest.mark.parametrize("error", [None, OSError, TimeoutError])
def test_workers_are_ended_though_the_scheduler_has_gone(error):
    client, cluster = Closes(), Closes()
    if error is not None:

        def fail(**_):
            raise error

        client.close = fail
    dask_client.close(client, cluster)
    assert client.closed == ([{"timeout": 5.0}] if error is None else [])
    assert cluster.closed == [{"timeout": 5.0}]
    dask_client.close(client)


def test_without_dask_it_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    for call in (dask_client.start, lambda: dask_client.connect("tcp://here")):
        with pytest.raises(Unavailable) as raised:
            call()
        assert str(raised.value) == "dask is not installed here: pip install 'geoforest[dask]'"
