"""How the screen is to look just now: what every drawing function is given besides its data."""

from __future__ import annotations

from dataclasses import dataclass

WIDE = 100
ROOMY = 30
SIDE_BY_SIDE = 140


@dataclass(frozen=True, slots=True)
class Look:
    """Width and height of the whole terminal's part in question, and what the person chose to see."""

    width: int
    height: int = 40
    verbose: bool = False
    ascii: bool = False
    # Wall-clock seconds, for running clocks and ages; a drawing without a clock does not use it.
    now: float = 0.0

    @property
    def wide(self) -> bool:
        """Room for lanes, folder, branch, watcher and long hints."""
        return self.width >= WIDE

    @property
    def roomy(self) -> bool:
        """Room for a tinted line above and below prompt and sheet."""
        return self.height >= ROOMY
