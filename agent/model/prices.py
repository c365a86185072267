"""What a model costs and how much it can read, as its maker's price list says. For the person's eyes only.

Dollars for a million tokens. A cached token costs a tenth to read and a quarter more to write. Of a model that is not
listed nothing is claimed.
"""

from __future__ import annotations

from typing import Protocol

# By the beginning of the name: input, output.
PRICES = {
    "claude-opus-5-5": (4.0, 20.0),
    "claude-sonnet-5-5": (2.0, 10.0),
    "claude-haiku-5-5": (0.1, 0.5),
    "claude-fable-5-1": (10.0, 50.0),
}
CACHE_READ, CACHE_WRITE = 0.1, 1.25
LARGE_WINDOW = 1_000_000
# No current model has less.
LEAST_WINDOW = 200_000
_MILLION = 1_000_000


class Counted(Protocol):
    """Tokens of a session; `input` are those that came from no cache."""

    @property
    def input(self) -> int: ...
    @property
    def output(self) -> int: ...
    @property
    def cache_read(self) -> int: ...
    @property
    def cache_write(self) -> int: ...


def cost_of(model: str, tokens: Counted) -> float | None:
    """In dollars; None where the price is not known."""
    price = next((price for name, price in PRICES.items() if model.startswith(name)), None)
    if price is None:
        return None
    read = tokens.input + tokens.cache_read * CACHE_READ + tokens.cache_write * CACHE_WRITE
    return (read * price[0] + tokens.output * price[1]) / _MILLION


def window_of(model: str) -> int:
    """How many tokens it can read."""
    return LARGE_WINDOW if model.startswith(tuple(PRICES)) else LEAST_WINDOW
