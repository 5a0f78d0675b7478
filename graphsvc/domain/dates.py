"""Dates that a query mentions, and how well the time of a record agrees with them (spec 03). Pure.

Understood are ISO dates (`2023-05`, `2023-05-08`), Chinese and Japanese ones (`2023年5月8日`), English month names
with a day or a year or after a preposition (`8th of May, 2023`, `May 8`, `in May`), years after a preposition
(`in 2022`), and a few words relative to the clock (`yesterday`, `last month`). What cannot be a date is none.
"""

import calendar
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import regex

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH_NUMBERS: Final = {name[:length]: n for n, name in enumerate(_MONTHS, 1) for length in (3, len(name))}
_MONTH: Final = "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True))
_BEFORE: Final = "in|of|on|during|since|until|till|by|before|after|around|from|to|early|late|mid"
_MENTION: Final = regex.compile(
    rf"""
      (?<!\d) (?P<y>\d{{4}}) [-/] (?P<m>\d{{1,2}}) (?: [-/] (?P<d>\d{{1,2}}) )? (?!\d)
    | (?<!\d) (?P<y>\d{{4}}) \s? 年 \s? (?: (?P<m>\d{{1,2}}) \s? 月 \s? (?: (?P<d>\d{{1,2}}) \s? [日号號] )? )?
    | \b (?P<d>\d{{1,2}}) (?:st|nd|rd|th)? \s+ (?:of\s+)? (?P<name>{_MONTH})\b \.? (?: ,?\s* (?P<y>\d{{4}})\b )?
    | \b (?P<name>{_MONTH})\b \.? \s+ (?P<d>\d{{1,2}}) (?:st|nd|rd|th)? \b (?: ,?\s* (?P<y>\d{{4}})\b )?
    | \b (?P<name>{_MONTH})\b \.? ,? \s* (?P<y>\d{{4}})\b
    | (?<= \b (?:{_BEFORE}) [\s-]+ ) (?P<name>{_MONTH})\b
    | (?<= \b (?:{_BEFORE}) \s+ ) (?P<y>(?:19|20)\d{{2}})\b (?![-/.]\d)
    | \b (?P<relative> today | yesterday | (?:last|this) \s (?:week|month|year) )\b
    """,
    regex.VERBOSE,
)
_RECORDED_WITHIN_DAYS: Final = 14
"""What happened is often told some days later: agreement fades over this time."""
_DAY_BEFORE: Final = 0.3
"""For a record of the day before: clocks and calendars differ."""
_WHOLE_YEAR: Final = 0.5
"""A year tells less than a month or a day."""
_MENTIONS_MAX: Final = 8


@dataclass(frozen=True, slots=True)
class DateMention:
    """A stretch of days, first and last inclusive; `yearly` when the query did not say the year."""

    first: date
    last: date
    yearly: bool = False

    def agreement(self, day: date) -> float:
        """1 on the days themselves (less for a whole year), fading over two weeks after them, else 0."""
        if not self.yearly:
            return self._agreement(day, self.first, self.last)
        years = (day.year, day.year - 1, day.year + 1)
        return max(
            self._agreement(day, _in_year(self.first, year), _in_year(self.last, year)) for year in years
        )

    @staticmethod
    def _agreement(day: date, first: date, last: date) -> float:
        length = (last - first).days + 1
        if first <= day <= last:
            return _WHOLE_YEAR if length > 31 else 1.0
        if length > 31:
            return 0.0
        if (first - day).days == 1:
            return _DAY_BEFORE
        fading = 1 - (day - last).days / (_RECORDED_WITHIN_DAYS + 1)
        return max(0.0, fading) if day > last else 0.0


def mentioned_dates(query: str, today: date) -> list[DateMention]:
    """The dates of a query in their order, at most eight; `today` is the clock's."""
    folded = unicodedata.normalize("NFKC", query).casefold()
    mentions = [_mention(match, today) for match in _MENTION.finditer(folded)]
    return [mention for mention in mentions if mention is not None][:_MENTIONS_MAX]


def agreement(mentions: Sequence[DateMention], day: date) -> float:
    """The best agreement of a day with one of the mentions; 0 without any."""
    return max((mention.agreement(day) for mention in mentions), default=0.0)


def _mention(match: "regex.Match[str]", today: date) -> DateMention | None:
    if match["relative"]:
        return _relative(match["relative"], today)
    month = _MONTH_NUMBERS[match["name"]] if match["name"] else int(match["m"] or 0)
    day = int(match["d"] or 0)
    yearly = not match["y"]
    year = 2000 if yearly else int(match["y"])  # a leap year, so that 29 February is a day
    try:
        if not month:
            return DateMention(date(year, 1, 1), date(year, 12, 31))
        if not day:
            return DateMention(date(year, month, 1), _month_end(year, month), yearly)
        return DateMention(date(year, month, day), date(year, month, day), yearly)
    except ValueError:
        return None


def _relative(words: str, today: date) -> DateMention:
    which, _, unit = words.partition(" ")
    if not unit:
        day = today - timedelta(days=which == "yesterday")
        return DateMention(day, day)
    last = which == "last"
    if unit == "week":
        monday = today - timedelta(days=today.weekday() + 7 * last)
        return DateMention(monday, monday + timedelta(days=6))
    if unit == "month":
        first = (today.replace(day=1) - timedelta(days=1)).replace(day=1) if last else today.replace(day=1)
        return DateMention(first, _month_end(first.year, first.month))
    year = today.year - last
    return DateMention(date(year, 1, 1), date(year, 12, 31))


def _month_end(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


def _in_year(day: date, year: int) -> date:
    year = min(max(year, 1), 9999)
    return day.replace(year=year, day=min(day.day, calendar.monthrange(year, day.month)[1]))
