"""The model behind any endpoint that speaks the Messages API.

The SDK opens the connection and signs it; the events are taken raw from the wire, so that history holds exactly what
came. Its own retries are off (`retry.py` is the one layer), and so are redirects: a key goes only where it was meant
to go. The import takes a second, so it happens in a thread and with the first request.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from agent.model.base import BrokenReply, ModelError, Plain, Reply, Request, Waiting
from agent.model.failures import RETRIES, error_of_status
from agent.model.stream import ReplyBuilder, call_ids

CONNECT_SECONDS = 10.0
IDLE_SECONDS = 300.0
WAITING_SECONDS = 20.0
SLEPT_SECONDS = 30.0
FOREIGN_BODY_BYTES = 64_000
# An address may carry a name and a password, too.
_SIGNED_ADDRESS = re.compile(r"(https?://)[^/\s@]+@")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go and what they are signed with. Nothing prints it: the key stays out of its repr."""

    key: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    base_url: str = ""

    @property
    def usable(self) -> bool:
        return bool(self.key or self.token or self.base_url)

    def without_secrets(self, text: str) -> str:
        for secret in (self.key, self.token):
            text = text.replace(secret, "[key]") if secret else text
        return _SIGNED_ADDRESS.sub(r"\1[key]@", text)


def endpoint_of(environ: Mapping[str, str]) -> Endpoint:
    """As the environment says; `usable` is False when it names neither a key nor an endpoint."""
    key = environ.get("ANTHROPIC_API_KEY", "").strip()
    token = "" if key else environ.get("ANTHROPIC_AUTH_TOKEN", "").strip()
    return Endpoint(key, token, environ.get("ANTHROPIC_BASE_URL", "").strip())


class AnthropicModel:
    def __init__(
        self,
        endpoint: Endpoint,
        *,
        idle_seconds: float = IDLE_SECONDS,
        waiting_seconds: float = WAITING_SECONDS,
        slept: Callable[[], float] | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._idle_seconds = idle_seconds
        self._waiting_seconds = waiting_seconds
        self._slept = slept or time_asleep()
        self._client: Any = None
        self._opening = asyncio.Lock()

    async def reply(self, request: Request) -> Reply:
        try:
            async with contextlib.aclosing(self._reply(request)) as events:
                async for event in events:
                    yield event
        except ModelError as error:
            # Here and nowhere else, because an endpoint may quote the key in any of its words.
            error.message = self._endpoint.without_secrets(error.message)
            raise

    async def _reply(self, request: Request) -> Reply:
        builder = ReplyBuilder(call_ids(request.messages))
        async with contextlib.aclosing(self._patiently(self._wire_events(request))) as events:
            try:
                async for event in events:
                    if isinstance(event, Waiting):
                        yield event
                        continue
                    for made in builder.feed(event):
                        yield made
                    if builder.ended:
                        return
            except BrokenReply:
                raise
            except ModelError as error:
                if not builder.began:
                    raise
                if not builder.complete:
                    raise builder.broken(error) from error
        if ended := builder.finish():
            yield ended

    async def prepare(self) -> None:
        await self._open_client()

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _wire_events(self, request: Request) -> AsyncGenerator[Plain, None]:
        """The API's events as they come, pings too. Every failure is a ModelError."""
        client = await self._open_client()
        with self._failures():
            stream = await client.messages.create(stream=True, **_body(request))
            try:
                await _refuse_foreign_answer(stream.response)
                async for sent in cast("AsyncIterator[Any]", stream.raw_events(stream.response)):
                    if sent.data:
                        yield _event_of(sent.data)
            finally:
                await stream.close()

    async def _patiently(self, events: AsyncGenerator[Plain, None]) -> AsyncGenerator[Plain | Waiting, None]:
        """The events, with a word when none has come for a while, and an end when the machine was asleep meanwhile."""
        queue: asyncio.Queue[Plain | Exception | None] = asyncio.Queue()
        reader = asyncio.create_task(_read_into(queue, events))
        self._slept()
        waited = 0.0
        try:
            while True:
                try:
                    item = await self._next(queue)
                except TimeoutError:
                    if self._slept() > SLEPT_SECONDS:
                        raise ModelError("The machine slept; the connection is lost.", "network", RETRIES) from None
                    waited += self._waiting_seconds
                    yield Waiting(f"nothing from the model for {waited:.0f} s")
                    continue
                waited = 0.0
                if item is None:
                    return
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            reader.cancel()
            await asyncio.wait({reader})

    async def _next(self, queue: asyncio.Queue[Plain | Exception | None]) -> Plain | Exception | None:
        if not queue.empty():
            # Events come in heaps, and a clock for each would cost as much as reading it.
            return queue.get_nowait()
        # Not wait_for: it can swallow a cancellation that comes together with an event.
        async with asyncio.timeout(self._waiting_seconds):
            return await queue.get()

    async def _open_client(self) -> Any:
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(_new_client, self._endpoint, self._idle_seconds)
        return self._client

    @contextlib.contextmanager
    def _failures(self) -> Generator[None]:
        import anthropic
        import httpx2

        try:
            yield
        except anthropic.APIStatusError as error:
            detail = _detail(error.body)
            status = error_of_status(error.status_code, str(error.type or ""), detail, error.response.headers)
            raise status from None
        except (UnicodeDecodeError, httpx2.DecodingError) as error:
            what = f"The reply could not be read: its bytes are not what they claim to be ({error})."
            raise ModelError(what, "protocol", retries=1) from None
        except (anthropic.APIConnectionError, httpx2.TransportError, httpx2.StreamError) as error:
            raise self._connection_error(error) from None

    def _connection_error(self, error: Exception) -> ModelError:
        import httpx2

        causes = list(_causes(error))
        where = self._endpoint.base_url or "the API"
        check = "Check the network" + (" and ANTHROPIC_BASE_URL." if self._endpoint.base_url else ".")
        for cause in causes:
            # Its subclasses besides the certificate's are the ordinary ends and waits of a connection.
            if type(cause) in (ssl.SSLError, ssl.SSLCertVerificationError):
                return ModelError(f"No safe connection to {where}: {cause}.", "tls")
        if any(isinstance(cause, httpx2.UnsupportedProtocol) for cause in causes):
            return ModelError("ANTHROPIC_BASE_URL must begin with http:// or https://.", "not_found")
        if any(isinstance(cause, httpx2.ConnectTimeout) for cause in causes):
            return ModelError(f"No connection to {where} within {CONNECT_SECONDS:.0f} s. {check}", "network", RETRIES)
        if any(isinstance(cause, httpx2.TimeoutException) for cause in causes):
            return ModelError(f"Nothing came from {where} for {self._idle_seconds:.0f} s.", "timeout", RETRIES)
        detail = str(causes[-1]) or type(causes[-1]).__name__
        return ModelError(f"The connection to {where} failed: {detail}. {check}", "network", RETRIES)


def time_asleep(
    wall: Callable[[], float] = time.time, awake: Callable[[], float] = time.monotonic
) -> Callable[[], float]:
    """How long the machine has slept since the last question: the wall clock goes on then, the other one does not."""
    last = wall() - awake()

    def since_last() -> float:
        nonlocal last
        before, last = last, wall() - awake()
        return last - before

    return since_last


def _new_client(endpoint: Endpoint, idle_seconds: float) -> Any:
    # The SDK warns through logging, and with ANTHROPIC_LOG set writes every request: never onto the screen.
    for name in ("anthropic", "httpx2", "httpcore2"):
        logger = logging.getLogger(name)
        logger.propagate = False
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
    import anthropic
    import httpx2

    if not endpoint.usable:
        raise ModelError("There is no key; set ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL.", "auth")
    signs = endpoint.key + endpoint.token
    if not (signs.isascii() and signs.isprintable()):
        raise ModelError("The key holds characters that no key has; check ANTHROPIC_API_KEY.", "auth")
    timeout = httpx2.Timeout(idle_seconds, connect=CONNECT_SECONDS)
    # Without a key the SDK refuses to send, yet a local endpoint may want none; only there goes this word.
    token = endpoint.token or ("" if endpoint.key else "none")
    try:
        return anthropic.AsyncAnthropic(
            api_key=endpoint.key or None,
            auth_token=token or None,
            base_url=endpoint.base_url or "https://api.anthropic.com",
            timeout=timeout,
            max_retries=0,
            http_client=anthropic.DefaultAsyncHttpxClient(follow_redirects=False, timeout=timeout),
        )
    except httpx2.InvalidURL as error:
        raise ModelError(f"ANTHROPIC_BASE_URL is no address: {error}.", "not_found") from None


def _body(request: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": request.messages,
        "cache_control": {"type": "ephemeral"},
    }
    if request.system:
        body["system"] = request.system
    if request.tools:
        body["tools"] = request.tools
    if request.thinking:
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
    if request.effort:
        body["output_config"] = {"effort": request.effort}
    return body


async def _read_into(queue: asyncio.Queue[Plain | Exception | None], events: AsyncGenerator[Plain, None]) -> None:
    """Everything that comes, and last how it ended. Never waits for the queue, so that it can always be cancelled."""
    async with contextlib.aclosing(events):
        try:
            async for event in events:
                queue.put_nowait(event)
        except Exception as error:
            queue.put_nowait(error)
        else:
            queue.put_nowait(None)


async def _refuse_foreign_answer(response: Any) -> None:
    """A gateway's page or a plain error body in place of a stream, told by what it says it is."""
    kind = str(response.headers.get("content-type", "text/event-stream"))
    if kind.startswith("text/event-stream"):
        return
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > FOREIGN_BODY_BYTES:
            break
    detail = ""
    with contextlib.suppress(ValueError, RecursionError):
        detail = _detail(json.loads(body))
    size = f"more than {FOREIGN_BODY_BYTES}" if len(body) > FOREIGN_BODY_BYTES else str(len(body))
    request_id = response.headers.get("request-id", "none")
    raise ModelError(
        f"The endpoint answered with {kind} ({size} bytes, request id {request_id}) in place of a reply. "
        f"{detail or 'Check ANTHROPIC_BASE_URL and any proxy.'}",
        "protocol",
    )


def _event_of(data: str) -> Plain:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise ModelError("The reply could not be read: an event in it is no JSON.", "protocol", retries=1) from None
    return cast("Plain", event) if isinstance(event, dict) else {}


def _detail(body: object) -> str:
    """The API's own words about an error, whatever the shape of the body."""
    if isinstance(body, dict):
        inner = cast("Plain", body).get("error", cast("Plain", body))
        message = cast("Plain", inner).get("message") if isinstance(inner, dict) else inner
        return message if isinstance(message, str) else ""
    return body[:200] if isinstance(body, str) else ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
