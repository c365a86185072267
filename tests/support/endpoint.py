"""The loopback server in a thread of its own, and the installed command in a terminal that talks to it.

with Endpoint(Stream(spoken(text("hello")))) as endpoint, endpoint.started(home, folder) as terminal:
    terminal.wait_for("What shall we do?")
"""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.loopback import Answer, Loopback, Received
from tests.support.patience import PATIENCE
from tests.support.program import COMMAND, environment
from tests.support.terminal import Terminal


class Endpoint:
    def __init__(self, *answers: Answer) -> None:
        self._server = Loopback(*answers)
        self._ready, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    async def _serve(self) -> None:
        async with self._server:
            self._ready.set()
            while not self._over.is_set():
                await asyncio.sleep(0.02)

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def requests(self) -> list[Received]:
        return self._server.requests

    def answers_of(self, number: int) -> dict[str, dict[str, Any]]:
        """The results of calls that came with that request, by the call's id."""
        content = self.requests[number].body["messages"][-1]["content"]
        return {block["tool_use_id"]: block for block in content if block["type"] == "tool_result"}

    def started(
        self,
        home: Path,
        folder: str | os.PathLike[str],
        *args: str,
        size: tuple[int, int] = (120, 40),
        **env: str,
    ) -> Terminal:
        environ = environment(home, ANTHROPIC_BASE_URL=self._server.url, ANTHROPIC_API_KEY="none", **env)
        environ.pop("NO_COLOR", None)
        return Terminal([COMMAND, *args], environ, size, folder)
