"""Writes what is made from the code: settings, limits, errors, operations, metrics, graph model, queries, JSON Schema.

Run as `python docs/generate.py`; `make check` runs it with `--check`.
"""

import ast
import inspect
import re
import sys
from pathlib import Path

from prometheus_client.metrics import MetricWrapperBase

from graphsvc import limits
from graphsvc.domain.source_ref_schema import published_text
from graphsvc.http.openapi import error_classes
from graphsvc.operations import OPERATIONS
from graphsvc.queries import load_browser_queries
from graphsvc.settings import Settings
from graphsvc.telemetry import metrics

HERE = Path(__file__).resolve().parent
HEAD = "<!-- Made from the code by docs/generate.py; do not edit. -->\n"


def settings_page() -> str:
    """Every setting with its environment variable, default and meaning."""
    lines = [
        "# Settings",
        "",
        "All by environment variable.",
        "",
        "| variable | default | meaning |",
        "| --- | --- | --- |",
    ]
    for name, field in sorted(Settings.model_fields.items()):
        default = (
            "(user data folder)"
            if name == "home"
            else "(user cache folder)"
            if name == "cache"
            else field.default
        )
        shown = (
            "unset"
            if default is None
            else f"`{default}`"
            if not str(default).startswith("(")
            else str(default)
        )
        lines.append(f"| `GRAPHSVC_{name.upper()}` | {shown} | {field.description} |")
    return "\n".join(lines)


def limits_page() -> str:
    """Every cap by name, with what its docstring says."""
    tree = ast.parse(inspect.getsource(limits)).body
    notes = {}
    for statement, following in zip(tree, [*tree[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            is_note = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            notes[statement.target.id] = str(following.value.value) if is_note else ""  # type: ignore[union-attr]
    lines = [
        "# Limits",
        "",
        "`whoami` answers the same by name in lower case.",
        "",
        "| limit | value | |",
        "| --- | --- | --- |",
    ]
    for name, note in notes.items():
        value = getattr(limits, name)
        shown = f"{value:,}" if isinstance(value, int) else str(value)
        lines.append(f"| `{name}` | {shown} | {' '.join(note.split())} |")
    return "\n".join(lines)


def errors_page() -> str:
    """Every error a client can meet."""
    lines = [
        "# Errors",
        "",
        "Answers with `Content-Type: application/problem+json` (RFC 9457): `type`, `title`, `status`, `detail`, `errors`",
        "(JSON path and reason), `request_id`.",
        "",
        "| type | status | title | try again |",
        "| --- | --- | --- | --- |",
    ]
    for error in error_classes():
        again = f"after {error.retry_after_s} s" if error.retry_after_s is not None else "no"
        lines.append(f"| `/errors/{error.slug}` | {error.status} | {error.title()} | {again} |")
    return "\n".join(lines)


def operations_page() -> str:
    """Every operation by tag."""
    lines = [
        "# Operations",
        "",
        "`POST /v1/<operation>`; those marked GET also by URL. `/docs` has the shapes and examples.",
    ]
    for tag in ("read", "write", "tasks", "claims", "documents", "admin"):
        rows = [operation for operation in OPERATIONS.values() if operation.tag == tag]
        if rows:
            lines += ["", f"## {tag}", "", "| operation | needs | |", "| --- | --- | --- |"]
            lines += [
                f"| `{op.name}`{' (GET)' if op.get else ''} | {op.needs} | {op.summary} |"
                for op in sorted(rows, key=lambda o: o.name)
            ]
    return "\n".join(lines)


def metrics_page() -> str:
    """Every metric with its labels."""
    lines = [
        "# Metrics",
        "",
        "Served at `/metrics` to principals that may `admin`. A dashboard and alert rules are in `docker/`;",
        "[operators](operators.md) says how to use them.",
        "",
        "| metric | kind | labels | |",
        "| --- | --- | --- | --- |",
    ]
    for metric in vars(metrics).values():
        if isinstance(metric, MetricWrapperBase):
            described = next(iter(metric.describe()))
            name = described.name + ("_total" if described.type == "counter" else "")
            labels = ", ".join(f"`{label}`" for label in metric._labelnames) or "none"
            lines.append(f"| `{name}` | {described.type} | {labels} | {described.documentation} |")
    return "\n".join(lines)


_SCHEMA_STATEMENT = re.compile(
    r"CREATE (?P<kind>CONSTRAINT|INDEX|FULLTEXT INDEX) (?P<name>\w+) IF NOT EXISTS FOR "
    r"(?P<pattern>\(.*?\)(?:-\[.*?\]-\(\))?) (?:REQUIRE (?P<unique>.*?) IS UNIQUE|ON (?:EACH )?(?P<on>[\[(].*?[\])]))",
    re.DOTALL,
)


def graph_model_page() -> str:
    """Relationship types and ends as the writing queries name them, constraints and indexes as the schema does."""
    lines = [
        "# The graph's constraints and indexes",
        "",
        "What [architecture](architecture.md) explains in words, as `cypher/schema/` makes it in the database.",
        "",
        "| name | on | what |",
        "| --- | --- | --- |",
    ]
    for path in sorted((HERE.parent / "cypher" / "schema").glob("*.cypher")):
        for found in _SCHEMA_STATEMENT.finditer(path.read_text(encoding="utf-8")):
            kind = "unique" if found["unique"] else "full text" if found["kind"].startswith("FULL") else "index"
            fields = re.sub(r"\b\w+\.", "", found["unique"] or found["on"]).strip("()[]")
            where = re.search(r":(\w+)", found["pattern"])
            shape = "relationship" if "[" in found["pattern"] else "node"
            lines.append(f"| `{found['name']}` | {shape} `{where[1] if where else ''}` | {kind}: {fields} |")
    return "\n".join(lines)


def ready_queries_page() -> str:
    """The queries that analysts paste, with what their parameters mean."""
    lines = ["# Ready queries", "", "Each is pasted into Neo4j Browser as it is; values are changed in its first line."]
    for name, query in sorted(load_browser_queries().items()):
        lines += [
            "",
            f"## {name.rpartition('/')[2].replace('_', ' ')}",
            "",
            f"{query.title} {query.explanation}".strip(),
            "",
            *(f"- `{parameter}`: {meaning}" for parameter, meaning in query.parameters.items()),
            f"- shows a {query.shows}: [the query](../cypher/browser/{name.rpartition('/')[2]}.cypher)",
        ]
    return "\n".join(lines)


PAGES = {
    "ready-queries.md": ready_queries_page,
    "metrics.md": metrics_page,
    "graph-model.md": graph_model_page,
    "settings.md": settings_page,
    "limits.md": limits_page,
    "errors.md": errors_page,
    "operations.md": operations_page,
}


def main() -> int:
    """Write the pages, or say which are stale."""
    stale = 0
    texts = {name: HEAD + page() + "\n" for name, page in PAGES.items()}
    texts["schemas/source_ref-v1.schema.json"] = published_text()
    for name, text in texts.items():
        path = HERE / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in sys.argv:
            sys.stderr.write(f"docs/{name} is not what the code says: run python docs/generate.py\n")
            stale = 1
        else:
            path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())
