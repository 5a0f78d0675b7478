"""People, as the tests of claims have them."""

from tests.claims.conftest import human

__all__ = ["human"]
