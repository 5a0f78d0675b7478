"""Settings: one frozen model, read from the environment (`GRAPHSVC_*`).

Every value carries its unit in its name and a bound in its type. Spec chapters 10 and 12.
"""

from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

import platformdirs
from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

Port = Annotated[int, Field(ge=0, le=65535)]
CONFIGURATION_NAME: Final = "graphsvc.toml"
HomePath = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]


def _user_data_dir() -> Path:
    return Path(platformdirs.user_data_dir("graphsvc", appauthor=False))


def _user_cache_dir() -> Path:
    return Path(platformdirs.user_cache_dir("graphsvc", appauthor=False))


class Settings(BaseSettings):
    """Everything an operator can set. Defaults run a private service on loopback with a managed Neo4j."""

    model_config = SettingsConfigDict(env_prefix="GRAPHSVC_", frozen=True, extra="ignore")

    home: HomePath = Field(default_factory=_user_data_dir, description="All local state of this service.")
    cache: HomePath = Field(
        default_factory=_user_cache_dir, description="Downloaded Neo4j jars, shared by homes."
    )

    config_file: Path | None = Field(
        default=None,
        description="Configuration file with the resolvers; unset: graphsvc.toml in the home, if there is one.",
    )

    http_host: str = Field(default="127.0.0.1", description="Address to listen on.")
    http_port: Port | None = Field(
        default=None,
        description="Port to listen on; 0: a free one; unset: 8737, or a free one where that is taken.",
    )
    http_workers: int = Field(default=1, ge=1, le=64, description="Worker processes.")
    http_allow_plaintext: bool = Field(
        default=False, description="Allow a non-loopback address without TLS in front of the service."
    )
    http_allowed_hosts: list[str] = Field(
        default=[],
        description="Hosts (name, or name:port) that /mcp answers to beside loopback ones and that of service_url.",
    )
    http_allowed_origins: list[str] = Field(
        default=[], description="Origins of web pages that may call /mcp beside the service's own."
    )

    neo4j_uri: str | None = Field(
        default=None, description="bolt://, neo4j:// or neo4j+s:// address; unset: a managed local Neo4j."
    )
    neo4j_user: str = Field(default="neo4j", description="Database user.")
    neo4j_password: SecretStr | None = Field(default=None, description="Database password.")
    neo4j_password_file: Path | None = Field(
        default=None, description="File that holds the database password."
    )
    neo4j_database: str | None = Field(
        default=None, description="Database name; unset: the user's home database."
    )
    neo4j_pool_size: int = Field(default=32, ge=1, le=1000, description="Connections to Neo4j per worker.")
    neo4j_heap_mb: int = Field(default=512, ge=256, le=65536, description="Heap of the managed Neo4j.")
    bolt_port: Port | None = Field(
        default=None, description="Bolt port of the managed Neo4j; unset: a free one."
    )
    neo4j_http_port: Port | None = Field(
        default=None, description="Browser port of the managed Neo4j; unset: a free one."
    )

    service_url: str | None = Field(
        default=None, description="Where clients reach the service; unset: where it listens."
    )
    browser_url: str | None = Field(
        default=None,
        description="Neo4j Browser, for the link on the page at /; unset: that of the managed Neo4j.",
    )
    token: SecretStr | None = Field(
        default=None,
        description="Token that `search`, `open`, `mcp` and the client use; unset: the operator's of this home.",
    )
    request_deadline_ms: int = Field(
        default=5_000, ge=100, le=600_000, description="Deadline of one request."
    )
    requests_in_flight_max: int = Field(
        default=64, ge=1, le=10_000, description="Requests in the house per worker; more answer 503."
    )
    rate_per_principal_per_s: float = Field(
        default=0,
        ge=0,
        description="Requests per second a principal may make (burst: two seconds); 0: no limit.",
    )
    auth_cache_s: float = Field(
        default=2.0,
        ge=0,
        le=5,
        description="How long a worker trusts a token before asking the database again.",
    )
    secret: SecretStr | None = Field(
        default=None, description="Seals bookmarks; share one between replicas. Unset: made once in the home."
    )
    audit_key: SecretStr | None = Field(
        default=None,
        description="Seals the log's chains; share one between replicas. Unset: made once in the home. Back it up.",
    )
    log_level: str = Field(default="INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="Log level.")

    @cached_property
    def token_file(self) -> Path:
        """Where the operator token of this home is kept (mode 0600)."""
        return self.home / "operator.token"

    @cached_property
    def state_file(self) -> Path:
        """What `graphsvc up` started: addresses and process id."""
        return self.home / "service.json"

    @cached_property
    def configuration_file(self) -> Path | None:
        """The configuration file to read, if there is any."""
        if self.config_file is not None:
            return self.config_file
        usual = self.home / CONFIGURATION_NAME
        return usual if usual.exists() else None

    def neo4j_password_value(self) -> str | None:
        """The database password from the environment or its file; None when neither is given."""
        if self.neo4j_password is not None:
            return self.neo4j_password.get_secret_value()
        if self.neo4j_password_file is not None:
            return self.neo4j_password_file.read_text(encoding="utf-8").strip()
        return None
