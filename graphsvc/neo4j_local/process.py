"""The server's process: started apart from its parent, known by more than its number, ended politely."""

import json
import subprocess
from pathlib import Path

import psutil

# The shell ends at once: the server belongs to no terminal and to no parent that could take it down or has to reap it.
DETACH = 'cd "$1" && log=$2 && shift 2 && { "$@" </dev/null >"$log" 2>&1 & echo $!; }'

# Start times are rounded to the kernel's clock, which may be set; a number is not reused this fast with the same command.
START_TIME_TOLERANCE_S = 5.0


def spawn(command: list[str], workdir: Path, log: Path) -> psutil.Process:
    """Starts `command` in a session of its own, with its output in `log`; it outlives the caller."""
    shell = ["/bin/sh", "-c", DETACH, "sh", str(workdir), str(log), *command]
    started = subprocess.run(shell, stdout=subprocess.PIPE, start_new_session=True, check=True)  # noqa: S603
    return psutil.Process(int(started.stdout))


def remember(process: psutil.Process, process_file: Path) -> None:
    """Writes which process is the server."""
    process_file.write_text(json.dumps({"pid": process.pid, "started_at": process.create_time()}))


def find(process_file: Path, mark: str) -> psutil.Process | None:
    """The live server, or None.

    `mark` is an argument that only this home's server has. A process is taken for the server only if it has it, so
    a stale file never points at a stranger that got the same number; a server whose starter died before it could
    write the file is found by looking for it.
    """
    try:
        written = json.loads(process_file.read_text())
        process = psutil.Process(written["pid"])
        same_start = abs(process.create_time() - written["started_at"]) < START_TIME_TOLERANCE_S
        return process if same_start and is_server(process, mark) else None
    except (ValueError, KeyError, TypeError, psutil.NoSuchProcess):
        return None
    except FileNotFoundError:
        return next((process for process in psutil.process_iter() if is_server(process, mark)), None)


def is_server(process: psutil.Process, mark: str) -> bool:
    """Whether a process is alive and runs with the argument `mark`."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE and mark in process.cmdline()
    except psutil.Error:
        return False


def end(process: psutil.Process, deadline_s: float) -> None:
    """Asks the process to end, and ends it by force after the deadline; returns when it is gone."""
    process.terminate()
    try:
        process.wait(deadline_s)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait()
