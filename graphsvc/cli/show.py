"""Evidence in a terminal: what was found, why, and how the budget was spent.

Stored text comes from anyone: control characters in it, which a terminal would obey, are shown as their code.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import regex
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

Record = Mapping[str, Any]

_CONTROLS: Final = regex.compile(r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}--[\u200c\u200d]]", flags=regex.VERSION1)
_BAR_CELLS: Final = 24
_WIDTH_MAX: Final = 110
_NOTHING: Final = {"no_match": "Nothing matches.", "empty_graph": "There is nothing here that you may see."}


def terminal() -> Console:
    """Standard output, not wider than is good to read."""
    console = Console(highlight=False)
    console.width = min(console.width, _WIDTH_MAX)
    return console


def safe(text: object) -> str:
    """Stored text as a terminal may have it: one line, no control or direction characters."""
    shown: str = _CONTROLS.sub(
        lambda found: " " if found[0] in "\t\n\r" else f"\\u{ord(found[0]):04x}", str(text)
    )
    return shown


def bar(share: float) -> str:
    """A share of 0 to 1 as a bar."""
    filled = round(max(0.0, min(1.0, share)) * _BAR_CELLS)
    return "█" * filled + "░" * (_BAR_CELLS - filled)


def show_search(console: Console, query: str, answer: Record) -> None:
    """The answer of a search."""
    if not answer["evidence"]:
        console.print(
            Text(_NOTHING.get(answer["accounting"]["status"], "Nothing fits the budget."), style="bold")
        )
    best = max((hit["score"] for hit in answer["evidence"]), default=0) or 1
    for hit in answer["evidence"]:
        console.print(_heading(hit["entity"], f"{hit['score']:.2f}"))
        parts = ", ".join(f"{name} {value:.2f}" for name, value in hit["score_parts"].items() if value)
        how = f"{bar(hit['score'] / best)}  {parts}" if hit["via"] == "match" else f"by way of a {hit['via']}"
        console.print(Padding(Text(how, style="dim"), (0, 0, 0, 2)))
        _show_parts(console, hit)
    if "pointers" in answer:
        _show_pointers(console, query, answer["pointers"]["items"])
    _show_accounting(console, answer["accounting"])


def show_opened(console: Console, answer: Record) -> None:
    """The answer of open_nodes."""
    for record in answer["entities"]:
        console.print(_heading(record["entity"], ""))
        _show_parts(console, record)
    for state in ("missing", "ambiguous"):
        for reference in answer[state]:
            console.print(Text(f"{state}: {safe(reference)}", style="yellow"))
    if answer["next_cursor"]:
        console.print(Text("There is more than fits: raise --limit.", style="yellow"))
    _show_accounting(console, answer["accounting"])


def _heading(entity: Record, score: str) -> Text:
    aliases = f" (also {', '.join(safe(alias) for alias in entity['aliases'])})" if entity["aliases"] else ""
    kind = f"  {safe(entity['kind'])}" if entity["kind"] else ""
    return Text.assemble(
        (safe(entity["name"]), "bold cyan"),
        (f"{aliases}{kind}", ""),
        (f"  {entity['scope']}  {entity['id']}  {score}".rstrip(), "dim"),
    )


def _show_parts(console: Console, record: Record) -> None:
    for observation in record["observations"]:
        window = observation.get("window")
        when = observation["observed_at"] or observation["last_seen_at"]
        text = Text.assemble(
            "• ",
            ("… " if window else "", "dim"),
            safe(observation["text"]),
            (" …" if window else "", "dim"),
            (f"  {str(when)[:10]}", "dim"),
        )
        console.print(Padding(text, (0, 0, 0, 2)))
    for relation in record["relations"]:
        arrow = "→" if relation["direction"] == "out" else "←"
        line = Text.assemble(
            (f"{arrow} {safe(relation['type'])} ", "green"), safe(relation["entity"]["name"])
        )
        console.print(Padding(line, (0, 0, 0, 2)))


def _show_pointers(console: Console, query: str, items: Sequence[Record]) -> None:
    if not items:
        return
    console.print(Rule("named in the query", align="left", style="dim"))
    for item in items:
        start, end = item["span"]
        counts = ", ".join(
            f"{item[part]} {part}" for part in ("observations", "relations", "tasks") if item[part]
        )
        console.print(
            Text.assemble(
                ("“" + safe(query[start:end]) + "”", "bold"),
                f"  {safe(item['kind'] or 'thing')}, {item['match']}, {counts}",
                (f"  {item['scope']}  {item['entity_id']}", "dim"),
            )
        )


def _show_accounting(console: Console, accounting: Record) -> None:
    budget = accounting["budget"]
    console.print(Rule(style="dim"))
    share = budget["used"] / budget["limit"]
    console.print(
        Text(
            f"{bar(share)}  {budget['used']:,} of {budget['limit']:,} {budget['unit']}, {accounting['status']}"
        )
    )
    counted = []
    for part in ("entities", "observations", "neighbours", "relations"):
        if part in accounting:
            among = accounting[part].get("considered", accounting[part].get("matched"))
            counted.append(f"{accounting[part]['returned']} of {among} {part}")
    dropped = accounting.get("dropped", {}).get("observations", {})
    counted += [f"{count} left out ({why})" for why, count in dropped.items() if count]
    console.print(Text(", ".join(counted), style="dim"))
    if accounting.get("degraded"):
        console.print(Text(f"failed: {', '.join(accounting['degraded'])}", style="yellow"))
