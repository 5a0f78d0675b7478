"""`url`: only configured hosts, only https, only public addresses, within size and time, however it is
redirected.

Method: a real https server on loopback with a certificate of its own authority. Loopback is a private
address, so the hosts that are to answer are configured as `private`; that others do not answer is the test.
Names are answered by the test in place of a name server; everything else is as in service.
"""

import asyncio
import datetime
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from graphsvc import limits
from graphsvc.errors import DeadlineExceeded, NotFound, Unavailable
from graphsvc.resolvers.registry import Registry
from graphsvc.resolvers.url import is_public
from tests.resolvers.support import ATLAS, BEACON, excerpt, registry, scope_of, sha256, source_ref

PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/page": (200, {"Content-Type": "text/html"}, "Größe: offers same-day turnaround".encode()),
    "/query?a=1%20b": (200, {}, b"with a query"),
    "/picture": (200, {}, b"\x89PNG\0"),
    "/packed": (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b"),
    "/large": (200, {}, b"x" * (limits.DOCUMENT_BYTES_MAX + 1)),
    "/to-page": (302, {"Location": "/page"}, b""),
    "/to-other-host": (302, {"Location": "https://other.example:{port}/page"}, b""),
    "/to-foreign-host": (302, {"Location": "https://foreign.example:{port}/page"}, b""),
    "/to-unlisted-host": (302, {"Location": "https://unlisted.example:{port}/page"}, b""),
    "/to-private-host": (302, {"Location": "https://public.example:{port}/page"}, b""),
    "/to-http": (302, {"Location": "http://docs.example:{port}/page"}, b""),
    "/to-address": (302, {"Location": "https://127.0.0.1:{port}/page"}, b""),
    "/to-other-port": (302, {"Location": "https://docs.example:1/page"}, b""),
    "/to-file": (302, {"Location": "file:///etc/passwd"}, b""),
    "/to-nowhere": (302, {"Location": "https://[broken"}, b""),
    "/to-itself": (302, {"Location": "/to-itself"}, b""),
    "/gone": (410, {}, b"gone"),
    "/forbidden": (403, {}, b"no"),
}


@dataclass
class Site:
    """The running server, and what it was asked for."""

    port: int
    authority: Path
    asked: list[tuple[str, str]] = field(default_factory=list)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A self-signed certificate for the names of the tests, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "docs.example")])
    names = [x509.DNSName(f"{host}.example") for host in ("docs", "other", "foreign", "unlisted", "public")]
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (folder / "key.pem").write_bytes(key.private_bytes(encoding, form, serialization.NoEncryption()))
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture
def site(certificates: tuple[Path, Path]) -> Iterator[Site]:
    certificate, key = certificates
    running = Site(0, certificate)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            running.asked.append((self.headers["Host"], self.path))
            if self.path == "/slow":
                time.sleep(1.5)
            status, headers, body = PAGES.get(self.path, (404, {}, b""))
            self.send_response(status)
            for header, value in headers.items():
                self.send_header(header, value.format(port=running.port))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                return  # the client hung up, as it should on a large one

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # refused handshakes are not news
    running.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def resolvers(site: Site, monkeypatch: pytest.MonkeyPatch) -> Registry:
    answer_names(monkeypatch, "127.0.0.1")
    local = {"port": site.port, "private": True, "ca_file": str(site.authority), "scopes": [ATLAS]}
    hosts = {
        "docs.example": local,
        "other.example": local,
        "foreign.example": {**local, "scopes": [BEACON]},
        "public.example": {**local, "private": False},
    }
    return registry({"url": hosts})


def answer_names(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Every name has these addresses."""

    async def getaddrinfo(_loop: Any, host: str, port: int, **_: Any) -> list[Any]:
        if host == "unknown.example":
            raise socket.gaierror("no such name")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)


def page(site: Site, path: str, host: str = "docs.example") -> dict[str, Any]:
    return source_ref("url", {"url": f"https://{host}:{site.port}{path}"})


async def test_a_page_of_a_listed_host_is_read(site: Site, resolvers: Registry) -> None:
    value = page(site, "/page#suppliers") | {"hashes": {"content_sha256": sha256(PAGES["/page"][2])}}
    found = await excerpt(resolvers, value)
    assert (found.excerpt, found.tier, found.verified) == (PAGES["/page"][2].decode(), "best_effort", True)
    assert site.asked == [(f"docs.example:{site.port}", "/page")], "no fragment is sent"
    assert (await excerpt(resolvers, page(site, "/query?a=1%20b"))).excerpt == "with a query"


@pytest.mark.parametrize("path", ["/to-page", "/to-other-host"])
async def test_redirects_stay_among_listed_hosts(site: Site, resolvers: Registry, path: str) -> None:
    assert (await excerpt(resolvers, page(site, path))).excerpt == PAGES["/page"][2].decode()


@pytest.mark.parametrize(
    "path",
    [
        "/to-foreign-host",
        "/to-unlisted-host",
        "/to-private-host",
        "/to-http",
        "/to-address",
        "/to-other-port",
        "/to-file",
        "/to-nowhere",
    ],
)
async def test_redirects_elsewhere_are_not_followed(site: Site, resolvers: Registry, path: str) -> None:
    with pytest.raises(NotFound):
        await excerpt(resolvers, page(site, path))
    assert [asked for _, asked in site.asked] == [path], "nothing more was asked for"


async def test_redirects_have_an_end(site: Site, resolvers: Registry) -> None:
    with pytest.raises(NotFound):
        await excerpt(resolvers, page(site, "/to-itself"))
    assert len(site.asked) == limits.URL_REDIRECTS_MAX + 1


@pytest.mark.parametrize("path", ["/missing", "/gone", "/forbidden"])
async def test_what_the_host_does_not_give_is_not_found(site: Site, resolvers: Registry, path: str) -> None:
    with pytest.raises(NotFound):
        await excerpt(resolvers, page(site, path))


@pytest.mark.parametrize(
    ("path", "code"), [("/picture", "binary"), ("/packed", "binary"), ("/large", "too_large")]
)
async def test_what_cannot_be_shown_says_so(site: Site, resolvers: Registry, path: str, code: str) -> None:
    assert (await excerpt(resolvers, page(site, path))).problems == (code,)


@pytest.mark.parametrize(
    "url",
    [
        "http://docs.example:{port}/page",
        "https://docs.example/page",
        "https://docs.example:{port}@foreign.example/page",
        "https://user:word@docs.example:{port}/page",
        "https://foreign.example:{port}/page",
        "https://unlisted.example:{port}/page",
        "https://127.0.0.1:{port}/page",
        "https://[::1]:{port}/page",
        "https://docs.example.:{port}/page",
        "https://sub.docs.example:{port}/page",
        "file:///etc/passwd",
        "docs.example/page",
        "https:///page",
        "https://",
        "",
        "https://[broken",
    ],
)
async def test_other_addresses_are_not_found_and_not_asked(site: Site, resolvers: Registry, url: str) -> None:
    with pytest.raises(NotFound):
        await excerpt(resolvers, source_ref("url", {"url": url.format(port=site.port)}))
    assert site.asked == []


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["10.0.0.1"], ["93.184.215.14", "169.254.169.254"], ["::1"], ["::ffff:127.0.0.1"]],
)
async def test_a_public_host_with_a_private_address_is_not_asked(
    site: Site, resolvers: Registry, monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    answer_names(monkeypatch, *addresses)
    with pytest.raises(NotFound):
        await excerpt(resolvers, page(site, "/page", host="public.example"))
    assert site.asked == []


async def test_a_host_exists_for_its_readers_only(site: Site, resolvers: Registry) -> None:
    foreign = page(site, "/page", host="foreign.example")
    assert (await excerpt(resolvers, foreign, scope=scope_of(BEACON))).excerpt
    with pytest.raises(NotFound):
        await excerpt(resolvers, foreign, scope=scope_of(ATLAS))


async def test_a_certificate_must_be_of_the_host_and_of_its_authority(
    site: Site, resolvers: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_names(monkeypatch, "127.0.0.1")
    strangers = {
        "docs.example": {"port": site.port, "private": True, "scopes": [ATLAS]},
        "unknown-name.example": {
            "port": site.port, "private": True, "scopes": [ATLAS], "ca_file": str(site.authority),
        },
    }  # fmt: skip
    for host in strangers:
        with pytest.raises(Unavailable):
            await excerpt(registry({"url": strangers}), page(site, "/page", host=host))
    assert site.asked == []


async def test_a_slow_host_meets_the_deadline(
    site: Site, resolvers: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphsvc.limits.RESOLVER_DEADLINE_S", 0.5)
    with pytest.raises((DeadlineExceeded, Unavailable)):
        await excerpt(resolvers, page(site, "/slow"))


async def test_a_host_that_is_away_is_unavailable(
    site: Site, resolvers: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = {
        name: {"port": 1, "private": True, "scopes": [ATLAS]} for name in ("docs.example", "unknown.example")
    }
    for host in hosts:
        with pytest.raises(Unavailable):
            await excerpt(registry({"url": hosts}), source_ref("url", {"url": f"https://{host}:1/"}))


async def test_proxies_of_the_environment_are_not_used(
    site: Site, resolvers: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    assert (await excerpt(resolvers, page(site, "/page"))).excerpt


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::808:808"]
)
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",  # noqa: S104
        "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:10.0.0.1",
        "2002:7f00:1::", "64:ff9b::7f00:1", "::127.0.0.1", "198.18.0.1", "192.0.2.1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)
