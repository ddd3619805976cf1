"""Exponentials and the normal distribution between exact bounds: what random weights and random windows do."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from derive.interval import Interval, interval_of

SCALE = 10**60  # bounds are kept to so many parts, rounded outwards


def _outward(value: Interval) -> Interval:
    low = value.low * SCALE // 1
    high = -(-value.high * SCALE // 1)
    return Interval(Fraction(low, SCALE), Fraction(high, SCALE))


def _exponential(x: Fraction) -> Interval:
    """e^x for x >= 0: partial sums of the series, and a geometric bound on the rest."""
    term, total, count = Fraction(1), Fraction(0), 0
    while count < 2 * x or term > Fraction(1, SCALE):
        total += term
        count += 1
        term = term * x / count
    return _outward(Interval(total, total + 2 * term))  # from here on, each term is at most half of the one before


def _inverse(value: Interval) -> Interval:
    return Interval(1 / value.high, 1 / value.low)


def _arctangent(n: int) -> Interval:
    """arctan(1/n), between two partial sums of its alternating series."""
    total, count = Fraction(0), 0
    while True:
        term = Fraction((-1) ** count, (2 * count + 1) * n ** (2 * count + 1))
        if abs(term) < Fraction(1, SCALE):
            return Interval(min(total, total + term), max(total, total + term))
        total += term
        count += 1


def _pi() -> Interval:
    """Machin's formula."""
    return interval_of(16) * _arctangent(5) - interval_of(4) * _arctangent(239)


def _root(value: Interval) -> Interval:
    low, high = (isqrt(int(end * SCALE**2)) for end in (value.low, value.high))
    return Interval(Fraction(low, SCALE), Fraction(high + 1, SCALE))


def _density(k: Fraction) -> Interval:
    """The standard normal density at k."""
    return _outward(_inverse(_exponential(k * k / 2)) * _inverse(_root(interval_of(2) * _pi())))


def tail(k: Fraction) -> Interval:
    """The share of a standard normal beyond k standard deviations on either side.

    1 - tail is twice the integral of the density from 0 to k, by its series of positive terms: density times
    k + k^3/3 + k^5/15 + ...
    """
    term, total, count = k, Fraction(0), 0
    while 2 * k * k > 2 * count + 1 or term > Fraction(1, SCALE):
        total += term
        count += 1
        term = term * k * k / (2 * count + 1)
    series = _outward(Interval(total, total + 2 * term))
    return _outward(interval_of(1) - interval_of(2) * _density(k) * series)


def truncated_variance(k: Fraction) -> Interval:
    """The variance of a standard normal that is cut off at k standard deviations."""
    inside = interval_of(1) - tail(k)
    return _outward(interval_of(1) - interval_of(2 * k) * _density(k) * _inverse(inside))


def truncated_deviation(k: Fraction) -> Interval:
    """The standard deviation of the same."""
    return _root(truncated_variance(k))


def none_beyond(k: Fraction, count: Fraction) -> Interval:
    """How likely it is that none of so many weights lies beyond k standard deviations."""
    result, base, left = interval_of(1), interval_of(1) - tail(k), int(count)
    while left:
        if left % 2:
            result = _outward(result * base)
        base, left = _outward(base * base), left // 2
    return result


def seen_once() -> Interval:
    """The share that one pass of random draws covers as there are more and more of them: 1 - 1/e."""
    return interval_of(1) - _inverse(_exponential(Fraction(1)))


STATISTICS: dict[str, Callable[..., Interval]] = {
    each.__name__: each for each in (tail, truncated_variance, truncated_deviation, none_beyond, seen_once)
}
