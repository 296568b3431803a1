"""Where a sentence of a folded text ends."""

import re
from typing import Final

SENTENCE_END: Final = re.compile(
    r"(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)(?<!\bal)(?<!\bno)(?<!\bfig)(?<!\bca)(?<! [a-z])"
    r"(?<=[a-z0-9)%\]\"'])[.!?][\"')\]]{0,2} (?=[a-z0-9(\[\"'])"
    r"|[\u3002!?](?=[^\s\"')])"
)
