"""A small Python client, sync and async, typed by the service's own models (spec 09; docs/client.md).

with Client.local() as memory:
    memory.search_nodes(query="who prints overnight?").evidence
"""

from graphsvc.client.asynchronous import AsyncClient
from graphsvc.client.errors import ClientError, RequestRefused, ServiceUnreachable
from graphsvc.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "ClientError", "RequestRefused", "ServiceUnreachable"]
