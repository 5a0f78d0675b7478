"""Resolver `url`: a page of an allow-listed host, as it is now. Off unless hosts are configured.

    {"resolver": "url", "ref": {"url": "https://docs.example.org/suppliers.html"}}

Only https, only the host and port as configured, only public addresses unless the operator says `private`.
The name is resolved once; the address is checked and then connected to, so that no second answer of the
name server can lead elsewhere. Redirects are followed a few times under the same rules. Time and size are
limited.
"""

import asyncio
import ipaddress
import socket
import ssl
from pathlib import Path
from typing import Annotated, Final

import httpx
from pydantic import Field

from graphsvc import limits
from graphsvc.errors import NotFound, Unavailable
from graphsvc.resolvers.aliases import AbsolutePath, Alias, Aliases
from graphsvc.resolvers.base import Address, DocumentProblem, Part, ResolvedDocument, Setup, Tier
from graphsvc.scope import Scope

HTTPS_PORT: Final = 443
_IPV4_IN_LAST_BITS: Final = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96"))
_HEADERS: Final = {"User-Agent": "graphsvc", "Accept": "text/*, */*;q=0.1", "Accept-Encoding": "identity"}


class Ref(Part):
    """Which page. A fragment is not sent."""

    url: str


class WebHost(Alias):
    """A host that may be asked; the alias is its name."""

    port: Annotated[int, Field(ge=1, le=65535)] = HTTPS_PORT
    private: Annotated[bool, Field(description="The host may have a private address.")] = False
    ca_file: Annotated[
        AbsolutePath | None, Field(description="Who may vouch for it; default: the usual ones.")
    ] = None


class Url:
    """Reads pages by GET."""

    tier: Tier = "best_effort"

    def __init__(self, hosts: Aliases[WebHost]) -> None:
        self._hosts = hosts

    async def resolve(self, address: Address, scope: Scope) -> ResolvedDocument:
        """The body of a 200 answer. See `base.Resolver`."""
        try:
            url = httpx.URL(address.parse_ref(Ref).url)
            for _ in range(limits.URL_REDIRECTS_MAX + 1):
                answer = await self._get(url, scope)
                if isinstance(answer, bytes):
                    return ResolvedDocument(answer)
                url = url.join(answer)
        except httpx.InvalidURL:
            raise NotFound from None
        except (httpx.TransportError, OSError) as error:
            raise Unavailable("the document's host cannot be reached") from error
        raise NotFound

    async def _get(self, url: httpx.URL, scope: Scope) -> bytes | str:
        """The body, or where a redirect leads."""
        host = self._allowed(url, scope)
        address = await _address(url.host, host)
        context = await asyncio.to_thread(_ssl_context, host.ca_file)
        client = httpx.AsyncClient(verify=context, trust_env=False, timeout=limits.RESOLVER_DEADLINE_S)
        request = client.build_request(
            "GET",
            url.copy_with(host=address, fragment=None),
            headers={**_HEADERS, "Host": url.netloc.decode("ascii")},
            extensions={"sni_hostname": url.host},  # the certificate is checked against the name
        )
        async with client:
            answer = await client.send(request, stream=True)
            try:
                if answer.has_redirect_location:
                    return answer.headers["Location"]
                if answer.status_code != httpx.codes.OK:
                    raise NotFound
                return await _body(answer)
            finally:
                await answer.aclose()

    def _allowed(self, url: httpx.URL, scope: Scope) -> WebHost:
        if url.scheme != "https" or url.userinfo:
            raise NotFound
        host = self._hosts.get(url.host, scope)
        if (url.port or HTTPS_PORT) != host.port:
            raise NotFound
        return host


async def _address(name: str, host: WebHost) -> str:
    """An address of the host that may be connected to. All of its addresses must be allowed."""
    found = await asyncio.get_running_loop().getaddrinfo(name, host.port, type=socket.SOCK_STREAM)
    addresses = [str(entry[4][0]) for entry in found]
    if not host.private and not all(is_public(address) for address in addresses):
        raise NotFound
    return addresses[0]


def _ssl_context(ca_file: Path | None) -> ssl.SSLContext:
    return (
        ssl.create_default_context(cafile=ca_file) if ca_file else httpx.create_ssl_context(trust_env=False)
    )


def is_public(address: str) -> bool:
    """Whether an address is one of the public Internet, also when it is an IPv4 address inside an IPv6
    one."""
    parsed = ipaddress.ip_address(address.split("%", 1)[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if inner is None and any(parsed in network for network in _IPV4_IN_LAST_BITS):
            inner = ipaddress.IPv4Address(parsed.packed[-4:])
        if inner is not None:
            return is_public(str(inner))
    return parsed.is_global and not parsed.is_multicast


async def _body(answer: httpx.Response) -> bytes:
    if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise DocumentProblem("binary")  # it was asked not to; what it would unpack to has no limit
    body = bytearray()
    async for piece in answer.aiter_raw():
        body += piece
        if len(body) > limits.DOCUMENT_BYTES_MAX:
            raise DocumentProblem("too_large")
    return bytes(body)


def create(setup: Setup) -> Url | None:
    """The resolver for `[resolvers.url]`; off without it."""
    hosts = Aliases("url", WebHost, setup.table or {})
    return Url(hosts) if hosts else None
