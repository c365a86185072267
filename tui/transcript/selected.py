"""What the person has selected with the mouse, in a line."""

from __future__ import annotations

from tui.render.lines import Drawn


def selected(line: Drawn, start: int, end: int) -> Drawn:
    """The line with a stretch of it on the ground of what is chosen. Counted in characters, as Textual does."""
    end = len(line.text) if end == -1 else end
    pieces: list[tuple[str, str]] = []
    at = 0
    for text, style in line.pieces:
        first, last = max(start - at, 0), max(min(end - at, len(text)), 0)
        if first < last:
            chosen = f"{style} on $pick" if " on " not in f" {style}" else style
            pieces += [(text[:first], style), (text[first:last], chosen), (text[last:], style)]
        else:
            pieces.append((text, style))
        at += len(text)
    return Drawn(tuple(piece for piece in pieces if piece[0]), line.ground)
