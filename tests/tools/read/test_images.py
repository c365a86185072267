"""Read: pictures, by what the file's first bytes say and never by its name, small enough for the model."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as pillow

from tests.support.desk import Desk
from tests.support.documents import picture, png_that_says
from tools.ledger import seen
from tools.read import pictures
from tools.read.shown import Image, ReadOutput


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def image(desk: Desk, name: str) -> Image:
    answer = desk.read(name).answer
    assert isinstance(answer, Image)
    return answer


def sent(desk: Desk, name: str) -> tuple[str, str, bytes]:
    """The words, the media type and the bytes that go to the model."""
    words, shown = desk.told(name)
    return words["text"], shown["source"]["media_type"], base64.b64decode(shown["source"]["data"])


@pytest.mark.parametrize(
    ("format", "mode", "sent_as"),
    [
        ("PNG", "RGB", "image/png"),
        ("PNG", "RGBA", "image/png"),
        ("PNG", "1", "image/png"),
        ("JPEG", "L", "image/jpeg"),
        ("JPEG", "CMYK", "image/jpeg"),
        ("GIF", "P", "image/gif"),
        ("WEBP", "RGBA", "image/webp"),
        ("BMP", "RGB", "image/png"),
    ],
)
def test_a_picture_is_sent_as_one_whatever_its_name(desk: Desk, format: str, mode: str, sent_as: str) -> None:
    path = desk.put("notes.txt", picture(40, 30, format, mode))
    words, media_type, data = sent(desk, "notes.txt")
    assert (words.startswith(f"{path}: {format} image, 40 x 30 pixels, "), media_type) == (True, sent_as)
    with pillow.open(io.BytesIO(data)) as shown:
        assert shown.size == (40, 30)


def test_a_small_picture_goes_as_it_is(desk: Desk) -> None:
    data = picture(40, 30)
    desk.put("a.png", data)
    assert sent(desk, "a.png")[2] == data


def test_a_large_picture_is_made_small_in_the_same_proportions(desk: Desk) -> None:
    desk.put("photo.png", picture(2_000, 1_500))
    shown = image(desk, "photo.png")
    assert (shown.width, shown.height, shown.picture.width, shown.picture.height) == (2_000, 1_500, 1_264, 948)
    assert shown.picture.width * shown.picture.height <= pictures.PICTURE_TOKENS * pictures.PIXELS_PER_TOKEN
    desk.seen.forget_context()
    assert ", shown as 1264 x 948" in sent(desk, "photo.png")[0]


@pytest.mark.parametrize("size", [(5_000, 10), (1, 9_000), (60_000, 1)])
def test_a_very_long_picture_keeps_at_least_a_line(desk: Desk, size: tuple[int, int]) -> None:
    desk.put("strip.png", picture(*size))
    shown = image(desk, "strip.png").picture
    assert min(shown.width, shown.height) >= 1
    assert 1_000 < max(shown.width, shown.height) <= pictures.LONGEST_SIDE


@pytest.mark.parametrize(("format", "mode"), [("PNG", "RGB"), ("PNG", "RGBA"), ("JPEG", "RGB")])
def test_what_no_format_makes_small_is_made_small_all_the_same(desk: Desk, format: str, mode: str) -> None:
    desk.put("noise", picture(1_500, 800, format, mode, noise=True))
    _, media_type, data = sent(desk, "noise")
    assert media_type == "image/jpeg" and len(data) <= pictures.PICTURE_BYTES


def test_where_even_the_worst_quality_is_too_much_it_gets_smaller(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "PICTURE_BYTES", 5_000)
    desk.put("noise.png", picture(800, 400, noise=True))
    shown = image(desk, "noise.png").picture
    assert shown.width < 400 and len(base64.b64decode(shown.base64)) <= 5_000


def test_a_photo_is_shown_upright(desk: Desk) -> None:
    exif = pillow.Exif()
    exif[0x0112] = 6  # the camera was held on its side
    desk.put("photo.jpg", picture(40, 30, "JPEG", exif=exif.tobytes()))
    shown = image(desk, "photo.jpg")
    assert (shown.width, shown.height) == (40, 30)
    assert (shown.picture.width, shown.picture.height) == (30, 40)


def test_of_a_picture_that_moves_the_first_one_is_shown(desk: Desk) -> None:
    frames = [pillow.new("RGB", (8, 8), (50 * n, 0, 0)) for n in range(4)]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    desk.put("a.gif", out.getvalue())
    words, media_type, _ = sent(desk, "a.gif")
    assert words.endswith("the first of 4 pictures") and media_type == "image/png"


@pytest.mark.parametrize("size", [(50_000, 50_000), (9_500, 9_500)])
def test_A14_a_picture_that_says_it_is_enormous_is_refused_before_it_is_decoded(
    desk: Desk, size: tuple[int, int]
) -> None:
    desk.put("bomb.png", png_that_says(*size))
    refusal = desk.refused(desk.read, "bomb.png")
    assert (refusal.code, "million pixels" in refusal.message) == ("too_large", True)


@pytest.mark.parametrize(
    "data",
    [
        png_that_says(500, 500),
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0rest",
        picture(400, 300, "JPEG", noise=True)[:5_000],
        b"GIF89a" + b"\xff" * 30,
        b"RIFF\0\0\0\0WEBPVP8 ",
        b"BM\0\0\0\0\0\0\0\0\0\0",
    ],
)
def test_A13_what_only_begins_like_a_picture_is_refused(desk: Desk, data: bytes) -> None:
    desk.put("a.png", data)
    refusal = desk.refused(desk.read, "a.png")
    assert (refusal.code, "begins like an image" in refusal.message) == ("binary", True)
    assert "object at 0x" not in refusal.message


@pytest.mark.parametrize("text", ["BMW is a car\nand RIFF is a word\n", "GIF8", "<svg></svg>\n", "%PD"])
def test_A13_words_are_no_picture(desk: Desk, text: str) -> None:
    desk.put("a.png", text)
    assert desk.text("a.png").lines[0] == text.removesuffix("\n").split("\n", 1)[0]


def test_the_same_picture_is_not_sent_twice_and_a_changed_one_is(desk: Desk) -> None:
    path = desk.put("a.png", picture(40, 30))
    desk.read("a.png")
    assert desk.told("a.png") == f"{path} is unchanged. What you read of it further above still holds: the picture."
    desk.put("a.png", picture(41, 30))
    assert image(desk, "a.png").width == 41
    desk.seen.forget_context()
    assert image(desk, "a.png").width == 41


def test_no_event_carries_the_bytes_of_a_picture_and_a_hooks_output_is_told_without_it(desk: Desk) -> None:
    desk.put("a.png", picture(40, 30))
    plain = desk.read("a.png").model_dump(mode="json")
    assert plain["answer"]["picture"] == {"media_type": "image/png", "width": 40, "height": 30}
    given_back = desk.read_tool.to_result_block(ReadOutput.model_validate(plain))
    assert [block["type"] for block in given_back] == ["text", "text"]
    assert given_back[1]["text"] == "(The picture was left out.)"


@pytest.mark.parametrize("limit", [{"MOST_PICTURES": 2}, {"PICTURES_BYTES": 2_500}])
def test_a_conversation_takes_no_more_pictures_than_a_request_may_hold(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, limit: dict[str, Any]
) -> None:
    for name, value in limit.items():
        monkeypatch.setattr(seen, name, value)
    for number in range(3):
        desk.put(f"{number}.png", picture(16, 16, noise=True))
    image(desk, "0.png")
    image(desk, "1.png")
    assert desk.refused(desk.read, "2.png").code == "too_many_pictures"
    assert not desk.seen.knows(str(desk.folder / "2.png"))
    desk.seen.forget_context()
    image(desk, "2.png")


def test_a_picture_is_too_large_before_it_is_held(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.read.reading.HASHED_WHOLE_BYTES", 1_000)
    desk.put("a.png", picture(100, 100, noise=True))
    assert desk.refused(desk.read, "a.png").code == "too_large"
