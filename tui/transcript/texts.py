"""An entry in words, as much as there is of it: what a search looks through, and what is copied."""

from __future__ import annotations

from agent.plain import lines_of
from tools.blocks import Blocks
from tools.view import outcome_and_body
from tui.transcript.calls import blocks_of, output_of, subject_text
from tui.transcript.entries import Answer, Call, Entry, Note, Outside, Thought, Together, Words
from tui.transcript.kinds import Kinds
from tui.transcript.outside import said_of_many


def text_of(entry: Entry, kinds: Kinds) -> str:
    match entry:
        case Words(text=text) | Answer(text=text) | Thought(text=text):
            return text
        case Call() as call:
            return _of_call(call, kinds)
        case Outside() as outside:
            return _of_edit(outside, kinds)
        case Together() as many:
            return "\n".join([said_of_many(many), *(_of_edit(one, kinds) for one in many.members.values())])
        case Note(text=text, detail=detail):
            return f"{text}\n{detail}".strip()
        case _:
            return ""


def _of_edit(outside: Outside, kinds: Kinds) -> str:
    diff = outside.diff
    return "\n".join([kinds.ctx.short(outside.path), *_lines((diff,) if diff is not None else ())])


def _of_call(call: Call, kinds: Kinds) -> str:
    """Its name and subject, what came of it in few words, and below that all it gave."""
    outcome, body = outcome_and_body(blocks_of(call, kinds, call.input, output_of(call, kinds), "verbose"))
    said = f"{kinds.shown_name(call.name, call.input)} {subject_text(call, kinds)}".strip()
    first = f"{said}  {outcome.text}" if outcome is not None and outcome.text else said
    return "\n".join([first, *_lines(body)])


def _lines(blocks: Blocks) -> list[str]:
    return [line for block in blocks for line in lines_of(block)]
