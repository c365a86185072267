"""What is imported never becomes garbage: nobody looks through it for some, neither while it is loaded nor later."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def loading() -> Generator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
