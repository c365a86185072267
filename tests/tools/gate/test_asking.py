"""Questions to the person, with real calls behind them: kept true while they are open, and answered in every way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.pipeline import FakeInput, Rig, SaidHooks, fake, settled, text_of, until
from tools.context import ToolContext
from tools.contract import Ground, Preview, Validation, Verdict
from tools.events import PermissionDecided, PermissionRequested, PermissionUpdated, PermissionWithdrawn
from tools.files import hash_file
from tools.hooks import BeforeWord
from tools.permissions.gate import Answer


def play(body: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(body())  # type: ignore[arg-type]  # a coroutine function


def editor(folder: Path, **more: Any) -> Rig:
    """A tool like Edit: it rests on its file, and refuses one that says it is gone."""

    async def look(input: FakeInput, ctx: ToolContext) -> Validation:
        gone = "gone" in (folder / str(input.path)).read_text()
        return Validation("The text to replace has gone; read it again.", "stale") if gone else Validation()

    async def shows(input: FakeInput, ctx: ToolContext) -> Preview:
        path = str(folder / str(input.path))
        return Preview((), (Ground(path, hash_file(path)),))

    for name in ("a", "b", "c"):
        (folder / name).write_text("one")
    return Rig(folder, fake(name="Edit", look=look, shows=shows), **more)


def test_a_no_with_words_tells_the_model_and_one_without_says_what_to_do(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        talk.add("c2", "Edit", path="b", says="pass")
        await until(lambda: rig.asked == ["c1", "c2"])
        rig.answer("c1", "no", comment="Use the other file.")
        rig.answer("c2", "no")
        answers = await talk.answers()
        assert text_of(answers["c1"]) == "The person denied Edit and said: Use the other file."
        assert "Do it another way or ask" in text_of(answers["c2"])
        assert [answer.code for answer in answers.values()] == ["denied", "denied"]
        assert not any(answer.stop for answer in answers.values())
        assert (rig.started, rig.asked) == ([], [])

    play(body)


def test_a_yes_with_words_runs_and_hands_the_words_on(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c1", "once", comment="But test it.")
        assert text_of((await talk.answers())["c1"]) == "did c1\n\nThe person said: But test it."

    play(body)


def test_a_changed_file_gives_the_question_a_new_revision_and_the_old_answer_is_void(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        shown = rig.question("c1").request.id
        (tmp_path / "a").write_text("two")
        rig.gate.file_changed(str(tmp_path / "a"), "the file was changed outside")
        await until(lambda: rig.of(PermissionUpdated))
        assert not rig.gate.answer(shown, 1, Answer("once"))
        assert rig.started == []
        assert rig.answer("c1", "once")
        assert (await talk.answers())["c1"].outcome == "ok"
        assert [event.revision for event in rig.revisions("c1")] == [1, 2]

    play(body)


def test_a_yes_given_after_the_file_changed_and_before_anybody_noticed_is_void_too(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        (tmp_path / "a").write_text("two")
        rig.answer("c1", "once")
        await until(lambda: len(rig.revisions("c1")) == 2)
        assert rig.started == []
        rig.answer("c1", "no")
        assert (await talk.answers())["c1"].outcome == "denied"

    play(body)


def test_what_can_no_longer_be_applied_says_so_and_the_model_can_be_told(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        (tmp_path / "a").write_text("gone")
        rig.gate.file_changed(str(tmp_path / "a"), "the file was changed outside")
        await until(lambda: rig.question("c1").request.problem)
        assert not rig.answer("c1", "once")
        assert rig.answer("c1", "tell_model")
        answered = (await talk.answers())["c1"]
        assert (answered.code, text_of(answered)) == ("ground_changed", "The text to replace has gone; read it again.")
        assert answered.outcome == "denied"

    play(body)


def test_what_could_not_be_applied_for_a_while_can_be_allowed_again(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        for content, problem in (("gone", True), ("back", False)):
            (tmp_path / "a").write_text(content)
            rig.gate.file_changed(str(tmp_path / "a"), "changed")
            await until(lambda problem=problem: bool(rig.question("c1").request.problem) == problem)
        assert rig.answer("c1", "once")
        assert (await talk.answers())["c1"].outcome == "ok"

    play(body)


def test_a_word_that_changes_nothing_leaves_the_question_as_it_stands(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.gate.file_changed(str(tmp_path / "a"), "touched")
        rig.gate.rules_changed("something")
        await settled()
        assert [event.revision for event in rig.revisions("c1")] == [1]
        rig.answer("c1", "no")
        await talk.answers()

    play(body)


@pytest.mark.parametrize(("kind", "outcome"), [("allow", "ok"), ("deny", "denied")])
def test_a_rule_that_decides_withdraws_the_question(tmp_path: Path, kind: Any, outcome: str) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.policy.add_rule("Edit(a)", kind)
        rig.gate.rules_changed("the rules were changed")
        answered = (await talk.answers())["c1"]
        assert answered.outcome == outcome
        assert [event.request_id for event in rig.of(PermissionWithdrawn)] == ["ask-c1"]
        (decided,) = rig.of(PermissionDecided)
        assert (decided.decision.kind, decided.answered, decided.request_id) == (kind, False, "ask-c1")

    play(body)


def test_always_closes_the_other_questions_it_covers_and_only_those(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        one, two = rig.talk(), rig.talk("helper")
        one.add("c1", "Edit", path="a", says="pass")
        two.add("h1", "Edit", path="a", says="pass")
        two.add("h2", "Edit", path="b", says="pass")
        await until(lambda: sorted(rig.asked) == ["c1", "h1", "h2"])
        assert rig.answer("c1", "always", rules=("Edit(a)",))
        await one.answers()
        await until(lambda: rig.asked == ["h2"])
        rig.answer("h2", "no")
        answers = await two.answers()
        assert [answer.outcome for answer in answers.values()] == ["ok", "denied"]
        assert [event.request_id for event in rig.of(PermissionWithdrawn)] == ["ask-h1"]

    play(body)


def test_once_covers_one_call_and_no_other(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        one, two = rig.talk(), rig.talk("helper")
        one.add("c1", "Edit", path="a", says="pass")
        two.add("h1", "Edit", path="a", says="pass")
        await until(lambda: sorted(rig.asked) == ["c1", "h1"])
        rig.answer("c1", "once")
        await one.answers()
        await settled()
        assert rig.asked == ["h1"]
        rig.answer("h1", "no")
        await two.answers()

    play(body)


def test_a_rule_that_cannot_be_saved_is_told_and_the_question_stays_without_always(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        rig.policy.cannot_save = OSError("the disk is full")
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        assert rig.question("c1").request.always
        rig.answer("c1", "always")
        await until(lambda: rig.of(PermissionUpdated))
        (updated,) = rig.of(PermissionUpdated)
        assert "the rule could not be saved: the disk is full" in updated.why
        assert updated.request.always == ()
        rig.answer("c1", "once")
        assert (await talk.answers())["c1"].outcome == "ok"

    play(body)


def test_an_input_the_person_changed_is_what_runs_and_the_model_is_told(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c1", "once", input={"text": "other", "path": "b", "says": "pass"})
        answered = (await talk.answers())["c1"]
        assert text_of(answered).startswith("did other\n\nThe person changed the input before it ran")

    play(body)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"path": 5}, "input is not valid"),
        ({"path": "c", "says": "pass"}, "Edit(c)"),
        ({"path": "gone", "says": "pass"}, "has gone"),
    ],
)
def test_a_changed_input_that_cannot_be_is_refused_and_the_person_asked_anew(
    tmp_path: Path, changed: dict[str, Any], why: str
) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        (tmp_path / "gone").write_text("gone")
        rig.policy.add_rule("Edit(c)", "deny")
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c1", "once", input=changed)
        await until(lambda: rig.of(PermissionUpdated))
        (updated,) = rig.of(PermissionUpdated)
        assert why in updated.why
        assert updated.request.input["path"] == "a", "the question is about the model's own input again"
        rig.answer("c1", "once")
        assert text_of((await talk.answers())["c1"]) == "did c1"

    play(body)


def test_a_deny_that_came_while_the_person_said_yes_wins(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.policy.add_rule("Edit(a)", "deny")
        rig.answer("c1", "always")
        assert (await talk.answers())["c1"].outcome == "denied"
        assert rig.policy.granted == []
        assert rig.started == []

    play(body)


def test_a_hooks_word_still_counts_when_the_question_is_looked_at_again(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path, hooks=SaidHooks([BeforeWord(Verdict("ask", "The hook wants to know."))]))
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.policy.add_rule("Edit(a)", "allow")
        rig.gate.rules_changed("the rules were changed")
        await settled()
        assert rig.asked == ["c1"], "an allow rule does not outvote the hook's ask"
        assert "The hook wants to know." in rig.question("c1").request.decision.reason
        rig.answer("c1", "no")
        await talk.answers()
        assert len(rig.of(PermissionRequested)) == 1

    play(body)
