"""What ours is compared with: the least Textual app that has a place to type, something to scroll, and a footer."""

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Footer, Static, TextArea

WORDS = "Here is what scrolls."


class Bare(App[None]):
    AUTO_FOCUS = "TextArea"
    CSS = "TextArea { height: 5; }"

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(WORDS)
        area = TextArea()
        area.cursor_blink = False
        yield area
        yield Footer()


if __name__ == "__main__":
    Bare().run()
