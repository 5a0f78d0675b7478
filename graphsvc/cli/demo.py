"""`graphsvc demo`: from nothing to an answered question (spec 10)."""

import asyncio
import os
from importlib.resources import files
from pathlib import Path

from graphsvc.cli.load import load_files
from graphsvc.cli.service import start_service
from graphsvc.cli.show import show_search, terminal
from graphsvc.client import Client
from graphsvc.models.common import Budget
from graphsvc.settings import Settings

QUESTION = "Who can print boxes the same day for Paul Pack?"
BUDGET = Budget(unit="chars", limit=4000)


def seeds_folder() -> Path:
    """The seeds: inside the installed package, else beside it in a checkout."""
    installed = Path(str(files("graphsvc"))) / "_seeds"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[2] / "seeds"


def demo() -> None:
    """Start everything, load the demo world, ask a question, and leave it running.

    Example: graphsvc demo
    """
    settings = Settings()
    console = terminal()
    state = start_service(settings)
    os.environ["GRAPHSVC_NEO4J_URI"] = state["bolt_url"]
    os.environ["GRAPHSVC_NEO4J_USER"] = state["neo4j_user"]
    if state["neo4j_password_file"]:
        os.environ["GRAPHSVC_NEO4J_PASSWORD_FILE"] = state["neo4j_password_file"]
    asyncio.run(load_files([seeds_folder() / "demo.jsonl"], "jsonl", None))
    token = Path(state["token_file"]).read_text(encoding="utf-8").strip()
    with Client(state["base_url"], token) as client:
        answer = client.search_nodes(query=QUESTION, pointers=True, budget=BUDGET)
    console.print(f"\n[bold yellow]{QUESTION}[/bold yellow]\n")
    show_search(console, QUESTION, answer.model_dump())
    console.print()
    for name, value in (
        ("API docs", f"{state['base_url']}/docs"),
        ("Neo4j Browser", state["browser_url"]),
        ("  user", state["neo4j_user"]),
        ("  password in", state["neo4j_password_file"]),
        ("Operator token in", state["token_file"]),
        (
            "Ask it yourself",
            f'curl -H "Authorization: Bearer $(cat {state["token_file"]})" '
            f"'{state['base_url']}/v1/search_nodes?query=boxes'",
        ),
        ("Stop it", "make down (or: graphsvc down)"),
    ):
        if value is not None:
            console.print(f"{name:18} {value}", soft_wrap=True, markup=False)
