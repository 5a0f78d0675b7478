"""A wall clock of one process that a test can move: a small library before libc, compiled on first use.

Needs a C compiler and Linux; `ShiftedClock.make` says None where there is none, and the test that wanted it skips.
"""

import shutil
import subprocess
import sys
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock_shift.c")


class ShiftedClock:
    """Give `env` to the process; `shift` moves its wall clock at once, also while it runs."""

    def __init__(self, library: Path, file: Path) -> None:
        self._file = file
        self.env = {"LD_PRELOAD": str(library), "CLOCK_SHIFT_FILE": str(file)}
        self.shift(0)

    @classmethod
    def make(cls, folder: Path) -> "ShiftedClock | None":
        """Compile the library into this folder; None without a compiler."""
        compiler = shutil.which("cc")
        if compiler is None or not sys.platform.startswith("linux"):
            return None
        library = folder / "clock_shift.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, _SOURCE, "-ldl"], check=True)
        return cls(library, folder / "shift_s")

    def shift(self, seconds: int) -> None:
        """The process sees the true time plus this."""
        self._file.write_text(f"{seconds}\n")
