"""The sandbox in a session: chosen in the settings, said when it cannot be had, left only after a question."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agent.events import Notice
from agent.model.scripted import text, tool_use
from agent.session import Session
from agent.settings.merge import load_settings
from tests.support.background import started, told, with_session
from tests.support.pipeline import text_of
from tests.support.sandbox import MECHANISMS, only
from tests.support.sessions import Recorder, play, results_of, session_in, turn
from tools.contract import PromptOptions
from tools.events import PermissionRequested, ToolFinished
from tools.permissions.gate import Answer
from tools.pipeline import ToolUse
from tools.sandbox import sandbox as sandboxes


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder beside a temporary folder that is not above it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def choose(home: Path, **bash: object) -> None:
    settings = home / ".config" / "agent-tui" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"bash": bash}))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_what_the_sandbox_stopped_can_be_asked_for_without_it_and_then_works(
    project: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch, mechanism: str
) -> None:
    only(mechanism, monkeypatch)
    choose(a_home_of_its_own, sandbox="on")
    outside = project.parent / "outside"
    command = f"echo x > {outside}"

    async def body() -> None:
        script = [
            [tool_use("in", "Bash", command=command)],
            [tool_use("out", "Bash", command=command, dangerously_disable_sandbox=True)],
            [text("done")],
        ]
        async with session_in(project, script) as (session, seen):
            assert session.sandbox.state.active and session.sandbox.state.mechanism == mechanism
            session.submit("go")
            first = await seen.first(PermissionRequested)
            assert session.decide(first.request.id, first.revision, Answer("once"))
            again = await seen.first(PermissionRequested, lambda asked: asked.request.call_id == "out")
            assert "without a sandbox" in again.request.decision.reason and not outside.exists()
            assert again.request.always == (), "that is asked every time"
            assert session.decide(again.request.id, again.revision, Answer("once"))
            await session.turn_ended()
            answers = results_of(session.main.messages)
            assert "The sandbox seems to have kept it from writing outside" in answers["in"]["content"]
            assert outside.read_text() == "x\n"

    play(body)


def test_auto_allow_asks_less_for_what_stays_inside(
    project: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only("bubblewrap", monkeypatch)
    choose(a_home_of_its_own, sandbox="auto-allow")
    (project / "d").mkdir()
    (project / "x").touch()

    async def body() -> None:
        script = [
            [tool_use("a", "Bash", command="touch made && mv x y"), tool_use("b", "Bash", command="rm -r d")],
            [text("done")],
        ]
        async with session_in(project, script) as (session, seen):
            session.submit("go")
            asked = await seen.first(PermissionRequested)
            assert asked.request.call_id == "b", "what nobody gets back is asked about all the same"
            await seen.first(ToolFinished, lambda event: event.id == "a")
            assert sorted(os.listdir(project)) == ["d", "made", "y"]
            session.decide(asked.request.id, asked.revision, Answer("no"))
            await session.turn_ended()

    play(body)


def test_auto_allow_keeps_deny_and_ask_rules_and_protected_paths(
    project: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only("bubblewrap", monkeypatch)
    choose(a_home_of_its_own, sandbox="auto-allow")
    settings = a_home_of_its_own / ".config" / "agent-tui" / "settings.json"
    rules = {"deny": ["Bash(touch *)"], "ask": ["Bash(mkdir *)"]}
    settings.write_text(json.dumps({"bash": {"sandbox": "auto-allow"}, "permissions": rules}))

    async def body() -> None:
        commands = {"deny": "touch x", "ask": "mkdir d", "protected": "echo x > .git/config", "fine": "echo x > fine"}
        calls = [tool_use(name, "Bash", command=command) for name, command in commands.items()]
        asked: list[str] = []

        def answer(request: object) -> Answer:
            asked.append(getattr(request, "call_id"))  # noqa: B009 (a request, as the session makes it)
            return Answer("no")

        async with session_in(project, [calls, [text("x")]], answer) as (session, _):
            await turn(session)
            assert asked == ["ask", "protected"]
            assert os.listdir(project) == ["fine"]

    play(body)


def test_with_landlock_auto_allow_asks_as_always_and_says_why(
    project: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only("landlock", monkeypatch)
    choose(a_home_of_its_own, sandbox="auto-allow")

    async def work(session: Session, seen: Recorder) -> None:
        state = session.sandbox.state
        assert state.active and not state.asks_less
        assert "Landlock cannot protect git's hooks and our settings in the workspace" in state.sentence
        assert state.lacks == "sandbox asks"
        session.announce()
        assert any(state.sentence in notice.text for notice in seen.all(Notice)), "it is said before anything runs"
        await told(session, "Bash", command="touch x")
        assert seen.all(PermissionRequested)

    with_session(project, work)


def test_what_is_wanted_and_not_to_be_had_is_said_and_what_changes_something_asks(
    project: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(a_home_of_its_own, sandbox="on")
    monkeypatch.setattr(sandboxes, "find_program", lambda *_: None)
    monkeypatch.setattr(sandboxes, "can_filter", lambda: False)
    monkeypatch.setattr("sys.platform", "linux")
    (a_home_of_its_own / ".config" / "agent-tui" / "settings.json").write_text(
        json.dumps({"bash": {"sandbox": "on"}, "permissions": {"allow": ["Bash(touch *)"]}})
    )

    async def work(session: Session, seen: Recorder) -> None:
        session.announce()
        (notice,) = [notice.text for notice in seen.all(Notice) if "sandbox" in notice.text]
        assert notice.startswith("The sandbox is wanted, but not to be had: bubblewrap is not installed")
        await told(session, "Bash", command="ls")
        assert not seen.all(PermissionRequested), "what only reads needs no sandbox"
        await told(session, "Bash", command="touch x")
        assert "not to be had" in seen.all(PermissionRequested)[0].request.decision.reason

    with_session(project, work)


def test_off_it_says_what_there_would_be(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("landlock", monkeypatch)

    async def work(session: Session, _: Recorder) -> None:
        state = session.sandbox.state
        assert (state.active, state.missing, state.sentence) == (False, False, "off; Landlock is there")

    with_session(project, work)


@pytest.mark.parametrize(
    ("said", "active"), [(True, True), (False, False), ("on", True), ("off", False), (None, False)]
)
def test_true_and_false_are_on_and_off(
    project: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch, said: object, active: bool
) -> None:
    only("landlock", monkeypatch)
    choose(a_home_of_its_own, sandbox=said)

    async def work(session: Session, _: Recorder) -> None:
        assert session.sandbox.state.active == active

    with_session(project, work)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_what_the_person_types_themselves_runs_outside(
    project: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch, mechanism: str
) -> None:
    only(mechanism, monkeypatch)
    choose(a_home_of_its_own, sandbox="on")

    async def work(session: Session, _: Recorder) -> None:
        await session.run_shell(f"echo x > {project.parent}/outside")
        assert (project.parent / "outside").exists()

    with_session(project, work)


def test_a_project_does_not_choose_the_sandbox_and_hides_variables_besides_the_persons(
    project: Path, a_home_of_its_own: Path
) -> None:
    choose(a_home_of_its_own, sandbox="on", hideEnvironment=["MINE"])
    (project / ".agent-tui").mkdir()
    theirs = {"sandbox": "off", "sandboxNetwork": True, "autoBackground": True, "hideEnvironment": ["THEIRS"]}
    (project / ".agent-tui" / "settings.json").write_text(json.dumps({"bash": theirs}))
    from agent.settings.merge import Flags

    settings = load_settings(str(project), str(a_home_of_its_own), Flags(trusted=True))
    assert settings.values == {"bash.sandbox": "on", "bash.hideEnvironment": ["MINE", "THEIRS"]}
    told = " ".join(settings.notices)
    assert all(
        f"{name} is not taken" in told for name in ("bash.sandbox", "bash.sandboxNetwork", "bash.autoBackground")
    )


def test_a_choice_that_is_none_is_named_with_its_line(project: Path, a_home_of_its_own: Path) -> None:
    choose(a_home_of_its_own, sandbox="sometimes")
    settings = load_settings(str(project), str(a_home_of_its_own))
    assert "bash.sandbox" not in settings.values
    (problem,) = settings.problems
    assert "line 1: `bash.sandbox` is left out" in problem and "'auto-allow'" in problem


def test_the_model_is_told_of_the_sandbox_where_there_is_one(
    project: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only("landlock", monkeypatch)
    prose: list[str] = []

    async def work(session: Session, _: Recorder) -> None:
        bash = session.pool.find("Bash")
        assert bash is not None
        prose.append(bash.prompt(PromptOptions(frozenset(session.pool.names()))))

    with_session(project, work)
    choose(a_home_of_its_own, sandbox="on")
    with_session(project, work)
    assert ["run in a sandbox" in text for text in prose] == [False, True]
    assert all("`run_in_background`: the call answers at once" in text for text in prose)


def test_explain_sees_the_sandbox_as_the_gate_does(
    project: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only("bubblewrap", monkeypatch)
    from agent.scripts.explain import decide_for

    monkeypatch.chdir(project)
    asked = {"tool": "Bash", "input": {"command": "touch x"}}
    assert decide_for(asked).kind == "ask"
    choose(a_home_of_its_own, sandbox="auto-allow")
    decision = decide_for(asked)
    assert (decision.kind, "sandbox" in decision.reason) == ("allow", True)


def test_what_stopped_a_task_of_the_background_is_named_with_its_output(
    project: Path, a_home_of_its_own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only("landlock", monkeypatch)
    choose(a_home_of_its_own, sandbox="on")

    async def work(session: Session, _: Recorder) -> None:
        task = await started(session, f"echo x > {project.parent}/outside")
        said = await told(session, "TaskOutput", task_id=task, wait=10_000)
        assert "exit code 1" in said and "The sandbox seems to have kept it from writing outside" in said
        assert not (project.parent / "outside").exists()

    with_session(project, work)


def test_a_no_to_running_outside_runs_nothing(project: Path, a_home_of_its_own: Path) -> None:
    choose(a_home_of_its_own, sandbox="on")

    async def body() -> None:
        async with session_in(project, [], lambda _: Answer("no")) as (session, _):
            use = ToolUse("c", "Bash", {"command": "touch x", "dangerously_disable_sandbox": True})
            answered = (await session.main.run_calls([use]))[0]
            assert answered.outcome == "denied" and "denied" in text_of(answered)
            assert os.listdir(project) == []

    play(body)
