"""When the time of a command begins."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agent.model.scripted import text, tool_use
from tests.support.sessions import play, results_of, session_in
from tools.events import PermissionRequested
from tools.permissions.gate import Answer


def test_D7_the_time_a_question_waits_for_its_answer_is_not_the_commands(tmp_path: Path) -> None:
    async def body() -> None:
        script = [[tool_use("c", "Bash", command="touch made", timeout=300)], [text("done")]]
        async with session_in(tmp_path, script) as (session, seen):
            session.submit("go")
            asked = await seen.first(PermissionRequested)
            await asyncio.sleep(0.4)  # longer than the command may take
            assert session.decide(asked.request.id, asked.revision, Answer("once"))
            await session.turn_ended()
            assert not results_of(session.main.messages)["c"].get("is_error")
            assert (tmp_path / "made").exists()

    play(body)
