"""A call on its way through the pipeline, as data: what the model asked, what is known of it, how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tools.context import Place, ToolContext
from tools.contract import VALID, AnyTool, Ground, Preview, ResultContent, ToolError, Validation, Verdict
from tools.events import Outcome
from tools.hooks import AfterWord
from tools.permissions.decision import Advice
from tools.permissions.world import Call
from tools.results import Fitted


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A closed block of the model's. `refusal` is set where it must be answered without being looked at further."""

    id: str
    name: str
    input: Any
    refusal: Validation = VALID


@dataclass(frozen=True, slots=True)
class Answered:
    """The end of a call: what the model gets, and what others do."""

    use: ToolUse
    outcome: Outcome
    fitted: Fitted
    code: str = ""
    exempt: bool = False
    extra_messages: tuple[str, ...] = ()
    # The person, or a hook, said stop: the turn ends after this.
    stop: bool = False
    stopped_by: str = "the person"

    def result_block(self, content: ResultContent) -> dict[str, Any]:
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": self.use.id, "content": content}
        return block if self.outcome == "ok" else {**block, "is_error": True}


@dataclass(slots=True)
class Flight:
    """A call on its way: what the steps so far have found out."""

    use: ToolUse
    tool: AnyTool
    input: Any
    ctx: ToolContext
    problem: Validation = VALID
    preview: Preview = field(default_factory=lambda: Preview(()))
    call: Call | None = None
    # What hooks, and the classifier of auto mode, said of this very input.
    hook: Verdict | None = None
    stopped_by_hook: bool = False
    advice: Advice | None = None
    # Where the paths it names really lead, as the gate saw it.
    targets: tuple[str, ...] = ()
    changed_by_person: bool = False
    # What the model is told besides the result.
    notes: list[str] = field(default_factory=list[str])
    # What the gate saw when it let the call through, to compare with at its turn.
    cleared_version: int = -1
    # When step 9 began; None while nothing of the call has run.
    started: float | None = None
    # Told when the call begins to wait for a person.
    on_question: Callable[[], None] = lambda: None
    # A hook after the call wants the turn to end with it.
    stop: bool = False
    # What the person said yes to; it stands only while all of it is the same.
    _approved: tuple[Any, Place, tuple[Ground, ...], tuple[str, ...]] | None = None

    @property
    def safe(self) -> bool:
        return self.tool.is_concurrency_safe(self.input)

    def approve(self) -> None:
        self._approved = self._to_approve

    @property
    def approved(self) -> bool:
        return self._approved is not None and self._approved == self._to_approve

    @property
    def _to_approve(self) -> tuple[Any, Place, tuple[Ground, ...], tuple[str, ...]]:
        return self.input, self.ctx.place, self.preview.ground, self.targets

    def take(self, word: AfterWord) -> None:
        """What hooks said after the call, for the model and for the turn."""
        self.note(word.context)
        self.note(word.stop)
        self.stop = self.stop or bool(word.stop)

    def note(self, text: str) -> None:
        """Said once, however often the call passes the gate."""
        if text and text not in self.notes:
            self.notes.append(text)


class GroundChanged:
    """What the gate saw is no longer so: the call goes back to it."""


class TurnStopped(ToolError):
    """The person answered the question of a sub-operation with stop: the call ends, and the turn with it."""
