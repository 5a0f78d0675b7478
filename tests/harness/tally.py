"""What the run has shown, in figures: printed at the end of every run that has any."""

from collections import Counter
from typing import Final

TALLY: Final[Counter[str]] = Counter()
"""Named counts of this process: operations, faults, inputs, bytes scanned, foreign canaries found."""


def summary_lines() -> list[str]:
    """One line a count, in alphabetical order."""
    return [f"{name}: {count:,}" for name, count in sorted(TALLY.items())]
