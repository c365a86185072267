"""The window over the transcript's rows, in a terminal of a known size."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tui.painted import Painted
from tui.render.lines import Drawn, cut, drawn, wrap
from tui.render.look import Look
from tui.render.markdown import MarkdownLines
from tui.render.paint import Paint
from tui.themes import default_variables
from tui.transcript.view import Pick, TranscriptView


@dataclass
class Written:
    """A row of given lines."""

    texts: list[str]
    version: int = 0
    live: bool = False
    stacks: bool = True
    parts: int = 1
    drawings: int = field(default=0)

    def lines(self, look: Look) -> Sequence[Drawn]:
        self.drawings += 1
        return [drawn(text) for text in self.texts]

    def owner(self, line: int) -> int:
        return 0


class Host(App[None]):
    CSS = "Screen { layout: vertical; } #foot { height: auto; }"

    def __init__(self, rows: list[Written]) -> None:
        super().__init__()
        self.paint = Paint()
        self.rows = rows

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return default_variables()

    def compose(self) -> ComposeResult:
        yield TranscriptView(self.rows)
        yield Painted(id="foot")


def screen(app: App[Any]) -> list[str]:
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def in_window(rows: list[Written], body: Callable[[Host, TranscriptView, Pilot[None]], Awaitable[None]]) -> None:
    async def run() -> None:
        app = Host(rows)
        async with app.run_test(size=(40, 10)) as pilot:
            view = app.query_one(TranscriptView)
            view.update(0)
            await pilot.pause()
            await body(app, view, pilot)

    asyncio.run(run())


def numbered(count: int, start: int = 0) -> list[Written]:
    return [Written([f"row {number}"]) for number in range(start, start + count)]


def test_it_starts_at_the_top_and_follows_once_it_is_full() -> None:
    rows = numbered(3)

    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        assert screen(app)[:4] == ["", "row 0", "row 1", "row 2"]
        rows.extend(numbered(20, 3))
        view.update(0)
        await pilot.pause()
        assert screen(app)[-2:] == ["row 22", ""] and view.following

    in_window(rows, body)


def test_who_scrolled_up_stays_on_what_they_read_whatever_comes_below() -> None:
    rows = numbered(50)

    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-5)
        await pilot.pause()
        before = screen(app)
        rows.extend(numbered(30, 50))
        rows[0].texts.append("grown above")
        rows[0].version += 1
        view.update(0)
        await pilot.pause()
        assert screen(app) == before and not view.following
        assert view.lines_below == 35

    in_window(rows, body)


def test_rows_that_come_before_what_is_read_move_nothing() -> None:
    rows = numbered(50)

    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-5)
        view.show_pick(Pick(40))
        await pilot.pause()
        before = screen(app)
        view.show_with_more_before([*numbered(100, 1_000), *rows])
        await pilot.pause()
        assert screen(app) == before and view.picked == Pick(140) and not view.following

    in_window(rows, body)


def test_reaching_the_end_follows_again() -> None:
    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_pages(-2)
        assert not view.following
        view.scroll_pages(5)
        await pilot.pause()
        assert view.following and screen(app)[-2:] == ["row 49", ""]

    in_window(numbered(50), body)


def test_a_taller_foot_covers_the_end_and_the_window_follows_it() -> None:
    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        app.query_one(Painted).show([drawn("a sheet"), drawn("of two lines")])
        await pilot.pause()
        assert screen(app)[-4:] == ["row 48", "row 49", "a sheet", "of two lines"]

    in_window(numbered(50), body)


def test_where_there_is_little_room_none_is_left_empty() -> None:
    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        await pilot.resize_terminal(40, 5)
        await pilot.pause()
        assert screen(app)[-1] == "row 49"

    in_window(numbered(50), body)


def test_a_narrower_window_keeps_the_row_that_was_read() -> None:
    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-20)
        await pilot.pause()
        top = screen(app)[0]
        await pilot.resize_terminal(30, 8)
        await pilot.pause()
        assert screen(app)[0] == top

    in_window(numbered(50), body)


@dataclass
class Worded(Written):
    """A row of words that are wrapped."""

    def lines(self, look: Look) -> Sequence[Drawn]:
        return [line for text in self.texts for line in wrap(drawn(text), look.width)]


@dataclass
class Cut(Written):
    """A row of lines that are cut where the width ends."""

    def lines(self, look: Look) -> Sequence[Drawn]:
        return [cut(drawn(text), look.width) for text in self.texts]


def long_answer() -> list[Written]:
    return [*numbered(3), Worded([" ".join(f"word{number}" for number in range(600))]), *numbered(3, 3)]


def test_a_higher_foot_leaves_a_long_answer_where_it_is_read() -> None:
    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-40)
        await pilot.pause()
        before = screen(app)
        assert "word" in before[0]
        app.query_one(Painted).show([drawn("a second line"), drawn("of what is typed")])
        await pilot.pause()
        assert screen(app) == [*before[:-2], "a second line", "of what is typed"]

    in_window(long_answer(), body)


@pytest.mark.parametrize("width", [23, 31, 78])
def test_another_width_keeps_the_words_that_are_read(width: int) -> None:
    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-40)
        await pilot.pause()
        before = screen(app)
        await pilot.resize_terminal(width, 10)
        await pilot.pause()
        assert before[0].split()[0] in screen(app)[0].split()
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert screen(app) == before

    in_window(long_answer(), body)


def test_a_window_that_is_dragged_narrower_and_wider_drifts_nowhere() -> None:
    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-40)
        await pilot.pause()
        before = screen(app)
        for width in (*range(39, 20, -3), *range(20, 41, 4)):
            await pilot.resize_terminal(width, 10)
            await pilot.pause()
        assert screen(app) == before

    in_window(long_answer(), body)


def test_lines_that_are_cut_keep_their_number() -> None:
    texts = [f"{number} {'x' * (number * 7 % 60)}" for number in range(200)]

    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-80)
        await pilot.pause()
        before = screen(app)[0].split()[0]
        await pilot.resize_terminal(20, 10)
        await pilot.pause()
        assert screen(app)[0].split()[0] == before

    in_window([Cut(texts)], body)


def test_a_terminal_that_shows_the_end_again_follows_again() -> None:
    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-3)
        await pilot.pause()
        assert not view.following
        await pilot.resize_terminal(40, 24)
        await pilot.pause()
        assert view.following and view.lines_below == 0 and "row 19" in screen(app)

    in_window(numbered(20), body)


def test_only_what_came_since_is_new() -> None:
    rows = numbered(50)

    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-20)
        assert (view.lines_below, view.new_below) == (20, 0)
        rows.extend(numbered(5, 50))
        view.update(0)
        assert (view.lines_below, view.new_below) == (25, 5)
        view.scroll_lines(22)
        assert (view.lines_below, view.new_below) == (3, 2)
        view.scroll_lines(-10)
        assert (view.lines_below, view.new_below) == (13, 2)
        view.follow()
        view.scroll_lines(-1)
        assert (view.lines_below, view.new_below) == (1, 0)

    in_window(rows, body)


def test_another_width_makes_nothing_new() -> None:
    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-40)
        for width in (20, 78, 40):
            await pilot.resize_terminal(width, 10)
            await pilot.pause()
            assert view.lines_below > 15 and view.new_below == 0

    in_window(long_answer()[:4], body)


def test_in_detail_and_back_the_first_row_in_sight_stays_where_it_is() -> None:
    @dataclass
    class Opened(Written):
        def lines(self, look: Look) -> Sequence[Drawn]:
            return [drawn(f"{self.texts[0]} {number}") for number in range(20 if look.verbose else 4)]

    rows: list[Written] = [Opened([f"row {number}"]) for number in range(20)]

    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-33)
        await pilot.pause()
        before = screen(app)
        first = next(y for y, line in enumerate(before) if line.endswith(" 0"))
        assert first > 0
        view.set_verbose(True)
        await pilot.pause()
        assert screen(app)[first] == before[first]
        view.set_verbose(False)
        await pilot.pause()
        assert screen(app) == before

    in_window(rows, body)


def test_in_detail_a_long_answer_stays_where_it_is_read_also_while_it_grows() -> None:
    @dataclass
    class Streamed(Written):
        markdown: MarkdownLines = field(default_factory=MarkdownLines)

        def lines(self, look: Look) -> Sequence[Drawn]:
            self.markdown.feed(" ".join(f"word{number}" for number in range(200)))
            return self.markdown.so_far(look.width)

    streamed = Streamed([], live=True)

    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.scroll_lines(-15)
        await pilot.pause()
        before = screen(app)
        streamed.version += 1
        view.set_verbose(True)
        await pilot.pause()
        assert "word" in before[0] and screen(app) == before

    in_window([*numbered(3), streamed], body)


def test_only_what_is_in_sight_is_drawn() -> None:
    rows = numbered(5000)

    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.to_start()
        view.follow()
        await pilot.pause()
        assert sum(row.drawings > 0 for row in rows) < 300

    in_window(rows, body)


def test_a_row_that_did_not_change_is_not_drawn_again() -> None:
    rows = numbered(5)

    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        first = rows[0].drawings
        rows[1].version += 1
        view.update(5)
        assert (rows[0].drawings, rows[1].drawings) == (first, first + 1)

    in_window(rows, body)


@pytest.mark.parametrize("index", [0, 25, 49])
def test_a_row_is_brought_into_sight(index: int) -> None:
    async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
        view.show_pick(Pick(index))
        await pilot.pause()
        assert f"row {index}" in screen(app)

    in_window(numbered(50), body)


class Looked(list[Written]):
    """Counts how often one of them is looked at."""

    looks = 0

    def __getitem__(self, index: Any) -> Any:
        self.looks += 1
        return super().__getitem__(index)


def test_an_append_costs_the_same_after_ten_thousand_rows_as_after_a_hundred() -> None:
    def cost(count: int) -> tuple[int, int]:
        rows = Looked(numbered(count))
        costs: list[tuple[int, int]] = []

        async def body(app: Host, view: TranscriptView, pilot: Pilot[None]) -> None:
            view.update(0)
            rows.looks, drawn_before = 0, sum(row.drawings for row in rows)
            for number in range(20):
                rows.append(Written([f"more {number}"]))
                view.update(0)
            costs.append((rows.looks, sum(row.drawings for row in rows) - drawn_before))

        in_window(rows, body)
        return costs[0]

    assert cost(10_000) == cost(100)
