"""Answers made readable in a terminal."""

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

_WIDTH_MAX = 110


def terminal() -> Console:
    """Standard output, not wider than is good to read."""
    console = Console(highlight=False)
    console.width = min(console.width, _WIDTH_MAX)
    return console


def show_search(console: Console, query: str, answer: dict[str, Any]) -> None:
    """Evidence, pointers and the account of a search answer."""
    for rank, record in enumerate(answer["evidence"], start=1):
        entity = record["entity"]
        kind = f" · {entity['kind']}" if entity["kind"] else ""
        console.print(
            f"[bold]{rank}. {escape(entity['name'])}[/bold]{escape(kind)} [dim]{entity['scope']}[/dim]"
        )
        for observation in record["observations"]:
            ellipsis = "…" if observation["window"] else ""
            console.print(Padding(f"• {ellipsis}{escape(observation['text'])}{ellipsis}", (0, 0, 0, 3)))
        for relation in record["relations"]:
            other = escape(relation["entity"]["name"])
            arrow = (
                f"–{escape(relation['type'])}→ {other}"
                if relation["direction"] == "out"
                else (f"←{escape(relation['type'])}– {other}")
            )
            console.print(Padding(f"[cyan]{arrow}[/cyan]", (0, 0, 0, 3)))
    if not answer["evidence"]:
        console.print("[dim]nothing found[/dim]")
    if "pointers" in answer:
        console.print("\n[bold]Entity pointers[/bold] [dim](memory about these exists)[/dim]")
        for item in answer["pointers"]["items"]:
            start, end = item["span"]
            console.print(
                f"   “{escape(query[start:end])}” → [green]{item['entity_id']}[/green] {escape(item['kind'] or '')} "
                f"[dim]{item['match']}, {item['observations']} observations, {item['relations']} relations, "
                f"{item['tasks']} tasks, last seen {item['last_seen_at'][:10]}[/dim]"
            )
        if not answer["pointers"]["items"]:
            console.print("   [dim]none[/dim]")
    accounting = answer["accounting"]
    budget = accounting["budget"]
    dropped = accounting["dropped"]
    console.print(
        f"\n[dim]{budget['used']} of {budget['limit']} {budget['unit']} · "
        f"{accounting['entities']['returned']} of {accounting['entities']['considered']} entities · "
        f"{accounting['observations']['returned']} of {accounting['observations']['matched']} observations "
        f"({dropped['observations']['budget']} dropped for size, {dropped['observations']['duplicate']} duplicates) · "
        f"{accounting['status']}[/dim]"
    )
