"""Lists within a sentence."""

import re
from typing import Final

_BETWEEN: Final = re.compile(r",? and (?=[^,]*$)|, (?:and )?|; |、|和|及|与")
_LEADING: Final = re.compile(r"^(?:the|their|for|by|other|any|also) ", re.IGNORECASE)


def items_of_list(text: str) -> list[str]:
    """The things a list names: `age, sex and smoking` names three."""
    text = text.strip().rstrip(".。,;")
    parts = (_LEADING.sub("", part.strip()) for part in _BETWEEN.split(text))
    return [part for part in parts if part]
