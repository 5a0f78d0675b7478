"""Goal: the order of a pool is deterministic, explained by its parts, and never punishes a better match.

Method: laws over random pools (hypothesis), and small scenes for each signal.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from graphsvc.domain.dates import mentioned_dates
from graphsvc.domain.ranking import Candidate, Question, Ranked, asks, rank
from graphsvc.domain.words import index_terms, query_terms

NOW = datetime(2026, 3, 1, tzinfo=UTC)
QUERY = "hiking trip alpine lake"
QUERY_WORDS = QUERY.split()
OTHER_WORDS = ["paper", "boat", "green", "window", "kettle"]


def question(query: str = QUERY, **fields: object) -> Question:
    """A question whose words all weigh the same."""
    terms = query_terms(query, 64)
    weights = {term.term: 4 * term.prior for term in terms}
    plain = Question(terms, weights, NOW, dates=mentioned_dates(query, NOW.date()))
    return replace(plain, **fields)  # type: ignore[arg-type]


def said(
    text: str, position: int = 0, *, session: str | None = "s", owner: str = "e", **fields: object
) -> Candidate:
    """An observation with this text."""
    plain = Candidate(
        f"o{session}{position}{owner}",
        owner,
        " ".join(index_terms(text)),
        session=session,
        position=position,
        asks=asks(text),
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


def scores(ranked: list[Ranked]) -> dict[str, float]:
    return {one.candidate.id: one.score for one in ranked}


def ids(ranked: list[Ranked]) -> list[str]:
    return [one.candidate.id for one in ranked]


WORDS = st.lists(st.sampled_from(QUERY_WORDS + OTHER_WORDS), max_size=6)
POOLS = st.lists(
    st.tuples(
        WORDS, st.sampled_from(["s", "t", None]), st.sampled_from(["e", "f"]), st.booleans(), st.booleans()
    ),
    min_size=1,
    max_size=12,
).map(
    lambda rows: [
        said(
            " ".join(words) + ("?" if asking else "."),
            place,
            session=session,
            owner=owner,
            is_name=is_name and session is None,
            at=NOW - timedelta(days=place),
        )
        for place, (words, session, owner, asking, is_name) in enumerate(rows)
    ]
)
QUESTION = question(f"{QUERY} in February", named={"e"}, name_terms={"lake"}, related={"f"})


@given(POOLS, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_the_pool(pool: list[Candidate], random: object) -> None:
    shuffled = list(pool)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert rank(QUESTION, pool) == rank(QUESTION, shuffled)


@given(POOLS)
def test_a_score_is_the_sum_of_its_parts_and_ties_break_by_id(pool: list[Candidate]) -> None:
    ranked = rank(QUESTION, pool)
    for one in ranked:
        assert all(part >= 0 for part in one.parts)
        assert abs(one.score - sum(one.parts)) < 1e-4
    assert ranked == sorted(ranked, key=lambda one: (-one.score, one.candidate.id))


@given(POOLS, st.data())
def test_one_more_word_of_the_query_lowers_no_score(pool: list[Candidate], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(pool) - 1))
    terms = pool[place].terms.split()
    missing = sorted(set(index_terms(QUERY)) - set(terms))
    if not missing:
        return
    where = data.draw(st.integers(0, len(terms)))
    better_terms = [*terms[:where], data.draw(st.sampled_from(missing)), *terms[where:]]
    better = [*pool[:place], replace(pool[place], terms=" ".join(better_terms)), *pool[place + 1 :]]
    before, after = scores(rank(QUESTION, pool)), scores(rank(QUESTION, better))
    for candidate_id, score in before.items():
        assert after[candidate_id] >= score - 1e-4


@given(POOLS)
def test_what_is_recorded_elsewhere_changes_no_score(pool: list[Candidate]) -> None:
    alone = scores(rank(QUESTION, [candidate for candidate in pool if candidate.session == "s"]))
    together = scores(rank(QUESTION, pool))
    assert {candidate_id: together[candidate_id] for candidate_id in alone} == alone


@given(POOLS)
def test_nothing_is_found_without_a_reason(pool: list[Candidate]) -> None:
    plain = question()
    for one in rank(plain, pool):
        assert one.parts.lexical or one.parts.neighbourhood


def test_the_reply_to_a_question_is_found_with_it() -> None:
    asked = said("Where did you go for your hiking trip?", 1, owner="a")
    reply = said("Up to Morskie Oko with my sister.", 2, owner="b")
    later = said("How is work these days?", 6, owner="a")
    ranked = rank(question(), [later, reply, asked])
    assert ids(ranked) == [asked.id, reply.id]
    assert ids(rank(question(named={"b"}), [later, reply, asked]))[0] == reply.id
    assert ids(rank(question(), [replace(asked, session=None), reply])) == [asked.id]


def test_a_session_that_repeats_a_word_gains_nothing_by_it() -> None:
    between = said("Nice.", 5)
    once = [said("A lake.", 4), between]
    often = [said("A lake.", 4), said("The lake!", 6), said("That lake.", 7), between]
    assert scores(rank(question(), once))[between.id] == scores(rank(question(), often))[between.id]


def test_the_exact_form_beats_its_stem_and_more_words_beat_fewer() -> None:
    exact, stem, fewer = said("hiking to the lake", 1), said("hiked to the lake", 11), said("by the lake", 21)
    assert ids(rank(question(), [fewer, stem, exact])) == [exact.id, stem.id, fewer.id]


def test_words_side_by_side_beat_words_apart() -> None:
    together = said("an alpine lake and a green paper boat window", 1)
    apart = said("a lake and a green paper boat window in alpine", 11)
    assert ids(rank(question(), [apart, together])) == [together.id, apart.id]


def test_the_thing_that_is_named_is_preferred_to_its_name_in_a_text() -> None:
    own = said("I spent the trip reading.", 1, owner="caroline")
    addressed = said("Thanks, Caroline, what a trip!", 11, owner="melanie")
    asking = question("trip Caroline", named={"caroline"}, name_terms=frozenset(index_terms("Caroline")))
    ranked = rank(asking, [addressed, own])
    assert ids(ranked) == [own.id, addressed.id]
    assert ranked[0].parts.name > 0 == ranked[1].parts.name


def test_a_name_counts_by_how_much_of_it_is_asked_for() -> None:
    whole = said("Alpine Lake", owner="x", session=None, is_name=True)
    part = said("Alpine Paper Boat Works", owner="y", session=None, is_name=True)
    assert ids(rank(question(), [part, whole])) == [whole.id, part.id]


def test_a_mentioned_time_prefers_what_was_recorded_then_and_soon_after() -> None:
    days = (datetime(2023, 7, day, tzinfo=UTC) for day in (1, 7, 9, 30))
    before, then, after, later = (said("The lake.", n * 10, at=at) for n, at in enumerate(days))
    ranked = rank(question("lake on 7 July 2023"), [later, before, after, then])
    assert ids(ranked)[:2] == [then.id, after.id]
    assert ranked[0].parts.time > ranked[1].parts.time > 0 == ranked[2].parts.time


def test_recency_breaks_ties_and_no_more() -> None:
    old = said("lake", 1, at=NOW - timedelta(days=900))
    new = said("lake", 11, at=NOW)
    better = said("alpine lake", 21, at=NOW - timedelta(days=900))
    assert ids(rank(question(), [old, new, better])) == [better.id, new.id, old.id]


def test_the_hinted_project_is_preferred_and_hides_nothing() -> None:
    here = said("lake", 11, scope="project:atlas")
    elsewhere = said("lake", 1, scope="shared")
    ranked = rank(question(hinted_scope="project:atlas"), [elsewhere, here])
    assert ids(ranked) == [here.id, elsewhere.id]


def test_a_question_counts_less_than_a_statement_of_the_same_words() -> None:
    assert [asks(text) for text in ("Really? ", "本当？", "Yes.", "")] == [True, True, False, False]
    asked, stated = said("A lake?", 1), said("A lake.", 11)
    assert ids(rank(question(), [asked, stated])) == [stated.id, asked.id]


def test_nothing_asked_nothing_found() -> None:
    assert rank(question("?!"), [said("A lake.")]) == []
    assert rank(question(), []) == []
