"""English words that say how a question is built, not what it is about: closed classes, no topic words.

They are stored like any word; a query that has other words does not ask for them (`words.query_terms`). For
other languages the frequencies inside the visible scopes do this work.
"""

from typing import Final

_DETERMINERS: Final = (
    "a an the this that these those some any each every either neither no such both all another other"
)
_PRONOUNS: Final = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
she her hers herself it its itself they them their theirs themselves one ones someone anyone
everyone something anything everything nothing
"""
_QUESTION_WORDS: Final = """
who whom whose what which when where why how whether whatever whichever whenever wherever
"""
_AUXILIARIES: Final = """
am is are was were be been being do does did doing done have has had having can could will would
shall should may might must ought
"""
_NEGATIONS: Final = """
not dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt cant cannot couldnt wont wouldnt
shouldnt mustnt aint
"""
_PREPOSITIONS: Final = """
about above across after against along among around as at before behind below beneath beside between
beyond by despite down during except for from in inside into like near of off on onto out outside
over past per since than through throughout to toward towards under until up upon via with within
without
"""
_CONJUNCTIONS: Final = "and but or nor so yet if because although though while unless then else"
_ADVERBS: Final = "also too very just only even still again ever never here there now more most much many"

FUNCTION_WORDS: Final = frozenset(
    " ".join(
        (
            _DETERMINERS,
            _PRONOUNS,
            _QUESTION_WORDS,
            _AUXILIARIES,
            _NEGATIONS,
            _PREPOSITIONS,
            _CONJUNCTIONS,
            _ADVERBS,
        )
    ).split()
)
