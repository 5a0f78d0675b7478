"""The password of the managed Neo4j: made once, in a file of the home, and never in a process list."""

import secrets
import subprocess
from pathlib import Path

from graphsvc.neo4j_local import config
from graphsvc.neo4j_local.errors import PasswordLost, StartFailed
from graphsvc.neo4j_local.java import Java
from graphsvc.neo4j_local.layout import Layout
from graphsvc.private_file import write_private

PASSWORD_BYTES = 24
PLANT_DEADLINE_S = 60


def plant_password(layout: Layout, java: Java, jars: list[Path]) -> None:
    """Before the first start: makes the password and tells Neo4j, so that its default password is never valid.

    Does nothing once there is data. Raises `PasswordLost` if there is data and no password file, `StartFailed` if
    Neo4j refuses.
    """
    if layout.holds_data():
        if not layout.password_file.exists():
            raise PasswordLost(
                f"{layout.data_dir} holds data but {layout.password_file} is gone: put it back"
            )
        return
    if not layout.password_file.exists():
        write_private(layout.password_file, secrets.token_urlsafe(PASSWORD_BYTES))
    password = layout.password_file.read_text(encoding="utf-8").strip()
    arguments = (
        layout.root / "admin.args"
    )  # Java reads it itself: the process list shows the file's name only
    write_private(arguments, config.admin_arguments(java, jars, "dbms", "set-initial-password", password))
    environment = config.java_environment() | {
        "NEO4J_HOME": str(layout.root),
        "NEO4J_CONF": str(layout.conf_dir),
    }
    try:
        subprocess.run(  # noqa: S603
            [java.executable, f"@{arguments}"],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PLANT_DEADLINE_S,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise StartFailed(f"Neo4j's first password could not be set: {error.stderr.strip()}") from error
    except subprocess.TimeoutExpired as error:
        raise StartFailed(f"Neo4j's first password could not be set within {PLANT_DEADLINE_S} s") from error
    finally:
        arguments.unlink()
