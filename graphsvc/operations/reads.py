"""Reads (spec 03, 04): a part of the table in `operations/__init__.py`."""

from typing import Final

from graphsvc.models import reads
from graphsvc.operations.operation import Operation
from graphsvc.service import graph_walk, history, opening, search, title_search

READ_OPERATIONS: Final = (
    Operation(
        "search_nodes",
        "read",
        "read",
        reads.SearchNodes,
        reads.SearchAnswer,
        search.search_nodes,
        get=True,
        example={
            "query": "who does same-day printing for Paul Pack?",
            "project_hint": "atlas",
            "pointers": True,
            "budget": {"unit": "chars", "limit": 4000},
        },
    ),
    Operation(
        "search_by_project",
        "read",
        "read",
        reads.SearchByProject,
        reads.SearchAnswer,
        search.search_by_project,
        get=True,
        example={"query": "same-day printing", "project": "atlas"},
    ),
    Operation(
        "open_nodes",
        "read",
        "read",
        reads.OpenNodes,
        reads.OpenAnswer,
        opening.open_nodes,
        get=True,
        example={"names": ["Acme Print", "Nobody"], "neighbours": True},
    ),
    Operation(
        "read_graph",
        "read",
        "read",
        reads.ReadGraph,
        reads.GraphAnswer,
        graph_walk.read_graph,
        get=True,
        example={"limit": 200},
    ),
    Operation(
        "find_by_title",
        "read",
        "read",
        reads.FindByTitle,
        reads.TitlesAnswer,
        title_search.find_by_title,
        get=True,
        example={"phrase": "acme turnaraund", "kinds": ["entity", "task", "note"], "limit": 10},
    ),
    Operation(
        "get_history",
        "read",
        "read",
        reads.GetHistory,
        reads.HistoryAnswer,
        history.get_history,
        get=True,
        example={"entity": "Acme Print"},
    ),
    Operation(
        "list_changes",
        "read",
        "read",
        reads.ListChanges,
        reads.ChangesAnswer,
        history.list_changes,
        get=True,
        example={"limit": 100},
    ),
)
