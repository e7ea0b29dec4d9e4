#!/usr/bin/env python3
"""A tiny daemon: the protocol, version 1, once more, in one file of plain Python (3.9 or later, Unix).

It was written from docs/protocol.md alone and shares no code with the daemon: where the two agree the
document is clear, where they do not, one of the three is wrong. It is also an example for whoever
implements the protocol anew. From top to bottom: JSON as strict as the wire asks for, the envelope,
parameters in two spellings, turns, one connection, the daemon.

    python3 tests/tiny_daemon.py                    serves ZEROCLAW_SOCKET, else <data_dir>/daemon.sock
    python3 tests/tiny_daemon.py --stdio            serves one client on standard input and output
    python3 tests/tiny_daemon.py --config-dir DIR   takes DIR/config.toml ([rpc] only) and DIR/data

One line on stderr says when it is ready; SIGTERM and SIGINT end it. The one agent is `echo`: it streams
the prompt back word by word, and obeys `@wait`, `@fail`, `@think`, `@say`, `@max_tokens`, `@refusal` and
`@pour N`; `@@` at the start of a word is `@`. `capabilities` has the methods. Left out: storage (the rows
of closed ACP sessions live in memory only), attachments, users and tokens (only the daemon's own user
gets in), WSS, and of section 1 what a tidy start and end can do without.

TINY_FAULT=<name> makes one deliberate mistake, by which a conformance suite can test itself:

    id          number ids come back as strings            framing     frames end with CR LF
    double      number ids come back through a double      limit       a frame too large gets no notice
    null-id     a parse error is answered without an id    depth       nesting is not limited
    order       the reply comes before turn_complete       surrogate   lone surrogates are taken
    twice       turn_complete comes twice                  spelling    everything leaves in camelCase
    refusal     a refused prompt gets no turn_complete     unequal     the later of two spellings wins
    cancel      says true, but the turn is completed       code        -32601 before initialize
    half-close  ends the connection's turns                answer      notifications are answered
"""

import argparse
import asyncio
import errno
import fcntl
import hmac
import json
import logging
import os
import re
import secrets
import select
import signal
import socket
import stat
import struct
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from datetime import datetime, timezone
from json.decoder import scanstring
from typing import NamedTuple

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

VERSION = "0.1.0"
FAULT = os.environ.get("TINY_FAULT", "")
log = logging.getLogger("tiny_daemon")

# LI-11: every limit by its name under [rpc]; `initialize` reports those of methods that are not here, too.
LIMITS = {
    "max_frame_bytes": 8_388_608,
    "frame_timeout_ms": 30_000,
    "initialize_timeout_ms": 30_000,
    "write_timeout_ms": 30_000,
    "max_local_connections": 512,
    "max_live_sessions": 64,
    "max_waiting_prompts": 32,
    "prompt_wait_ms": 30_000,
    "max_queued_bytes": 4_194_304,
    "approval_timeout_secs": 120,
    "elicitation_timeout_secs": 120,
    "upload_idle_ms": 300_000,
    "upload_budget_bytes": 268_435_456,
    "max_uploads_per_connection": 4,
    "ephemeral_grace_ms": 1_000,
    "unwind_ms": 5_000,
    "drain_ms": 5_500,
}
MINIMA = {"max_frame_bytes": 4096, "max_waiting_prompts": 0, "unwind_ms": 0, "drain_ms": 0}  # of the others: 1
MAX_DEPTH = 127  # FR-04
MAX_CONTENT_BYTES = 1_048_576  # TU-02
MAX_DRAINED_BYTES = 1_048_576  # LI-12
MAX_PIECE = 65_536  # of one event's text
MAX_PAGE = 1_000  # SE-12
READ_BYTES = 65_536  # at once
ACCEPT_RETRY_SECS = 0.05  # EP-12
LINGER_SECS = 1.0  # a closing connection waits so long for the client to stop writing
GONE_CHECK_SECS = 0.25  # a half-closed client is looked at so often


# --- JSON, as strict as FR-04 -------------------------------------------------------------------------


class Number(NamedTuple):
    """A number as it was written: EN-04 wants `1e3` back as `1e3`."""

    text: str


class Object(list):
    """An object as its (name, value) pairs, so that a repeated name stays visible."""


TOKEN = re.compile(
    r'[ \t\r\n]*(?:([\[\]{},:"])|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(true|false|null))'
)
LITERALS = {"true": True, "false": False, "null": None}


def parse_json(data):
    """Reads one JSON text. Raises ValueError for all that FR-04 refuses, and never recurses (FR-05)."""
    text = data.decode("utf-8")  # strict: no overlong forms, no surrogates
    at = 0
    containers = []  # those that are open
    names = []  # of the members whose value is still being read
    want = "value"  # or "name", or a colon, a comma, or the bracket that may close a container just opened
    while True:
        token = TOKEN.match(text, at)
        if token is None:
            raise ValueError("no JSON token")
        at = token.end()
        mark, number, literal = token.groups()
        in_object = bool(containers) and isinstance(containers[-1], Object)
        if mark is not None and mark in ":,":
            if mark != want:
                raise ValueError("a colon or comma out of place")
            want = "name" if mark == "," and in_object else "value"
            continue
        if mark is not None and mark in "]}":
            if not containers or mark != ("}" if in_object else "]") or want not in (",", mark):
                raise ValueError("a bracket out of place")
            value = containers.pop()
        elif want in ("name", "}"):
            if mark != '"':
                raise ValueError("a member without a name")
            name, at = parse_string(text, at)
            names.append(name)
            want = ":"
            continue
        elif want not in ("value", "]"):
            raise ValueError("a value out of place")
        elif mark == '"':
            value, at = parse_string(text, at)
        elif mark is not None:
            if len(containers) >= MAX_DEPTH and FAULT != "depth":
                raise ValueError("nested too deeply")
            containers.append(Object() if mark == "{" else [])
            want = "}" if mark == "{" else "]"
            continue
        elif number is not None:
            if abs(float(number)) == float("inf"):
                raise ValueError("a number with no finite double")
            value = Number(number)
        else:
            value = LITERALS[literal]
        # A value is complete; it belongs to the innermost open container.
        if not containers:
            if text[at:].strip(" \t\r\n"):
                raise ValueError("text after the value")
            return value
        innermost = containers[-1]
        innermost.append((names.pop(), value) if isinstance(innermost, Object) else value)
        want = ","


def parse_string(text, at):
    """Reads the string whose opening quote is before `at`: as the standard library does, minus lone surrogates."""
    value, at = scanstring(text, at, True)
    if FAULT == "surrogate":
        value = value.encode("utf-8", "replace").decode("utf-8")
    value.encode("utf-8")
    return value, at


def encode(value):
    """Writes JSON; a Number comes out as it came in."""
    if isinstance(value, Number):
        text = value.text
        return repr(float(text)) if FAULT == "double" else f'"{text}"' if FAULT == "id" else text
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- Errors (section 15) and the envelope (section 3) -------------------------------------------------

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
SESSION_NOT_FOUND, SESSION_LIMIT_REACHED, SESSION_BUSY, CONNECTION_LIMIT_REACHED = -32000, -32001, -32002, -32004
AUTH_REQUIRED, VERSION_MISMATCH = -32010, -32011
NOTIFICATION = object()  # stands where a request has its id
ENVELOPE = ("jsonrpc", "id", "method", "params", "result", "error")


class RpcError(Exception):
    """An error of the protocol."""

    def __init__(self, code, message, **data):
        super().__init__(message)
        self.members = {"code": code, "message": message, "data": data} if data else {"code": code, "message": message}


class Malformed(RpcError):
    """A frame that is no call, the id under which to say so, and what it would have called."""

    def __init__(self, message, request_id=None, call=None):
        super().__init__(INVALID_REQUEST, message)
        self.request_id, self.call = request_id, call


class Call(NamedTuple):
    """A well-formed request or notification."""

    method: str
    request_id: object  # a str, a Number, None, or NOTIFICATION
    params: object  # an Object or a list


def read_envelope(value):
    """The Call in a frame, or None for a response: this daemon asks nothing, so it drops all answers (EN-06, EN-08)."""
    if not isinstance(value, Object):
        raise Malformed("a frame is one JSON object, and there are no batches")  # EN-01
    members = {name: inner for name, inner in value if name in ENVELOPE}
    responds = "result" in members or "error" in members
    if responds and "method" not in members:
        return None
    if sum(name in ENVELOPE for name, _ in value) > len(members):
        raise Malformed("an envelope member is repeated")  # EN-11
    if responds or not isinstance(members.get("method"), str):
        raise Malformed("neither a call nor a response")  # EN-07
    request_id = members.get("id", NOTIFICATION)
    params = members.get("params", [])
    call = Call(members["method"], request_id, params)
    if request_id not in (NOTIFICATION, None) and not isinstance(request_id, (str, Number)):
        raise Malformed("an id is a string, a number or null", call=call)
    answer_to = None if request_id is NOTIFICATION else request_id  # EN-05, EN-10
    if members.get("jsonrpc") != "2.0":
        raise Malformed('"jsonrpc" must be "2.0"', answer_to, call)
    if not isinstance(params, list):  # which an Object is, too; null is neither (EN-03)
        raise Malformed("params is an object or an array", answer_to, call)
    return call


# --- Parameters, in both spellings (section 16) -------------------------------------------------------


class Kind(NamedTuple):
    """What a member may be."""

    expected: str
    accepts: object  # a predicate
    required: bool = False
    members: object = None  # the declared members of an object; without them it is open data


def must(kind):
    return kind._replace(required=True)


STRING = Kind("a string", lambda value: isinstance(value, str))
BOOLEAN = Kind("true or false", lambda value: isinstance(value, bool))
OBJECT = Kind("an object", lambda value: isinstance(value, Object))
INTEGER = Kind(
    "an integer without fraction or exponent",  # EN-14
    lambda value: isinstance(value, Number) and re.fullmatch("-?[0-9]+", value.text),
)
COUNT = Kind("an integer, not negative", lambda value: INTEGER.accepts(value) and int(value.text) >= 0)
SESSION_ID = Kind(
    "1 to 128 of A-Z a-z 0-9 . _ : -",  # SE-16
    lambda value: isinstance(value, str) and re.fullmatch("[A-Za-z0-9._:-]{1,128}", value),
)
NO_FILES = Kind("an empty array: this daemon stores no files", lambda value: type(value) is list and not value)

PARAMS = {
    "initialize": {
        "protocolVersion": INTEGER,
        "authToken": STRING,
        "clientCapabilities": OBJECT._replace(members={"elicitation": OBJECT}),
        "tuiId": STRING,
        "tuiSig": STRING,
        "env": OBJECT,
    },
    "status": {},
    "session/new": {
        "agentAlias": must(Kind("the alias of an agent; here only echo", lambda value: value == "echo")),
        "cwd": STRING,
        "sessionId": SESSION_ID,
        "chatMode": Kind("chat or acp", lambda value: value in ("chat", "acp")),
        "interactionSurface": Kind("zerocode_code", lambda value: value == "zerocode_code"),
        "excludeMemory": BOOLEAN,
        "keepSiblings": BOOLEAN,
    },
    "session/prompt": {"sessionId": must(SESSION_ID), "prompt": must(STRING), "attachments": NO_FILES},
    "session/cancel": {"sessionId": must(SESSION_ID)},
    "session/close": {"sessionId": must(SESSION_ID)},
    "session/state": {"sessionId": must(SESSION_ID)},
    "session/list": {"query": STRING, "limit": COUNT},
}


def snake(name):
    return re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def respell(value):
    """A result or notification with its declared members in snake_case (SP-02); string values stay (SP-04)."""
    if isinstance(value, dict):
        return {snake(name): respell(inner) for name, inner in value.items()}
    return [respell(inner) for inner in value] if isinstance(value, list) else value


class Params(dict):
    """Parameters by their documented names. `spelled` has the name by which the client called each."""

    def __init__(self):
        super().__init__()
        self.spelled = {}

    def invalid(self, name, expected):
        return invalid("/" + self.spelled[name], expected)


def invalid(path, expected):
    return RpcError(INVALID_PARAMS, "expected " + expected, reason="invalid_params", path=path)


def read_params(kinds, given, strict, snake_case, path=""):
    """Checks params. `snake_case` says how to spell a member that the client should have sent, but did not."""
    if given and not isinstance(given, Object):
        raise invalid(path, "an object: parameters go by name")  # EN-03
    documented = {spelling: name for name in kinds for spelling in (name, snake(name))}
    raw, seen, params = {}, set(), Params()
    for spelling, value in given:
        name = documented.get(spelling)
        here = path + "/" + spelling.replace("~", "~0").replace("/", "~1")
        if name is None:
            if strict:  # EN-13
                raise RpcError(INVALID_PARAMS, "a member that is not known", reason="unknown_member", path=here)
            continue
        if spelling in seen:
            raise invalid(here, "each member only once")  # EN-11
        seen.add(spelling)
        if value is None and not kinds[name].required:
            continue  # EN-03: counts as absent
        if name in raw and raw[name] != value and FAULT != "unequal":
            raise invalid(here, "the same value in both spellings")  # SP-01
        params.spelled[name] = name if name in raw else spelling
        raw[name] = value
    for name, kind in kinds.items():
        here = path + "/" + params.spelled.get(name, snake(name) if snake_case else name)
        if name in raw and not kind.accepts(raw[name]) or kind.required and name not in raw:
            raise invalid(here, kind.expected)  # EN-14
        if name in raw:
            value = raw[name]
            if kind.members is not None:
                value = read_params(kind.members, value, strict, snake_case, here)
            params[name] = int(value.text) if isinstance(value, Number) else value
    return params


def prompted_session(call):
    """The session that a session/prompt is for, however wrong the rest of it; the documented name wins (TU-05)."""
    if call is None or call.method != "session/prompt" or not isinstance(call.params, Object):
        return None
    named = {name: value for name, value in reversed(call.params) if isinstance(value, str)}
    return named.get("sessionId", named.get("session_id"))


# --- Sessions and turns (sections 7 and 8) ------------------------------------------------------------


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Session:
    """A session: live while Daemon.live has it; Daemon.rows has the closed ACP sessions (SE-05)."""

    def __init__(self, identifier, mode, surface, workspace):
        self.id, self.mode, self.surface, self.workspace = identifier, mode, surface, workspace
        self.client = None  # the tuiId it is bound to (SE-02)
        self.message_count = 0
        self.turns = deque()  # the foremost runs, the others wait
        self.created_at = now()
        self.touch()

    def touch(self):
        self.last_activity, self.touched = now(), time.monotonic()

    def end_turns(self):
        """SE-05: who waits ends as cancelled too, each after the one before it."""
        while self.turns:
            self.turns[0].finish("cancelled", "cancelled")


class TurnFailed(Exception):
    """The agent gave up."""


class Turn:
    """One accepted prompt, from its arrival until its reply is queued.

    `finish` ends it in one step that nothing can come between. So a cancel either finds the turn and
    decides its outcome, or finds it gone (SE-10); and what `finish` queues stands before all that is
    queued later, which makes the reply to any later request a fence (OR-05).
    """

    def __init__(self, connection, request_id, session, prompt):
        self.connection, self.request_id, self.session, self.prompt = connection, request_id, session, prompt
        self.id = self.started_at = self.task = self.timer = self.last_kind = None  # as yet
        self.tail = bytearray()  # the end of its text
        self.text_bytes = 0

    def wait(self, limit_ms):
        """LI-08."""
        busy = RpcError(SESSION_BUSY, "the session was busy for too long")
        self.timer = asyncio.get_running_loop().call_later(limit_ms / 1000, self.refuse, busy)

    def start(self):
        if self.timer:
            self.timer.cancel()
        self.id, self.started_at = "turn-" + secrets.token_hex(8), now()
        self.session.message_count += 1
        self.session.touch()
        self.task = asyncio.get_running_loop().create_task(self.run())

    async def run(self):
        outcome, stop_reason = "failed", None
        try:
            stop_reason = await echo(self)
            outcome = "completed"
        except Exception as error:
            log.debug("%s failed: %s", self.id, type(error).__name__)
        # The outcome counts once there is room to tell it; until then a cancel may come.
        await self.connection.room(2 * len(self.tail[-MAX_CONTENT_BYTES:]))
        self.finish(outcome, stop_reason)

    async def emit(self, kind, text):
        if kind == "agent_message_chunk":
            added = text.encode("utf-8")
            self.tail += added
            self.text_bytes += len(added)
            if len(self.tail) > 2 * MAX_CONTENT_BYTES:
                del self.tail[:-MAX_CONTENT_BYTES]
        if kind != self.last_kind:
            self.last_kind = kind
            self.session.message_count += 1
        await self.connection.send(self.connection.update(self.session.id, kind, text=text))
        await asyncio.sleep(0)  # now the others

    def content(self):
        """The turn's text, its front cut off to keep 1 MiB (TU-02) and what a frame can hold (LI-13)."""
        tail = self.tail[-MAX_CONTENT_BYTES:]
        text = tail.decode("utf-8", "ignore")  # the cut may have been inside a character
        room = self.connection.limits["max_frame_bytes"] - 1024 - len(encode_id(self.request_id))
        while text and len(encode(text).encode("utf-8")) > room:
            text = text[len(text) // 8 + 1 :]
        whole = len(text.encode("utf-8")) == self.text_bytes
        return {"content": text} if whole else {"content": text, "truncated": True}

    def finish(self, outcome, stop_reason):
        if self not in self.session.turns:
            return
        self.task.cancel()  # the agent unwinds; a task that ends by itself is not hurt
        connection, content = self.connection, self.content()
        complete = connection.update(self.session.id, "turn_complete", turnId=self.id, outcome=outcome, **content)
        if outcome == "failed":
            reply = connection.error(self.request_id, RpcError(INTERNAL_ERROR, "the turn failed", reason="turn_failed"))
        else:
            result = {"sessionId": self.session.id, "turnId": self.id, "stopReason": stop_reason, **content}
            reply = connection.result(self.request_id, result)
        if FAULT == "twice":
            connection.put(complete)
        self.leave(*([reply, complete] if FAULT == "order" else [complete, reply]))

    def refuse(self, error):
        """Ends a turn that still waits."""
        if self in self.session.turns:
            self.leave(*self.connection.refusal(self.request_id, self.session.id, error))

    def leave(self, *frames):
        if self.timer:
            self.timer.cancel()
        self.connection.put(*frames)
        self.connection.turns.discard(self)
        self.connection.turn_left.set()
        self.session.turns.remove(self)
        self.session.touch()
        if self.session.turns and self.session.turns[0].task is None:
            self.session.turns[0].start()


async def echo(turn):
    """The echo agent. Returns the stop reason."""
    kind = "agent_message_chunk"
    # A piece must fit a frame (LI-13), and escaped a character may take six bytes.
    size = max(16, min(MAX_PIECE, (turn.connection.limits["max_frame_bytes"] - 1024) // 6) // 16 * 16)
    for match in re.finditer(r"@pour\s+[0-9]{1,15}(?!\S)\s*|\S+\s*|\s+", turn.prompt):
        word, *count = match.group().split() or [""]
        if word == "@wait":
            await asyncio.get_running_loop().create_future()  # which only a cancel ends
        elif word == "@fail":
            raise TurnFailed
        elif word in ("@think", "@say"):
            kind = "agent_thought_chunk" if word == "@think" else "agent_message_chunk"
        elif word in ("@max_tokens", "@refusal"):
            return word[1:]
        elif count:
            for start in range(0, int(count[0]), size):
                await turn.emit(kind, ("0123456789abcdef" * (size // 16))[: int(count[0]) - start])
        else:
            text = match.group()[1:] if word.startswith("@@") else match.group()
            for start in range(0, len(text), size):
                await turn.emit(kind, text[start : start + size])
    return "end_turn"


# --- One connection (sections 2, 4 and 6) -------------------------------------------------------------


def encode_id(request_id):
    return encode(None if request_id is NOTIFICATION else request_id)


def frame(members, request_id=NOTIFICATION):
    """FR-03: one object, one LF."""
    text = encode({"jsonrpc": "2.0", **members})
    if request_id is not NOTIFICATION:
        text = f'{text[:-1]},"id":{encode_id(request_id)}}}'
    return text.encode("utf-8") + (b"\r\n" if FAULT == "framing" else b"\n")


class Connection:
    """Reads frames and acts on them one by one (OR-04), while another task writes what is queued (OR-05)."""

    def __init__(self, daemon, sock, allowed):
        self.daemon, self.sock, self.limits = daemon, sock, daemon.limits
        self.allowed = allowed  # to initialize
        self.initialized = self.snake_case = False
        self.tui_id = None
        self.turns, self.turn_left = set(), asyncio.Event()
        self.queue, self.queued_bytes = deque(), 0
        self.queue_changed, self.frame_written = asyncio.Event(), asyncio.Event()
        self.line_for_room = asyncio.Lock()
        self.closing = False  # what is queued is written, then the stream ends
        self.gone = False  # nothing is read or written any more
        self.reader = None

    # What it says.

    def result(self, request_id, result):
        return self.reply(request_id, {"result": self.spell(result)})

    def error(self, request_id, error):
        return self.reply(request_id, {"error": error.members})

    def reply(self, request_id, members):
        if request_id is NOTIFICATION:
            if FAULT != "answer":
                return b""
            request_id = None
        code = members.get("error", {}).get("code", INTERNAL_ERROR)
        if FAULT == "null-id" and code == PARSE_ERROR:
            request_id = NOTIFICATION
        # LI-13: an id, or the name of a member, may be too long to come back.
        short = {"error": {"code": code, "message": "the answer does not fit a frame"}}
        replies = (frame(members, request_id), frame(short, request_id), frame(short, None))
        return next(reply for reply in replies if len(reply) <= self.limits["max_frame_bytes"] or reply is replies[2])

    def update(self, identifier, kind, **members):
        params = self.spell({"sessionId": identifier, "type": kind, **members})
        return frame({"method": "session/update", "params": params})

    def refusal(self, request_id, identifier, error):
        """TU-05: no client waits for ever for a turn that never began."""
        complete = self.update(identifier, "turn_complete", outcome="failed", content="")
        if FAULT == "refusal" or len(complete) > self.limits["max_frame_bytes"]:
            complete = b""
        return [complete, self.error(request_id, error)]

    def spell(self, value):
        return respell(value) if self.snake_case and FAULT != "spelling" else value

    # Writing.

    async def room(self, size):
        """Waits, in line, until so many bytes fit the queue, or are alone in it (LI-09)."""
        async with self.line_for_room:
            while self.queued_bytes and self.queued_bytes + size > self.limits["max_queued_bytes"]:
                self.frame_written.clear()
                await self.frame_written.wait()

    async def send(self, *frames):
        await self.room(sum(map(len, frames)))
        self.put(*frames)

    def put(self, *frames):
        if not self.gone:
            self.queue.extend(filter(None, frames))
            self.queued_bytes += sum(map(len, frames))
            self.queue_changed.set()

    async def write_frames(self):
        loop = asyncio.get_running_loop()
        try:
            while self.queue or not self.closing:
                if not self.queue:
                    self.queue_changed.clear()
                    await self.queue_changed.wait()
                    continue
                try:
                    sent = self.sock.send(self.queue[0])
                except BlockingIOError:
                    sent = 0
                rest = memoryview(self.queue[0])[sent:]
                if rest:  # LI-04
                    sending = loop.sock_sendall(self.sock, rest)
                    await asyncio.wait_for(sending, self.limits["write_timeout_ms"] / 1000)
                self.queued_bytes -= len(self.queue.popleft())
                self.frame_written.set()
                await asyncio.sleep(0)
        except (OSError, asyncio.TimeoutError):
            self.lose()

    def lose(self):
        self.gone = True
        self.queue.clear()
        self.queued_bytes = 0
        self.frame_written.set()
        self.reader.cancel()

    # Reading.

    async def read_frames(self):
        """Acts on frames until the stream ends; or returns the notice with which the daemon ends it."""
        loop, limit = asyncio.get_running_loop(), self.limits["max_frame_bytes"]
        patience = self.limits["frame_timeout_ms"] / 1000
        buffer, scanned = bytearray(), 0
        while True:
            end = buffer.find(b"\n", scanned)
            if max(end, len(buffer) if end < 0 else 0) >= limit:  # LI-01 counts the LF
                return RpcError(INVALID_REQUEST, "the frame is too large", reason="frame_too_large", limit_bytes=limit)
            if end >= 0:
                line = bytes(buffer[:end])
                del buffer[: end + 1]
                scanned, patience = 0, self.limits["frame_timeout_ms"] / 1000
                await self.act(line)
                continue
            if not buffer.strip(b" \t\r"):  # LI-02: blanks begin no frame
                buffer.clear()
            scanned, began = len(buffer), loop.time()
            try:
                piece = await asyncio.wait_for(loop.sock_recv(self.sock, READ_BYTES), patience if buffer else None)
            except asyncio.TimeoutError:
                limit_ms = self.limits["frame_timeout_ms"]
                return RpcError(INVALID_REQUEST, "the frame took too long", reason="frame_timeout", limit_ms=limit_ms)
            if buffer:  # LI-02 counts from the first byte, but only while the daemon reads (OR-08)
                patience -= loop.time() - began
            if not piece:
                await self.act(bytes(buffer))  # FR-02: the last line needs no LF
                return None
            buffer += piece
            await asyncio.sleep(0)

    async def act(self, line):
        if not line.strip(b" \t\r"):
            return
        try:
            # A large frame is parsed beside the loop, so that it holds up nobody else (LI-10).
            value = parse_json(line) if len(line) < READ_BYTES else await asyncio.to_thread(parse_json, line)
            call = read_envelope(value)
        except ValueError:
            await self.send(self.error(None, RpcError(PARSE_ERROR, "the frame is not JSON")))
        except Malformed as error:
            identifier = prompted_session(error.call) if self.initialized else None
            if identifier is not None:
                await self.send(*self.refusal(error.request_id, identifier, error))
            else:
                await self.send(self.error(error.request_id, error))
        else:
            if call is None:
                log.debug("dropped a response of %d bytes", len(line))
            else:
                await self.send(*self.answer(call))

    def answer(self, call):
        """Runs a call and returns what it sends at once. EN-12: initialized, known, parameters, the method's own."""
        try:
            if not self.initialized and call.method != "initialize":
                raise RpcError(METHOD_NOT_FOUND if FAULT == "code" else AUTH_REQUIRED, "initialize first")  # HS-01
            if call.method not in PARAMS:
                raise RpcError(METHOD_NOT_FOUND, "no such method")
            params = read_params(PARAMS[call.method], call.params, self.daemon.strict_params, self.snake_case)
            if call.method == "session/prompt":
                self.daemon.session_prompt(self, params, call.request_id)  # the turn will reply
                return []
            method = getattr(self.daemon, call.method.replace("/", "_"))
            return [self.result(call.request_id, method(self, params))]
        except RpcError as error:
            identifier = prompted_session(call) if self.initialized else None
            if identifier is not None:
                return self.refusal(call.request_id, identifier, error)
            return [self.error(call.request_id, error)]
        except Exception:
            log.exception("a method broke")  # ER-02: the connection lives on
            return [self.error(call.request_id, RpcError(INTERNAL_ERROR, "an internal error"))]

    # From accept to the end.

    async def serve(self):
        loop = asyncio.get_running_loop()
        self.reader = loop.create_task(self.read_frames())
        writer = loop.create_task(self.write_frames())
        timer = loop.call_later(self.limits["initialize_timeout_ms"] / 1000, self.expire)
        try:
            notice = None
            try:
                notice = await self.reader
                if notice is None:
                    await self.finish_turns()
            except asyncio.CancelledError:
                pass  # by lose(), or because the daemon stops
            except OSError:
                self.lose()
            for turn in sorted(self.turns, key=lambda turn: turn.task is not None):  # who waits goes first
                turn.finish("cancelled", "cancelled") if turn.task else turn.refuse(RpcError(SESSION_NOT_FOUND, "over"))
            if notice and FAULT != "limit":
                self.put(self.error(None, notice))
            self.closing = True
            self.queue_changed.set()
            await writer
        finally:
            timer.cancel()
            writer.cancel()
            del self.daemon.connections[self]
            await hang_up(self.sock)

    def expire(self):
        if not self.initialized:  # LI-03: closed, no frame
            self.lose()

    async def finish_turns(self):
        """OR-06: after a half-close turns go on for as long as the client can read."""
        poll = select.poll()
        poll.register(self.sock, 0)  # answers POLLHUP once both directions are closed
        while self.turns and not self.gone and not poll.poll(0) and FAULT != "half-close":
            self.turn_left.clear()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.turn_left.wait(), GONE_CHECK_SECS)


async def hang_up(sock):
    """LI-12: closes so that the client reads what was written and then the end, not a reset."""
    loop, drained = asyncio.get_running_loop(), 0
    with suppress(OSError, asyncio.TimeoutError):
        sock.shutdown(socket.SHUT_WR)
        while drained < MAX_DRAINED_BYTES:
            piece = await asyncio.wait_for(loop.sock_recv(sock, READ_BYTES), LINGER_SECS)
            if not piece:
                break
            drained += len(piece)
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RD)  # the client can write no more; what it has written is little
        while sock.recv(READ_BYTES):
            pass
    sock.close()


# --- The daemon: its methods and its connections ------------------------------------------------------


class Daemon:
    """What the connections share. A method runs in one step, so calls act in their order (OR-04)."""

    def __init__(self, config_dir, data_dir, endpoint, rpc):
        self.config_dir, self.workspace, self.endpoint = config_dir, os.path.join(data_dir, "workspace"), endpoint
        self.limits = {name: rpc.get(name, default) for name, default in LIMITS.items()}
        self.strict_params = rpc.get("strict_params", False)
        self.server_version = rpc.get("server_version", VERSION)  # CL-06
        self.secret = own_secret(os.path.join(data_dir, "client.key"))  # HS-07: also after a restart
        self.connections = {}  # each with the task that serves it
        self.live, self.rows = {}, {}  # sessions by id

    def initialize(self, connection, params):
        version = params.get("protocolVersion", 1)
        if version != 1:  # HS-02
            data = {"reason": "version_mismatch", "supported": [1], "requested": version}
            raise RpcError(VERSION_MISMATCH, "this daemon speaks version 1", **data)
        if "authToken" in params or not connection.allowed:  # AU-01; AU-10: a token decides, and none is known
            raise RpcError(AUTH_REQUIRED, "not the daemon's user, or not a token it knows")
        tui_id = connection.tui_id or secrets.token_urlsafe(16)
        if "tuiSig" in params:  # HS-07
            tui_id = params.get("tuiId", "")
            if not hmac.compare_digest(self.sign(tui_id).encode(), params["tuiSig"].encode()):
                raise RpcError(AUTH_REQUIRED, "tuiSig does not fit tuiId")
        connection.initialized, connection.tui_id = True, tui_id
        connection.snake_case = params.spelled.get("protocolVersion") == "protocol_version"  # SP-02
        return {
            "protocolVersion": 1,
            "serverVersion": self.server_version,
            "serverPid": os.getpid(),
            "capabilities": sorted(PARAMS),
            "limits": self.limits,
            "principalId": "operator",
            "tuiId": tui_id,
            "tuiSig": self.sign(tui_id),
        }

    def sign(self, tui_id):
        return hmac.new(self.secret, b"operator:" + tui_id.encode(), "sha256").hexdigest()

    def status(self, _connection, _params):
        return {
            "serverVersion": self.server_version,
            "protocolVersion": 1,
            "activeSessions": len(self.live),
            "sessionIds": sorted(self.live),
            "configDir": self.config_dir,
            "configFile": os.path.join(self.config_dir, "config.toml"),
            **({"localIpcEndpoint": self.endpoint} if self.endpoint else {}),
        }

    def session_new(self, connection, params):
        mode, surface, cwd = params.get("chatMode", "chat"), params.get("interactionSurface"), params.get("cwd")
        if surface and mode == "chat":
            raise params.invalid("interactionSurface", "chatMode acp with it")
        if cwd is not None and not (os.path.isabs(cwd) and os.path.isdir(cwd)):
            raise params.invalid("cwd", "the absolute path of a directory")
        identifier = params.get("sessionId") or secrets.token_urlsafe(16)
        session = self.live.get(identifier) or (self.rows.get(identifier) if mode == "acp" else None)
        if session and session.mode != mode:
            raise RpcError(INVALID_PARAMS, "the session is live in the other mode", reason="mode_conflict")
        if session and surface != session.surface:
            raise invalid("/" + params.spelled.get("interactionSurface", "interactionSurface"), "its own surface")
        if session is None:
            if not params.get("keepSiblings"):
                self.close_siblings(connection, mode)
            self.make_room()
            session = self.live[identifier] = Session(identifier, mode, surface, cwd or self.workspace)
        elif identifier not in self.live:
            self.resume(session)
        session.client = connection.tui_id
        found = {"agentAlias": "echo", "workspaceDir": session.workspace, "messageCount": session.message_count}
        return {"sessionId": identifier, **found}

    def close_siblings(self, connection, mode):
        """SE-04."""
        for session in list(self.live.values()):
            if session.client == connection.tui_id and session.mode == mode and not session.turns:
                self.close(session)

    def make_room(self):
        """SE-18: of the idle sessions without a client the one idle longest goes, ACP before chat."""
        if len(self.live) < self.limits["max_live_sessions"]:
            return
        present = {connection.tui_id for connection in self.connections}
        idle = [session for session in self.live.values() if not session.turns and session.client not in present]
        if not idle:
            raise RpcError(SESSION_LIMIT_REACHED, "too many live sessions")
        self.close(min(idle, key=lambda session: (session.mode != "acp", session.touched)))

    def resume(self, session):
        """SE-03, from memory."""
        self.make_room()
        self.live[session.id] = self.rows.pop(session.id)

    def close(self, session):
        session.end_turns()
        del self.live[session.id]
        if session.mode == "acp":
            self.rows[session.id] = session

    def find(self, identifier):
        if identifier not in self.live:
            raise RpcError(SESSION_NOT_FOUND, "no such live session")
        return self.live[identifier]

    def session_prompt(self, connection, params, request_id):
        identifier = params["sessionId"]
        if not params["prompt"]:
            raise params.invalid("prompt", "a text that is not empty")
        if identifier in self.rows and identifier not in self.live:  # DU-08
            self.resume(self.rows[identifier])
            self.live[identifier].client = connection.tui_id
        session = self.find(identifier)
        if len(session.turns) > self.limits["max_waiting_prompts"]:  # LI-08; the foremost does not wait
            raise RpcError(SESSION_BUSY, "too many prompts wait for the session")
        turn = Turn(connection, request_id, session, params["prompt"])
        session.turns.append(turn)
        connection.turns.add(turn)
        if session.turns[0] is turn:
            turn.start()
        else:
            turn.wait(self.limits["prompt_wait_ms"])

    def session_cancel(self, _connection, params):
        identifier = params["sessionId"]
        turns = self.find(identifier).turns if identifier not in self.rows or identifier in self.live else ()
        cancelled = bool(turns)
        if cancelled:
            turns[0].finish(*(("completed", "end_turn") if FAULT == "cancel" else ("cancelled", "cancelled")))
        return {"sessionId": identifier, "cancelled": cancelled}

    def session_close(self, _connection, params):
        session = self.find(params["sessionId"])
        self.close(session)
        return {"sessionId": session.id, "closed": True}

    def session_state(self, _connection, params):
        session = self.find(params["sessionId"])
        if not session.turns:
            return {"sessionId": session.id, "state": "idle"}
        turn = session.turns[0]
        return {"sessionId": session.id, "state": "running", "turnId": turn.id, "turnStartedAt": turn.started_at}

    def session_list(self, _connection, params):
        sessions, query = [*self.live.values(), *self.rows.values()], params.get("query", "").lower()
        found = [session for session in sessions if query in session.id.lower() or query in "echo"]
        found.sort(key=lambda session: session.touched, reverse=True)
        fitting = self.limits["max_frame_bytes"] // 1024  # LI-13: an entry is shorter than that
        page = found[: min(params.get("limit", MAX_PAGE), MAX_PAGE, fitting)]
        return {"sessions": [self.describe(session) for session in page]}

    def describe(self, session):
        key = f"{session.mode}:{session.id}"  # an id may have a live chat session and an ACP row
        who = {"sessionId": session.id, "sessionKey": key, "agentAlias": "echo", "chatMode": session.mode}
        times = {"createdAt": session.created_at, "lastActivity": session.last_activity}
        live = self.live.get(session.id) is session
        return {**who, "live": live, "killed": False, "messageCount": session.message_count, **times}

    async def listen(self, listener):
        loop, limit, refusing = asyncio.get_running_loop(), self.limits["max_local_connections"], False
        while True:
            try:
                sock, _ = await loop.sock_accept(listener)
            except OSError:
                await asyncio.sleep(ACCEPT_RETRY_SECS)
                continue
            if len(self.connections) < limit:
                refusing = False
                self.welcome(sock, peer_uid(sock) in (None, os.getuid()))
                continue
            if not refusing:  # LI-05
                log.warning("refusing connections: %d are open", limit)
                refusing = True
            data = {"reason": "connection_limit", "limit": limit}
            refused = RpcError(CONNECTION_LIMIT_REACHED, "too many connections", **data)
            with suppress(OSError):  # gone already
                sock.send(frame({"error": refused.members}, None))  # a fresh socket has room for it
            loop.create_task(hang_up(sock))

    def welcome(self, sock, allowed):
        sock.setblocking(False)
        connection = Connection(self, sock, allowed)
        self.connections[connection] = asyncio.get_running_loop().create_task(connection.serve())
        return self.connections[connection]

    async def stop(self):
        """EP-14: turns are cancelled, and everyone gets what is queued, within a time."""
        for session in list(self.live.values()):
            self.close(session)
        for connection in self.connections:
            if connection.reader:
                connection.reader.cancel()
        if self.connections:
            await asyncio.wait(self.connections.values(), timeout=self.limits["drain_ms"] / 1000)


# --- Start and end (section 1, in outline) ------------------------------------------------------------


def peer_uid(sock):
    if not hasattr(socket, "SO_PEERCRED"):
        return None  # the mode of the socket alone decides
    return struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]


def own_secret(path):
    """What is in the file, which is made if it is not there."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        with open(path, "rb") as file:
            return file.read()
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_bytes(32))
    return own_secret(path)


def setting(name):
    return os.environ.get(name, "").strip()  # blank counts as unset


def read_rpc(path):
    """The [rpc] table of the configuration; before Python 3.11 only its integers, booleans and plain texts."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if tomllib:
        rpc = tomllib.loads(text).get("rpc", {})
    else:
        rpc, table = {}, None
        for line in text.splitlines():
            header = re.match(r"\s*\[\s*([^\]]*?)\s*\]", line)
            entry = re.match(r'\s*(\w+)\s*=\s*(?:([0-9_]+)|(true|false)|"([^"\\]*)")\s*(?:#.*)?$', line)
            table = header.group(1) if header else table
            if entry and table == "rpc":
                name, number, truth, quoted = entry.groups()
                rpc[name] = int(number) if number else truth == "true" if truth else quoted
    for name in LIMITS:
        least = MINIMA.get(name, 1)
        if name in rpc and (type(rpc[name]) is not int or rpc[name] < least):
            raise SystemExit(f"tiny_daemon: {path}: rpc.{name} must be an integer, at least {least}")
    return rpc


def own(path, endpoint):
    """EP-04, EP-05, EP-16: one owner, by a kernel lock that lasts as long as this process. Returns its descriptor."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(lock, 32, 0).decode("ascii", "replace").strip()
        raise SystemExit(f"tiny_daemon: {endpoint} is served already, by the process with pid {owner}") from None
    os.ftruncate(lock, 0)
    os.pwrite(lock, b"%d\n" % os.getpid(), 0)
    return lock


def bind(path):
    """A listener on a socket that is never wider than 0600 (EP-09); a stale socket is removed first (EP-06)."""
    length, limit = len(os.fsencode(path)), 107 if sys.platform == "linux" else 103
    if length > limit:  # EP-08
        raise SystemExit(f"tiny_daemon: {path} is {length} bytes long; the limit is {limit}")
    own(path + ".lock", path)
    if os.path.lexists(path):
        facts = os.lstat(path)
        with socket.socket(socket.AF_UNIX) as probe:
            ours = stat.S_ISSOCK(facts.st_mode) and facts.st_uid == os.getuid()
            if not ours or probe.connect_ex(path) != errno.ECONNREFUSED:
                raise SystemExit(f"tiny_daemon: {path} is in the way; it is no stale socket of ours")
        os.unlink(path)
    listener, mask = socket.socket(socket.AF_UNIX), os.umask(0o177)
    listener.bind(path)
    os.umask(mask)
    listener.listen(128)
    listener.setblocking(False)
    return listener


def bridge_stdio():
    """A socket that stands for standard input and output, and the thread that ends when all output is written."""
    ours, theirs = socket.socketpair()

    def copy_input():
        with suppress(OSError):
            for data in iter(lambda: os.read(0, READ_BYTES), b""):
                theirs.sendall(data)
            theirs.shutdown(socket.SHUT_WR)

    def copy_output():
        poll = select.poll()
        poll.register(theirs, select.POLLIN)
        poll.register(1, 0)  # answers POLLERR once nobody reads
        with suppress(OSError):
            while all(descriptor != 1 for descriptor, _ in poll.poll()):
                data = theirs.recv(READ_BYTES)
                if not data:
                    return
                while data:
                    data = data[os.write(1, data) :]
        theirs.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=copy_input, daemon=True).start()
    output = threading.Thread(target=copy_output, daemon=True)
    output.start()
    return ours, output


async def run(options):
    config_dir = options.config_dir or setting("ZEROCLAW_CONFIG_DIR")  # EP-02
    if not config_dir and setting("ZEROCLAW_DATA_DIR"):
        config_dir = data_dir = os.path.abspath(setting("ZEROCLAW_DATA_DIR"))
    else:
        config_dir = os.path.abspath(config_dir or os.path.expanduser("~/.zeroclaw"))
        data_dir = os.path.join(config_dir, "data")
    endpoint = os.path.abspath(setting("ZEROCLAW_SOCKET") or os.path.join(data_dir, "daemon.sock"))  # EP-03
    endpoint = None if options.stdio else endpoint
    os.makedirs(os.path.join(data_dir, "workspace"), mode=0o700, exist_ok=True)
    own(os.path.join(data_dir, "daemon.lock"), endpoint or data_dir)
    daemon = Daemon(config_dir, data_dir, endpoint, read_rpc(os.path.join(config_dir, "config.toml")))
    loop, told_to_end = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told_to_end.set)
    end = loop.create_task(told_to_end.wait())
    if options.stdio:
        sock, output = bridge_stdio()
        client = daemon.welcome(sock, True)
        print("tiny_daemon: ready on standard input and output", file=sys.stderr, flush=True)
        await asyncio.wait([end, client], return_when=asyncio.FIRST_COMPLETED)
        await daemon.stop()
        await loop.run_in_executor(None, output.join, daemon.limits["drain_ms"] / 1000)
        return
    listener = bind(endpoint)
    bound = os.lstat(endpoint)
    listening = loop.create_task(daemon.listen(listener))
    print(f"tiny_daemon: ready at {endpoint}", file=sys.stderr, flush=True)
    await end
    listening.cancel()
    listener.close()
    if os.path.lexists(endpoint) and os.path.samestat(os.lstat(endpoint), bound):  # EP-07
        os.unlink(endpoint)
    await daemon.stop()


def main():
    parser = argparse.ArgumentParser(description="A tiny daemon that speaks the protocol, version 1.")
    parser.add_argument("command", nargs="?", choices=["daemon"], help="may be left out: there is no other")
    parser.add_argument("--stdio", action="store_true", help="serve one client on standard input and output")
    parser.add_argument("--config-dir", metavar="DIR", help="the configuration; data is in DIR/data")
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
