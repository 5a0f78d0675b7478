"""The sync client. One line an operation; its fields and its answer are the service's own models."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

import httpx

from graphsvc.client.address import local_address
from graphsvc.client.errors import RequestRefused
from graphsvc.client.exchange import (
    Outcome,
    Retry,
    body_of,
    exchange,
    may_repeat,
    new_key,
    request_headers,
    understood,
)
from graphsvc.client.listed import operation_of
from graphsvc.models import admin, reads, tasks, writes
from graphsvc.models.common import Answer, Model

A = TypeVar("A", bound=Answer)
P = ParamSpec("P")
_TIMEOUT_S = 30.0


def _method(name: str, request: Callable[P, Model], answer: type[A]) -> "Callable[Concatenate[Client, P], A]":
    """The method of an operation: takes the request's fields by name, answers with the model."""

    def call(self: "Client", /, **fields: Any) -> A:
        return self.call(name, cast("type[Model]", request), answer, fields)

    call.__name__ = name
    call.__doc__ = request.__doc__
    return cast("Callable[Concatenate[Client, P], A]", call)


class Client:
    """A client of one service as one principal; use it in `with`, or close it. Threads need one each.

    Writes carry an idempotency key, so that a lost answer is asked for again and nothing is written twice. The
    bookmark of the last write goes along with every later call: this client reads its own writes.
    Raises RequestRefused and ServiceUnreachable.
    """

    def __init__(
        self, base_url: str, token: str, *, timeout_s: float = _TIMEOUT_S, retry: Retry | None = None
    ) -> None:
        self._http = httpx.Client(
            base_url=base_url, headers={"Authorization": f"Bearer {token}"}, timeout=timeout_s
        )
        self._retry = retry or Retry()
        self.bookmark: str | None = None

    @classmethod
    def local(cls, *, timeout_s: float = _TIMEOUT_S, retry: Retry | None = None) -> Self:
        """A client of the service that runs in this home, or that the GRAPHSVC_ settings name."""
        address = local_address()
        return cls(address.base_url, address.token, timeout_s=timeout_s, retry=retry)

    search_nodes = _method("search_nodes", reads.SearchNodes, reads.SearchAnswer)
    search_by_project = _method("search_by_project", reads.SearchByProject, reads.SearchAnswer)
    open_nodes = _method("open_nodes", reads.OpenNodes, reads.OpenAnswer)
    create_entities = _method("create_entities", writes.CreateEntities, writes.WriteAnswer)
    update_entities = _method("update_entities", writes.UpdateEntities, writes.WriteAnswer)
    add_observations = _method("add_observations", writes.AddObservations, writes.WriteAnswer)
    create_relations = _method("create_relations", writes.CreateRelations, writes.WriteAnswer)
    add_aliases = _method("add_aliases", writes.AddAliases, writes.WriteAnswer)
    remove_aliases = _method("remove_aliases", writes.RemoveAliases, writes.RetireAnswer)
    delete_entities = _method("delete_entities", writes.DeleteEntities, writes.RetireAnswer)
    delete_observations = _method("delete_observations", writes.DeleteObservations, writes.RetireAnswer)
    delete_relations = _method("delete_relations", writes.DeleteRelations, writes.RetireAnswer)
    create_tasks = _method("create_tasks", tasks.CreateTasks, writes.WriteAnswer)
    update_tasks = _method("update_tasks", tasks.UpdateTasks, writes.WriteAnswer)
    create_notes = _method("create_notes", tasks.CreateNotes, writes.WriteAnswer)
    update_notes = _method("update_notes", tasks.UpdateNotes, writes.WriteAnswer)
    retire = _method("retire", tasks.RetireById, writes.RetireAnswer)
    revive = _method("revive", tasks.ReviveById, tasks.RevivedAnswer)
    link_task_entity = _method("link_task_entity", tasks.LinkTaskEntity, tasks.OutcomeAnswer)
    unlink_task_entity = _method("unlink_task_entity", tasks.UnlinkTaskEntity, tasks.RemovedAnswer)
    reject_suggestion = _method("reject_suggestion", tasks.RejectSuggestion, tasks.OutcomeAnswer)
    get_task_links = _method("get_task_links", tasks.GetTaskLinks, tasks.LinksAnswer)
    get_entity_tasks = _method("get_entity_tasks", tasks.GetEntityTasks, tasks.LinksAnswer)
    suggest_task_links = _method("suggest_task_links", tasks.SuggestTaskLinks, tasks.SuggestionsAnswer)
    export_link_labels = _method("export_link_labels", tasks.ExportLinkLabels, tasks.LinesAnswer)
    whoami = _method("whoami", admin.Nothing, admin.WhoamiAnswer)
    list_scopes = _method("list_scopes", admin.Nothing, admin.ScopesAnswer)
    create_scopes = _method("create_scopes", admin.CreateScopes, admin.ResultsAnswer)
    create_tokens = _method("create_tokens", admin.CreateTokens, admin.ResultsAnswer)
    revoke_tokens = _method("revoke_tokens", admin.RevokeTokens, admin.RevokeAnswer)
    list_tokens = _method("list_tokens", admin.Nothing, admin.TokensAnswer)

    def __getattr__(self, name: str) -> Callable[..., Answer]:
        """Any other operation that the service has, by its name."""
        operation = operation_of(name)

        def call(**fields: Any) -> Answer:
            return self.call(name, operation.request, operation.answer, fields)

        return call

    def call(
        self,
        name: str,
        request: type[Model],
        answer: type[A],
        fields: dict[str, Any],
        *,
        idempotency_key: str | None = None,
    ) -> A:
        """Carry out an operation and return its answer; under a key of your own, it can be repeated later."""
        key = idempotency_key or new_key(request)
        response = self.send(name, body_of(fields), key, repeatable=may_repeat(request, key))
        answered = understood(response, answer)
        self.bookmark = getattr(answered, "bookmark", None) or self.bookmark
        return answered

    def prompt_block(self, query: str, *, project: str | None = None, **fields: Any) -> str:
        """The evidence for a query as one framed text for a prompt; strictly inside a project where one is named."""
        name = "search_nodes" if project is None else "search_by_project"
        body = body_of({**fields, "query": query, "project": project, "render": "block"})
        response = self.send(name, body, None, repeatable=True)
        if response.status_code >= 400:
            raise RequestRefused.of(response)
        return response.text

    def stream_graph(self) -> Iterator[str]:
        """The visible live graph line by line as NDJSON; the last line holds the counts."""
        operation_of("read_graph")
        with self._http.stream("GET", "/v1/read_graph", params={"stream": "ndjson"}) as response:
            if response.status_code >= 400:
                response.read()
                raise RequestRefused.of(response)
            yield from response.iter_lines()

    def send(
        self,
        name: str,
        body: bytes,
        idempotency_key: str | None = None,
        *,
        bookmark: str | None = None,
        repeatable: bool = False,
    ) -> httpx.Response:
        """Post a body to an operation, again where that is safe and may help; the last response, whatever it says."""
        headers = request_headers(bookmark or self.bookmark, idempotency_key)
        request = self._http.build_request("POST", f"/v1/{name}", content=body, headers=headers)
        steps = exchange(request, self._retry, repeatable=repeatable)
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as done:
                return cast("httpx.Response", done.value)
            outcome = None
            if isinstance(step, float):
                time.sleep(step)
                continue
            try:
                outcome = self._http.send(step)
            except httpx.TransportError as error:
                outcome = error

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
