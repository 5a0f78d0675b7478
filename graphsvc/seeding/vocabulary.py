"""The words that generated texts and names are made of, most frequent first.

Plain English words of offices and workshops, then invented words made of syllables. How often a word is drawn
falls with its rank as in natural text (Zipf); it is computed in integers only, so that no platform's
arithmetic shows.
"""

from typing import Final

_FUNCTION_WORDS: Final = (
    "the of and to in a is for on with that it was by as at be this are from or an not has have will but "
    "which were been can after before all more one two when they their its we than then also only"
)
_CONTENT_WORDS: Final = (
    "order box print paper day price week team file delivery customer meeting invoice sheet machine plan "
    "colour stock office label project date offer board size draft report change request hall supplier "
    "press morning list check number sample page line road van pallet contract proof test book part room "
    "account server service budget call note map key question answer problem notice decision visit phone "
    "letter template version update index record entry folder photo image text title cover edge corner "
    "fold cut glue ink plate roll cloth card badge poster banner flyer leaflet booklet magazine catalogue "
    "manual guide carton crate shelf rack door gate ramp dock yard street bridge harbour station tower "
    "market square park garden field river lake north south east west winter spring summer autumn monday "
    "tuesday wednesday thursday friday january march april june july august october november early late "
    "quick slow cheap dear heavy light large small wide narrow long short thick thin new old open closed "
    "full empty clean dirty wet dry warm cold hard soft strong weak safe ready broken spare final first "
    "second third last next annual monthly weekly daily local central regional public private internal "
    "external digital green blue red yellow black white grey brown silver gold plain printed signed "
    "agreed approved rejected delayed moved sold bought made sent received opened checked counted "
    "measured packed loaded stored repaired replaced ordered booked paid charged tested cleaned trained "
    "hired asked told wrote read drew found lost kept gave took brought left met joined started stopped "
    "finished began ended grew fell rose turned ran works needs wants uses owns runs makes sells buys "
    "keeps holds leads plans builds writes reads shows opens closes starts stops sends gets takes gives "
    "finds helps knows thinks says asks tells means costs driver buyer seller owner partner worker "
    "planner designer printer operator engineer manager director editor writer reader teacher student "
    "visitor guest neighbour friend doctor lawyer banker baker farmer tea coffee bread fruit sugar salt "
    "oil soap wood metal glass stone steel copper plastic rubber leather wool cotton linen silk water air "
    "fire power gas heat noise dust smell taste weight height length depth speed rate share half quarter "
    "dozen hundred thousand total rest margin profit loss cost tax fee rent loan bank cash credit deposit "
    "refund discount bonus wage salary income expense insurance licence permit rule law policy standard "
    "norm quality defect error fault risk damage claim warranty repair training course lesson exam degree "
    "skill job task duty shift break holiday travel trip journey ticket hotel flight train bus car truck "
    "bicycle ship boat engine wheel brake lamp battery cable switch screen keyboard scanner camera sensor "
    "robot network router database backup password signal"
)
_ONSETS: Final = (
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "v",
)
_VOWELS: Final = ("a", "e", "i", "o", "u")
_CODAS: Final = ("l", "m", "n", "r", "s", "x", "nd", "rk")

VOCABULARY_WORDS: Final = 8_000
TABLE_SLOTS: Final = 65_536
"""One slot for each value of two random bytes."""
_RANK_OFFSET: Final = 3


def _words() -> list[str]:
    """All words by rank, each once: English, then open + closed syllable, spread over the alphabet."""
    words = dict.fromkeys([*_FUNCTION_WORDS.split(), *_CONTENT_WORDS.split()])
    open_ = [onset + vowel for onset in _ONSETS for vowel in _VOWELS]
    closed = [onset + vowel + coda for onset in _ONSETS for vowel in _VOWELS for coda in _CODAS]
    pairs = len(open_) * len(closed)
    # No common factor with `pairs`: every pair is met once, and neighbours in rank look nothing alike.
    step = 32_719
    for number in range(pairs):
        if len(words) == VOCABULARY_WORDS:
            break
        pair = number * step % pairs
        words[open_[pair % len(open_)] + closed[pair // len(open_)]] = None
    return list(words)


def _zipf_table(words: list[str]) -> tuple[str, ...]:
    """`TABLE_SLOTS` words, each as often as its share: an even draw of a slot draws words by frequency."""
    weights = [10**12 // (rank + _RANK_OFFSET) for rank in range(len(words))]
    total = sum(weights)
    table: list[str] = []
    reached = 0
    for word, weight in zip(words, weights, strict=True):
        reached += weight
        table.extend([word] * (reached * TABLE_SLOTS // total - len(table)))
    return tuple(table)


WORDS: Final = tuple(_words())
ZIPF_TABLE: Final = _zipf_table(list(WORDS))
