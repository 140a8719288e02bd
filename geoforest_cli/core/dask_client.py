"""Clients of a dask scheduler: one that runs already, or one that is started on this machine."""

from __future__ import annotations

import contextlib
import logging
from typing import Any

from geoforest_cli.core.errors import MachineError, Unavailable, UserError
from geoforest_cli.core.threads import interrupts_blocked, n_threads

__all__ = ["CONNECT_TIMEOUT", "close", "connect", "start"]

CONNECT_TIMEOUT = 10.0  # seconds: a scheduler may be starting
_CLOSE_TIMEOUT = 5.0


def connect(address: str) -> Any:
    """Return a client of the scheduler at an address.

    Raises
    ------
    Unavailable
        If dask is not installed.
    UserError
        If no scheduler answers.
    """
    distributed = _distributed()
    try:
        return distributed.Client(address, timeout=CONNECT_TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        cause = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"no dask scheduler answers at {address!r}: {cause}") from None


def start(jobs: int | None = None, **options: Any) -> tuple[Any, Any]:
    """Start a scheduler and workers of one thread on this machine, by default one per core.

    Parameters
    ----------
    jobs : int, optional
        Workers.
    **options : Any
        More for ``distributed.LocalCluster``.

    Returns
    -------
    distributed.Client, distributed.LocalCluster

    Raises
    ------
    Unavailable
        If dask is not installed.
    MachineError
        If a worker dies while it starts.
    """
    distributed = _distributed()
    with interrupts_blocked():
        try:
            cluster = distributed.LocalCluster(
                n_workers=jobs or n_threads(-1),
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                **options,
            )
            return distributed.Client(cluster, set_as_default=False), cluster
        except RuntimeError as error:
            raise MachineError(
                "a worker died while it started, perhaps for lack of memory (in a script, perhaps "
                'for lack of `if __name__ == "__main__":`): run it again, or with fewer workers '
                f"({error})"
            ) from error


def close(client: Any, cluster: Any = None) -> None:
    """Disconnect, and end the workers that were started here."""
    with contextlib.suppress(OSError, TimeoutError):  # the scheduler has gone
        client.close(timeout=_CLOSE_TIMEOUT)
    if cluster is not None:
        with contextlib.suppress(TimeoutError):  # a busy machine: they end with this process
            cluster.close(timeout=_CLOSE_TIMEOUT)


def _distributed() -> Any:
    """Import the package, quietly."""
    try:
        import distributed
    except ImportError:
        raise Unavailable("dask is not installed here: pip install 'geoforest[dask]'") from None
    for name in ("asyncio", *(f"distributed{part}" for part in ("", ".nanny", ".client", ".core"))):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # it would write between our lines
    return distributed
