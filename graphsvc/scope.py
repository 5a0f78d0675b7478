"""Who is asking, and what that lets them see: the only place that makes a Scope (spec 01, 09).

A `Principal` comes from an authenticated token. A `Scope` comes from a principal and a request, and is the first
argument of every query: there is no other way to the database.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from graphsvc.errors import Forbidden, InvalidRequest, Problem, ScopeNotFound

Action = Literal["read", "write", "govern", "approve", "admin"]
PrincipalKind = Literal["agent", "human", "service"]
ACTIONS: Final[tuple[Action, ...]] = ("read", "write", "govern", "approve", "admin")
SHARED: Final = "shared"
WILDCARD: Final = "*"

_MADE_HERE: Final = object()


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated caller. `grants` maps a scope id (or `*`) to actions; `scopes` are all that exist."""

    name: str
    kind: PrincipalKind
    grants: Mapping[str, frozenset[str]]
    scopes: frozenset[str]
    default_scope: str | None
    token_id: str

    def allowed(self, action: Action) -> frozenset[str]:
        """The existing scopes in which this principal may do this."""
        if action in self.grants.get(WILDCARD, ()):
            return self.scopes
        named = {scope for scope, actions in self.grants.items() if action in actions}
        if action == "read":
            named.add(SHARED)
        return self.scopes & named

    @property
    def sees_everything(self) -> bool:
        """Whether this principal reads all scopes, those included that are made later."""
        return "read" in self.grants.get(WILDCARD, ())

    def require(self, action: Action) -> None:
        """Forbidden if the principal lacks this grant everywhere."""
        if action == "read":
            return
        if not any(action in actions for actions in self.grants.values()):
            raise Forbidden(f"the operation needs the grant '{action}'")

    def require_everywhere(self, action: Action) -> None:
        """Forbidden unless the principal holds this grant on all scopes (`*`)."""
        if action not in self.grants.get(WILDCARD, ()):
            raise Forbidden(f"the operation needs the grant '{action}' on all scopes")

    def read_scope(self, narrow: Iterable[str] | None = None) -> "Scope":
        """A scope for reading. `narrow` keeps only these of the visible ones; others are ignored alike."""
        visible = self.allowed("read")
        searched = visible if narrow is None else visible & set(narrow)
        return Scope(
            self, visible=visible, searched=searched, writable=frozenset(), write=None, _made=_MADE_HERE
        )

    def write_scope(self, named: str | None, action: Action = "write") -> "Scope":
        """A scope for writing to the named scope, or to the principal's default one.

        Raises Forbidden without the grant anywhere, ScopeNotFound for a scope without it (the same answer as for
        one that does not exist), InvalidRequest when none is named and there is no default.
        """
        self.require(action)
        writable = self.allowed(action)
        write = named if named is not None else self.default_scope
        if write is None:
            raise InvalidRequest(
                "no scope to write to",
                [Problem("$.scope", "name a scope: this principal has no default scope")],
            )
        if write not in writable:
            raise ScopeNotFound(problems=[Problem("$.scope", "no such scope to write to")])
        visible = self.allowed("read") | {write}
        return Scope(
            self, visible=visible, searched=visible, writable=writable, write=write, _made=_MADE_HERE
        )

    def acting_scope(self, action: Action, among: str | None = None) -> "Scope":
        """A scope for changing things named by id, wherever this is granted (or in one of those scopes only).

        Nothing can be created in it by name. Raises Forbidden without the grant anywhere.
        """
        self.require(action)
        granted = self.allowed(action)
        writable = granted if among is None else granted & {among}
        visible = self.allowed("read") | granted
        return Scope(self, visible=visible, searched=visible, writable=writable, write=None, _made=_MADE_HERE)


@dataclass(frozen=True, slots=True)
class Scope:
    """What one request may see (`visible`, and of it `searched`) and change (`writable`, `write`)."""

    principal: Principal
    visible: frozenset[str]
    searched: frozenset[str]
    writable: frozenset[str]
    write: str | None
    _made: object = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Only this module makes scopes."""
        if self._made is not _MADE_HERE:
            raise TypeError("a Scope is made by Principal.read_scope or Principal.write_scope")

    def narrowed(self) -> "Scope":
        """The same request with the searched scopes as the visible ones: for answers strictly inside them."""
        return Scope(
            self.principal,
            visible=self.searched,
            searched=self.searched,
            writable=self.writable,
            write=self.write,
            _made=_MADE_HERE,
        )

    def within(self, scopes: Iterable[str]) -> "Scope":
        """The same request seeing only these of the visible scopes: for what others are to be shown of it."""
        visible = self.visible & set(scopes)
        return Scope(
            self.principal,
            visible=visible,
            searched=visible,
            writable=self.writable,
            write=self.write,
            _made=_MADE_HERE,
        )

    def parameters(self, names: Iterable[str]) -> dict[str, object]:
        """The Cypher parameters of the scope, those among `names`. Lists are sorted: same scope, same query."""
        every: dict[str, object] = {
            "visible_scopes": sorted(self.visible),
            "writable_scopes": sorted(self.writable),
            "write_scope": self.write,
            "home_scope": self.write if self.write is not None else self.principal.default_scope,
        }
        wanted = {name: every[name] for name in names if name in every}
        if "write_scope" in wanted and self.write is None:
            raise TypeError("this query writes, but the scope was made for reading")
        return wanted
