"""What some tests need of the machine. Where it is absent they are skipped and say why; where all must run, they fail."""

import os
from typing import NoReturn

import pytest


def absent(what: str) -> NoReturn:
    """Skip this test for want of `what`, or fail it where GRAPHSVC_TEST_ALL is set (as `.ci/run` does)."""
    if os.environ.get("GRAPHSVC_TEST_ALL"):
        pytest.fail(f"everything must run here, but {what}")
    pytest.skip(what)
