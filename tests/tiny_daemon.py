#!/usr/bin/env python3
"""A tiny daemon: the protocol, version 1, once more, in one file of plain Python (3.9 or later).

It was written from docs/protocol.md alone and shares no code with the daemon, so where the two
agree the document is clear, and where they do not, one of the three is wrong. It is also meant to
be read: whoever implements the protocol anew finds here, top to bottom, JSON as strict as the wire
asks for, the envelope, parameters in two spellings, turns, one connection, and the daemon.

    python3 tests/tiny_daemon.py                      serves ZEROCLAW_SOCKET, else <data_dir>/daemon.sock
    python3 tests/tiny_daemon.py --stdio              serves one client on standard input and output
    python3 tests/tiny_daemon.py --config-dir DIR     takes DIR/config.toml ([rpc]) and DIR/data

One line on stderr says when it is ready; SIGTERM and SIGINT end it. It runs on Unix.

Kept to the letter: framing, envelope, order, both spellings, errors, and for the methods below the
handshake, limits, sessions and turns. Left out: storage (the rows of closed ACP sessions live in
memory), attachments, users and tokens (only the daemon's own user gets in), WSS, Windows.
`capabilities` says which methods there are. The one agent is `echo`: it streams the prompt back word
by word and obeys `@wait`, `@fail`, `@think`, `@say`, `@max_tokens`, `@refusal`, `@pour N`; `@@` is `@`.

TINY_FAULT=<name> makes one deliberate mistake, by which a conformance suite can test itself:

    id          a number id above 2^53 comes back rounded, any other number id as a string
    order       the reply to a prompt is sent before its turn_complete
    twice       turn_complete is sent twice
    spelling    everything leaves in camelCase, whatever the handshake said
    unequal     two spellings of one member with unequal values: the last one wins
    code        before initialize the answer is -32601
    cancel      session/cancel says true, but the turn ends as completed
    framing     frames end with CR LF
    null-id     a parse error is answered without an id
    answer      a notification is answered as if its id were null
    depth       nesting is not limited to 127 levels
    surrogate   lone surrogate escapes are taken
    limit       a frame above the limit closes the connection without a notice
    half-close  a half-close cancels the turns of the connection
    refusal     a refused prompt gets no turn_complete
"""

import argparse
import asyncio
import errno
import fcntl
import hashlib
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

# LI-11: each limit by its name under [rpc]. `initialize` reports them all, also those of methods that are not here.
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
MAX_DEPTH = 127  # FR-04
MAX_CONTENT_BYTES = 1_048_576  # TU-02
MAX_DRAINED_BYTES = 1_048_576  # LI-12
MAX_PIECE = 65_536  # one event's text
MAX_PAGE = 1_000  # SE-12
ACCEPT_RETRY_SECS = 0.05  # EP-12
LINGER_SECS = 1.0  # how long a closing connection waits for the client to stop writing
GONE_CHECK_SECS = 0.25  # how often a half-closed client is asked whether it still reads


# --- JSON, as strict as FR-04 -------------------------------------------------------------------


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
    """Reads one JSON text. Raises ValueError for whatever FR-04 refuses; never recurses (FR-05)."""
    text = data.decode("utf-8")  # strict: no overlong forms, no surrogates
    at = 0
    open_containers = []
    names = []  # for each member whose value is still being read
    want = "value"  # value, name, ":", ",", or the bracket that may close a container just opened
    while True:
        token = TOKEN.match(text, at)
        if token is None:
            raise ValueError("not a JSON token")
        at = token.end()
        mark, number, literal = token.groups()
        if want == ":" or mark == ":":
            if want != mark:
                raise ValueError("a colon out of place")
            want = "value"
            continue
        if mark == ",":
            if want != "," or not open_containers:
                raise ValueError("a comma out of place")
            want = "name" if isinstance(open_containers[-1], Object) else "value"
            continue
        if mark in ("]", "}"):
            closes = open_containers and ("}" if isinstance(open_containers[-1], Object) else "]")
            if mark != closes or want not in (",", mark):
                raise ValueError("a bracket out of place")
            value = open_containers.pop()
        elif want in ("name", "}"):
            if mark != '"':
                raise ValueError("a member has no name")
            name, at = parse_string(text, at)
            names.append(name)
            want = ":"
            continue
        elif want == ",":
            raise ValueError("a comma is missing")
        elif mark in ("[", "{"):
            if len(open_containers) >= MAX_DEPTH and FAULT != "depth":
                raise ValueError("nested too deeply")
            open_containers.append([] if mark == "[" else Object())
            want = "]" if mark == "[" else "}"
            continue
        elif mark == '"':
            value, at = parse_string(text, at)
        elif number is not None:
            if abs(float(number)) == float("inf"):
                raise ValueError("a number with no finite double")
            value = Number(number)
        else:
            value = LITERALS[literal]
        # A value is complete; it belongs to the innermost open container.
        if not open_containers:
            if text[at:].strip(" \t\r\n"):
                raise ValueError("text after the value")
            return value
        if isinstance(open_containers[-1], Object):
            open_containers[-1].append((names.pop(), value))
        else:
            open_containers[-1].append(value)
        want = ","


def parse_string(text, at):
    """Reads a string whose opening quote is before `at`: the standard library's scanner, minus lone surrogates."""
    value, at = scanstring(text, at, True)
    if FAULT == "surrogate":
        value = value.encode("utf-8", "replace").decode("utf-8")
    value.encode("utf-8")
    return value, at


def encode(value):
    if isinstance(value, Number):
        return value.text
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- Errors (section 15) and the envelope (section 3) -------------------------------------------

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
SESSION_NOT_FOUND, SESSION_LIMIT_REACHED, SESSION_BUSY, CONNECTION_LIMIT_REACHED = -32000, -32001, -32002, -32004
AUTH_REQUIRED, VERSION_MISMATCH = -32010, -32011


class RpcError(Exception):
    def __init__(self, code, message, **data):
        super().__init__(message)
        self.members = {"code": code, "message": message}
        if data:
            self.members["data"] = data


class Malformed(RpcError):
    """A frame that is no request, and the id under which that can be said."""

    def __init__(self, message, request_id=None):
        super().__init__(INVALID_REQUEST, message)
        self.request_id = request_id


class Call(NamedTuple):
    method: str
    request_id: object  # a str, a Number, None, or NOTIFICATION
    params: object  # an Object or a list


NOTIFICATION = object()
ENVELOPE = ("jsonrpc", "id", "method", "params", "result", "error")


def read_envelope(frame):
    """The Call in a frame; None for a response, of which this daemon awaits none (EN-06, EN-08)."""
    if not isinstance(frame, Object):
        raise Malformed("a frame is one JSON object; there are no batches")  # EN-01
    members = {name: value for name, value in frame if name in ENVELOPE}
    answers = "result" in members or "error" in members
    if "method" not in members and answers:
        return None
    if sum(name in ENVELOPE for name, _ in frame) > len(members):
        raise Malformed("an envelope member is repeated")  # EN-11
    if not isinstance(members.get("method"), str) or answers:
        raise Malformed("neither a request nor a response")  # EN-07
    request_id = members.get("id", NOTIFICATION)
    if not (request_id is NOTIFICATION or request_id is None or isinstance(request_id, (str, Number))):
        raise Malformed("an id is a string, a number or null")
    answer_to = None if request_id is NOTIFICATION else request_id  # EN-05, EN-10
    if members.get("jsonrpc") != "2.0":
        raise Malformed('"jsonrpc" must be "2.0"', answer_to)
    params = members.get("params", Object())
    if not isinstance(params, list):  # an Object is one too; null is neither (EN-03)
        raise Malformed("params is an object or an array", answer_to)
    return Call(members["method"], request_id, params)


# --- Parameters: what each method takes, in both spellings (section 16) -------------------------


def snake(name):
    return re.sub(r"[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def respell(value):
    """A result or notification with its declared members in snake_case (SP-02); string values stay (SP-04)."""
    if isinstance(value, dict):
        return {snake(name): respell(inner) for name, inner in value.items()}
    return [respell(inner) for inner in value] if isinstance(value, list) else value


# A type is a function that returns the value, or raises ValueError with what it expected.


def string(value):
    if not isinstance(value, str):
        raise ValueError("a string")
    return value


def boolean(value):
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def integer(value):
    if not isinstance(value, Number) or re.search(r"[.eE]", value.text):
        raise ValueError("an integer without fraction or exponent")  # EN-14
    return int(value.text)


def page_size(value):
    value = integer(value)
    if value < 1:
        raise ValueError("a positive integer")
    return min(value, MAX_PAGE)


def open_object(value):
    if not isinstance(value, Object):
        raise ValueError("an object")
    return value


def no_attachments(value):
    if not isinstance(value, list) or isinstance(value, Object) or value:
        raise ValueError("an empty array: this daemon stores no files")
    return value


def session_id(value):
    if not re.fullmatch(r"[A-Za-z0-9._:-]{1,128}", string(value)):
        raise ValueError("1 to 128 of A-Z a-z 0-9 . _ : -")  # SE-16
    return value


def one_of(*values):
    def check(value):
        if value not in values:
            raise ValueError("one of " + ", ".join(values))
        return value

    return check


class Required(NamedTuple):
    type: object


PARAMS = {
    "initialize": {
        "protocolVersion": integer,
        "authToken": string,
        "clientCapabilities": {"elicitation": open_object},
        "tuiId": string,
        "tuiSig": string,
        "env": open_object,
    },
    "status": {},
    "session/new": {
        "agentAlias": Required(string),
        "cwd": string,
        "sessionId": session_id,
        "chatMode": one_of("chat", "acp"),
        "interactionSurface": one_of("zerocode_code"),
        "excludeMemory": boolean,
        "keepSiblings": boolean,
    },
    "session/prompt": {"sessionId": Required(session_id), "prompt": Required(string), "attachments": no_attachments},
    "session/cancel": {"sessionId": Required(session_id)},
    "session/close": {"sessionId": Required(session_id)},
    "session/state": {"sessionId": Required(session_id)},
    "session/list": {"query": string, "limit": page_size},
}


class Params(dict):
    """Parameters by their documented names; `spelled` has the name under which the client sent each."""

    def __init__(self):
        super().__init__()
        self.spelled = {}


def invalid(path, expected):
    return RpcError(INVALID_PARAMS, f"expected {expected}", reason="invalid_params", path=path)


def pointer(path, name):
    return path + "/" + name.replace("~", "~0").replace("/", "~1")


def read_params(schema, given, strict, snake_case, path=""):
    """Checks params against a schema. `snake_case` tells how to spell a member that the client did not send."""
    if not isinstance(given, Object):
        if given:
            raise invalid(path, "parameters by name, in an object")  # EN-03
        given = Object()
    documented = {spelling: name for name in schema for spelling in (name, snake(name))}
    raw, seen, params = {}, set(), Params()
    for spelling, value in given:
        name = documented.get(spelling)
        if name is None:
            if strict:  # EN-13
                raise RpcError(
                    INVALID_PARAMS, "no such member", reason="unknown_member", path=pointer(path, spelling)
                )
            continue
        if spelling in seen:
            raise invalid(pointer(path, spelling), "each member once")  # EN-11
        seen.add(spelling)
        if value is None and not isinstance(schema[name], Required):
            continue  # EN-03: counts as absent
        if name in raw and raw[name] != value and FAULT != "unequal":
            raise invalid(pointer(path, spelling), "the same value in both spellings")  # SP-01
        raw[name] = value
        # SP-02: only a client that sent snake_case alone is answered so.
        params.spelled[name] = spelling if name not in params.spelled else name
    for name, kind in schema.items():
        if name not in raw:
            if isinstance(kind, Required):
                raise invalid(pointer(path, snake(name) if snake_case else name), "a member that is missing")
            continue
        here = pointer(path, params.spelled[name])
        kind = kind.type if isinstance(kind, Required) else kind
        if isinstance(kind, dict):
            try:
                inner = open_object(raw[name])
            except ValueError as expected:
                raise invalid(here, expected) from None
            params[name] = read_params(kind, inner, strict, snake_case, here)
            continue
        try:
            params[name] = kind(raw[name])
        except ValueError as expected:
            raise invalid(here, expected) from None
    return params


# --- Sessions and turns (sections 7 and 8) ------------------------------------------------------


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Session:
    """A session. It is live while Daemon.live has it; of a closed ACP session Daemon.rows keeps it (SE-05)."""

    def __init__(self, identifier, mode, surface, workspace):
        self.id = identifier
        self.mode = mode
        self.surface = surface
        self.workspace = workspace
        self.client = None  # the connection it is bound to (SE-02)
        self.message_count = 0
        self.created_at = self.last_activity = now()
        self.touched = time.monotonic()
        self.turns = deque()  # the foremost runs, the others wait

    def touch(self):
        self.last_activity, self.touched = now(), time.monotonic()

    def start_foremost(self):
        if self.turns and self.turns[0].task is None:
            self.turns[0].start()

    def end_turns(self):
        """Refuses what waits and cancels what runs."""
        for turn in list(self.turns)[1:]:
            turn.refuse(RpcError(SESSION_NOT_FOUND, "the session was closed"))
        for turn in list(self.turns):
            turn.finish("cancelled", "cancelled")


class TurnFailed(Exception):
    """The agent gave up."""


class Turn:
    """One accepted prompt, from its arrival until its reply is queued.

    `finish` does all that ends a turn in one step that nothing can come between, so a cancel either
    finds the turn unfinished and decides its outcome, or finds it gone (SE-10). What it queues stands
    before everything queued later, and that makes the reply to any later request a fence (OR-05).
    """

    def __init__(self, connection, request_id, session, prompt):
        self.connection = connection
        self.request_id = request_id
        self.session = session
        self.prompt = prompt
        self.id = None  # given when it starts
        self.started_at = None
        self.task = None
        self.timer = None
        self.last_kind = None
        self.tail = bytearray()  # the end of its text, at least MAX_CONTENT_BYTES if there is so much
        self.text_bytes = 0

    def wait(self, limit_ms):
        """LI-08: a prompt waits only so long."""
        busy = RpcError(SESSION_BUSY, "the session was busy for too long")
        self.timer = asyncio.get_running_loop().call_later(limit_ms / 1000, self.refuse, busy)

    def start(self):
        if self.timer:
            self.timer.cancel()
        self.id = "turn-" + secrets.token_hex(8)
        self.started_at = now()
        self.session.message_count += 1
        self.session.touch()
        self.task = asyncio.get_running_loop().create_task(self.run())

    async def run(self):
        try:
            outcome, stop_reason = "completed", await echo(self)
        except TurnFailed:
            outcome, stop_reason = "failed", None
        except Exception:
            log.exception("the agent broke")
            outcome, stop_reason = "failed", None
        # The outcome counts once there is room for it; until then a cancel may still come.
        async with self.connection.room(2 * len(self.content()[0].encode("utf-8"))):
            self.finish(outcome, stop_reason)

    async def emit(self, kind, text):
        if kind == "agent_message_chunk":
            self.tail += text.encode("utf-8")
            self.text_bytes += len(text.encode("utf-8"))
            if len(self.tail) > 2 * MAX_CONTENT_BYTES:
                del self.tail[:-MAX_CONTENT_BYTES]
        if kind != self.last_kind:
            self.last_kind = kind
            self.session.message_count += 1
        await self.connection.send(self.connection.update(self.session.id, kind, text=text))
        await asyncio.sleep(0)  # let the others have their turn

    def content(self):
        """The turn's text, cut at its front to 1 MiB (TU-02) and to what a frame can hold (LI-13); and whether it was cut."""
        tail = self.tail[-MAX_CONTENT_BYTES:]
        text = tail.decode("utf-8", "ignore" if self.text_bytes > len(tail) else "strict")
        room = self.connection.daemon.limits["max_frame_bytes"] - 1024 - len(encode_id(self.request_id))
        while text and len(encode(text).encode("utf-8")) > room:
            text = text[len(text) // 8 + 1 :]
        return text, len(text.encode("utf-8")) < self.text_bytes

    def finish(self, outcome, stop_reason):
        if self not in self.session.turns:
            return
        self.task.cancel()  # does nothing to a task that is just ending
        content, cut = self.content()
        text = {"content": content, "truncated": True} if cut else {"content": content}
        complete = self.connection.update(self.session.id, "turn_complete", turnId=self.id, outcome=outcome, **text)
        if outcome == "failed":
            error = RpcError(INTERNAL_ERROR, "the turn failed", reason="turn_failed")
            reply = self.connection.error(self.request_id, error)
        else:
            result = {"sessionId": self.session.id, "turnId": self.id, "stopReason": stop_reason, **text}
            reply = self.connection.result(self.request_id, result)
        frames = [complete, reply]
        if FAULT == "order":
            frames.reverse()
        if FAULT == "twice":
            frames.insert(0, complete)
        self.leave(frames)

    def refuse(self, error):
        """TU-05, for a prompt that was still waiting."""
        if self in self.session.turns:
            self.leave(self.connection.refusal(self.request_id, self.session.id, error))

    def leave(self, frames):
        if self.timer:
            self.timer.cancel()
        self.connection.put(*frames)
        self.connection.turns.discard(self)
        self.connection.turn_left.set()
        self.session.turns.remove(self)
        self.session.touch()
        self.session.start_foremost()


WORDS = re.compile(r"@pour\s+[0-9]{1,15}(?!\S)\s*|\S+\s*|\s+")


async def echo(turn):
    """The echo agent. Returns the stop reason."""
    # Escaped, a character takes six bytes at most; a piece must fit a frame (LI-13).
    size = max(16, min(MAX_PIECE, (turn.connection.daemon.limits["max_frame_bytes"] - 1024) // 6) // 16 * 16)
    kind = "agent_message_chunk"
    for match in WORDS.finditer(turn.prompt):
        word = match.group()
        control = word.split()[:1]
        if control == ["@wait"]:
            await asyncio.get_running_loop().create_future()  # only a cancel ends this
        elif control == ["@fail"]:
            raise TurnFailed
        elif control == ["@think"]:
            kind = "agent_thought_chunk"
        elif control == ["@say"]:
            kind = "agent_message_chunk"
        elif control in (["@max_tokens"], ["@refusal"]):
            return control[0][1:]
        elif control == ["@pour"] and len(word.split()) == 2:
            left = int(word.split()[1])
            while left > 0:
                piece = ("0123456789abcdef" * (size // 16))[:left]
                left -= len(piece)
                await turn.emit(kind, piece)
        else:
            if word.startswith("@@"):
                word = word[1:]
            for start in range(0, len(word), size):
                await turn.emit(kind, word[start : start + size])
    return "end_turn"


# --- One connection -----------------------------------------------------------------------------


def encode_id(request_id):
    if FAULT == "id" and isinstance(request_id, Number):
        value = float(request_id.text)
        return encode(value if value > 2**53 else request_id.text)
    return encode(None if request_id is NOTIFICATION else request_id)


def frame(members, request_id=NOTIFICATION):
    """FR-03: one object, one LF."""
    text = encode({"jsonrpc": "2.0", **members})
    if request_id is not NOTIFICATION:
        omitted = FAULT == "null-id" and members.get("error", {}).get("code") == PARSE_ERROR
        text = text if omitted else f'{text[:-1]},"id":{encode_id(request_id)}}}'
    return text.encode("utf-8") + (b"\r\n" if FAULT == "framing" else b"\n")


class Room:
    """`async with connection.room(size)`: waits until so many bytes fit the queue, first come, first served (LI-09)."""

    def __init__(self, connection, size):
        self.connection = connection
        self.size = size

    async def __aenter__(self):
        await self.connection.gate.acquire()
        try:
            limit = self.connection.daemon.limits["max_queued_bytes"]
            # A frame above the bound waits until it is alone.
            while self.connection.queued_bytes and self.connection.queued_bytes + self.size > limit:
                self.connection.written.clear()
                await self.connection.written.wait()
        except BaseException:
            self.connection.gate.release()
            raise

    async def __aexit__(self, *_):
        self.connection.gate.release()


class Connection:
    """Reads frames and acts on them one by one (OR-04), while a second task writes what is queued (OR-05)."""

    def __init__(self, daemon, sock, operator):
        self.daemon = daemon
        self.sock = sock
        self.operator = operator
        self.initialized = False
        self.snake_case = False
        self.tui_id = None
        self.turns = set()
        self.turn_left = asyncio.Event()
        self.gone = False  # nothing that is written would be read
        self.last_frame_is_queued = False
        self.queue = deque()
        self.queued_bytes = 0
        self.queue_changed = asyncio.Event()
        self.written = asyncio.Event()
        self.gate = asyncio.Lock()
        self.reader = None

    # Frames.

    def result(self, request_id, result):
        if request_id is NOTIFICATION and FAULT != "answer":
            return b""
        request_id = None if request_id is NOTIFICATION else request_id
        reply = frame({"result": self.spell(result)}, request_id)
        if len(reply) > self.daemon.limits["max_frame_bytes"]:  # LI-13; only an id can be so long
            return frame({"error": Malformed("the id is too long to come back").members}, None)
        return reply

    def error(self, request_id, error):
        if request_id is NOTIFICATION and FAULT != "answer":
            return b""
        request_id = None if request_id is NOTIFICATION else request_id
        reply = frame({"error": error.members}, request_id)
        if len(reply) > self.daemon.limits["max_frame_bytes"]:
            return frame({"error": error.members}, None)
        return reply

    def update(self, identifier, kind, **members):
        params = self.spell({"sessionId": identifier, "type": kind, **members})
        return frame({"method": "session/update", "params": params})

    def refusal(self, request_id, identifier, error):
        """TU-05: no client waits for ever for a turn that never started."""
        complete = self.update(identifier, "turn_complete", outcome="failed", content="")
        return [b"" if FAULT == "refusal" else complete, self.error(request_id, error)]

    def spell(self, value):
        return respell(value) if self.snake_case and FAULT != "spelling" else value

    # Writing.

    def room(self, size):
        return Room(self, size)

    async def send(self, *frames):
        async with self.room(sum(map(len, frames))):
            self.put(*frames)

    def put(self, *frames):
        if not self.gone:
            self.queue.extend(filter(None, frames))
            self.queued_bytes += sum(map(len, frames))
            self.queue_changed.set()

    async def write_frames(self):
        loop = asyncio.get_running_loop()
        try:
            while self.queue or not self.last_frame_is_queued:
                if not self.queue:
                    self.queue_changed.clear()
                    await self.queue_changed.wait()
                    continue
                frame_bytes = self.queue[0]
                try:
                    sent = self.sock.send(frame_bytes)
                except BlockingIOError:
                    sent = 0
                if sent < len(frame_bytes):  # LI-04: from the first byte offered to the last one taken
                    rest = loop.sock_sendall(self.sock, memoryview(frame_bytes)[sent:])
                    await asyncio.wait_for(rest, self.daemon.limits["write_timeout_ms"] / 1000)
                self.queue.popleft()
                self.queued_bytes -= len(frame_bytes)
                self.written.set()
                await asyncio.sleep(0)
        except (OSError, asyncio.TimeoutError):
            self.lose()

    def lose(self):
        """The client is gone, or as good as gone: nothing more is read, queued or written."""
        self.gone = True
        self.queue.clear()
        self.queued_bytes = 0
        self.written.set()
        self.reader.cancel()

    # Reading.

    async def read_frames(self):
        """Acts on frames until the stream ends. Returns the notice with which the daemon ends it, or None."""
        loop = asyncio.get_running_loop()
        limits = self.daemon.limits
        limit = limits["max_frame_bytes"]
        buffer = bytearray()
        scanned = 0
        patience = limits["frame_timeout_ms"] / 1000
        while True:
            end = buffer.find(b"\n", scanned)
            if end >= limit or (end < 0 and len(buffer) >= limit):  # LI-01 counts the LF
                return RpcError(INVALID_REQUEST, "the frame is too large", reason="frame_too_large", limit_bytes=limit)
            if end >= 0:
                line = bytes(buffer[:end])
                del buffer[: end + 1]
                scanned = 0
                patience = limits["frame_timeout_ms"] / 1000
                await self.act(line)
                continue
            scanned = len(buffer)
            began = loop.time()
            try:
                piece = await asyncio.wait_for(loop.sock_recv(self.sock, 65536), patience if buffer else None)
            except asyncio.TimeoutError:
                limit_ms = limits["frame_timeout_ms"]
                return RpcError(INVALID_REQUEST, "the frame took too long", reason="frame_timeout", limit_ms=limit_ms)
            if buffer:  # LI-02 from the first byte, but only while we read (OR-08)
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
            parsed = parse_json(line) if len(line) < 65536 else await asyncio.to_thread(parse_json, line)
        except ValueError:
            await self.send(self.error(None, RpcError(PARSE_ERROR, "the frame is not JSON")))
            return
        try:
            call = read_envelope(parsed)
        except Malformed as error:
            await self.send(self.error(error.request_id, error))
            return
        if call is None:
            log.debug("a response of %d bytes was dropped", len(line))
            return
        await self.answer(call)

    async def answer(self, call):
        """EN-12: initialized, method known, parameters valid, then the method's own checks."""
        try:
            if not self.initialized and call.method != "initialize":
                raise RpcError(METHOD_NOT_FOUND if FAULT == "code" else AUTH_REQUIRED, "initialize first")  # HS-01
            if call.method not in PARAMS:
                raise RpcError(METHOD_NOT_FOUND, "no such method")
            schema = PARAMS[call.method]
            params = read_params(schema, call.params, self.daemon.strict_params, self.snake_case)
            if call.method == "session/prompt":
                self.daemon.session_prompt(self, params, call.request_id)  # long: its turn replies
                return
            result = getattr(self.daemon, call.method.replace("/", "_"))(self, params)
            frames = [self.result(call.request_id, result)]
        except RpcError as error:
            identifier = prompted_session(call) if self.initialized else None
            if identifier is None:
                frames = [self.error(call.request_id, error)]
            else:
                frames = self.refusal(call.request_id, identifier, error)
        except Exception:
            log.exception("a method broke")  # ER-02
            frames = [self.error(call.request_id, RpcError(INTERNAL_ERROR, "an internal error"))]
        await self.send(*frames)

    # From accept to the end.

    async def serve(self):
        loop = asyncio.get_running_loop()
        self.reader = loop.create_task(self.read_frames())
        writer = loop.create_task(self.write_frames())
        timer = loop.call_later(self.daemon.limits["initialize_timeout_ms"] / 1000, self.expire)
        try:
            await asyncio.wait([self.reader])
            ended = not self.reader.cancelled() and self.reader.exception() is None
            if not ended and not self.reader.cancelled():
                self.lose()  # reading failed
            notice = self.reader.result() if ended else None
            if ended and notice is None:
                await self.finish_turns()
            for turn in sorted(self.turns, key=lambda turn: turn.task is not None):  # connection_closed; who waits first
                turn.finish("cancelled", "cancelled") if turn.task else turn.refuse(RpcError(SESSION_NOT_FOUND, "gone"))
            if notice and FAULT != "limit":
                self.put(self.error(None, notice))
            self.last_frame_is_queued = True
            self.queue_changed.set()
            await writer
        finally:
            timer.cancel()
            writer.cancel()
            self.daemon.forget(self)
            await hang_up(self.sock)

    def expire(self):
        if not self.initialized:  # LI-03: no frame
            self.lose()

    async def finish_turns(self):
        """OR-06: after a half-close the turns go on as long as the client can still read."""
        poll = select.poll()
        poll.register(self.sock, 0)  # POLLHUP: both directions are closed
        while self.turns and not self.gone and not poll.poll(0) and FAULT != "half-close":
            self.turn_left.clear()
            try:
                await asyncio.wait_for(self.turn_left.wait(), GONE_CHECK_SECS)
            except asyncio.TimeoutError:
                pass


def prompted_session(call):
    """The session of a session/prompt, however wrong the rest is."""
    if call.method == "session/prompt" and isinstance(call.params, Object):
        for name, value in call.params:
            if name in ("sessionId", "session_id") and isinstance(value, str):
                return value
    return None


async def hang_up(sock):
    """LI-12: closes so that the client reads what was written and then the end, not a reset."""
    loop = asyncio.get_running_loop()
    try:
        sock.shutdown(socket.SHUT_WR)
        drained = 0
        while drained < MAX_DRAINED_BYTES:
            piece = await asyncio.wait_for(loop.sock_recv(sock, 65536), LINGER_SECS)
            if not piece:
                break
            drained += len(piece)
    except (OSError, asyncio.TimeoutError):
        pass
    try:
        sock.shutdown(socket.SHUT_RD)  # from here on the client cannot write, so little is left to drain
        while sock.recv(65536):
            pass
    except OSError:
        pass
    sock.close()


# --- The daemon: its methods and its connections ------------------------------------------------


class Daemon:
    def __init__(self, places, rpc):
        self.places = places
        self.limits = {name: rpc.get(name, default) for name, default in LIMITS.items()}
        self.strict_params = rpc.get("strict_params", False)
        self.server_version = rpc.get("server_version", VERSION)
        self.secret = secrets.token_bytes(32)
        self.connections = {}  # each with the task that serves it
        self.refusing = False
        self.live = {}
        self.rows = {}

    # Methods. Each runs in one step, so requests act in their order (OR-04).

    def initialize(self, connection, params):
        version = params.get("protocolVersion", 1)
        if version != 1:
            raise RpcError(
                VERSION_MISMATCH, "this daemon speaks version 1", reason="version_mismatch", supported=[1], requested=version
            )
        if "authToken" in params or not connection.operator:  # AU-10: a token decides, and none is known
            raise RpcError(AUTH_REQUIRED, "not the daemon's user, or an unknown token")
        if "tuiSig" in params:
            if not hmac.compare_digest(self.sign(params.get("tuiId", "")), params["tuiSig"].encode("utf-8")):
                raise RpcError(AUTH_REQUIRED, "tuiSig does not fit tuiId")  # HS-07
            connection.tui_id = params["tuiId"]
        elif connection.tui_id is None:
            connection.tui_id = secrets.token_urlsafe(16)
        connection.initialized = True
        connection.snake_case = params.spelled.get("protocolVersion") == "protocol_version"  # SP-02
        return {
            "protocolVersion": 1,
            "serverVersion": self.server_version,
            "serverPid": os.getpid(),
            "capabilities": sorted(PARAMS),
            "limits": self.limits,
            "principalId": "operator",
            "tuiId": connection.tui_id,
            "tuiSig": self.sign(connection.tui_id).decode("ascii"),
        }

    def sign(self, tui_id):
        return hmac.new(self.secret, b"operator:" + tui_id.encode("utf-8"), hashlib.sha256).hexdigest().encode("ascii")

    def status(self, _connection, _params):
        return {
            "serverVersion": self.server_version,
            "protocolVersion": 1,
            "activeSessions": len(self.live),
            "sessionIds": list(self.live),
            "configDir": self.places.config_dir,
            "configFile": self.places.config_file,
            "localIpcEndpoint": self.places.endpoint,
        }

    def session_new(self, connection, params):
        mode = params.get("chatMode", "chat")
        surface = params.get("interactionSurface")
        cwd = params.get("cwd")
        if params["agentAlias"] != "echo":
            raise invalid("/" + params.spelled["agentAlias"], "the alias of an agent; here that is echo")
        if surface and mode == "chat":
            raise invalid("/" + params.spelled["interactionSurface"], "chatMode acp with it")
        if cwd is not None and not (os.path.isabs(cwd) and os.path.isdir(cwd)):
            raise invalid("/" + params.spelled["cwd"], "an absolute path of a directory")
        identifier = params.get("sessionId") or secrets.token_urlsafe(16)
        session = self.live.get(identifier)
        if session and session.mode != mode:
            raise RpcError(INVALID_PARAMS, "the session is live in the other mode", reason="mode_conflict")
        session = session or (self.rows.get(identifier) if mode == "acp" else None)
        if session and surface and surface != session.surface:
            raise invalid("/" + params.spelled["interactionSurface"], "the session's own surface")
        if session is None:
            if not params.get("keepSiblings"):
                self.close_siblings(connection, mode)
            self.make_room()
            session = self.live[identifier] = Session(identifier, mode, surface, cwd or self.places.workspace)
        elif identifier not in self.live:
            self.resume(session)
        session.client = connection.tui_id  # SE-02: rebound
        return {
            "sessionId": identifier,
            "agentAlias": "echo",
            "workspaceDir": session.workspace,
            "messageCount": session.message_count,
        }

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
        session = self.live.get(identifier)
        if session is None:
            raise RpcError(SESSION_NOT_FOUND, "no such live session")
        return session

    def session_prompt(self, connection, params, request_id):
        identifier = params["sessionId"]
        if not params["prompt"]:
            raise invalid("/" + params.spelled["prompt"], "a text that is not empty")
        if identifier in self.rows and identifier not in self.live:  # DU-08: a row comes back to life
            self.resume(self.rows[identifier])
            self.live[identifier].client = connection.tui_id
        session = self.find(identifier)
        if len(session.turns) > self.limits["max_waiting_prompts"]:  # LI-08; the foremost does not wait
            raise RpcError(SESSION_BUSY, "too many prompts are waiting")
        turn = Turn(connection, request_id, session, params["prompt"])
        session.turns.append(turn)
        connection.turns.add(turn)
        if len(session.turns) > 1:
            turn.wait(self.limits["prompt_wait_ms"])
        session.start_foremost()

    def session_cancel(self, _connection, params):
        identifier = params["sessionId"]
        if identifier in self.rows and identifier not in self.live:
            return {"sessionId": identifier, "cancelled": False}
        session = self.find(identifier)
        running = bool(session.turns)
        if running and FAULT == "cancel":
            session.turns[0].finish("completed", "end_turn")
        elif running:
            session.turns[0].finish("cancelled", "cancelled")
        return {"sessionId": identifier, "cancelled": running}

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
        query = params.get("query", "")
        sessions = [session for session in {**self.rows, **self.live}.values() if query in session.id]
        sessions.sort(key=lambda session: session.touched, reverse=True)
        entries = [
            {
                "sessionId": session.id,
                "sessionKey": session.id,
                "agentAlias": "echo",
                "chatMode": session.mode,
                "live": session.id in self.live,
                "killed": False,
                "messageCount": session.message_count,
                "createdAt": session.created_at,
                "lastActivity": session.last_activity,
            }
            for session in sessions[: params.get("limit", MAX_PAGE)]
        ]
        return {"sessions": entries}

    # Connections.

    async def listen(self, listener):
        loop = asyncio.get_running_loop()
        while True:
            try:
                sock, _ = await loop.sock_accept(listener)
            except OSError:
                await asyncio.sleep(ACCEPT_RETRY_SECS)  # EP-12
                continue
            sock.setblocking(False)
            limit = self.limits["max_local_connections"]
            if len(self.connections) < limit:
                self.refusing = False
                self.welcome(sock, peer_uid(sock) in (None, os.getuid()))  # AU-01
                continue
            if not self.refusing:
                log.warning("refusing connections: %d are open", limit)
                self.refusing = True
            refused = RpcError(
                CONNECTION_LIMIT_REACHED, "too many connections", reason="connection_limit", limit=limit
            )
            try:
                sock.send(frame({"error": refused.members}, None))  # a fresh socket has room for one small frame
            except OSError:
                pass  # gone already
            loop.create_task(hang_up(sock))

    def welcome(self, sock, operator):
        connection = Connection(self, sock, operator)
        self.connections[connection] = asyncio.get_running_loop().create_task(connection.serve())
        return self.connections[connection]

    def forget(self, connection):
        self.connections.pop(connection, None)

    async def stop(self):
        """EP-14: turns are cancelled, everyone gets what is queued, within a time."""
        for session in list(self.live.values()):
            self.close(session)
        for connection in self.connections:
            connection.reader.cancel()
        if self.connections:
            await asyncio.wait(self.connections.values(), timeout=self.limits["drain_ms"] / 1000)


def peer_uid(sock):
    if not hasattr(socket, "SO_PEERCRED"):
        return None  # the socket's mode alone decides
    return struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))[1]


# --- Places, locks and the socket (section 1, as far as a tidy start and end need it) ------------


class Places(NamedTuple):
    config_dir: str
    data_dir: str
    endpoint: str

    @property
    def config_file(self):
        return os.path.join(self.config_dir, "config.toml")

    @property
    def workspace(self):
        return os.path.join(self.data_dir, "workspace")


def find_places(options):
    """EP-02, EP-03."""
    config_dir = options.config_dir or setting("ZEROCLAW_CONFIG_DIR")
    if not config_dir and setting("ZEROCLAW_DATA_DIR"):
        config_dir = data_dir = os.path.abspath(setting("ZEROCLAW_DATA_DIR"))
    else:
        config_dir = os.path.abspath(config_dir or os.path.expanduser("~/.zeroclaw"))
        data_dir = os.path.join(config_dir, "data")
    socket_path = setting("ZEROCLAW_SOCKET") or os.path.join(data_dir, "daemon.sock")
    return Places(config_dir, data_dir, "stdio" if options.stdio else socket_path)


def setting(name):
    return os.environ.get(name, "").strip()


def read_rpc(path):
    """The [rpc] table of the configuration file."""
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8")
    except FileNotFoundError:
        return {}
    rpc = tomllib.loads(text).get("rpc", {}) if tomllib else read_rpc_lines(text)
    for name in LIMITS:
        if type(rpc.get(name, 1)) is not int or rpc.get(name, 1) < 1:
            raise SystemExit(f"tiny_daemon: {path}: rpc.{name} must be a positive integer")
    return rpc


def read_rpc_lines(text):
    """Enough of TOML for `key = integer`, `key = true` and `key = "text"` below [rpc]."""
    rpc, table = {}, None
    for line in text.splitlines():
        header = re.match(r"\s*\[\s*([^\]]*?)\s*\]", line)
        entry = re.match(r'\s*([\w-]+)\s*=\s*(?:([0-9][0-9_]*)|(true|false)|"([^"\\]*)")\s*(?:#.*)?$', line)
        if header:
            table = header.group(1)
        elif entry and table == "rpc":
            name, number, truth, quoted = entry.groups()
            rpc[name] = int(number.replace("_", "")) if number else quoted if truth is None else truth == "true"
    return rpc


def own(path, endpoint):
    """EP-04, EP-05, EP-16: one owner, by a kernel lock on a file that is never removed. Returns its descriptor."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    facts = os.fstat(lock)
    if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.getuid() or facts.st_nlink != 1:
        raise SystemExit(f"tiny_daemon: {path} is not a lock file of ours")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(lock, 32, 0).decode("ascii", "replace").strip() or "unknown"
        raise SystemExit(f"tiny_daemon: {endpoint} is served already, by the process with pid {owner}") from None
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode("ascii"), 0)
    return lock


def bind(path):
    """Binds the socket, for us alone from its first instant (EP-09); a stale one is removed first (EP-06)."""
    limit = 107 if sys.platform == "linux" else 103
    if len(os.fsencode(path)) > limit:  # EP-08
        raise SystemExit(f"tiny_daemon: {path} has {len(os.fsencode(path))} bytes; a socket's path has at most {limit}")
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    lock = own(path + ".lock", path)
    if os.path.lexists(path):
        facts = os.lstat(path)
        with socket.socket(socket.AF_UNIX) as probe:
            ours = stat.S_ISSOCK(facts.st_mode) and facts.st_uid == os.getuid()
            if not ours or probe.connect_ex(path) != errno.ECONNREFUSED:
                raise SystemExit(f"tiny_daemon: {path} is there already, and it is not a stale socket of ours")
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    listener.bind(path)
    os.umask(before)
    listener.listen(128)
    listener.setblocking(False)
    return listener, lock


def unbind(path, bound):
    """EP-07: only what we bound."""
    try:
        facts = os.lstat(path)
        if (facts.st_dev, facts.st_ino) == bound:
            os.unlink(path)
    except FileNotFoundError:
        pass


def bridge_stdio():
    """Puts a socket between us and standard input and output. Returns our end, and the thread that ends with output."""
    ours, theirs = socket.socketpair()

    def copy_in():
        try:
            while True:
                data = os.read(0, 65536)
                if not data:
                    break
                theirs.sendall(data)
            theirs.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def copy_out():
        poll = select.poll()
        poll.register(theirs, select.POLLIN)
        poll.register(1, 0)  # POLLERR: nobody reads our output any more
        try:
            while not any(descriptor == 1 for descriptor, _ in poll.poll()):
                data = theirs.recv(65536)
                if not data:
                    return
                while data:
                    data = data[os.write(1, data) :]
        except OSError:
            pass
        theirs.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=copy_in, daemon=True).start()
    output = threading.Thread(target=copy_out, daemon=True)
    output.start()
    ours.setblocking(False)
    return ours, output


async def run(options):
    places = find_places(options)
    rpc = read_rpc(places.config_file)
    os.makedirs(places.workspace, mode=0o700, exist_ok=True)
    os.chmod(places.data_dir, 0o700)
    locks = [own(os.path.join(places.data_dir, "daemon.lock"), places.endpoint)]
    daemon = Daemon(places, rpc)
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    waiting = loop.create_task(stopped.wait())
    if options.stdio:
        ours, output = bridge_stdio()
        served = daemon.welcome(ours, True)
        print("tiny_daemon: ready on standard input and output", file=sys.stderr, flush=True)
        await asyncio.wait([waiting, served], return_when=asyncio.FIRST_COMPLETED)
        await daemon.stop()
        await asyncio.to_thread(output.join, daemon.limits["drain_ms"] / 1000)
        return
    listener, lock = bind(places.endpoint)
    locks.append(lock)
    facts = os.lstat(places.endpoint)
    listening = loop.create_task(daemon.listen(listener))
    print(f"tiny_daemon: ready at {places.endpoint}", file=sys.stderr, flush=True)
    await waiting
    listening.cancel()
    listener.close()
    unbind(places.endpoint, (facts.st_dev, facts.st_ino))
    await daemon.stop()


def main():
    parser = argparse.ArgumentParser(description="A tiny daemon that speaks the protocol, version 1.")
    parser.add_argument("command", nargs="?", choices=["daemon"], help="may be left out; there is no other")
    parser.add_argument("--stdio", action="store_true", help="serve one client on standard input and output")
    parser.add_argument("--config-dir", metavar="DIR", help="the configuration directory; data is in DIR/data")
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
