"""Goal: dates in a query are understood when they are certain, and nothing else is taken for one.

Method: examples of each form and of near misses; laws over arbitrary text and days (hypothesis).
"""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.domain.dates import DateMention, agreement, mentioned_dates

TODAY = date(2024, 3, 15)  # a Friday


def days(query: str) -> list[tuple[date, date, bool]]:
    return [(mention.first, mention.last, mention.yearly) for mention in mentioned_dates(query, TODAY)]


@pytest.mark.parametrize(
    ("query", "first", "last", "yearly"),
    [
        ("on 7 July, 2023?", date(2023, 7, 7), date(2023, 7, 7), False),
        ("the 8th of May 2023", date(2023, 5, 8), date(2023, 5, 8), False),
        ("on November 7, 2022", date(2022, 11, 7), date(2022, 11, 7), False),
        ("December 1,2023", date(2023, 12, 1), date(2023, 12, 1), False),
        ("2023-05-08", date(2023, 5, 8), date(2023, 5, 8), False),
        ("2023/05", date(2023, 5, 1), date(2023, 5, 31), False),
        ("2023年5月8日", date(2023, 5, 8), date(2023, 5, 8), False),
        ("２０２３年", date(2023, 1, 1), date(2023, 12, 31), False),
        ("the first half of September 2022", date(2022, 9, 1), date(2022, 9, 30), False),
        ("in MAY", date(2000, 5, 1), date(2000, 5, 31), True),
        ("Feb 29", date(2000, 2, 29), date(2000, 2, 29), True),
        ("in 2022", date(2022, 1, 1), date(2022, 12, 31), False),
        ("yesterday", date(2024, 3, 14), date(2024, 3, 14), False),
        ("last week", date(2024, 3, 4), date(2024, 3, 10), False),
        ("last month", date(2024, 2, 1), date(2024, 2, 29), False),
        ("this year", date(2024, 1, 1), date(2024, 12, 31), False),
    ],
)
def test_a_date_is_understood(query: str, first: date, last: date, yearly: bool) -> None:
    assert days(query) == [(first, last, yearly)]


@pytest.mark.parametrize(
    "query",
    [
        "may I ask",
        "she may go 8 times",
        "31 Feb 2023",
        "2023-13",
        "version 3.14",
        "Room 2023",
        "0000-01",
        "march on",
    ],
)
def test_what_is_no_date_is_none(query: str) -> None:
    assert days(query) == []


@given(st.text(max_size=300), st.dates(), st.dates())
def test_any_text_and_day_are_fine(query: str, today: date, day: date) -> None:
    mentions = mentioned_dates(query, today)
    assert len(mentions) <= 8
    assert 0 <= agreement(mentions, day) <= 1


@given(st.dates(date(1, 2, 1), date(9999, 11, 1)), st.integers(0, 30))
def test_agreement_is_whole_on_the_day_and_fades_after_it(day: date, later: int) -> None:
    mention = DateMention(day, day)
    assert mention.agreement(day) == 1
    assert mention.agreement(day + timedelta(days=later)) >= mention.agreement(
        day + timedelta(days=later + 1)
    )
    assert mention.agreement(day + timedelta(days=15)) == 0


def test_a_date_without_a_year_agrees_every_year_also_over_its_turn() -> None:
    (mention,) = mentioned_dates("on December 31", TODAY)
    assert mention.agreement(date(2021, 12, 31)) == mention.agreement(date(2022, 12, 31)) == 1
    assert 0 < mention.agreement(date(2023, 1, 3)) < 1
    assert mention.agreement(date(2023, 6, 1)) == 0


def test_a_whole_year_tells_less_than_a_day() -> None:
    year, day = (mentioned_dates(query, TODAY) for query in ("in 2022", "2022-05-08"))
    assert (
        agreement(day, date(2022, 5, 8))
        > agreement(year, date(2022, 5, 8))
        > agreement(year, date(2023, 1, 1))
        == 0
    )
