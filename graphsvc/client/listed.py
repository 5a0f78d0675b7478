"""Operations by name, for those that a client has no line of its own for."""

from graphsvc.operations import OPERATIONS
from graphsvc.operations.operation import Operation


def operation_of(name: str) -> Operation:
    """The operation of this name. Raises AttributeError, as it is asked for as a method."""
    try:
        return OPERATIONS[name]
    except KeyError:
        raise AttributeError(f"the service has no operation '{name}'") from None
