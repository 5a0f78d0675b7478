"""Phrases as people half remember titles: words dropped, swapped, misspelt, cut short or put in."""

import random
from collections.abc import Callable, Iterator, Sequence

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_EXTRA = ("the", "about", "new", "proposal", "that", "python", "document", "old", "maybe", "on")


def misspelt(word: str, rng: random.Random) -> str:
    """The word with one letter dropped, doubled, changed or swapped with the next; short ones stay."""
    if len(word) < 4:
        return word
    i = rng.randrange(1, len(word) - 1)
    return rng.choice(
        (
            word[:i] + word[i + 1 :],
            word[:i] + word[i] + word[i:],
            word[:i] + rng.choice(_LETTERS) + word[i + 1 :],
            word[:i] + word[i + 1] + word[i] + word[i + 2 :],
        )
    )


def _drop(words: list[str], rng: random.Random) -> list[str]:
    if len(words) > 2:
        words.pop(rng.randrange(len(words)))
    return words


def _swap(words: list[str], rng: random.Random) -> list[str]:
    if len(words) > 1:
        i = rng.randrange(len(words) - 1)
        words[i], words[i + 1] = words[i + 1], words[i]
    return words


def _misspell(words: list[str], rng: random.Random) -> list[str]:
    i = max(range(len(words)), key=lambda place: (len(words[place]) > 3) * rng.random())
    words[i] = misspelt(words[i], rng)
    return words


def _shorten(words: list[str], rng: random.Random) -> list[str]:
    i = rng.randrange(len(words))
    words[i] = words[i][: max(3, len(words[i]) * 2 // 3)]
    return words


def _add(words: list[str], rng: random.Random) -> list[str]:
    words.insert(rng.randrange(len(words) + 1), rng.choice(_EXTRA))
    return words


CHANGES: tuple[Callable[[list[str], random.Random], list[str]], ...] = (
    _drop,
    _swap,
    _misspell,
    _shorten,
    _add,
)


def derived_phrases(titles: Sequence[str], count: int, seed: int = 5) -> Iterator[tuple[str, str]]:
    """So many (phrase, title): each title of a sample with one to three changes, in lower case half the time."""
    rng = random.Random(seed)
    for title in rng.choices(titles, k=count):
        words = title.split()
        for change in rng.sample(CHANGES, rng.choice((1, 2, 2, 3))):
            words = change(words, rng)
        phrase = " ".join(words)
        yield (phrase.lower() if rng.random() < 0.5 else phrase), title
