"""Names for generated entities: pronounceable, unique by construction, computed from the entity's number.

A number is scrambled to 24 bits (a bijection), which are read as two words of an open and a closed syllable,
6 bits each. Open syllables have two letters and closed ones three, so that a word can be read back in one way
only: two numbers never give one name.
"""

from typing import Final

_CONSONANTS: Final = "bdfghjklmnprstvz"
_OPEN: Final = [consonant + vowel for consonant in _CONSONANTS for vowel in "aeio"]
_CLOSED: Final = [onset + vowel + coda for onset in "dklmnrst" for vowel in "aeiu" for coda in "nr"]

NUMBERS_MAX: Final = 2**24
_STEP: Final = (
    10_368_889  # odd, hence invertible modulo 2**24; far from 2**24 / k for small k: neighbours differ
)

_NOUNS: Final = {
    "person": ("",) * 8,
    "organization": (" Press", " Works", " Supply", " Studio", " Paper", " Couriers", " Labs", " & Sons"),
    "artifact": (" order", " quote", " manual", " catalogue", " plate", " carton", " poster", " invoice"),
    "place": (" Hall", " Yard", " Street", " Warehouse", " Square", " Bridge", " Dock", " Park"),
    "concept": (" rule", " method", " scale", " index", " standard", " format", " ratio", " test"),
    "event": (" fair", " meeting", " outage", " launch", " audit", " visit", " move", " workshop"),
    "decision": (" decision", " plan", " policy", " budget", " ban", " exception", " switch", " deal"),
}


def entity_name(number: int, offset: int, kind: str, variant: int) -> str:
    """The name of entity `number` (below NUMBERS_MAX). `offset` comes from the seed; `variant` is any."""
    first, second = _two_words(number, offset, variant)
    return f"{first} {second}{_noun(kind, variant)}"


def short_name(number: int, offset: int, kind: str, variant: int) -> str:
    """A shorter name, which other entities may have as well."""
    first, _ = _two_words(number, offset, variant)
    return f"{first}{_noun(kind, variant)}"


def _noun(kind: str, variant: int) -> str:
    return _NOUNS[kind][variant % 8]


def _two_words(number: int, offset: int, variant: int) -> tuple[str, str]:
    bits = (number * _STEP + offset) % NUMBERS_MAX
    # A middle syllable changes the length of a word, and with it nothing about which numbers it stands for.
    middle = _OPEN[variant >> 4 & 63] if variant & 8 else ""
    first = _OPEN[bits & 63] + _CLOSED[bits >> 6 & 63]
    second = _OPEN[bits >> 12 & 63] + middle + _CLOSED[bits >> 18]
    return first.capitalize(), second.capitalize()
