"""The service against the reference model, in random histories of four scopes and five principals.

Goal: no write and no read shows, changes or counts anything that its caller may not see, and everything else is
exactly as spec 01 to 04 say. Method: hypothesis draws steps; each is carried out on the real service and in
`reference_model`, and the answers are compared; every byte of every answer is scanned for canaries of foreign scopes,
and the service's log for any. When it fails: hypothesis prints the shortest history; replay it with its blob.
"""

import os
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from graphsvc.operations import OPERATIONS
from tests.harness.service_process import Caller, ServiceProcess
from tests.harness.tally import TALLY
from tests.model.history import History
from tests.model.reference_model import Who
from tests.model.scopes_world import GRANTS, SCOPES, ScopesWorld

NAMES = ("Harbor", "harbor", "ＨARBOR", "Mill", "Quay", "Café", "Cafe\u0301", "設備")
ALIASES = ("Dock", "dock", "Pier", "Mill", "Wharf 9")
WORDS = ("zorvex", "quillan", "brimtal", "oskwend")
TYPES = ("supplies", "Supplies", "part-of", "part of", "a/b")
KINDS = (None, "place", "ship")
FORGETTING = ("delete_entities", "delete_observations", "delete_relations", "remove_aliases")

principals = st.sampled_from(sorted(GRANTS))
names = st.sampled_from(NAMES)
references = st.sampled_from(NAMES + ALIASES)
words = st.sampled_from(WORDS)
aliases = st.sampled_from(ALIASES)
types = st.sampled_from(TYPES)
kinds = st.sampled_from(KINDS)


class ScopeMachine(RuleBasedStateMachine):
    """One history."""

    operator: ClassVar[Caller]
    base_url: ClassVar[str]
    worlds: ClassVar[list[ScopesWorld]] = []

    def __init__(self) -> None:
        super().__init__()
        self.history = History(ScopesWorld(self.operator, self.base_url).make())
        self.worlds.append(self.history.world)
        TALLY["model histories"] += 1

    def who(self, name: str) -> Who:
        return self.history.world.who(name)

    def write_scope(self, data: st.DataObject, who: Who) -> str:
        return data.draw(st.sampled_from(sorted(who.write)), label="scope")

    @rule(data=st.data(), by=principals, name=names, kind=kinds, facts=st.lists(words, max_size=2),
          others=st.lists(aliases, max_size=1))  # fmt: skip
    def create(
        self, data: st.DataObject, by: str, name: str, kind: str | None, facts: list[str], others: list[str]
    ) -> None:
        who = self.who(by)
        self.history.create(who, self.write_scope(data, who), name, kind, list(dict.fromkeys(facts)), others)

    @rule(data=st.data(), by=principals, reference=references, word=words)
    def observe(self, data: st.DataObject, by: str, reference: str, word: str) -> None:
        who = self.who(by)
        self.history.observe(who, self.write_scope(data, who), reference, word)

    @rule(data=st.data(), by=principals, source=references, kind=types, other=references)
    def relate(self, data: st.DataObject, by: str, source: str, kind: str, other: str) -> None:
        who = self.who(by)
        self.history.relate(who, self.write_scope(data, who), source, kind, other)

    @rule(data=st.data(), by=principals, reference=references, other=aliases)
    def alias(self, data: st.DataObject, by: str, reference: str, other: str) -> None:
        who = self.who(by)
        self.history.alias(who, self.write_scope(data, who), reference, other)

    @rule(data=st.data(), by=principals, reference=references, name=st.none() | names, kind=kinds)
    def rename(
        self, data: st.DataObject, by: str, reference: str, name: str | None, kind: str | None
    ) -> None:
        who = self.who(by)
        self.history.rename(who, self.write_scope(data, who), reference, name, kind)

    @rule(data=st.data(), by=principals, reference=references, other=references, word=words, kind=types,
          what=st.sampled_from(FORGETTING))  # fmt: skip
    def forget(
        self, data: st.DataObject, by: str, reference: str, other: str, word: str, kind: str, what: str
    ) -> None:
        who = self.who(by)
        text = kind if what == "delete_relations" else word
        self.history.forget(who, self.write_scope(data, who), what, reference, other, text)

    @rule(
        by=principals,
        asked=st.lists(references, min_size=1, max_size=4, unique=True),
        neighbours=st.booleans(),
    )
    def open(self, by: str, asked: list[str], neighbours: bool) -> None:
        self.history.open(self.who(by), asked, neighbours=neighbours)

    @rule(by=principals, word=words, project=st.none() | st.sampled_from(SCOPES))
    def search(self, by: str, word: str, project: str | None) -> None:
        scope = self.history.world.scope(project) if project else None
        self.history.search(self.who(by), word, project=scope)

    @rule(by=principals, name=names)
    def point(self, by: str, name: str) -> None:
        self.history.point(self.who(by), name)

    def teardown(self) -> None:
        try:
            for by in sorted(GRANTS):
                who = self.who(by)
                self.history.open(who, [*NAMES, *ALIASES[2:]], neighbours=True)
                for word in WORDS[:2]:
                    self.history.search(who, word, project=None)
                for name in NAMES[:3]:
                    self.history.point(who, name)
        finally:
            self.history.world.close()


def run_histories(service: ServiceProcess, operator: Caller, examples: int, steps: int) -> None:
    """So many histories, then the log."""
    ScopeMachine.operator, ScopeMachine.base_url = operator, service.base_url
    run_state_machine_as_test(
        ScopeMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
    log = service.log().encode()
    for world in ScopeMachine.worlds:
        assert world.canaries.found(log, []) == [], "the service's log holds stored text"


def test_random_histories_agree_with_the_model(service: ServiceProcess, operator: Caller) -> None:
    run_histories(service, operator, int(os.environ.get("GRAPHSVC_TEST_HISTORIES", "30")), 40)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_many_random_histories_agree_with_the_model(service: ServiceProcess, operator: Caller) -> None:
    run_histories(service, operator, 2_000, 50)


MODELLED = frozenset(
    {
        "create_entities", "update_entities", "add_observations", "create_relations", "add_aliases", "remove_aliases",
        "delete_entities", "delete_observations", "delete_relations", "open_nodes", "search_nodes", "search_by_project",
    }
)  # fmt: skip
NOT_MODELLED = {
    **dict.fromkeys(
        ("read_graph", "find_by_title", "get_history", "list_changes"),
        "tests/http/test_authorization_table.py, tests/model/test_noninterference.py, tests/reads",
    ),
    **dict.fromkeys(
        (
            "create_tasks",
            "update_tasks",
            "create_notes",
            "update_notes",
            "retire",
            "revive",
            "link_task_entity",
            "unlink_task_entity",
            "reject_suggestion",
            "get_task_links",
            "get_entity_tasks",
            "suggest_task_links",
            "export_link_labels",
        ),
        "tests/http/test_authorization_table.py, tests/model/test_noninterference.py, tests/tasks",
    ),
    **dict.fromkeys(
        ("put_document", "get_excerpt"),
        "tests/documents, tests/http/test_authorization_table.py, tests/model/test_noninterference.py",
    ),
    **dict.fromkeys(
        ("merge_entities", "unmerge_entities"), "tests/http/test_merging.py, tests/model/test_leaks.py"
    ),
    "whoami": "shows the caller's own grants only",
    "list_scopes": "tests/http/test_authorization_table.py",
    "create_scopes": "operators only: tests/http/test_authorization_table.py",
    "create_tokens": "operators only: tests/http/test_authorization_table.py",
    "revoke_tokens": "operators only: tests/http/test_authorization_table.py",
    "list_tokens": "operators only: tests/http/test_authorization_table.py",
    **dict.fromkeys(
        (
            "propose_claims",
            "extract_claims",
            "list_claims",
            "list_facts",
            "reject_claim",
            "promote_candidate",
            "govern_fact",
            "set_policy",
            "approve",
            "get_provenance",
            "retire_by_provenance",
            "audit_memory",
        ),
        "tests/claims",
    ),
}
"""What the model does not know, and where it is tested instead."""


def test_every_operation_is_modelled_or_says_where_it_is_tested() -> None:
    unknown = OPERATIONS.keys() - MODELLED - NOT_MODELLED.keys()
    assert not unknown, (
        f"add these to the model (or to NOT_MODELLED, with the test that shows they leak nothing): {unknown}"
    )
    assert not (MODELLED | NOT_MODELLED.keys()) - OPERATIONS.keys(), "an operation that is gone"
