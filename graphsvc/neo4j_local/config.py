"""What the managed Neo4j is told: `neo4j.conf` and the arguments of its Java."""

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from graphsvc.neo4j_local.java import Java
from graphsvc.neo4j_local.layout import CRASH_LOG, Layout
from graphsvc.neo4j_local.ports import LOOPBACK, Ports

MAIN_CLASS = "org.neo4j.server.CommunityEntryPoint"
ADMIN_CLASS = "org.neo4j.cli.AdminTool"
PAGE_CACHE_MB_MIN = 128
TRANSACTION_MEMORY_MB_MAX = 256

# Where the service answers for Neo4j Browser; `service_url` of `neo4j_conf` is put before these.
STYLE_PATH = "/browser/style.grass"
GUIDE_PATH = "/browser/guide.html"


def neo4j_conf(ports: Ports, heap_mb: int, service_url: str | None) -> str:
    """The text of `neo4j.conf`.

    `service_url` (such as `http://127.0.0.1:8080`) is where the HTTP service will answer; with it, Neo4j Browser
    applies the service's style sheet and opens its guide on connect.
    """
    settings = {
        # Nothing is reachable from another machine, and clients are told the real port.
        "server.default_listen_address": LOOPBACK,
        "server.default_advertised_address": LOOPBACK,
        "server.bolt.listen_address": f"{LOOPBACK}:{ports.bolt}",
        "server.bolt.advertised_address": f"{LOOPBACK}:{ports.bolt}",
        "server.http.listen_address": f"{LOOPBACK}:{ports.http}",
        "server.http.advertised_address": f"{LOOPBACK}:{ports.http}",
        "server.https.enabled": "false",
        "server.http_enabled_modules": "BROWSER",
        "dbms.security.allow_csv_import_from_file_urls": "false",
        # Nothing is reported to anybody.
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        # The last line of defence; the service's own deadlines are shorter.
        "db.transaction.timeout": "30s",
        "db.transaction.monitor.check.interval": "500ms",
        "db.memory.transaction.max": f"{min(TRANSACTION_MEMORY_MB_MAX, heap_mb // 2)}m",
        "server.memory.pagecache.size": f"{page_cache_mb(heap_mb)}m",
        "db.temporal.timezone": "UTC",
        # Transaction logs serve recovery only, and a home should not start at half a gigabyte.
        "db.tx_log.rotation.size": "64m",
        "db.tx_log.rotation.retention_policy": "128M size",
        # The databases are closed by then; the default waits 10 s for nobody.
        "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
        "internal.dbms.bolt.netty_server_shutdown_timeout": "2",
        "browser.remote_content_hostname_whitelist": browser_hosts(service_url),
    }
    if service_url:
        base = service_url.rstrip("/")
        settings["browser.post_connect_cmd"] = f"style {base}{STYLE_PATH}; play {base}{GUIDE_PATH}"
    heading = "# Written anew at every start; change it through graphsvc's settings.\n"
    return heading + "".join(f"{name}={value}\n" for name, value in settings.items())


def page_cache_mb(heap_mb: int) -> int:
    """Half the heap: the operating system caches the store files too, so a miss here is cheap."""
    return max(PAGE_CACHE_MB_MIN, heap_mb // 2)


def browser_hosts(service_url: str | None) -> str:
    """The hosts from which Neo4j Browser may load a guide or a style sheet."""
    hosts = dict.fromkeys(
        (LOOPBACK, "localhost", (service_url and urlsplit(service_url).hostname) or LOOPBACK)
    )
    return ",".join(hosts)


def server_arguments(
    java: Java, jars: Sequence[Path], layout: Layout, heap_mb: int, archive: list[str]
) -> str:
    """The argument file for `java @file` that runs the server; `archive` are the options of the class archive."""
    options = [
        f"-Xms{heap_mb}m",
        f"-Xmx{heap_mb}m",
        # Least memory and least CPU time of the three collectors on two cores and a heap of this size.
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError",
        f"-XX:ErrorFile={layout.logs_dir / CRASH_LOG}",
        *archive,
        *java_permissions(java),
        "-cp",
        class_path(jars),
        MAIN_CLASS,
        f"--home-dir={layout.root}",
        f"--config-dir={layout.conf_dir}",
    ]
    return argument_file(options)


def admin_arguments(java: Java, jars: Sequence[Path], *command: str) -> str:
    """The argument file for `java @file` that runs one command of Neo4j's administration tool."""
    options = ["-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    options += ["-XX:-UsePerfData"]  # no file with the command line in the folder for temporary files
    return argument_file([*options, *java_permissions(java), "-cp", class_path(jars), ADMIN_CLASS, *command])


def java_permissions(java: Java) -> list[str]:
    """What Neo4j does below Java's public surface; later Javas print warnings unless told that it is meant."""
    packages = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch")
    options = [f"--add-opens={package}=ALL-UNNAMED" for package in packages]
    options += ["--enable-native-access=ALL-UNNAMED"]
    if java.major >= 23:
        options += ["--sun-misc-unsafe-memory-access=allow"]
    # Java's own notes about the class archive are for its makers; its errors go to the console log.
    return [*options, "-Xlog:disable", "-Xlog:all=error:stderr"]


def java_environment() -> dict[str, str]:
    """What Java sees of the environment: paths beyond ASCII work, and no option or secret of the caller's leaks in."""
    passed_on = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return passed_on | {"LC_ALL": "C.UTF-8"}


def class_path(jars: Sequence[Path]) -> str:
    """The jars in the order of the lock."""
    return ":".join(str(jar) for jar in jars)


def argument_file(arguments: Sequence[str]) -> str:
    """Arguments in the syntax of Java's argument files: one a line, quoted.

    Java expands the file itself, so that neither the long class path nor a password is in the process list.
    """
    escaped = (argument.replace("\\", "\\\\").replace('"', '\\"') for argument in arguments)
    return "".join(f'"{argument}"\n' for argument in escaped)
