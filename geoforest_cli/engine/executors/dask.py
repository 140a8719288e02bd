"""The executor for clusters: dask carries cells and outcomes, our children run them."""

from __future__ import annotations

import contextlib
import logging
import signal
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from multiprocessing import resource_tracker
from typing import Any

from geoforest_cli.engine.executors import station
from geoforest_cli.engine.executors.contract import Events, Slots, never
from geoforest_cli.engine.executors.errand import Errand, everywhere
from geoforest_cli.engine.executors.local import cores
from geoforest_cli.engine.executors.parcel import pack
from geoforest_cli.errors import Unavailable, UserError
from geoforest_cli.plan.cells import Job

__all__ = ["DaskExecutor"]

_PATIENCE = 10.0  # seconds until a scheduler that does not answer is none
_FAREWELL = 5.0


class DaskExecutor:
    """Runs cells on the workers of a dask scheduler, each in a child process of its worker.

    Timeouts, memory bounds and last words are as on one machine, and so are the rows, on one
    kind of processor. A worker that differs in its sources or packages gets nothing; one that is
    lost takes no cell along: cells go to another worker, and are called crashed when they lose
    that one too.

    Parameters
    ----------
    client : distributed.Client
    cluster : distributed.LocalCluster, optional
        Closed with the executor.
    """

    def __init__(self, client: Any, cluster: Any = None) -> None:
        self._client = client
        self._cluster = cluster

    @classmethod
    def connect(cls, address: str) -> DaskExecutor:
        """Use the workers of a scheduler.

        Raises
        ------
        Unavailable
            If dask is not installed.
        UserError
            If no scheduler answers at the address.
        """
        distributed = _distributed()
        with _quiet():
            try:
                client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
            except (OSError, ValueError, TypeError) as error:
                cause = " ".join(str(error).split()) or type(error).__name__
                raise UserError(f"no dask scheduler answers at {address!r}: {cause}") from None
        return cls(client)

    @classmethod
    def start(cls, jobs: int | None = None) -> DaskExecutor:
        """Start a scheduler and so many workers on this machine; by default one per core.

        Raises
        ------
        Unavailable
            If dask is not installed.
        """
        distributed = _distributed()
        with _quiet(), _no_interrupts():
            cluster = distributed.LocalCluster(
                n_workers=jobs or cores(),
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
            client = distributed.Client(cluster, set_as_default=False)
        return cls(client, cluster)

    def slots(self, jobs: Collection[Job]) -> Slots:
        """Return how many run at once on the workers that there are now, at least one."""
        if any(job.cell.setting.measured for job in jobs):
            raise UserError(
                "cells that measure time run on this machine, alone: leave --executor dask out"
            )
        workers = self._client.scheduler_info(n_workers=-1).get("workers", {}).values()
        return Slots(max(1, sum(one["nthreads"] for one in workers)))

    def run(
        self,
        jobs: Sequence[Job],
        expected: Mapping[str, float],
        stopping: Callable[[], bool] = never,
    ) -> Events:
        """Run the jobs; see :meth:`geoforest_cli.engine.executors.contract.Executor.run`."""
        self.slots(jobs)
        errand = Errand(self._client, pack(jobs), remote=self._cluster is None)
        yield from errand.run(jobs, expected, stopping)

    def close(self) -> None:
        """Let the workers end their idle children, and leave; end what was started here."""
        if self._client.status == "running":
            everywhere(self._client, station.leave)
        with contextlib.suppress(OSError, TimeoutError):  # the scheduler has gone
            self._client.close(timeout=_FAREWELL)
        if self._cluster is not None:
            self._cluster.close(timeout=_FAREWELL)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise Unavailable("dask is not installed here: pip install 'geoforest[dask]'") from None
    return distributed


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep dask from writing between our lines: what matters is said by us."""
    for name in ("asyncio", *(f"distributed{part}" for part in ("", ".nanny", ".client", ".core"))):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    yield


@contextlib.contextmanager
def _no_interrupts() -> Iterator[None]:
    """Let the processes that are started meanwhile not hear Ctrl-C: the driver decides.

    The tracker of resources unblocks it when it starts, so it is started before.
    """
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
