"""The marks of the screen, one cell wide in every terminal, each with its stand-in where only ASCII may be shown."""

from __future__ import annotations

from typing import Literal

from tui.render.lines import Piece

Mark = Literal["stream", "queued", "ask", "run", "ok", "failed", "denied", "stopped", "outside", "note", "none"]

# Mark, ASCII, style.
MARKS: dict[Mark, tuple[str, str, str]] = {
    "stream": ("»", ">", "$run"),
    "queued": ("◦", "o", "$dim"),
    "ask": ("?", "?", "bold $on-ask on $ask-fill"),
    "run": ("▸", "*", "bold $run"),
    "ok": ("✓", "+", "$ok"),
    "failed": ("✗", "x", "$bad"),
    "denied": ("⊖", "-", "$dim"),
    "stopped": ("∎", "#", "$dim"),
    "outside": ("≢", "%", "bold $other"),
    "note": ("!", "!", "$ask"),
    "none": (" ", " ", ""),
}
# Every other sign of ours and its stand-in.
ASCII = {"╎": "|", "╍": "=", "⋯": "~", "❯": ">", "◂": "<", "▸": ">"}
RAIL, LANE, CHEVRON, LEFT, RIGHT = "╎", "╍", "❯", "◂", "▸"
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
SPINNER_ASCII = "|/-\\"


def mark(name: Mark, ascii: bool = False) -> Piece:
    sign, plain, style = MARKS[name]
    return (plain if ascii else sign, style)
