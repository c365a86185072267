"""Text from outside on the screen: the model gets it as it is, the person a safe one, and nothing in it does anything."""

from __future__ import annotations

import socket
from pathlib import Path

from agent.model.scripted import text, tool_use
from tests.support.seat import Seat, sit
from tests.support.sessions import results_of


def test_F4_the_model_gets_the_text_as_it_is_and_the_screen_a_safe_one(tmp_path: Path) -> None:
    title, hidden = "\x1b]0;owned\x07", "fr\u202e; mr"
    (tmp_path / "a.txt").write_text(f"{title}{hidden}\n")

    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.sees("   Seen.")
        await seat.is_idle()
        assert f"{title}{hidden}" in str(results_of(seat.session.main.messages)["c"]["content"])
        await seat.press("ctrl+o")
        await seat.sees("fr\\u202e; mr")
        painted = "".join(segment.text for strip in seat.strips() for segment in strip)
        assert "\x1b" not in painted and "\x07" not in painted and "\u202e" not in painted

    sit(tmp_path, [[tool_use("c", "Bash", command="cat a.txt")], [text("Seen.")]], body)


def test_F7_links_and_images_of_an_answer_are_words_that_nothing_fetches_or_opens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        answer = f"See ![a tree]({address}/tree.png) and [the page]({address}/page), {address}/bare too."

        async def body(seat: Seat) -> None:
            await seat.send("go")
            await seat.sees("See a tree and the page", f"{address}/page")
            await seat.is_idle()
            assert f"{address}/tree.png" not in seat.text()
            row = next(at for at, line in enumerate(seat.lines()) if "See a tree" in line)
            await seat.pilot.click("#transcript", offset=(seat.lines()[row].index("the page") + 2, row))
            await seat.settled()
            styles = [segment.style for strip in seat.strips() for segment in strip if segment.style is not None]
            assert not [style for style in styles if style.link or "@click" in style.meta]

        sit(tmp_path, [[text(answer)]], body)
        try:
            listening.accept()
        except BlockingIOError:
            return
        raise AssertionError("somebody fetched it")
