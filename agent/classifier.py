"""The model that is asked about single calls in auto mode: a cheap one, through the same client, with a deadline.

It sees what the tool says of the call and nothing of the conversation, and what it sees it is told to take for data.
Only a clear yes counts as one. Whatever else comes, or does not come in time, leaves the call to the person.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from agent.events import Usage
from agent.model.base import BlockClosed, Model, ModelError, ReplyEnded, Request, UsageCounted
from tools.classify import Question
from tools.permissions.decision import Advice

CHEAP_MODEL = "claude-haiku-5-5"
DEADLINE_SECONDS = 8.0
# A longer text is not cut, for what is cut off might be the point of it.
TEXT_CHARS = 20_000
ANSWER_TOKENS = 300
REASON_CHARS = 300

PROMPT_FILE = Path(__file__).with_name("classifier.md")


class ModelClassifier:
    """`spent` is told what each question has cost, also one that was not waited for."""

    def __init__(
        self,
        model: Model,
        name: str = CHEAP_MODEL,
        deadline: float = DEADLINE_SECONDS,
        spent: Callable[[Usage], None] = lambda _: None,
    ) -> None:
        self._spent = spent
        self._model = model
        self._name = name
        self._deadline = deadline

    async def advise(self, question: Question) -> Advice:
        if len(question.text) > TEXT_CHARS:
            return Advice(harmless=False, reason=f"It is too long to be judged ({len(question.text)} characters).")
        try:
            async with asyncio.timeout(self._deadline):
                answer = await self._answer(question)
        except TimeoutError:
            return Advice(harmless=False, reason=f"{self._name} gave no answer within {self._deadline:g} s.")
        except ModelError as error:
            return Advice(harmless=False, reason=f"{self._name} could not be asked: {error}{_way_out(error)}")
        return self._advice(answer)

    async def _answer(self, question: Question) -> str:
        """The text of a reply that came to its end; empty where it did not."""
        texts: list[str] = []
        whole = False
        counted: dict[str, int] = {}
        try:
            async with contextlib.aclosing(self._model.reply(self._request(question))) as events:
                async for event in events:
                    match event:
                        case BlockClosed(_, {"type": "text", "text": str(text)}):
                            texts.append(text)
                        case ReplyEnded(stop_reason):
                            whole = stop_reason == "end_turn"
                        case UsageCounted():
                            counted |= {name: said for name, said in asdict(event).items() if said is not None}
                        case _:
                            pass
        finally:
            if counted:
                self._spent(Usage(**counted, model=self._name))
        return "".join(texts) if whole else ""

    def _request(self, question: Question) -> Request:
        # As JSON the text of the call cannot end itself and go on as ours.
        call = {"tool": question.tool, "folder": question.folder, "call": question.text}
        return Request(
            self._name,
            ({"role": "user", "content": json.dumps(call, ensure_ascii=False)},),
            PROMPT_FILE.read_text(encoding="utf-8"),
            max_tokens=ANSWER_TOKENS,
            thinking=False,
        )

    def _advice(self, answer: str) -> Advice:
        try:
            found: Any = json.loads(answer[answer.index("{") : answer.rindex("}") + 1])
        except (ValueError, RecursionError):
            found = None
        said = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
        harmless, reason = said.get("harmless"), said.get("reason")
        if not isinstance(harmless, bool) or not isinstance(reason, str):
            return Advice(harmless=False, reason=f"{self._name} gave no clear answer.")
        return Advice(harmless, f"{self._name} says: {' '.join(reason.split())[:REASON_CHARS]}")


def _way_out(error: ModelError) -> str:
    return " Name another one in the setting `classifier.model`." if error.kind == "not_found" else ""
