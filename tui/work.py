"""Work that goes on while keys are heard, begun here and nowhere else, so that a fault of ours in it is a sentence on
the screen and never the end of the program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

from textual.app import App
from textual.dom import DOMNode
from textual.message import Message
from textual.worker import Worker


class WorkFailed(Message):
    """Goes to the app. `what` could not be done: "opening the session"."""

    def __init__(self, what: str, error: Exception) -> None:
        super().__init__()
        self.what = what
        self.error = error


Begin = Callable[[str, Coroutine[Any, Any, object]], Worker[None]]


def begin(at: DOMNode, what: str, work: Coroutine[Any, Any, object]) -> Worker[None]:
    """It ends with the app, not with the part of the screen that began it; cancel it to end it before."""
    app = cast("App[object]", at.app)  # pyright: ignore[reportUnknownMemberType] (Textual does not say of what)
    return app.run_worker(_to_its_end(app, what, work), exit_on_error=False)


def hear_of_the_rest(app: App[Any]) -> None:
    """What was begun by others on our loop and fails with nobody waiting for it is told, too."""
    loop = asyncio.get_running_loop()

    def heard(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception) and app.is_running:
            app.post_message(WorkFailed("something in the background", error))
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(heard)


async def _to_its_end(app: App[Any], what: str, work: Coroutine[Any, Any, object]) -> None:
    try:
        await work
    except Exception as error:
        app.post_message(WorkFailed(what, error))
