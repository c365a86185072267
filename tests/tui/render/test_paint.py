"""The last step before the terminal, where only ASCII may be shown."""

from __future__ import annotations

from textual.style import Style

from tui.render.glyphs import LEFT, RIGHT, mark
from tui.render.lines import Part, drawn
from tui.render.paint import Paint


def in_ascii(*parts: Part) -> str:
    # Without a theme there are no variables: the words of styles are enough to tell what is what.
    paint = Paint(ascii=True)
    paint._style = lambda base, ground, style: base.rich_style  # type: ignore[method-assign]
    return paint.strip(drawn(*parts), 20, Style()).text.rstrip()


def test_what_runs_and_what_leads_further_right_have_signs_of_their_own() -> None:
    assert in_ascii(mark("run"), " Bash") == "* Bash"
    assert in_ascii((LEFT, "$line"), " npm ci ", (RIGHT, "$ask")) == "< npm ci >"
    assert in_ascii((f"{LEFT} {RIGHT}", "bold"), " rule") == "< > rule"
