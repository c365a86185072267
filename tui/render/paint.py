"""The last step of drawing: a line of ours becomes a strip of Textual's, in the colours of the theme in force.

Styles are looked up once per theme. Whatever control character may have slipped through is taken out here, so that
nothing can reach the terminal around `tui.render.safe`.
"""

from __future__ import annotations

import re

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.strip import Strip
from textual.style import Style

from tui.render.glyphs import ASCII, MARKS
from tui.render.lines import Drawn

# The grounds of words that differ, which a greyer grey would not tell from the rest of their line.
CHANGED_WORDS = ("on $add-word", "on $del-word")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TO_ASCII = str.maketrans({**{sign: plain for sign, plain, _ in MARKS.values()}, **ASCII})
# The one sign that means two things: what runs, and that there is more to the right.
_RUNS_IN_ASCII = str.maketrans({MARKS["run"][0]: MARKS["run"][1]})


class Paint:
    """Knows the styles of one theme. `reset` when the theme has changed. `colourless`: hues are not to be seen."""

    def __init__(self, ascii: bool = False, colourless: bool = False) -> None:
        self.ascii = ascii
        self._colourless = colourless
        self._styles: dict[tuple[Style, str, str], RichStyle] = {}

    def reset(self) -> None:
        self._styles.clear()

    def strip(self, line: Drawn, width: int, base: Style) -> Strip:
        """The line at exactly this width, over the widget's own colours. What looks the same is one segment: each
        spells its colours out to the terminal."""
        texts: list[str] = []
        styles: list[RichStyle] = []
        used = 0
        for text, style in line.pieces:
            shown = _CONTROL.sub("?", self._in_ascii(text, style) if self.ascii else text)
            used += cell_len(shown)
            _join(texts, styles, shown, self._style(base, line.ground, style))
        around = self._style(base, line.ground, "")
        _join(texts, styles, " " * (width - used), around)
        strip = Strip(map(Segment, texts, styles), max(used, width))
        return strip.adjust_cell_length(width, around)

    def _style(self, base: Style, ground: str, style: str) -> RichStyle:
        key = (base, ground, style)
        found = self._styles.get(key)
        if found is None:
            whole = base
            for part in (ground, style):
                whole = whole + Style.parse(part) if part else whole
            if self._colourless and style.endswith(CHANGED_WORDS):
                whole += Style(underline=True)
            found = self._styles[key] = whole.rich_style
        return found

    @staticmethod
    def _in_ascii(text: str, style: str) -> str:
        """A painted cell becomes a bar that can be seen without colours, a sign of ours its stand-in."""
        if style == MARKS["run"][2]:
            text = text.translate(_RUNS_IN_ASCII)
        return "|" if text == " " and style.startswith("on $") else text.translate(_TO_ASCII)


def _join(texts: list[str], styles: list[RichStyle], text: str, style: RichStyle) -> None:
    if styles and styles[-1] is style:
        texts[-1] += text
    elif text:
        texts.append(text)
        styles.append(style)
