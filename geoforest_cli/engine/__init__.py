"""Running cells: executors, the store, rows, provenance, progress."""

from geoforest_cli.engine.preview import Preview, preview
from geoforest_cli.engine.rows import frame
from geoforest_cli.engine.runner import RunResult, cores, run
from geoforest_cli.engine.store import Store, store_path

__all__ = ["Preview", "RunResult", "Store", "cores", "frame", "preview", "run", "store_path"]
