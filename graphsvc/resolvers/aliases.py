"""The names under which an operator lets documents be read, and who may use them (spec 05).

    [resolvers.fs.notes]
    path = "/srv/notes"
    scopes = ["project:atlas"]

makes the root `notes` of the resolver `fs` exist for callers who may read `project:atlas`, and for nobody
else.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from graphsvc.configuration import ConfigurationError, describe
from graphsvc.errors import NotFound
from graphsvc.models.common import ScopeId
from graphsvc.scope import Scope


def _absolute(path: Path) -> Path:
    expanded = path.expanduser()
    if not expanded.is_absolute():
        raise ValueError("must be an absolute path")
    return expanded


AbsolutePath = Annotated[Path, AfterValidator(_absolute)]


class Alias(BaseModel):
    """One configured name. Readers of any of `scopes` may use it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scopes: Annotated[list[ScopeId], Field(min_length=1)]


class PathAlias(Alias):
    """A directory, repository or file of this machine."""

    path: AbsolutePath


class TableAccess(BaseModel):
    """One table of a database whose cells may be read as documents."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Annotated[str, Field(min_length=1, description="The column that finds a row.")]
    columns: Annotated[list[str], Field(min_length=1, description="The columns that hold documents.")]


AliasT = TypeVar("AliasT", bound=Alias)


class Aliases(Generic[AliasT]):
    """The configured names of one resolver."""

    def __init__(self, resolver: str, model: type[AliasT], table: Mapping[str, Any]) -> None:
        self._by_name: dict[str, AliasT] = {}
        for name, entry in table.items():
            try:
                self._by_name[name] = model.model_validate(entry)
            except ValidationError as error:
                raise ConfigurationError(describe(error, f"resolvers.{resolver}.{name}")) from error

    def __bool__(self) -> bool:
        return bool(self._by_name)

    def get(self, name: str, scope: Scope) -> AliasT:
        """The alias of that name, if a caller who sees `scope` may use it; else NotFound."""
        alias = self._by_name.get(name)
        if alias is None or scope.visible.isdisjoint(alias.scopes):
            raise NotFound
        return alias

    def visible(self, scope: Scope) -> list[AliasT]:
        """All aliases that the caller may use, by name."""
        return [
            alias for _, alias in sorted(self._by_name.items()) if not scope.visible.isdisjoint(alias.scopes)
        ]
