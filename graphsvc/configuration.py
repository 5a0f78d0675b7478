"""The configuration file `graphsvc.toml`: what is more than one value, and so no environment variable.

[memory]                      # spec 06, see memory_sources/config.py
ingest_dir = ["notes"]

[resolvers.fs.notes]          # spec 05, see docs/resolvers.md
path = "/srv/notes"
scopes = ["project:atlas"]
"""

import tomllib
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphsvc.memory_sources.config import MemoryConfig

CONFIGURATION_BYTES_MAX: Final = 1024 * 1024


class ConfigurationError(ValueError):
    """A configuration that does not fit; the message names the file or table, and the key."""


class Configuration(BaseModel):
    """The whole file. The tables of resolvers are read by the resolvers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory: MemoryConfig = Field(default_factory=MemoryConfig)
    resolvers: dict[str, dict[str, Any]] = Field(default_factory=dict)


def load_configuration(path: Path | None) -> Configuration:
    """As `read_configuration`; without a file, the defaults."""
    return Configuration() if path is None else read_configuration(path)


def read_configuration(path: Path) -> Configuration:
    """Read the file. Raises ConfigurationError when it cannot be read or does not fit."""
    try:
        with path.open("rb") as file:
            text = file.read(CONFIGURATION_BYTES_MAX + 1)
        if len(text) > CONFIGURATION_BYTES_MAX:
            raise ConfigurationError(f"{path}: larger than {CONFIGURATION_BYTES_MAX} bytes")
        return Configuration.model_validate(tomllib.loads(text.decode()))
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}") from error
    except ValidationError as error:
        raise ConfigurationError(f"{path}: {describe(error)}") from error
    except ValueError as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(f"{path}: {error}") from error


def describe(error: ValidationError, table: str = "") -> str:
    """What does not fit, key by key: `memory.ingest_dir: must stay inside the repository`."""
    found = error.errors(include_url=False, include_input=False)
    places = (".".join(str(step) for step in (*([table] if table else []), *item["loc"])) for item in found)
    reasons = (item["msg"].removeprefix("Value error, ") for item in found)
    return "; ".join(f"{place}: {reason}" for place, reason in zip(places, reasons, strict=True))
