"""Every event goes to a line of JSON and comes back as it was."""

from __future__ import annotations

import dataclasses
import json
import typing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent import events as session_events
from agent.events import Event, ExternalEdit, Notice, Stamped, TextDone, Usage
from agent.store.codec import BLOCKS, EVENTS, from_plain, to_line, to_plain
from tools import blocks
from tools.diffs import diff_of
from tools.events import PermissionRequest, PermissionRequested, ToolFinished
from tools.permissions.decision import Decision, TraceStep

ALL_BLOCKS: tuple[Any, ...] = (
    blocks.line("Read ", ("a.py", "path")),
    blocks.Code("x = 1", "python", 3),
    diff_of("a.py", "one\ntwo\n", "one\n2\n"),
    blocks.Tail(("last",), 40),
    blocks.Table(("a", "b"), (("1", "2"), ("3", "4"))),
    blocks.Markdown("x = 1"),
    blocks.Meter(1, 2, "files"),
)

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
times = st.floats(0, 1e10)


def stamped(event: Event) -> Stamped:
    return Stamped(7, 12.5, "main", event)


def back(event: Event) -> Event | None:
    read = from_plain(json.loads(to_line(stamped(event))))
    return read.event if read else None


def made(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Any event of a kind: each field by its annotation, objects as plain data."""
    hints = typing.get_type_hints(kind)
    return st.builds(kind, **{field.name: _value(hints[field.name]) for field in dataclasses.fields(kind)})


def _value(hint: Any) -> st.SearchStrategy[Any]:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is blocks.Blocks:
        return st.lists(st.sampled_from(ALL_BLOCKS), max_size=3).map(tuple)
    if origin is typing.Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(_value(args[0]), max_size=2).map(tuple)
    if origin is not None and origin.__name__ == "Mapping":
        return st.dictionaries(st.text(), st.text() if args[1] is str else plain, max_size=2)
    if args:
        return st.one_of(*map(_value, args))
    if dataclasses.is_dataclass(hint):
        return made(typing.cast("type[Any]", hint))
    return {
        str: st.text(),
        int: st.integers(-(2**60), 2**60),
        float: times,
        bool: st.booleans(),
        type(None): st.none(),
    }[hint]


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_every_event_comes_back_as_it_was(kind: type[Any]) -> None:
    @settings(max_examples=15)
    @given(made(kind))
    def comes_back(event: Event) -> None:
        assert back(event) == event

    comes_back()


def test_all_events_and_blocks_are_known_by_name() -> None:
    assert set(typing.get_args(session_events.Event)) == set(EVENTS)
    assert set(typing.get_args(blocks.Block)) == set(BLOCKS)
    named = [field.name for kind in (*EVENTS, *BLOCKS) for field in dataclasses.fields(kind)]
    assert "type" not in named


def test_every_kind_of_block_survives_in_a_question() -> None:
    decision = Decision("ask", "it writes", (TraceStep("rule", "ask", "a.py", "because", "settings.json:3"),))
    request = PermissionRequest(
        "r1",
        "t1",
        "Edit",
        {"path": "a.py"},
        "Edit a.py",
        decision,
        ALL_BLOCKS,
        always=("Edit(a.py)",),
        stops=(("Edit(a.py)",), ("Edit(*)", "Edit(b.py)")),
    )
    event = PermissionRequested(request, 2)
    assert back(event) == event


def test_a_line_is_flat_ascii_with_number_time_and_owner() -> None:
    line = to_line(stamped(Notice("a\nb\u2028c é", "warning")))
    assert "\n" not in line
    assert line.isascii()
    assert json.loads(line) == {
        "seq": 7,
        "time": 12.5,
        "agent": "main",
        "event": {"type": "Notice", "text": "a\nb\u2028c é", "level": "warning"},
    }


def test_a_name_that_is_no_unicode_survives() -> None:
    event = ExternalEdit("caf\udce9", None, "external")
    assert back(event) == event


def test_a_number_json_has_no_word_for_is_nothing() -> None:
    assert back(ToolFinished("t1", "ok", data={"rate": float("inf")})) == ToolFinished("t1", "ok", data={"rate": None})


NOT_EVENTS: list[Any] = [
    {},
    {"seq": 1, "time": 2, "agent": "main"},
    {"seq": 1, "time": 2, "agent": "main", "event": {"type": "Future", "x": 1}},
    {"seq": 1, "time": 2, "agent": "main", "event": {"type": "Line", "spans": []}},
    {"seq": 1, "time": 2, "agent": "main", "event": {"type": "TextDone"}},
    {"seq": 1, "time": 2, "agent": "main", "event": {"type": "TextDone", "text": ["x"]}},
    {"seq": 1, "time": 2, "agent": "main", "event": {"type": "TurnEnded", "reason": "whim"}},
    {"seq": 1, "time": 2, "agent": "main", "event": {"type": "PermissionRequested", "request": 5, "revision": 1}},
    {
        "seq": 1,
        "time": 2,
        "agent": "main",
        "event": {"type": "PermissionRequested", "request": {"preview": [{"type": "Notice"}]}},
    },
    {"seq": "1", "time": 2, "agent": "main", "event": {"type": "TextDone", "text": "x"}},
]


@pytest.mark.parametrize("data", NOT_EVENTS)
def test_L5_what_is_no_event_of_ours_is_unknown(data: Any) -> None:
    assert from_plain(data) is None


@given(st.dictionaries(st.sampled_from(["seq", "time", "agent", "event"]), plain), st.sampled_from(EVENTS), plain)
def test_L5_no_saved_line_raises(data: dict[str, Any], kind: type[Any], inner: Any) -> None:
    from_plain(data)
    request = {"type": kind.__name__, "request": inner, "preview": inner, "diff": inner}
    from_plain({"seq": 1, "time": 1.0, "agent": "main", "event": request})


def test_fields_a_later_version_added_do_not_hide_an_event() -> None:
    plain_event = to_plain(stamped(TextDone("x")))
    plain_event["event"]["later"] = 1
    assert from_plain(plain_event) == stamped(TextDone("x"))
    assert back(Usage()) == Usage()
