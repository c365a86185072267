"""Keys of one breath do what they would have done one by one."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.widgets import TextArea

from tests.support.patience import PATIENCE
from tui import in_turn
from tui.in_turn import InTurn


class Field(TextArea):
    BINDINGS: ClassVar = [("f5", "remove", "remove")]

    async def action_remove(self) -> None:
        self.screen.query(Field).last().focus()
        await self.remove()


class Page(App[None]):
    AUTO_FOCUS = "#first"
    BINDINGS: ClassVar = [("f6", "wait", "wait")]

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    def compose(self) -> ComposeResult:
        with Vertical(), Vertical():
            yield Field(id="first")
            yield Field(id="second")

    async def action_wait(self) -> None:
        await self.gate.wait()


def key(name: str) -> events.Key:
    return events.Key(name, name if len(name) == 1 else None)


async def burst(page: Page, *messages: events.Event) -> InTurn:
    turn = InTurn(page)
    for message in messages:
        turn.take(message)
    return turn


async def text_becomes(page: Page, field: str, text: str) -> None:
    area = page.query_one(field, Field)
    async with asyncio.timeout(PATIENCE):
        while area.text != text:
            await asyncio.sleep(0)


def test_a_letter_behind_a_cursor_key_stands_where_the_cursor_went() -> None:
    async def play() -> None:
        page = Page()
        async with page.run_test():
            await burst(page, *map(key, ["a", "c", "left", "b", "end", "d", "left", "left", "x"]))
            await text_becomes(page, "#first", "abxcd")

    asyncio.run(play())


def test_a_paste_behind_a_cursor_key_stands_there_too() -> None:
    async def play() -> None:
        page = Page()
        async with page.run_test():
            await burst(page, key("a"), key("d"), key("left"), events.Paste("bc"))
            await text_becomes(page, "#first", "abcd")

    asyncio.run(play())


def test_a_key_that_ends_its_own_widget_holds_up_no_other() -> None:
    async def play() -> None:
        page = Page()
        async with page.run_test():
            await burst(page, key("a"), key("f5"), key("b"), key("left"), key("c"))
            await text_becomes(page, "#second", "cb")

    asyncio.run(play())


def test_a_key_at_work_holds_up_the_others_only_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        monkeypatch.setattr(in_turn, "STUCK_SECONDS", 0.01)
        page = Page()
        async with page.run_test():
            turn = await burst(page, key("f6"), key("a"), key("b"))
            async with asyncio.timeout(PATIENCE):
                while turn.waiting:
                    await asyncio.sleep(0.001)
            page.gate.set()
            await text_becomes(page, "#first", "ab")

    asyncio.run(play())
