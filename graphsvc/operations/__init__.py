"""The table of contents: every operation with its request, its answer and the use-case behind it (spec 09).

HTTP routes, OpenAPI, MCP tools, the client and the tests of who may do what are made from this table.
"""

from types import MappingProxyType
from typing import Final

from graphsvc.operations.admin import ADMIN_OPERATIONS
from graphsvc.operations.claims import CLAIM_OPERATIONS
from graphsvc.operations.documents import DOCUMENT_OPERATIONS
from graphsvc.operations.reads import READ_OPERATIONS
from graphsvc.operations.tasks import TASK_OPERATIONS
from graphsvc.operations.writes import WRITE_OPERATIONS

_ALL: Final = (
    *READ_OPERATIONS,
    *WRITE_OPERATIONS,
    *ADMIN_OPERATIONS,
    *TASK_OPERATIONS,
    *CLAIM_OPERATIONS,
    *DOCUMENT_OPERATIONS,
)

OPERATIONS: Final = MappingProxyType({operation.name: operation for operation in _ALL})
