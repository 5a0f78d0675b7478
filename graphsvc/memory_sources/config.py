"""The table `[memory]` of the configuration file (spec 06).

[memory]
enabled = true
adapters = ["playbook-memory", "cursor-rules"]
ingest_dir = ".agent-memory"          # or a list of 1 to 32, for playbook-memory
knowledge_entities = false            # link candidates to entities of the graph
"""

from pathlib import PurePosixPath
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from graphsvc import limits

Adapter = Literal["playbook-memory", "cursor-rules"]
ADAPTERS: Final[tuple[Adapter, ...]] = ("playbook-memory", "cursor-rules")
CONFIDENCE: Final[dict[Adapter, float]] = {"playbook-memory": 0.7, "cursor-rules": 0.6}
"""How much a candidate of this source is worth before anybody looked at it."""
RULES_DIRECTORY: Final = ".cursor/rules"
INGEST_DIRECTORY_DEFAULT: Final = ".agent-memory"


def _supported(value: Any) -> Any:
    if value not in ADAPTERS:
        raise ValueError(f"adapter {value!r} is not supported; there are {' and '.join(ADAPTERS)}")
    return value


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _inside(value: Any) -> Any:
    """A relative directory in its plain spelling (`./a//b/` is `a/b`)."""
    if not isinstance(value, str):
        raise ValueError("must be a text")
    path = PurePosixPath(value)
    if not value or path.is_absolute() or ".." in path.parts or "\0" in value:
        raise ValueError(f"{value!r} must be a relative path that stays inside the repository")
    return str(path)


class MemoryConfig(BaseModel):
    """Which memories are read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = True
    adapters: list[Annotated[Adapter, BeforeValidator(_supported)]] = list(ADAPTERS)
    ingest_dir: Annotated[
        list[Annotated[str, BeforeValidator(_inside)]],
        BeforeValidator(_as_list),
        Field(min_length=1, max_length=limits.MEMORY_DIRECTORIES_MAX),
    ] = [INGEST_DIRECTORY_DEFAULT]
    knowledge_entities: bool = False

    def sources(self) -> list[tuple[Adapter, str]]:
        """What is read, in order: (adapter, directory), each once. Nothing when off."""
        if not self.enabled:
            return []
        directories = {"playbook-memory": self.ingest_dir, "cursor-rules": [RULES_DIRECTORY]}
        found = [(adapter, directory) for adapter in self.adapters for directory in directories[adapter]]
        return list(dict.fromkeys(found))
