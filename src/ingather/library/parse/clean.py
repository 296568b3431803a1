"""Which characters may stand in the text of a page."""

import re

_CONTROLS = "".join(chr(c) for c in (*range(0x20), *range(0x7F, 0xA0)) if c != 0x0A)
_NOT_CHARACTERS = "\ufdd0-\ufdef" + "".join(chr((plane << 16) + end) for plane in range(17) for end in (0xFFFE, 0xFFFF))

# Characters that a database, a JSON answer or a screen could stumble over.
FORBIDDEN = re.compile(f"[{re.escape(_CONTROLS)}\ud800-\udfff{_NOT_CHARACTERS}]")

# Characters without a shape. Text can be smuggled in them: a model reads tags and variation selectors, people do not.
_SHAPELESS = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)

# Two of them are spelling in Persian, Hindi and others, and are kept between letters of such scripts.
_JOINERS = "(?<![\u0590-\u1fff\ua800-\uabff\ufb1d-\ufeff])[\u200c\u200d]|[\u200c\u200d](?![\u0590-\u1fff\ua800-\uabff])"

SHAPELESS = re.compile(f"[{_SHAPELESS}]|{_JOINERS}")

_BREAKS = {0x0D: "\n", 0x85: "\n", 0x2028: "\n", 0x2029: "\n", 0x09: " ", 0x0B: " ", 0x0C: " "}


def clean_character(code: int) -> str:
    """The character to write for a code point; nothing for one that is no text."""
    if 0x20 <= code < 0x7F or code == 0x0A:
        return chr(code)
    if code in _BREAKS:
        return _BREAKS[code]
    if code > 0x10FFFF or FORBIDDEN.match(chr(code)):
        return ""
    return chr(code)


def clean_text(text: str) -> str:
    """The same for a whole text."""
    return FORBIDDEN.sub("", text.replace("\r\n", "\n").translate(_BREAKS))
