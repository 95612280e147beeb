"""Work on several threads, with results in the order of the work whatever the number of threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

IN_FLIGHT = 3
"""Items per thread that are begun before the first result is taken: enough that no thread waits."""


def in_order(work: Callable[[Item], Result], items: Iterable[Item], workers: int | None) -> Iterator[Result]:
    """The results, one after another; items are taken only as far ahead as threads need them.

    >>> list(in_order(lambda x: x * x, range(5), workers=2))
    [0, 1, 4, 9, 16]
    """
    count = workers or os.cpu_count() or 1
    if count == 1:
        yield from map(work, items)
        return
    flying: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(count) as pool:
        try:
            for item in items:
                flying.append(pool.submit(work, item))
                if len(flying) > IN_FLIGHT * count:
                    yield flying.popleft().result()
            while flying:
                yield flying.popleft().result()
        finally:
            for future in flying:
                future.cancel()
