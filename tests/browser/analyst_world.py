"""The demo world and what agents and people did in it since: sessions, tasks, claims, decisions."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.harness.service_process import Caller

DEMO = Path(__file__).resolve().parents[2] / "seeds" / "demo.jsonl"
ATLAS = "project:atlas"


def command(env: dict[str, str], *arguments: str, cwd: Path | None = None) -> str:
    """What `graphsvc …` prints."""
    done = subprocess.run(
        [sys.executable, "-m", "graphsvc", *arguments],
        cwd=cwd,
        check=False,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"graphsvc {' '.join(arguments)}: {done.stdout}\n{done.stderr}"
    return done.stdout


def build(env: dict[str, str], state: dict[str, Any]) -> None:
    """Fill the database behind a running service; `state` is what `graphsvc up --json` printed."""
    command(env, "load", str(DEMO))
    operator = Caller(state["base_url"], Path(state["token_file"]).read_text().strip())
    granted = ["--grant", f"{ATLAS}=read,write,approve", "--grant", "shared=read", "--kind", "human"]
    created = command(env, "token", "create", "--principal", "ines", *granted, "--json")
    ines = Caller(state["base_url"], json.loads(created)["token"])
    grants = {ATLAS: ["read", "write", "govern"], "shared": ["read"]}
    agent = {"principal": "buyer-agent", "kind": "agent", "default_scope": ATLAS, "grants": grants}
    buyer = Caller(state["base_url"], operator.call("create_tokens", tokens=[agent])["results"][0]["token"])
    try:
        fill(operator, buyer, ines)
    finally:
        for caller in (operator, buyer, ines):
            caller.close()
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder)
        (repository / "graphsvc.toml").write_text("[memory]\nknowledge_entities = true\n")
        (repository / ".agent-memory").mkdir()
        (repository / ".agent-memory" / "proofs.md").write_text("Ask Greta for the proofs.\n")
        command(env, "ingest", "--write", "--scope", ATLAS, cwd=repository)


def fill(operator: Caller, buyer: Caller, ines: Caller) -> None:
    """Notes of two conversations; tasks; a claim that a person approved, and two that wait."""
    said = [
        ("call-17", "Acme Print", "Acme Print has a free same-day slot on 7 December."),
        ("call-17", "Paul Pack", "Paul Pack needs 6,000 boxes before Launch Day."),
        ("mail-204", "Bright Box Co.", "Bright Box Co. raised its prices by 3 % in November."),
    ]
    seen = [
        buyer.call(
            "add_observations",
            items=[{"entity": entity, "contents": [text]}],
            provenance={"session_id": session, "tool": "telephone notes"},
        )["results"][0]["observations"][0]["id"]
        for session, entity, text in said
    ]
    tasks = [
        ("JIRA-7", "Order the boxes for Launch Day", ("Acme Print", "Paul Pack", "Tea box 120")),
        ("JIRA-8", "Ask for a second quote", ("Bright Box Co.",)),
        ("JIRA-9", "Book the van with a tail lift", ()),
    ]
    for external_id, title, things in tasks:
        buyer.call("create_tasks", tasks=[{"title": title, "external_id": external_id}])
        for thing in things:
            buyer.call("link_task_entity", task=external_id, entity=thing)
    operator.call("set_policy", scope=ATLAS, sensitive=True)
    statements = [
        ("Acme Print", "can deliver before", "Launch Day", seen[0]),
        ("Bright Box Co.", "is dearer than", "Acme Print", seen[2]),
        ("Paul Pack", "depends on", "Acme Print", seen[1]),
    ]
    proposed = buyer.call(
        "propose_claims",
        claims=[
            {"subject": subject, "predicate": predicate, "object": object_, "confidence": 0.8}
            | {"evidence": [{"kind": "observation", "ref": ref}]}
            for subject, predicate, object_, ref in statements
        ],
    )["results"]
    listed = buyer.call("list_claims", limit=500)["claims"]
    first = next(claim for claim in listed if claim["id"] == proposed[0]["id"])
    ines.call("approve", claim=first["id"], statement_sha256=first["statement_sha256"])
    buyer.call(
        "promote_candidate",
        claim=first["id"],
        mode="human_confirmed",
        rationale="Mila confirmed it by phone.",
    )
