"""A picture on its way through a session: to the model once, to the records of what was sent once, to no event."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from agent.model.scripted import text, tool_use
from tests.support.documents import picture
from tests.support.sessions import play, results_of, session_in, turn
from tools.events import ToolFinished


def test_the_bytes_of_a_picture_are_recorded_as_sent_and_nowhere_else(tmp_path: Path) -> None:
    data = picture(64, 48, noise=True)
    written = base64.b64encode(data).decode()
    (tmp_path / "shot.png").write_bytes(data)

    async def body() -> str:
        script = [[tool_use("c1", "Read", file_path="shot.png")], [text("I see it")]]
        async with session_in(tmp_path, script) as (session, seen):
            await turn(session)
            words, shown = results_of(session.main.messages)["c1"]["content"]
            assert (words["type"], shown["source"]["data"]) == ("text", written)
            [done] = seen.all(ToolFinished)
            assert done.data is not None and done.stored is None
            assert done.data["answer"]["picture"] == {"media_type": "image/png", "width": 64, "height": 48}
            return session.results.folder.parent.as_posix()

    session_folder = Path(play(body))
    record = {file.name: file.read_text() for file in session_folder.glob("*.jsonl")}
    assert record["messages.jsonl"].count(written) == 1
    assert written[:100] not in record["events.jsonl"]
    assert json.loads(record["events.jsonl"].splitlines()[0])
