"""Operations by name, for those that a client has no line of its own for."""

from graphsvc.operation import Operation
from graphsvc.operations import OPERATIONS


def operation_of(name: str) -> Operation:
    """The operation of this name. Raises AttributeError, as it is asked for as a method."""
    try:
        return OPERATIONS[name]
    except KeyError:
        raise AttributeError(f"the service has no operation '{name}'") from None
