#!/usr/bin/env python3
"""Capture hook: what a person marks with `remember:` in a prompt is sent to graphsvc. It only sends.

A client runs it with an event of its own as JSON, on standard input or as the last argument, and goes on at once: the
sending is left to a process of its own, and whatever goes wrong there is lost quietly. Nothing is ever written to
standard output or error, so that no client can take a hook's output for context; the exit code is always 0.

    remember: the supplier's contract ends in March

becomes an observation on the entity named after the project's folder, with the session as its provenance. Needs Python
3.9 and nothing else. The service and the token are found as `graphsvc` itself finds them: GRAPHSVC_SERVICE_URL and
GRAPHSVC_TOKEN, else `service.json` and `operator.token` in GRAPHSVC_HOME. GRAPHSVC_SCOPE names another scope than the
token's default one.
"""

import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

EVENT_BYTES_MAX = 4 * 1024 * 1024
FACTS_MAX = 16
FACT_CHARS_MAX = 8_000
NAME_CHARS_MAX = 256
ATTEMPTS = 3
TIMEOUT_S = 5
SEND = "--send"
OPERATION = "create_entities"

MARKED = re.compile(r"^[ \t]*remember:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def facts_of(event):
    """The texts that a person marked in this event; none for events that carry no prompt."""
    prompts = [event.get("prompt")]
    if event.get("type") == "agent-turn-complete":
        prompts = event.get("input-messages") or []
    marked = [fact for prompt in prompts if isinstance(prompt, str) for fact in MARKED.findall(prompt)]
    return [CONTROLS.sub(" ", fact).strip()[:FACT_CHARS_MAX] for fact in marked[:FACTS_MAX]]


def project_of(event):
    """The name of the project's folder."""
    roots = event.get("workspace_roots") or [event.get("cwd")]
    folder = roots[0] if isinstance(roots[0], str) else str(Path.cwd())
    return CONTROLS.sub(" ", Path(folder).name).strip()[:NAME_CHARS_MAX] or "notes"


def session_of(event):
    """The client's own id of the session, if it gives one."""
    for name in ("session_id", "conversation_id", "thread-id", "turn-id"):
        if isinstance(event.get(name), str) and event[name]:
            return CONTROLS.sub(" ", event[name])[:NAME_CHARS_MAX]
    return None


def request_of(event):
    """The write that an event asks for; None for most events."""
    facts = facts_of(event)
    if not facts:
        return None
    request = {
        "entities": [{"name": project_of(event), "kind": "project", "observations": facts}],
        "provenance": {"session_id": session_of(event), "tool": "capture hook"},
    }
    if os.environ.get("GRAPHSVC_SCOPE"):
        request["scope"] = os.environ["GRAPHSVC_SCOPE"]
    return request


def service():
    """The base URL and the token."""
    home = Path(os.environ.get("GRAPHSVC_HOME") or Path.home() / ".local" / "share" / "graphsvc")
    url = os.environ.get("GRAPHSVC_SERVICE_URL")
    if not url:
        url = json.loads((home / "service.json").read_text(encoding="utf-8"))["base_url"]
    token = os.environ.get("GRAPHSVC_TOKEN") or (home / "operator.token").read_text(encoding="utf-8").strip()
    return url.rstrip("/"), token


def send(body):
    """Send the write; again, under the same key, when the service does not answer or is busy."""
    url, token = service()
    if not url.startswith(("http://", "https://")):
        return
    headers = {
        "Authorization": "Bearer " + token,
        "Content-Type": "application/json",
        "Idempotency-Key": hashlib.sha256(body).hexdigest(),
    }
    for attempt in range(ATTEMPTS):
        request = urllib.request.Request(url + "/v1/" + OPERATION, data=body, headers=headers)  # noqa: S310 - checked above
        try:
            urllib.request.urlopen(request, timeout=TIMEOUT_S).close()  # noqa: S310
        except urllib.error.HTTPError as error:
            error.close()
            if error.code not in (409, 429, 503, 504):
                return
        except OSError:
            pass
        else:
            return
        time.sleep(2**attempt)


def main(arguments):
    """Read the event and leave the sending to a process of its own."""
    if arguments == [SEND]:
        send(sys.stdin.buffer.read())
        return
    text = arguments[-1] if arguments else sys.stdin.buffer.read(EVENT_BYTES_MAX)
    request = request_of(json.loads(text))
    if request is None:
        return
    child = subprocess.Popen(  # noqa: S603 - this very file
        [sys.executable, __file__, SEND],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    child.stdin.write(json.dumps(request).encode("utf-8"))
    child.stdin.close()
    child.returncode = 0  # it is nobody's to wait for


if __name__ == "__main__":
    with contextlib.suppress(Exception):
        main(sys.argv[1:])
