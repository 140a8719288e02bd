"""Faults are tried in several copies of the checkout at once."""

import queue
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from tests.faults.trees import Tree

Item = TypeVar("Item")
Found = TypeVar("Found")


def tried(
    items: Iterable[Item], trees: Sequence[Tree], attempt: Callable[[Tree, Item], Found]
) -> Iterator[tuple[Item, Found]]:
    """Try each item in a copy that is free, and yield what is found as it comes."""
    free: queue.SimpleQueue[Tree] = queue.SimpleQueue()
    for tree in trees:
        free.put(tree)

    def one(item: Item) -> Found:
        tree = free.get()
        try:
            return attempt(tree, item)
        finally:
            free.put(tree)

    with ThreadPoolExecutor(len(trees)) as pool:
        waiting = {pool.submit(one, item): item for item in items}
        try:
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)
