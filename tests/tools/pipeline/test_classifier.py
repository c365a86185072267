"""The classifier's seat in the gate: when it is asked, when it is no longer waited for, and what its advice does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.pipeline import Fake, Rig, SaidHooks, fake, one_call, settled, text_of, until
from tools.classify import Question, risk_of
from tools.contract import Verdict
from tools.events import PermissionDecided
from tools.hooks import BeforeWord, HookedCall
from tools.permissions.decision import Advice
from tools.permissions.gate import Answer
from tools.permissions.subjects import CommandSubject
from tools.permissions.world import Call

HARMLESS = Advice(harmless=True, reason="It only builds.")
HARMFUL = Advice(harmless=False, reason="It publishes.")


@dataclass
class Slow:
    """A classifier that answers when the test says so."""

    asked: list[Question] = field(default_factory=list)
    cancelled: int = 0
    answer: asyncio.Future[Advice] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    async def advise(self, question: Question) -> Advice:
        self.asked.append(question)
        try:
            return await asyncio.shield(self.answer)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


@dataclass
class Says:
    advice: Advice | Exception
    asked: list[Question] = field(default_factory=list)

    async def advise(self, question: Question) -> Advice:
        self.asked.append(question)
        if isinstance(self.advice, Exception):
            raise self.advice
        return self.advice


def play(body: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await body()

    asyncio.run(bounded())


def in_auto(folder: Path, *tools: Fake, **more: Any) -> Rig:
    rig = Rig(folder, *(tools or (fake(judged_text="make"),)), **more)
    rig.policy.set_mode("auto")
    return rig


def decided(rig: Rig) -> PermissionDecided:
    (found,) = rig.of(PermissionDecided)
    return found


@pytest.mark.parametrize(
    ("mode", "says", "text", "advice", "outcome"),
    [
        ("auto", "pass", "harmless", HARMLESS, "ok"),
        ("auto", "pass", "harmful", HARMFUL, "denied"),
        ("auto", "pass", "", HARMLESS, "denied"),
        ("auto", "ask", "harmless", HARMLESS, "denied"),
        ("default", "pass", "harmless", HARMLESS, "denied"),
    ],
)
def test_step_05_the_classifier_turns_only_the_default_ask_of_auto_mode_into_an_allow(
    tmp_path: Path, mode: Any, says: str, text: str, advice: Advice, outcome: str
) -> None:
    rig = Rig(tmp_path, fake(judged_text=text), answerer=lambda _: Answer("no"))
    rig.policy.set_mode(mode)
    judge = rig.classifier = Says(advice)
    assert one_call(rig, says=says).outcome == outcome
    wanted = mode == "auto" and says == "pass" and text
    assert [question.text for question in judge.asked] == ([text] if wanted else [])


def test_harmless_advice_lets_the_call_run_and_its_reason_stands_in_the_trace(tmp_path: Path) -> None:
    rig = in_auto(tmp_path)
    judge = rig.classifier = Says(HARMLESS)
    assert one_call(rig, says="pass", command="make").outcome == "ok"
    decision = decided(rig).decision
    assert decision.reason == "make: The classifier found it harmless: It only builds."
    assert (decision.trace[0].source, decision.trace[0].verdict) == ("classifier", "allow")
    assert judge.asked == [Question("Fake", "make", str(tmp_path))]


def test_other_advice_leaves_the_question_and_says_why(tmp_path: Path) -> None:
    async def body() -> None:
        rig = in_auto(tmp_path)
        rig.classifier = Says(HARMFUL)
        talk = rig.talk()
        talk.add("c1", says="pass", command="make")
        await until(lambda: rig.asked)
        decision = rig.question("c1").request.decision
        assert decision.by_default
        assert ("classifier", "ask", "It publishes.") in [(s.source, s.verdict, s.reason) for s in decision.trace]
        rig.gate.rules_changed("something")
        await settled()
        assert len(rig.revisions("c1")) == 1, "looked at again it is the same question"
        rig.answer("c1", "no")
        await talk.answers()

    play(body)


@pytest.mark.parametrize(("kind", "outcome"), [("allow", "ok"), ("deny", "denied")])
def test_where_rules_have_decided_nobody_is_asked_for_advice(tmp_path: Path, kind: Any, outcome: str) -> None:
    rig = in_auto(tmp_path, fake(name="Edit", judged_text="an edit"))
    judge = rig.classifier = Says(HARMFUL)
    rig.policy.add_rule("Edit(a)", kind)
    assert one_call(rig, "Edit", path="a", says="pass").outcome == outcome
    assert judge.asked == []


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [(Verdict("allow", "fine"), "ok"), (Verdict("deny", "no"), "denied")],
)
def test_where_a_hook_has_decided_first_the_classifier_is_cancelled(
    tmp_path: Path, verdict: Verdict, outcome: str
) -> None:
    async def body() -> None:
        slow = Slow()

        class Hooks(SaidHooks):
            async def before(self, call: HookedCall) -> BeforeWord:
                await until(lambda: slow.asked)
                return BeforeWord(verdict)

        rig = in_auto(tmp_path, hooks=Hooks())
        rig.classifier = slow
        talk = rig.talk()
        talk.add("c1", says="pass")
        assert (await talk.answers())["c1"].outcome == outcome
        assert slow.cancelled == 1

    play(body)


def test_where_a_hook_asks_the_person_is_asked_without_waiting_for_advice(tmp_path: Path) -> None:
    async def body() -> None:
        rig = in_auto(tmp_path, hooks=SaidHooks([BeforeWord(Verdict("ask", "The hook wants to know."))]))
        slow = rig.classifier = Slow()
        talk = rig.talk()
        talk.add("c1", says="pass")
        await until(lambda: rig.asked)
        slow.answer.set_result(HARMLESS)
        await settled()
        assert rig.asked == ["c1"], "advice does not outvote a hook"
        rig.answer("c1", "no")
        await talk.answers()

    play(body)


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        (lambda rig: rig.policy.add_rule("Edit(a)", "allow"), "ok"),
        (lambda rig: rig.policy.add_rule("Edit(a)", "deny"), "denied"),
        (lambda rig: rig.policy.set_mode("plan"), "denied"),
    ],
    ids=["an allow rule", "a deny rule", "plan mode"],
)
def test_rules_and_modes_that_change_meanwhile_decide_without_the_advice(
    tmp_path: Path, change: Callable[[Rig], None], outcome: str
) -> None:
    async def body() -> None:
        rig = in_auto(tmp_path, fake(name="Edit", judged_text="an edit"))
        slow = rig.classifier = Slow()
        talk = rig.talk()
        talk.add("c1", "Edit", path="a", says="pass")
        await until(lambda: slow.asked)
        change(rig)
        rig.gate.rules_changed("changed")
        assert (await talk.answers())["c1"].outcome == outcome
        assert slow.cancelled == 1

    play(body)


def test_advice_that_comes_after_auto_mode_was_left_allows_nothing(tmp_path: Path) -> None:
    async def body() -> None:
        rig = in_auto(tmp_path)
        slow = rig.classifier = Slow()
        talk = rig.talk()
        talk.add("c1", says="pass")
        await until(lambda: slow.asked)
        slow.answer.set_result(HARMLESS)
        rig.policy.set_mode("default")
        await until(lambda: rig.asked)
        assert rig.started == []
        rig.answer("c1", "no")
        await talk.answers()

    play(body)


def test_a_cancelled_call_takes_its_classifier_with_it(tmp_path: Path) -> None:
    async def body() -> None:
        rig = in_auto(tmp_path)
        slow = rig.classifier = Slow()
        talk = rig.talk()
        talk.add("c1", says="pass")
        await until(lambda: slow.asked)
        talk.executor.cancel("c1", "the person stopped it")
        assert (await talk.answers())["c1"].outcome == "cancelled"
        assert slow.cancelled == 1

    play(body)


def test_the_latencies_of_hooks_and_classifier_overlap(tmp_path: Path) -> None:
    # Each ends only once the other has begun: one after the other they would wait for ever.
    begun = {"hooks": asyncio.Event(), "classifier": asyncio.Event()}

    class SlowHooks(SaidHooks):
        async def before(self, call: HookedCall) -> BeforeWord:
            begun["hooks"].set()
            await begun["classifier"].wait()
            return BeforeWord()

    class SlowJudge(Says):
        async def advise(self, question: Question) -> Advice:
            begun["classifier"].set()
            await begun["hooks"].wait()
            return HARMLESS

    rig = in_auto(tmp_path, hooks=SlowHooks())
    rig.classifier = SlowJudge(HARMLESS)
    assert one_call(rig, says="pass").outcome == "ok"


@pytest.mark.parametrize(("rewritten", "outcome"), [("make", "ok"), ("publish", "denied")])
def test_an_input_that_a_hook_changed_is_judged_by_its_new_text(tmp_path: Path, rewritten: str, outcome: str) -> None:
    class Judge:
        async def advise(self, question: Question) -> Advice:
            return HARMLESS if question.text == "make" else HARMFUL

    tool = fake()
    tool.classifier_text = lambda input: input.text  # type: ignore[method-assign]  # as if the tool had been written so
    hooks = SaidHooks([BeforeWord(updated_input={"text": rewritten, "says": "pass"}), BeforeWord()])
    rig = in_auto(tmp_path, tool, hooks=hooks, answerer=lambda _: Answer("no"))
    rig.classifier = Judge()
    assert one_call(rig, says="pass", text="make" if rewritten == "publish" else "publish").outcome == outcome


def test_a_classifier_that_fails_leaves_the_call_to_the_person(tmp_path: Path) -> None:
    async def body() -> None:
        rig = in_auto(tmp_path)
        rig.classifier = Says(RuntimeError("boom"))
        talk = rig.talk()
        talk.add("c1", says="pass")
        await until(lambda: rig.asked)
        trace = rig.question("c1").request.decision.trace
        assert any("RuntimeError: boom" in step.reason for step in trace)
        rig.answer("c1", "once")
        assert text_of((await talk.answers())["c1"]) == "did c1"

    play(body)


def command(text: str, **more: Any) -> CommandSubject:
    return CommandSubject(text, (text,), (text,), **more)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (
            Call("Bash", (), (command("ls"), command("rm -r x", destructive=True))),
            "`rm -r x` does what nobody gets back.",
        ),
        (Call("Bash", (), (command("eval $X", understood=False, why="`eval` runs text."),)), "`eval` runs text."),
        (Call("Bash", (), (command("$X", understood=False),)), "What `$X` does is known only when it runs."),
        (
            Call("Bash", (), (command("bash", hides_commands=True),)),
            "`bash` runs commands that cannot be read beforehand.",
        ),
        (Call("Write", (), (), destructive=True), "This Write call does what nobody gets back."),
        (Call("Bash", (), (command("make"),)), ""),
    ],
)
def test_the_analysis_names_the_risk_of_a_call(call: Call, why: str) -> None:
    assert risk_of(call) == why


def test_what_the_analysis_finds_too_risky_is_never_put_to_the_classifier(tmp_path: Path) -> None:
    async def body() -> None:
        rig = in_auto(tmp_path, fake(judged_text="rm -r x", destructive=True))
        judge = rig.classifier = Says(HARMLESS)
        talk = rig.talk()
        talk.add("c1", says="pass")
        await until(lambda: rig.asked)
        assert judge.asked == []
        trace = rig.question("c1").request.decision.trace
        assert "This Fake call does what nobody gets back." in [step.reason for step in trace]
        rig.answer("c1", "no")
        await talk.answers()

    play(body)
