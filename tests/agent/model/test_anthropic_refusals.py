"""What the client makes of refusals, redirects and connections that cannot be: against a real server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from agent.model.anthropic import AnthropicModel, Endpoint
from agent.model.base import ModelError, Request, Waiting
from agent.model.retry import with_retries
from agent.model.scripted import text, thinking, tool_use
from tests.support.asking import ASK, KEY, ask
from tests.support.loopback import Answer, Loopback, Status, Stream, refused, spoken

WHOLE = spoken(text("hello"))


def test_H1_a_rate_limit_waits_as_long_as_it_says() -> None:
    came = ask(refused(429, "rate_limit_error", "slow down", retry_after="17"), Stream(WHOLE), retries=True)
    assert came.error is None
    assert [(wait.retry, wait.seconds) for wait in came.waits] == [(1, 17.0)]


def test_H1_a_wait_of_hours_is_told_and_not_begun() -> None:
    came = ask(refused(429, "rate_limit_error", "slow down", retry_after="7200"), retries=True)
    assert came.error is not None
    assert came.waits == []


def test_H2_a_rate_limit_without_a_time_is_not_hammered() -> None:
    came = ask(refused(429, "rate_limit_error", "spend limit reached"), retries=True)
    assert came.error is not None
    assert "spend limit reached" in came.error.message
    assert len(came.requests) == 1


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504, 529])
def test_H3_a_failing_server_is_asked_again_a_bounded_number_of_times(status: int) -> None:
    came = ask(refused(status, "api_error", "try later"), retries=True)
    assert came.error is not None
    assert len(came.requests) == 6
    assert [wait.seconds for wait in came.waits] == [0.5, 1.0, 2.0, 4.0, 8.0]


def test_H3_a_refused_connection_is_asked_again() -> None:
    async def asked() -> tuple[list[int], str]:
        async with Loopback() as server:
            url = server.url

        async def no_sleep(_: float) -> None: ...

        model = AnthropicModel(Endpoint(KEY, "", url))
        waits: list[int] = []
        try:
            async for event in with_retries(model, ASK, no_sleep):
                assert isinstance(event, Waiting)
                waits.append(event.retry)
        except ModelError as error:
            return waits, error.kind
        finally:
            await model.aclose()
        return waits, ""

    assert asyncio.run(asked()) == ([1, 2, 3, 4, 5], "network")


def test_H4_an_overloaded_model_names_the_way_out() -> None:
    came = ask(refused(529, "overloaded_error", "Overloaded"), retries=True)
    assert came.error is not None
    assert came.error.kind == "overloaded"
    assert "/model" in came.error.message


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "too_long"),
        (400, "input length and `max_tokens` exceed context limit: 1 + 2 > 2", "too_long"),
        (400, "max_tokens: must be positive", "bad_request"),
        (413, "Request exceeds the maximum size", "too_large"),
        (401, f"invalid key {KEY}", "auth"),
        (403, "not for this key", "auth"),
        (402, "pay first", "billing"),
        (404, "model: claude-test", "not_found"),
    ],
)
def test_H5_H8_H9_what_asking_again_cannot_mend_is_asked_once_and_explained(
    status: int, message: str, kind: str
) -> None:
    came = ask(refused(status, "invalid_request_error", message), retries=True)
    assert came.error is not None
    assert came.error.kind == kind
    assert KEY not in came.error.message
    assert len(came.requests) == 1


def test_H6_thinking_of_old_turns_is_dropped_once_when_the_api_rejects_it() -> None:
    old = {"role": "assistant", "content": [thinking("old"), text("a")]}
    latest = {"role": "assistant", "content": [thinking("new"), tool_use("t1", "Read")]}
    results = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]}
    first, again = {"role": "user", "content": "one"}, {"role": "user", "content": "two"}
    request = Request("claude-test", [first, old, again, latest, results])
    no = refused(400, "invalid_request_error", "thinking blocks in the latest message cannot be modified")
    came = ask(no, Stream(WHOLE), request=request, retries=True)
    assert came.error is None
    assert came.requests[1].body["messages"] == [
        first,
        {"role": "assistant", "content": [text("a")]},
        again,
        latest,
        results,
    ]
    assert "mended" in came.waits[0].reason
    assert len(ask(no, request=request, retries=True).requests) == 2


def test_H7_a_call_without_its_result_is_answered_once_and_never_in_a_loop() -> None:
    broken = Request("claude-test", [ASK.messages[0], {"role": "assistant", "content": [tool_use("t1", "Read")]}])
    no = refused(400, "invalid_request_error", "`tool_use` ids were found without `tool_result` blocks: t1")
    came = ask(no, Stream(WHOLE), request=broken, retries=True)
    assert came.error is None
    assert came.requests[1].body["messages"][2]["content"][0]["is_error"] is True
    assert len(ask(no, request=broken, retries=True).requests) == 2
    assert len(ask(no, retries=True).requests) == 1


def test_H10_a_conflict_is_asked_again_once() -> None:
    came = ask(refused(409, "conflict_error", "again"), retries=True)
    assert came.error is not None
    assert len(came.requests) == 2


async def _no_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
    writer.close()


def _asked_safely(certificate: ssl.SSLContext | None) -> tuple[str, int]:
    """How the client takes a server with this certificate, or with none: the kind of error and the tries after it."""

    async def asked() -> tuple[str, int]:
        server = await asyncio.start_server(_no_tls, "127.0.0.1", 0, ssl=certificate)
        port = server.sockets[0].getsockname()[1]
        model = AnthropicModel(Endpoint(KEY, "", f"https://127.0.0.1:{port}"))
        waits = 0
        try:
            async for _ in with_retries(model, ASK):
                waits += 1
        except ModelError as error:
            return error.kind, waits
        finally:
            await model.aclose()
            server.close()
            await server.wait_closed()
        return "", waits

    return asyncio.run(asked())


def test_H11_an_endpoint_that_speaks_no_tls_is_not_asked_again() -> None:
    assert _asked_safely(None) == ("tls", 0)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="a certificate is made with openssl")
def test_H11_a_certificate_nobody_vouches_for_is_refused_once_and_for_all(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-subj", "/CN=127.0.0.1", "-days", "1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    assert _asked_safely(context) == ("tls", 0)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_H12_a_redirect_never_carries_the_key_elsewhere(status: int) -> None:
    async def asked() -> tuple[int, str]:
        async with Loopback(Stream(WHOLE)) as elsewhere:
            moved = Status(status, b"", {"location": elsewhere.url + "/v1/messages"})
            async with Loopback(moved) as server:
                model = AnthropicModel(Endpoint(KEY, "", server.url))
                try:
                    await anext(model.reply(ASK))
                except Exception as error:
                    return len(elsewhere.requests), getattr(error, "kind", "")
                finally:
                    await model.aclose()
        return -1, ""

    assert asyncio.run(asked()) == (0, "redirect")


QUOTED = f"{KEY} is wrong"
ERROR_EVENT = {"type": "error", "error": {"type": "authentication_error", "message": QUOTED}}


@pytest.mark.parametrize(
    "answer",
    [
        refused(401, "authentication_error", QUOTED),
        Status(403, QUOTED.encode(), content_type="text/html"),
        Status(200, json.dumps({"error": {"message": QUOTED}}).encode()),
        Stream([ERROR_EVENT]),
        Stream([*spoken(text("hi"))[:2], ERROR_EVENT]),
    ],
)
def test_H9_S17_an_endpoint_that_quotes_the_key_does_not_get_it_shown(answer: Answer) -> None:
    error = ask(answer).error
    assert error is not None
    assert KEY not in error.message
    assert "[key] is wrong" in error.message


def test_H9_a_password_in_the_address_is_not_shown() -> None:
    assert "pa55" not in Endpoint(KEY, "", "").without_secrets("No connection to http://me:pa55@host:8/v1 today.")


def test_a_key_with_foreign_characters_and_an_address_that_is_none_are_told() -> None:
    async def kind_of(endpoint: Endpoint) -> str:
        model = AnthropicModel(endpoint)
        try:
            await anext(model.reply(ASK))
        except Exception as error:
            return getattr(error, "kind", repr(error))
        finally:
            await model.aclose()
        return ""

    assert asyncio.run(kind_of(Endpoint("sk-…", "", "http://127.0.0.1:9"))) == "auth"
    assert asyncio.run(kind_of(Endpoint("sk-\x01", "", "http://127.0.0.1:9"))) == "auth"
    assert asyncio.run(kind_of(Endpoint(KEY, "", "localhost:8080"))) == "not_found"
    assert asyncio.run(kind_of(Endpoint(KEY, "", "http://a\0b"))) == "not_found"
