"""A yes covers what was shown: what the person changed is judged anew, and what changed meanwhile is shown again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.pipeline import Rig, SaidHooks, Stage, fake, settled, text_of, until
from tools.contract import Verdict
from tools.events import PermissionDecided, PermissionRequested, PermissionUpdated
from tools.flight import Answered, GroundChanged, ToolUse
from tools.hooks import BeforeWord, HookedCall


def play(body: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await body()

    asyncio.run(bounded())


def editor(folder: Path, **more: Any) -> Rig:
    return Rig(folder, fake(name="Edit"), **more)


class Watching(SaidHooks):
    """Hooks that say of each path what a test has written for it."""

    def __init__(self, words: dict[str, BeforeWord]) -> None:
        super().__init__()
        self.words = words
        self.paths: list[str] = []

    async def before(self, call: HookedCall) -> BeforeWord:
        path = str(call.input["path"])
        self.paths.append(path)
        return self.words.get(path, BeforeWord())


def changed_to(path: str) -> dict[str, Any]:
    return {"text": "other", "path": path, "says": "pass"}


# -- what the person changed


def test_a_changed_input_is_put_to_the_hooks_before_it_runs(tmp_path: Path) -> None:
    async def body() -> None:
        hooks = Watching({"b": BeforeWord(context="b is read by the build.")})
        rig = editor(tmp_path, hooks=hooks)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c1", "once", input=changed_to("b"), comment="b, not a")
        said = text_of((await talk.answers())["c1"])
        assert hooks.paths == ["a", "b"]
        assert said.startswith("did other\n\nb is read by the build.\nThe person changed the input before it ran")
        assert said.endswith("The person said: b, not a")

    play(body)


def test_a_changed_input_that_a_hook_denies_is_not_run_and_the_question_stands_as_before(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path, hooks=Watching({"b": BeforeWord(Verdict("deny", "Not b."))}))
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c1", "once", input=changed_to("b"))
        await until(lambda: rig.of(PermissionUpdated))
        (updated,) = rig.of(PermissionUpdated)
        assert "Not b." in updated.why
        assert updated.request.input["path"] == "a"
        rig.answer("c1", "once")
        assert text_of((await talk.answers())["c1"]) == "did c1"

    play(body)


@pytest.mark.parametrize(
    ("path", "demand"), [("asked", "The ask rule `Edit(asked)` matches"), (".git/config", "is protected")]
)
def test_what_asks_for_another_reason_once_it_is_changed_is_shown_before_it_runs(
    tmp_path: Path, path: str, demand: str
) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        rig.policy.add_rule("Edit(asked)", "ask")
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c1", "once", input=changed_to(path))
        await until(lambda: rig.of(PermissionUpdated))
        (updated,) = rig.of(PermissionUpdated)
        assert demand in updated.request.decision.reason
        assert updated.request.input["path"] == path
        assert rig.started == []
        rig.answer("c1", "once")
        said = text_of((await talk.answers())["c1"])
        assert said.startswith("did other\n\nThe person changed the input before it ran; what ran: ")
        assert path in said

    play(body)


def test_what_asks_for_the_same_reason_as_before_runs_at_once(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        rig.policy.add_rule("Edit(asked/**)", "ask")
        talk = rig.talk()
        talk.add("c1", "Edit", path="asked/a", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c1", "once", input=changed_to("asked/b"))
        assert text_of((await talk.answers())["c1"]).startswith("did other")

    play(body)


def test_what_a_hook_makes_of_a_changed_input_is_shown_before_it_runs(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path, hooks=Watching({"b": BeforeWord(updated_input=changed_to("c"))}))
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c1", "once", input=changed_to("b"))
        await until(lambda: rig.of(PermissionUpdated))
        assert rig.question("c1").request.input["path"] == "c"
        assert rig.started == []
        rig.answer("c1", "once")
        assert '"path": "c"' in text_of((await talk.answers())["c1"])

    play(body)


def test_a_no_after_a_change_says_nothing_of_what_never_ran(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        rig.policy.add_rule("Edit(asked)", "ask")
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c1", "once", input=changed_to("asked"))
        await until(lambda: rig.of(PermissionUpdated))
        rig.answer("c1", "no", comment="leave it")
        said = text_of((await talk.answers())["c1"])
        assert said == "The person denied Edit and said: leave it"

    play(body)


def test_always_saves_the_rule_for_what_ran_and_not_for_what_the_model_wrote(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c1", "always", input=changed_to("b"))
        await talk.answers()
        ((_, suggested),) = rig.policy.granted
        assert suggested == (f"Edit(/{tmp_path}/b)",)

    play(body)


# -- what changed meanwhile


def linked(folder: Path, target: str) -> Path:
    for name in ("one", "two"):
        (folder / name).mkdir(exist_ok=True)
    link = folder / "link"
    link.unlink(missing_ok=True)
    link.symlink_to(folder / target)
    return link


def test_B15_a_yes_given_after_a_link_was_turned_is_void_and_the_question_is_asked_anew(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        linked(tmp_path, "one")
        talk = rig.talk()
        talk.add("c1", "Edit", path="link/a", says="pass")
        await until(lambda: rig.asked)
        linked(tmp_path, "two")
        rig.answer("c1", "once")
        await until(lambda: rig.of(PermissionUpdated))
        assert rig.of(PermissionUpdated)[0].why == "a link now leads elsewhere"
        assert rig.started == []
        rig.answer("c1", "once")
        assert (await talk.answers())["c1"].outcome == "ok"

    play(body)


def test_B14_a_link_turned_between_the_yes_and_the_run_sends_the_call_back_to_the_gate(tmp_path: Path) -> None:
    async def body() -> None:
        stage = Stage()
        rig = Rig(tmp_path, fake(work=stage), fake(name="Edit"))
        linked(tmp_path, "one")
        busy, talk = rig.talk("helper"), rig.talk()
        busy.add("busy")
        await until(lambda: stage.running)
        talk.add("c1", "Edit", path="link/a", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c1", "once")
        await until(lambda: not rig.asked)
        await settled()
        assert rig.started == ["busy"], "it waits for the one that writes"
        linked(tmp_path, "two")
        stage.end("busy")
        await until(lambda: rig.asked == ["c1"])
        assert rig.started == ["busy"]
        rig.answer("c1", "once")
        assert (await talk.answers())["c1"].outcome == "ok"
        await busy.answers()

    play(body)


def test_a_deny_rule_that_a_link_now_leads_to_ends_the_question(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        rig.policy.add_rule("Edit(two/**)", "deny")
        linked(tmp_path, "one")
        talk = rig.talk()
        talk.add("c1", "Edit", path="link/a", says="pass")
        await until(lambda: rig.asked)
        linked(tmp_path, "two")
        rig.answer("c1", "always")
        assert (await talk.answers())["c1"].outcome == "denied"
        assert rig.policy.granted == [], "no rule was saved"

    play(body)


def test_every_answer_has_all_other_questions_decided_again(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        talks = [rig.talk(name) for name in ("main", "helper", "other")]
        for number, talk in enumerate(talks):
            talk.add(f"c{number}", "Edit", path="a", says="pass")
        await until(lambda: len(rig.asked) == 3)
        rig.policy.add_rule("Edit(a)", "deny")
        rig.answer("c1", "no")
        await talks[1].answers()
        for number in (0, 2):
            assert (await talks[number].answers())[f"c{number}"].outcome == "denied"
        assert len(rig.of(PermissionRequested)) == 3

    play(body)


def test_what_was_decided_is_remembered_with_how_it_was(tmp_path: Path) -> None:
    async def body() -> None:
        rig = editor(tmp_path)
        rig.policy.add_rule("Edit(a)", "allow")
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        talk.add("c2", "Edit", path="b", says="pass")
        await until(lambda: rig.asked)
        rig.answer("c2", "once")
        await talk.answers()
        await settled()
        assert [(past.id, past.decision.kind) for past in rig.policy.past] == [("c2", "ask"), ("c1", "allow")]
        (rule,) = rig.policy.rules.rules
        assert rig.policy.past.times(rule) == 1
        assert [event.answered for event in rig.of(PermissionDecided)] == [False, True]

    play(body)


def test_the_kinds_of_a_comment_reach_the_model_where_they_belong(tmp_path: Path) -> None:
    async def body() -> None:
        rig = Rig(tmp_path, fake())
        talk = rig.talk()
        for call in ("yes", "no", "stop"):
            talk.add(call, says="ask")
        await until(lambda: rig.asked == ["yes", "no", "stop"])
        rig.answer("yes", "once", comment="and then the docs")
        rig.answer("no", "no", comment="use the other file")
        await until(lambda: rig.started == ["yes"] and talk.state("yes") == "done")
        rig.answer("stop", "stop", comment="enough")
        answers = await talk.answers()
        assert text_of(answers["yes"]) == "did yes\n\nThe person said: and then the docs"
        assert text_of(answers["no"]) == "The person denied Fake and said: use the other file"
        assert text_of(answers["stop"]) == "The person denied Fake and stopped the turn. enough"
        assert [answer.stop for answer in answers.values()] == [False, False, True]

    play(body)


def test_a_yes_does_not_cover_another_input_that_a_hook_makes_of_it_later(tmp_path: Path) -> None:
    async def body() -> None:
        hooks = Watching({})
        rig = editor(tmp_path, hooks=hooks)
        talk = rig.talk()
        use = ToolUse("c1", "Edit", {"text": "c1", "path": "a", "says": "pass"})
        flight = talk.pipeline.open(use, talk.context(use))
        assert not isinstance(flight, Answered)
        await talk.pipeline.check(flight)
        cleared = asyncio.create_task(talk.pipeline.clear(flight))
        await until(lambda: rig.asked)
        rig.answer("c1", "once")
        assert await cleared is None
        # The rules changed meanwhile, so the call goes back to the gate; this time a hook has another idea.
        rig.policy.add_rule("mcp__x", "deny")
        assert isinstance(await talk.pipeline.run(flight), GroundChanged)
        hooks.words["a"] = BeforeWord(updated_input=changed_to("a"))
        again = asyncio.create_task(talk.pipeline.clear(flight))
        await until(lambda: rig.asked or again.done())
        assert not again.done()
        rig.answer("c1", "no")
        refused = await again
        assert refused is not None
        assert refused.outcome == "denied"

    play(body)
