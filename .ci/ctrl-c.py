"""Runs a daemon on a console of its own, types Ctrl-C when it is ready, and wants it to stop in order (EP-14)."""

import os
import pty
import select
import sys
import time

PATIENCE = 60

process, console = pty.fork()
if process == 0:
    os.execvp(sys.argv[1], sys.argv[1:])

said, typed, deadline = b"", False, time.monotonic() + PATIENCE
while time.monotonic() < deadline:
    if select.select([console], [], [], 0.1)[0]:
        try:
            piece = os.read(console, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
    # The console repaints words one by one; the log's own word for it comes in one piece.
    if not typed and b"zeroclaw::server" in said:
        os.write(console, b"\x03")
        typed = True

status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) if time.monotonic() < deadline else None
print(f"exit status {status}")
if status != 0 or b"Ctrl-C" not in said or b"stopped" not in said:
    sys.exit(f"it did not stop in order: {said!r}")
