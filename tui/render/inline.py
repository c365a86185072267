"""The markup inside a paragraph: emphasis, code, links. Foreign text in, pieces in styles out.

A piece that is a line break alone stands for a break the writer wanted.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from tui.render.lines import Piece
from tui.render.safe import one_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Pieces = tuple[Piece, ...]

BREAK: Piece = ("\n", "")
STYLES = {"strong_open": "bold", "em_open": "italic", "s_open": "strike", "link_open": "underline"}
_MARKUP = re.compile(r"[\\`*_~\[\]!<&]|  \n")


def inline(text: str, base: str = "") -> Pieces:
    """The text, already safe, in pieces; `base` is the style of all of it."""
    if not _MARKUP.search(text):
        plain = " ".join(line.strip(" ") for line in text.split("\n"))
        return ((plain, base),) if plain else ()
    (whole,) = _parser().parseInline(text)
    return _Walk(base).pieces_of(whole.children or [])


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("strikethrough")


class _Walk:
    """Goes through the parts of one paragraph and remembers which styles are open."""

    def __init__(self, base: str) -> None:
        self._styles = [base] if base else []
        self._pieces: list[Piece] = []
        # Where the innermost link began, and where it leads.
        self._links: list[tuple[int, str]] = []

    def pieces_of(self, tokens: list[Token]) -> Pieces:
        for token in tokens:
            self._take(token)
        return tuple(self._pieces)

    def _take(self, token: Token) -> None:
        match token.type:
            case "code_inline":
                self._add(token.content, "$syn-num")
            case "softbreak":
                self._add(" ")
            case "hardbreak":
                self._pieces.append(BREAK)
            case _ if token.nesting == 1:
                self._styles.append(STYLES.get(token.type, ""))
                if token.type == "link_open":
                    self._links.append((len(self._pieces), str(token.attrGet("href") or "")))
            case _ if token.nesting == -1:
                self._styles.pop()
                if token.type == "link_close":
                    self._address(*self._links.pop())
            case _:
                self._add(token.content)

    def _add(self, text: str, style: str = "") -> None:
        # Markup can spell characters out (`&#27;`), so what was safe before is not yet.
        text = one_line(text)
        style = " ".join(filter(None, (*self._styles, style)))
        if text and self._pieces and self._pieces[-1][1] == style and self._pieces[-1] != BREAK:
            self._pieces[-1] = (self._pieces[-1][0] + text, style)
        elif text:
            self._pieces.append((text, style))

    def _address(self, start: int, address: str) -> None:
        said = "".join(text for text, _ in self._pieces[start:])
        if address and address.removeprefix("mailto:").removesuffix("/") not in (
            said,
            f"http://{said}",
            f"https://{said}",
        ):
            self._add(f" {address}", "$dim")
