"""Neighbours in tables larger than memory: Parquet parts on disk, forests in cells, on dask."""
