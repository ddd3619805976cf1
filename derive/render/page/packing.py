"""A long text with its repetitions replaced by references back, so that the page stays small."""

from __future__ import annotations

# Always the same text, while a library's compressor may give other bytes in its next version. A match is written as a
# sign, its length and its distance in digits of a base that a text can hold; `unpack` in the page's code reads them.

NEAR, FAR = "`", "~"  # a match with two digits of distance, with three; doubled, the sign itself
DIGITS = "".join(x for x in map(chr, range(33, 127)) if x not in '"\\`~<>&')
BASE = len(DIGITS)
SHORT = BASE - 8  # lengths below it have one digit
LEAST = 5  # letters of a match
MOST = LEAST + SHORT + 8 * BASE - 1
SWAPPED = str.maketrans("<>&\"{}|'", "{}|'<>&\"")  # what JSON and HTML escape, for what is rare in HTML
TRIED = 24  # earlier places that are compared


def packed(text: str) -> str:
    """The text with its repetitions as references; letters beyond the basic plane are refused by `ValueError`.

    >>> packed("a row of a row of a row")
    'a row of `,!,'
    """
    if any(ord(letter) > 0xFFFF for letter in text):
        raise ValueError("a packed text has no letters beyond the basic plane")
    text = text.translate(SWAPPED)
    places: dict[str, list[int]] = {}
    found: list[str] = []
    place, end = 0, len(text)
    while place < end:
        start, length = _longest(text, place, places)
        if length > LEAST and place + 1 < end:  # a longer one may start at the next letter
            _note(text, place, places)
            later, longer = _longest(text, place + 1, places)
            if longer > length + 1:
                found.append(_letter(text[place]))
                place, start, length = place + 1, later, longer
        match = _reference(place - start, length) if length else ""
        step = length if match else 1
        found.append(match or _letter(text[place]))
        for each in range(place, min(place + step, end)):
            _note(text, each, places)
        place += step
    return "".join(found)


def _letter(letter: str) -> str:
    return letter * 2 if letter in (NEAR, FAR) else letter


def _note(text: str, place: int, places: dict[str, list[int]]) -> None:
    earlier = places.setdefault(text[place : place + LEAST], [])
    if not earlier or earlier[-1] != place:
        earlier.append(place)


def _longest(text: str, place: int, places: dict[str, list[int]]) -> tuple[int, int]:
    """Where the longest match starts, of the nearest places, and its length; 0 where there is none."""
    best, length = 0, 0
    most = min(MOST, len(text) - place)
    for start in reversed(places.get(text[place : place + LEAST], [])[-TRIED:]):
        if start >= place or (
            length and text[start + length : start + length + 1] != text[place + length : place + length + 1]
        ):
            continue
        here = _common(text, start, place, most)
        if here > length:
            best, length = start, here
    return best, length if length >= LEAST else 0


def _common(text: str, start: int, place: int, most: int) -> int:
    """How many letters are the same from two places on: doubled while they are, then halved."""
    low, step = LEAST, 16
    while (
        low < most
        and text[start + low : start + min(low + step, most)] == text[place + low : place + min(low + step, most)]
    ):
        low, step = min(low + step, most), step * 2
    high = min(low + step, most)
    while low < high:
        middle = (low + high + 1) // 2
        if text[start + low : start + middle] == text[place + low : place + middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _reference(distance: int, length: int) -> str:
    """A match in digits, or nothing where it would not be shorter than what it stands for."""
    rest = length - LEAST
    digits = DIGITS[rest] if rest < SHORT else DIGITS[SHORT + (rest - SHORT) // BASE] + DIGITS[(rest - SHORT) % BASE]
    if distance < BASE**2:
        text = NEAR + digits + DIGITS[distance // BASE] + DIGITS[distance % BASE]
    elif distance < BASE**3:
        text = FAR + digits + DIGITS[distance // BASE**2] + DIGITS[distance // BASE % BASE] + DIGITS[distance % BASE]
    else:
        return ""
    return text if len(text) < length else ""


def unpacked(text: str) -> str:
    """The text again: what the page's code does, for whom wants to see that nothing is lost.

    >>> unpacked(packed("a row of a row of ``a row``")) == "a row of a row of ``a row``"
    True
    """
    letters: list[str] = []
    place = 0
    while place < len(text):
        sign = text[place]
        if sign not in (NEAR, FAR) or text[place + 1] == sign:
            letters.append(sign)
            place += 2 if sign in (NEAR, FAR) else 1
            continue
        rest, place = DIGITS.index(text[place + 1]), place + 2
        if rest >= SHORT:
            rest, place = SHORT + (rest - SHORT) * BASE + DIGITS.index(text[place]), place + 1
        distance = 0
        for _ in range(2 if sign == NEAR else 3):
            distance, place = distance * BASE + DIGITS.index(text[place]), place + 1
        for _ in range(rest + LEAST):
            letters.append(letters[-distance])
    return "".join(letters).translate(SWAPPED)
