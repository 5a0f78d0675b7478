"""Bytes that no client library would send: malformed, oversized, mistimed, misnamed.

Goal: each is answered with a typed 4xx (or the connection is closed by the HTTP parser), none with a 5xx, none
reaches a use-case, and the service answers the next caller. Method: fixed cases over a plain socket.
"""

import gzip
import json
import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.harness.service_process import Caller, ServiceProcess
from tests.harness.tally import TALLY

OPEN = "/v1/open_nodes"
BODY = b'{"names":["Nobody"]}'


class Raw:
    """Sends bytes and reads what comes back."""

    def __init__(self, service: ServiceProcess, token: str) -> None:
        where = urlsplit(service.base_url)
        self.host, self.port, self.token = where.hostname or "127.0.0.1", where.port or 80, token

    def exchange(self, data: bytes, *, half_close: bool = False) -> bytes:
        """All that is answered until the other side closes, or falls silent for a moment."""
        with socket.create_connection((self.host, self.port), timeout=5) as connection:
            connection.settimeout(3)
            found = b""
            try:
                connection.sendall(data)
                if half_close:
                    connection.shutdown(socket.SHUT_WR)
                while chunk := connection.recv(65_536):
                    found += chunk
            except (TimeoutError, ConnectionError):
                pass
        return found

    def request(
        self,
        body: bytes = BODY,
        *,
        method: str = "POST",
        path: str = OPEN,
        headers: dict[str, str] | None = None,
    ) -> bytes:
        """One request with the usual headers, of which `headers` replaces some (None or empty text: left out)."""
        all_headers = {
            "Host": f"{self.host}:{self.port}",
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
        } | (headers or {})
        head = "".join(f"{name}: {value}\r\n" for name, value in all_headers.items() if value)
        return self.exchange(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body)


def status_of(answer: bytes) -> int:
    """The status; 0 when the connection was closed without one."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


@pytest.fixture
def raw(service: ServiceProcess, agent: Caller) -> Iterator[Raw]:
    """A raw caller; afterwards the service must still answer others."""
    yield Raw(service, agent.token)
    assert agent.call("open_nodes", names=["Nobody"])["missing"] == ["Nobody"]


DEEP = b'{"names":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
BODIES = {
    "empty": (b"", 400),
    "white space": (b"   ", 400),
    "truncated": (b'{"names":["Nob', 400),
    "two documents": (BODY + BODY, 400),
    "trailing comma": (b'{"names":["a"],}', 400),
    "comment": (b'{"names":["a"]/* x */}', 400),
    "single quotes": (b"{'names':['a']}", 400),
    "a list": (b"[]", 422),
    "a number": (b"1", 422),
    "null": (b"null", 422),
    "a text": (b'"names"', 422),
    "unknown field": (b'{"names":["a"],"admin":true}', 422),
    "wrong type": (b'{"names":"a"}', 422),
    "empty list": (b'{"names":[]}', 422),
    "10,000 deep": (DEEP, 400),
    "deep object": (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, 400),
    "NaN": (b'{"names":["a"],"budget":{"limit":NaN}}', 422),
    "Infinity": (b'{"names":["a"],"budget":{"limit":Infinity}}', 422),
    "1e999": (b'{"names":["a"],"budget":{"limit":1e999}}', 422),
    "2^63": (b'{"names":["a"],"budget":{"limit":9223372036854775808}}', 422),
    "a million digits": (b'{"names":["a"],"budget":{"limit":' + b"9" * 1_000_000 + b"}}", 400),
    "minus zero": (b'{"names":["a"],"budget":{"limit":-0}}', 422),
    "limit 0": (b'{"names":["a"],"budget":{"limit":0}}', 422),
    "a float": (b'{"names":["a"],"budget":{"limit":1.5}}', 422),
    "a boolean": (b'{"names":["a"],"budget":{"limit":true}}', 422),
    "not UTF-8": (b'{"names":["\xff\xfe"]}', 400),
    "UTF-16": ('{"names":["a"]}'.encode("utf-16"), 400),
    "overlong UTF-8": (b'{"names":["\xc0\xaf"]}', 400),
    "lone surrogate": (b'{"names":["\\ud800"]}', 400),
    "NUL in a name": (b'{"names":["a\\u0000b"]}', 422),
    "too many names": (json.dumps({"names": ["n"] * 201}).encode(), 422),
    "a long name": (json.dumps({"names": ["n" * 5_000]}).encode(), 422),
    "a long cursor": (json.dumps({"names": ["n"], "cursor": "x" * 600}).encode(), 422),
    "a foreign cursor": (json.dumps({"names": ["n"], "cursor": "bm90IGEgY3Vyc29y"}).encode(), 422),
    "byte order mark": (b"\xef\xbb\xbf" + BODY, 400),
    "gzip": (gzip.compress(BODY), 400),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str, raw: Raw) -> None:
    body, expected = BODIES[name]
    answer = raw.request(body)
    TALLY["raw HTTP cases"] += 1
    status = status_of(answer)
    assert status in {400, 422}, answer[:500]
    assert b"application/problem+json" in answer
    assert status == expected or {status, expected} == {400, 422}


def test_duplicate_keys_are_not_two_requests(raw: Raw) -> None:
    answer = raw.request(b'{"names":["First"],"names":["Second"]}')
    assert status_of(answer) in {200, 400, 422}
    assert not (b"First" in answer and b"Second" in answer)


HEADERS = {
    "no content type": ({"Content-Type": ""}, 415),
    "a form": ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "multipart": ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    "text": ({"Content-Type": "text/plain"}, 415),
    "xml": ({"Content-Type": "application/xml"}, 415),
    "a content encoding": ({"Content-Encoding": "gzip"}, None),
    "no token": ({"Authorization": ""}, 401),
    "basic": ({"Authorization": "Basic dXNlcjpwYXNz"}, 401),
    "an empty token": ({"Authorization": "Bearer "}, 401),
    "a long token": ({"Authorization": "Bearer " + "x" * 20_000}, 401),
    "a token with spaces": ({"Authorization": "Bearer a b c"}, 401),
    "a token in Latin-1": ({"Authorization": "Bearer \xe9\xff"}, 401),
    "an empty idempotency key": ({"Idempotency-Key": " "}, None),
    "a long idempotency key": ({"Idempotency-Key": "k" * 300}, 422),
    "a made-up bookmark": ({"X-Bookmark": "abc"}, 422),
    "a bookmark in Latin-1": ({"X-Bookmark": "\xe9"}, 422),
    "a method override": ({"X-HTTP-Method-Override": "DELETE"}, None),
    "a forwarded host": ({"X-Forwarded-Host": "evil.example", "X-Forwarded-For": "127.0.0.1"}, None),
    "an origin": ({"Origin": "http://evil.example"}, None),
    "a range": ({"Range": "bytes=0-1,2-3,4-5"}, None),
    "an upgrade": ({"Upgrade": "websocket", "Connection": "Upgrade"}, None),
    "expects": ({"Expect": "100-continue"}, None),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers(name: str, raw: Raw) -> None:
    headers, expected = HEADERS[name]
    answer = raw.request(headers=headers)
    TALLY["raw HTTP cases"] += 1
    status = status_of(answer)
    assert 0 < status < 500 or (status == 0 and expected is None), answer[:300]
    if expected is not None:
        assert status == expected, answer[:300]
    assert b"access-control-allow-origin" not in answer.lower()


HOSTS = (
    "",
    "evil.example",
    "127.0.0.1@evil.example",
    "a b",
    "[::1",
    "127.0.0.1:99999",
    "127.0.0.1:x",
    "..",
    "%00",
    "x" * 5_000,
)


@pytest.mark.parametrize("host", HOSTS)
def test_hosts_decide_nothing(host: str, raw: Raw) -> None:
    """An unusual Host neither reaches another route nor fails."""
    answer = raw.request(headers={"Host": host})
    TALLY["raw HTTP cases"] += 1
    assert status_of(answer) in {0, 200, 400, 421, 431}, answer[:300]


PATHS = (
    "/v1/open_nodes/", "//v1/open_nodes", "/v1//open_nodes", "/v1/./open_nodes", "/v1/../v1/open_nodes",
    "/v1/open_nodes%00",
    "/v1/open%5fnodes", "/v1/%6fpen_nodes", "/V1/open_nodes", "/v1/open_nodes;x=1", "/v1/open_nodes#x",
    "/v1/open_nodes%2f",
    "/v1/%2e%2e/%2e%2e/etc/passwd", "/v1/open_nodes%ff", "/v1/", "/", "/v1/nothing", "/docs/../v1/whoami", "*",
    "http://evil.example/v1/open_nodes",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_paths(path: str, raw: Raw) -> None:
    """Only the very route is the route; a spelling that the server decodes is the same one, with the same checks."""
    answer = raw.request(path=path)
    TALLY["raw HTTP cases"] += 1
    assert status_of(answer) in {0, 200, 307, 400, 404, 405}, answer[:300]
    without = raw.request(path=path, headers={"Authorization": ""})
    assert status_of(without) in {0, 307, 400, 401, 404, 405}, without[:300]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "BREW"])
def test_methods(method: str, raw: Raw) -> None:
    answer = raw.request(method=method)
    TALLY["raw HTTP cases"] += 1
    assert status_of(answer) in {0, 400, 405}, answer[:300]


FRAMINGS = {
    "a length that is too short": b"Content-Length: 5\r\n\r\n" + BODY,
    "two lengths": b"Content-Length: 20\r\nContent-Length: 5\r\n\r\n" + BODY,
    "a negative length": b"Content-Length: -1\r\n\r\n" + BODY,
    "a length that is no number": b"Content-Length: x\r\n\r\n" + BODY,
    "length and chunks": b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n"
    + BODY
    + b"\r\n0\r\n\r\n",
    "a bad chunk size": b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + BODY + b"\r\n0\r\n\r\n",
    "an unknown encoding": b"Transfer-Encoding: cow\r\n\r\n" + BODY,
    "a folded header": b"X-A: 1\r\n  2\r\nContent-Length: 20\r\n\r\n" + BODY,
    "a header without a colon": b"nonsense\r\nContent-Length: 20\r\n\r\n" + BODY,
    "a header name with a space": b"X A: 1\r\nContent-Length: 20\r\n\r\n" + BODY,
    "NUL in a header": b"X-A: a\0b\r\nContent-Length: 20\r\n\r\n" + BODY,
    "a thousand headers": b"".join(b"X-%d: y\r\n" % i for i in range(1_000))
    + b"Content-Length: 20\r\n\r\n"
    + BODY,
    "a header of 100,000 bytes": b"X-A: " + b"a" * 100_000 + b"\r\nContent-Length: 20\r\n\r\n" + BODY,
}


@pytest.mark.parametrize("name", FRAMINGS)
def test_framings(name: str, raw: Raw) -> None:
    head = f"POST {OPEN} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {raw.token}\r\nContent-Type: application/json\r\n"
    answer = raw.exchange(head.encode() + FRAMINGS[name], half_close=True)
    TALLY["raw HTTP cases"] += 1
    assert status_of(answer) < 500, answer[:300]
    assert answer.count(b"HTTP/1.1 ") <= 2
    assert answer.count(b'"missing":["Nobody"]') <= 1


def test_not_http_at_all(raw: Raw) -> None:
    for data in (
        b"\x00" * 100,
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"SSH-2.0-x\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n\r\n\r\n",
    ):
        TALLY["raw HTTP cases"] += 1
        assert status_of(raw.exchange(data, half_close=True)) in {0, 400, 505}
    with (
        pytest.raises((ssl.SSLError, OSError)),
        socket.create_connection((raw.host, raw.port), timeout=5) as plain,
    ):
        context = ssl.create_default_context()
        context.wrap_socket(plain, server_hostname="localhost")


def test_a_body_that_is_too_large_is_refused_before_it_is_read(raw: Raw) -> None:
    answer = raw.request(b"", headers={"Content-Length": str(8 * 1024 * 1024)})
    assert status_of(answer) == 413
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    head = f"POST {OPEN} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {raw.token}\r\nContent-Type: application/json\r\n"
    chunked = head.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 5 + b"0\r\n\r\n"
    assert status_of(raw.exchange(chunked)) in {0, 413}
    TALLY["raw HTTP cases"] += 2


def test_a_gzip_bomb_stays_packed(raw: Raw) -> None:
    bomb = gzip.compress(b'{"names":["' + b"a" * 50_000_000 + b'"]}')
    answer = raw.request(bomb, headers={"Content-Encoding": "gzip"})
    TALLY["raw HTTP cases"] += 1
    assert status_of(answer) == 400


def test_a_slow_client_holds_nobody_up(raw: Raw, agent: Caller) -> None:
    with socket.create_connection((raw.host, raw.port), timeout=5) as slow:
        slow.sendall(f"POST {OPEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n".encode())
        assert agent.call("open_nodes", names=["Nobody"])["missing"] == ["Nobody"]
