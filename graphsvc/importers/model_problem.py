"""Saying what a pydantic model found wrong with a line, without echoing the line."""

from pydantic import ValidationError

from graphsvc.importers.sourced_record import Problem
from graphsvc.models.common import problems_of


def problem_of(error: ValidationError) -> Problem:
    """The first thing wrong: the field's path and the reason."""
    path, reason = problems_of(error)[0]
    return Problem(f"{path} {reason}")
