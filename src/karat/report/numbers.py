"""Numbers as people read them: few digits, never a false one."""

from __future__ import annotations

import math


def distance(number: float) -> str:
    """Three decimals after the leading zeros of a small distance, as many as a reader compares.

    >>> distance(0.12345), distance(0.0012345), distance(0.0), distance(-0.25)
    ('0.123', '0.00123', '0', '-0.250')
    """
    if number == 0.0:
        return "0"
    places = max(3, 2 - math.floor(math.log10(abs(number))))
    return f"{number:.{min(places, 6)}f}"


def percent(number: float) -> str:
    """A percentage without the sign: whole from 10 on, one decimal below.

    >>> percent(23.4), percent(3.44), percent(0.0)
    ('23', '3.4', '0')
    """
    return f"{number:.0f}" if number >= 9.95 or number == 0.0 else f"{number:.1f}"


def percent_range(low: float, high: float) -> str:
    """Two percentages as a range.

    >>> percent_range(1.2, 3.44), percent_range(18.0, 23.0)
    ('1.2-3.4', '18-23')
    """
    return percent(low) if percent(low) == percent(high) else f"{percent(low)}-{percent(high)}"


def count(number: float) -> str:
    """A count with separators.

    >>> count(12345.0)
    '12,345'
    """
    return f"{number:,.0f}"


WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def in_words(number: int) -> str:
    """A small number as a word.

    >>> in_words(4), in_words(12)
    ('four', '12')
    """
    return WORDS[number] if 0 <= number < len(WORDS) else f"{number:,}"


def roughly(number: float) -> str:
    """Two digits of a large count, rounded up: an estimate of rows is no better.

    >>> roughly(86), roughly(3412), roughly(1_120_624)
    ('90', '3,500', '1.2 million')
    """
    if number <= 0.0:
        return "0"
    digits = 1 if number < 100.0 else 2
    step = 10.0 ** (math.floor(math.log10(number)) + 1 - digits)
    rounded = math.ceil(number / step - 1e-9) * step
    if rounded >= 1e6:
        return f"{rounded / 1e6:.3g} million" if rounded < 1e9 else f"{rounded / 1e9:.3g} billion"
    return f"{rounded:,.0f}"


def counted(number: int, thing: str) -> str:
    """A number of things.

    >>> counted(1, "column"), counted(1200, "row")
    ('1 column', '1,200 rows')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    >>> duration(3.21), duration(75), duration(7300)
    ('3 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def typeset(text: str) -> str:
    """Numbers with a real minus and a real range, for pages; terminals keep ASCII.

    >>> typeset("-0.107"), typeset("1.2-3.4")
    ('−0.107', '1.2–3.4')
    """
    return f"−{text[1:]}".replace("-", "–") if text.startswith("-") else text.replace("-", "–")


def signed(number: float) -> str:
    """A percentage with its sign.

    >>> signed(3.44), signed(-23.0), signed(0.0)
    ('+3.4', '−23', '0')
    """
    shown = percent(abs(number))
    return shown if shown in ("0", "0.0") else ("+" if number > 0.0 else "−") + shown
