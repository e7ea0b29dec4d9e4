"""Holds the JSON Schema bundle against a validator of another ecosystem: the bundle is valid 2020-12, every example of
the spec fits it, and what does not fit is refused."""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

export = Path(sys.argv[1])
bundle = json.loads((export / "zeroclaw.schema.json").read_text())
Draft202012Validator.check_schema(bundle)


def validator(kind, method, part):
    """The validator of one part of one method or notification."""
    definition = bundle["properties"][kind]["properties"][method]["properties"][part]
    return Draft202012Validator({"$schema": bundle["$schema"], "$defs": bundle["$defs"], **definition})


checked = 0
spec = export.parent
for file in sorted([*spec.glob("methods/*/*.json"), *spec.glob("notifications/*/*.json"), *spec.glob("requests/*/*.json")]):
    document = json.loads(file.read_text())
    rpc, method = document["x-rpc"], document["title"]
    kind = "requests" if rpc["kind"] == "request" else "notifications"
    for example in rpc["examples"]:
        for part in ("params", "result"):
            if part in example:
                validator(kind, method, part).validate(example[part])
                checked += 1

if checked < 2 * len(bundle["properties"]["requests"]["properties"]):
    sys.exit(f"only {checked} examples were found")

wrong = [
    ("requests", "session/new", "params", {}),
    ("requests", "session/new", "params", {"agentAlias": "echo", "chatMode": "loud"}),
    ("requests", "session/cancel", "params", {"sessionId": "a b"}),
    ("requests", "session/cancel", "result", {"sessionId": "s1", "cancelled": "yes"}),
    ("notifications", "session/update", "params", {"sessionId": "s1", "type": "agent_message_chunk"}),
]
for kind, method, part, value in wrong:
    if validator(kind, method, part).is_valid(value):
        sys.exit(f"the bundle takes a wrong {part} of {method}: {value}")

print(f"jsonschema: the bundle is valid, {checked} examples fit, {len(wrong)} wrong values are refused")
