"""How the sheet looks: what is asked, why, and the answers, always in the same place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tui.sheet import asked
from tests.tui.sheet.asked import (
    BUILD,
    FOLDER,
    NEW,
    OLD,
    SMALL,
    WIDE,
    bash,
    edit,
    fetch,
    frame,
    lines_of,
    mcp,
    read,
    view_of,
)
from tools.blocks import line
from tools.diffs import diff_of
from tools.events import PermissionRequest
from tools.permissions.subjects import Lead
from tui.render.lines import Drawn
from tui.render.look import Look
from tui.sheet.draw import most_scroll
from tui.sheet.view import Changed, Field

THEN = (edit(), fetch("https://vite.dev/guide", "vite.dev"))
STALE = edit(
    problem=f"{FOLDER}/tidewatch/cache.py was changed by somebody else since you read it, and their change touches the "
    "text you replace. Nothing was written. What changed:\n@@ -1 +1 @@"
)
LONG = edit(before="".join(f"{n}\n" for n in range(300)), after="".join(f"{n}!\n" for n in range(300)))
BODY = "## What happens\nA `touch` makes every entry stale. " * 24


def style_of(lines: list[Drawn], text: str) -> str:
    return next(style for line in lines for piece, style in line.pieces if piece.strip() == text)


def test_a_command_at_120x38() -> None:
    assert "\n".join(frame(BUILD, total=3, then=THEN)) == (
        """
 ? Run this command?  Install and build the front end                                           in ~/tidewatch   1 of 3

   cd web && npm ci && npm run build 2>&1 | tail -40

   ✓ cd web         stays inside  the workspace
   ? npm ci         no rule       nearest: Bash(npm install *)  .agent-tui/settings.json:6
   ✓ npm run build  allowed       Bash(npm run *)  .agent-tui/settings.json:7
   ✓ tail -40       only reads

   y  yes, once
   a  always, Bash    ◂  npm ci  npm ci *  npm *  ▸   in .agent-tui/settings.local.json
   n  no              Esc no, and stop the turn
      Tab comment   t for this turn   e change it   w why, in full   ◂ ▸ narrow or widen the rule

   then  Edit tidewatch/cache.py   Fetch vite.dev
"""
    )


def test_a_command_at_80x24() -> None:
    assert "\n".join(frame(BUILD, SMALL, total=3, then=THEN)) == (
        """\
 ? Run this command?  Install and build the front end   in ~/tidewatch   1 of 3

   cd web && npm ci && npm run build 2>&1 | tail -40

   ✓ cd web         stays inside  the workspace
   ? npm ci         no rule       nearest: Bash(npm install *)
   ✓ npm run build  allowed       Bash(npm run *)  .agent-tui/settings.json:7
   ✓ tail -40       only reads

   y  yes, once
   a  always, Bash    ◂  npm ci  npm ci *  npm *  ▸
   n  no              Esc no, and stop the turn
      Tab comment   t this turn   e change   w why   ◂ ▸ rule"""
    )


@pytest.mark.parametrize(
    ("command", "judged"),
    [
        ("cd web && make", "stays inside  the workspace"),
        ("cd /home/me/tidewatch/web && make", "stays inside  the workspace"),
        ("cd web/.. && make", "stays inside  the workspace"),
        ("cd /etc && make", "leaves   the workspace"),
        ("cd .. && make", "leaves   the workspace"),
        ("cd && make", "leaves   the workspace"),
        ("cd linked && make", "leaves   the workspace"),
    ],
)
def test_of_a_change_of_folder_it_is_said_where_that_leads(
    command: str, judged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asked, "WORLD", replace(asked.WORLD, links={f"{FOLDER}/linked": "/etc"}))
    first = next(line for line in frame(bash(command)) if line.startswith("   ✓ cd"))
    assert first.endswith(judged)


def test_a_long_path_keeps_its_name_in_the_trace() -> None:
    path = f"{FOLDER}/" + "a-folder-with-a-long-name/" * 6 + "cache.py"
    row = next(line for line in frame(edit(path)) if line.startswith("   ? "))
    assert "/⋯/cache.py  no rule" in row


def test_what_changed_within_the_last_second_changed_just_now() -> None:
    shown = frame(STALE, changed=Changed(0.2, None))
    assert shown[3].startswith(" ≢ Changed by someone else just now, in the lines")


def test_an_edit_that_meets_somebody_elses_change() -> None:
    theirs = diff_of("cache.py", OLD, OLD.replace("return False", "return self.strict"))
    shown = frame(STALE, changed=Changed(3.4, theirs))
    assert shown[1] == " ? Edit tidewatch/cache.py?  +2 -2"
    assert shown[3] == (
        " ≢ Changed by someone else 3 s ago, in the lines this edit replaces. The model has not seen it:"
    )
    assert shown[5].endswith("+             return self.strict")
    assert "   The edit it asked for, made for the older file:" in shown
    # What was said of it as it could still be made is no longer true.
    told = replace(STALE, preview=(*STALE.preview, line("the edit is made in the current text, theirs stays")))
    assert frame(told, changed=Changed(3.4, theirs)) == shown
    assert shown[-7:-3] == [
        "   y  yes, once       off: it would overwrite their change",
        "   r  tell the model  it gets what changed and edits anew; you are asked again",
        "   n  no              Esc no, and stop the turn",
        "      Tab comment   d full diff   w why am I asked",
    ]


def test_lines_about_somebody_else_have_the_foreign_bar_and_no_others() -> None:
    theirs = diff_of("cache.py", OLD, OLD.replace("return False", "return self.strict"))
    bars = [line.pieces[0] for line in lines_of(STALE, changed=Changed(3.4, theirs))]
    assert {text for text, _ in bars} == {" "}
    assert [style for _, style in bars].count("on $other") == 3
    assert {style for _, style in lines_of(BUILD)[0].pieces} == {"on $ask-fill"}


def test_a_change_elsewhere_in_the_file_is_told_and_y_stays() -> None:
    shown = frame(edit(), changed=Changed(3.4))
    assert " ≢ Changed by someone else 3 s ago, apart from this edit" in shown
    assert "   y  yes, once" in shown


def test_a_problem_without_a_known_change_is_told_in_one_sentence() -> None:
    shown = frame(edit(problem=f"There is no file {FOLDER}/a.py any more. Look for it."))
    assert " ! There is no file a.py any more." in shown
    assert "   y  yes, once       off: There is no file /home/me/tidewatch/a.py any more" in shown


def test_what_is_to_run_without_the_sandbox_says_so_in_the_question() -> None:
    request = bash("make")
    outside = replace(request, input={**request.input, "dangerously_disable_sandbox": True})
    assert frame(request)[1].startswith(" ? Run this command?  ")
    assert frame(outside)[1].startswith(" ? Run this command without the sandbox?  ")


def test_a_file_outside_the_workspace() -> None:
    assert frame(read("/home/me/notes/tide-tables.csv"), SMALL) == [
        " ? Read a file outside the workspace?",
        "",
        "   ~/notes/tide-tables.csv   18 KB, text",
        "",
        "   ? ~/notes/  outside  nearest: Read(**); workspace is ~/tidewatch",
        "",
        "   y  yes, once",
        "   a  always, Read    ◂  ~/notes/tide-tables.csv  ~/notes/**  ▸",
        "   n  no              Esc no, and stop the turn",
        "      Tab comment   t this turn   w why   ◂ ▸ rule",
    ]
    assert style_of(lines_of(read("/home/me/notes/tide-tables.csv")), "~/notes/") == "bold underline $ask"


def test_a_servers_tool() -> None:
    request = mcp(repo="tidewatch/tidewatch", title="Cache entries expire", labels=["bug", "cache"], body=BODY)
    assert frame(request)[1:10] == [
        " ? Call github create_issue?  MCP server",
        "",
        '   repo      "tidewatch/tidewatch"',
        '   title     "Cache entries expire"',
        '   labels    ["bug", "cache"]',
        r'   body      "## What happens\nA `touch` makes every entry stale. ## What happens\nA `touch` makes every entry '
        "stale. ⋯",
        "             1 224 characters, d shows all",
        "",
        "   ? mcp__github__create_issue  no rule",
    ]
    assert "   a  always           mcp__github__create_issue    in .agent-tui/settings.local.json" in (frame(request))


def test_d_shows_the_whole_input_and_it_scrolls() -> None:
    request = mcp(repo="r", body="".join(f"line {n}\n" for n in range(60)))
    first = frame(request, full=True)
    assert "   body      line 0" in first
    assert any(line.endswith("lines more, PgDn") for line in first)
    last = frame(request, full=True, scroll=most_scroll(view_of(request, full=True), WIDE))
    assert "             line 59" in last
    assert any(line.endswith("above, PgUp") for line in last)
    assert last[-6:] == first[-6:]


def test_a_page_of_the_web() -> None:
    request = fetch("https://vite.dev/guide/build", "vite.dev")
    assert "   https://vite.dev/guide/build" in frame(request)
    assert style_of(lines_of(request), "vite.dev") == "bold underline $ask"
    assert "   a  always, Fetch   ◂  vite.dev  vite.dev and *.vite.dev  ▸" in frame(request, SMALL)


def test_the_part_that_forces_the_question_is_underlined_and_lit_in_the_trace() -> None:
    lines = lines_of(BUILD)
    styles = [style for line in lines for text, style in line.pieces if text.strip() == "npm ci"]
    assert styles[:2] == ["bold underline $ask", "bold $ask"]


@pytest.mark.parametrize(
    ("command", "apart"),
    [
        ("cat make.txt && make", ["cat make.txt && ", "make"]),
        ("echo make; make", ["echo make; ", "make"]),
        ("make && ls && make", ["make", " && ls && ", "make"]),
        ("if make; then cmake x; fi", ["if ", "make", "; then ", "cmake x", "; fi"]),
        ("ls | (make)", ["ls | (", "make", ")"]),
        ("CI=1 make", ["CI=1 make"]),
    ],
)
def test_only_the_command_itself_is_underlined_and_everywhere_it_stands(command: str, apart: list[str]) -> None:
    lines = lines_of(bash(command))
    shown = next(line for line in lines if line.text.strip() == command)
    assert [text for text, _ in shown.pieces if text.strip()] == apart


def test_every_part_that_forces_the_question_is_underlined_in_a_command_of_many_lines() -> None:
    lines = lines_of(bash("npm ci\nmake test > out.txt"))
    forced = [text for line in lines for text, style in line.pieces if "underline" in style]
    assert forced == ["npm ci", "make test"]


def test_what_destroys_says_so_wants_two_presses_and_is_never_saved() -> None:
    shown = frame(bash("rm -rf ~"), SMALL)
    assert shown[-5:] == [
        "   It would remove your home folder or one above it.",
        "   y  yes, once",
        "   a  always          off: what destroys is asked each time",
        "   n  no              Esc no, and stop the turn",
        "      Tab comment   w why",
    ]
    assert "   y  press again to run it" in frame(bash("rm -rf ~"), confirm=True)
    assert style_of(lines_of(bash("rm -rf ~")), "It would remove your home folder or one above it.") == "$bad"


def test_a_protected_path_says_so() -> None:
    shown = frame(edit(f"{FOLDER}/.git/config"))
    assert "   .git is protected: programs obey what is written there." in shown
    assert "   a  always          off: protected paths always ask" in shown


@pytest.mark.parametrize(
    ("request_", "off"),
    [
        (bash("make publish"), "Bash(make publish) in ask wins over any allow"),
        (bash("npx ts-prune"), "no saved rule would allow just this"),
    ],
)
def test_where_always_is_not_offered_its_line_says_why(request_: PermissionRequest, off: str) -> None:
    assert f"   a  always          off: {off}" in frame(request_)


def test_a_sub_agents_question_names_it() -> None:
    shown = frame(bash("make"), agent="explore, mtimes in the front end")
    assert shown[1].startswith(" ? Run this command?  agent explore, mtimes in the front end  ")
    assert "   n  no              the agent goes on without it   Esc no, and stop the turn" in shown


def test_w_shows_every_word_that_was_said_and_what_would_be_saved() -> None:
    shown = frame(BUILD, why=True, stop=2)
    assert "   ? npm ci  default: No rule allows it." in shown
    assert (
        "     npm ci  not `Bash(npm run *)`: the text after the pattern differs.  .agent-tui/settings.json:7" in shown
    )
    assert shown[shown.index("   a saves in .agent-tui/settings.local.json:") + 1] == "     Bash(npm *)"
    assert "     no hook decided" in shown and not [line for line in shown if "mode" in line]
    shown = frame(BUILD, why=True, mode="auto")
    assert "     mode auto: what looks harmless is not asked" in shown
    assert "     the classifier was not heard, or not in time" in shown


def test_keys_are_dim_until_they_count_and_light_up_in_place() -> None:
    dark, lit = lines_of(BUILD, armed=False), lines_of(BUILD, armed=True)
    assert [line.text for line in dark] == [line.text for line in lit]
    assert [style_of(dark, key) for key in "yan"] == ["$dim"] * 3
    assert [style_of(lit, key) for key in "yan"] == ["bold $ask"] * 3


def test_a_draft_that_has_the_keys_is_told_without_moving_anything() -> None:
    with_keys, without = frame(BUILD), frame(BUILD, armed=False, draft_has_keys=True)
    different = [(one, other) for one, other in zip(with_keys, without, strict=True) if one != other]
    assert [other for _, other in different] == ["      your draft has the keys: Tab answers"]


def test_the_comment_field_takes_the_line_of_the_further_keys() -> None:
    shown = frame(BUILD, SMALL, field=Field("use make clean"))
    assert shown[-1] == "      n with: use make clean"
    assert frame(BUILD, SMALL, field=Field("x" * 200, yes=True))[-1].startswith("      y with: xxx")
    assert len(shown) == len(frame(BUILD, SMALL))


SUBJECTS = [
    BUILD,
    edit(),
    LONG,
    STALE,
    bash("rm -rf ~"),
    bash("make\n" * 60),
    read("/home/me/notes/" + "a/" * 200 + "x"),
    mcp(body=BODY, **{f"field{n}": n for n in range(40)}),
    fetch("https://vite.dev/" + "x" * 400, "vite.dev"),
]


@pytest.mark.parametrize("look", [WIDE, SMALL, Look(60, 15), Look(200, 60), replace(SMALL, ascii=True)])
@pytest.mark.parametrize("request_", SUBJECTS, ids=range(len(SUBJECTS)))
@pytest.mark.parametrize("how", [{}, {"why": True}, {"full": True}, {"scroll": 999}, {"then": THEN, "total": 3}])
def test_the_answers_stay_where_they_are_and_nothing_is_too_wide_or_too_high(
    request_: PermissionRequest, look: Look, how: dict[str, object]
) -> None:
    lines = lines_of(request_, look, **how)
    assert len(lines) <= look.height * 0.7 + 0.5
    assert max(line.width for line in lines) <= look.width
    below = 3 if look.roomy else 0
    answers = [line.text[3] for line in lines[len(lines) - below - 4 : len(lines) - below - 1]]
    assert answers == ["y", "r" if request_.problem else "a", "n"]
    assert all(line.ground == "on $sheet" for line in lines[1 if look.ascii else 0 :])


def test_without_colours_a_line_parts_the_sheet_from_what_is_above() -> None:
    assert frame(BUILD, replace(SMALL, ascii=True))[0] == "-" * 80


def test_F5_where_a_path_really_leads_is_said_before_what_would_be_done() -> None:
    outside = Lead("notes.md", "/home/me/private/notes.md", True)
    shown = frame(bash("cat notes.md", leads=(outside,)), SMALL)
    assert shown[2] == " ! notes.md leads to ~/private/notes.md, outside the workspace"
    assert style_of(lines_of(bash("cat notes.md", leads=(outside,))), "~/private/notes.md") == "bold underline $ask"
    behind = Lead(f"{FOLDER}/linked/a.py", f"{FOLDER}/src/a.py")
    assert " ! linked/a.py leads to src/a.py" in frame(edit(leads=(behind,)))


def test_F5_of_many_links_some_are_told_and_the_others_counted() -> None:
    shown = frame(bash("cat *", leads=tuple(Lead(f"{n}", f"/srv/{n}", True) for n in range(20))), Look(100, 60))
    assert " ! 7 leads to /srv/7, outside the workspace" in shown
    assert " ! 12 more of its paths lead elsewhere" in shown


def test_F5_what_cannot_be_seen_in_a_command_is_shown_and_said() -> None:
    shown = frame(bash("echo 'a\u202eb'\u200b"), SMALL)
    assert shown[2] == " ! It holds characters that are not seen as they are (U+200B, U+202E)."
    assert shown[4] == r"   echo 'a\u202eb'\u200b"


def test_F5_the_folder_a_command_runs_in_stands_beside_the_question() -> None:
    assert frame(BUILD)[1].endswith("in ~/tidewatch")
    elsewhere = bash("make", folder="/home/me/other")
    assert frame(elsewhere)[1].endswith("in ~/other")
    assert style_of(lines_of(elsewhere), "~/other") == "bold"


def test_the_session_s_own_folder_cuts_no_word_of_what_is_asked() -> None:
    assert frame(BUILD, Look(66, 24))[0] == " ? Run this command?  Install and build the front end"


def test_F5_what_does_not_fit_says_how_much_is_hidden_and_offers_only_once() -> None:
    shown = frame(bash("make\n" * 60), SMALL, unseen=53)
    assert "   53 lines more, PgDn" in shown
    assert shown[-4:] == [
        "   y  yes, once",
        "   a  always          off: 53 lines of it were not in sight yet, PgDn",
        "   n  no              Esc no, and stop the turn",
        "      Tab comment   e change   w why",
    ]


def test_control_characters_of_a_command_are_shown_not_sent() -> None:
    shown = "\n".join(frame(bash("echo '\x1b[2J' && make\x07"), why=True))
    assert "\x1b" not in shown
    assert r"\x1b[2J" in shown


def test_a_new_file_is_called_new() -> None:
    assert frame(edit(before="", after=NEW))[1] == " ? Edit tidewatch/cache.py?  new file  +5"
