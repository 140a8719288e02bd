"""The executor for clusters: dask moves cells and outcomes, our child processes run them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from geoforest_cli.core import dask_client
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.engine.executors.contract import Events, Slots, never
from geoforest_cli.study.engine.executors.dask_run import DaskRun, run_on_workers
from geoforest_cli.study.engine.executors.local import cores
from geoforest_cli.study.engine.executors.payload import pack
from geoforest_cli.study.engine.executors.worker import end_idle_children
from geoforest_cli.study.plan.cells import Job

__all__ = ["DaskExecutor"]


class DaskExecutor:
    """Runs cells on the workers of a dask scheduler, each in a child process of its worker.

    Timeouts, memory bounds and tracebacks are as on one machine, and so are the rows, on one
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
        return cls(dask_client.connect(address))

    @classmethod
    def start(cls, jobs: int | None = None) -> DaskExecutor:
        """Start a scheduler and so many workers on this machine; by default one per core.

        Raises
        ------
        Unavailable
            If dask is not installed.
        """
        return cls(*dask_client.start(jobs or cores()))

    def slots(self, jobs: Collection[Job]) -> Slots:
        """Return how many run at once on the workers that there are now, at least one."""
        if any(job.cell.setting.measured for job in jobs):
            raise UserError(
                "cells that measure time run on this machine, alone: leave --executor dask out"
            )
        workers = self._client.scheduler_info(n_workers=-1).get("workers", {}).values()
        return Slots(max(1, sum(worker["nthreads"] for worker in workers)))

    def run(
        self,
        jobs: Sequence[Job],
        expected: Mapping[str, float],
        stopping: Callable[[], bool] = never,
        draining: Callable[[], bool] = never,
    ) -> Events:
        """Run the jobs; see :meth:`geoforest_cli.study.engine.executors.contract.Executor.run`."""
        self.slots(jobs)
        run = DaskRun(self._client, pack(jobs), remote=self._cluster is None)
        yield from run.run(jobs, expected, stopping, draining)

    def close(self) -> None:
        """End the idle children of the workers, disconnect, and end what was started here."""
        if self._client.status == "running":
            run_on_workers(self._client, end_idle_children)
        dask_client.close(self._client, self._cluster)
