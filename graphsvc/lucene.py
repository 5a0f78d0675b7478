"""The only place that writes Lucene query syntax (spec 11, 14).

One form is safe for any text: a range from a token to itself, in quotes, with backslash and quote as Unicode escapes.
It is constant-score and is not analysed, so that weights are ours and nothing in a token is syntax.
"""

from collections.abc import Iterable

from graphsvc.scope import Scope


def token_clause(field: str, token: str) -> str:
    """A clause that matches exactly the documents whose `field` holds this one token (no white space in it)."""
    if not token or any(character.isspace() for character in token):
        raise ValueError("a token is one word")
    escaped = token.replace("\\", "\\u005c").replace('"', "\\u0022")
    return f'{field}:["{escaped}" TO "{escaped}"]'


def any_of(field: str, tokens: Iterable[str]) -> str:
    """A mandatory group that adds nothing to the score: one of these tokens must be there."""
    clauses = " ".join(token_clause(field, token) for token in sorted(tokens))
    return f"+({clauses})^0"


def scope_clause(scope: Scope) -> str:
    """What a full-text query demands of scopes: the thing's own and that of its owner must be visible.

    For those who search all there are, no more than that there is one: there may be more scopes than a query can have
    clauses, and the graph is asked again for each hit.
    """
    if scope.principal.sees_everything and scope.visible == scope.principal.scopes:
        return "+(scope:[* TO *])^0"
    return f"{any_of('scope', scope.visible)} {any_of('owner_scope', scope.visible)}"
