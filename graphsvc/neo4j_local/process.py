"""The server's process: started apart from its parent, known by more than its number, ended politely."""

import json
import os
import subprocess
from pathlib import Path

import psutil

# The shell ends at once: the server belongs to no terminal and to no parent that could take it down or has to reap it.
DETACH = 'cd "$1" && log=$2 && shift 2 && { "$@" </dev/null >"$log" 2>&1 & echo $!; }'

# Start times are rounded to the kernel's clock, which may be set.
START_TIME_TOLERANCE_S = 5.0


def spawn(command: list[str], workdir: Path, log: Path, environment: dict[str, str]) -> psutil.Process:
    """Starts `command` in a session of its own, with its output in `log`; it outlives the caller."""
    shell = ["/bin/sh", "-c", DETACH, "sh", str(workdir), str(log), *command]
    started = subprocess.run(  # noqa: S603
        shell, stdout=subprocess.PIPE, start_new_session=True, check=True, env=environment
    )
    return psutil.Process(int(started.stdout))


def remember(process: psutil.Process, process_file: Path) -> None:
    """Writes which process is the server."""
    process_file.write_text(json.dumps({"pid": process.pid, "started_at": process.create_time()}))


def find(process_file: Path, mark: str) -> psutil.Process | None:
    """The live server, or None.

    `mark` is an argument that only this home's server has. A process is taken for the server only if it has it and is
    ours, so a stale file never points at a stranger that got the same number; a server whose starter died before it
    could write the file is found by looking for it.
    """
    try:
        written = json.loads(process_file.read_text())
        process = psutil.Process(written["pid"])
        if abs(process.create_time() - written["started_at"]) < START_TIME_TOLERANCE_S and is_server(
            process, mark
        ):
            return process
    except (OSError, ValueError, KeyError, TypeError, psutil.NoSuchProcess):
        pass
    return next((process for process in psutil.process_iter() if is_server(process, mark)), None)


def is_server(process: psutil.Process, mark: str) -> bool:
    """Whether a process is alive, belongs to this user and runs with the argument `mark`."""
    try:
        alive = process.is_running() and process.status() != psutil.STATUS_ZOMBIE
        return alive and process.uids().real == os.getuid() and mark in process.cmdline()
    except psutil.Error:
        return False


def end(process: psutil.Process, deadline_s: float) -> bool:
    """Asks the process to end and waits; ends it by force after the deadline. Whether it ended when asked."""
    try:
        process.terminate()
        process.wait(deadline_s)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        process.kill()
        process.wait()
        return False
    return True
