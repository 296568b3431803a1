"""What the running text says beside the names of arms: `Group A received …`, `… (TG)`. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ingather.extraction.numbers.arm_match import ArmLabel
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.terms import terms_of


def mentions_of(paper: NumbersPaper, labels: Sequence[ArmLabel]) -> Mapping[ArmLabel, Counter[str]]:
    """The terms that stand behind a label up to the next one, or before it where it stands in brackets."""
    counts: dict[ArmLabel, Counter[str]] = {label: Counter() for label in labels}
    patterns = [(label, pattern) for label in labels if (pattern := _pattern(label.text)) is not None]
    for sentence in paper.sentences:
        found = sorted(
            (one.start(), one.end(), n)
            for n, (_, pattern) in enumerate(patterns)
            for one in pattern.finditer(sentence.text)
        )
        for at, (start, end, n) in enumerate(found):
            label = patterns[n][0]
            before = found[at - 1][1] if at else 0
            after = found[at + 1][0] if at + 1 < len(found) else len(sentence.text)
            if sentence.text[:start].rstrip().endswith(("(", "[")):
                counts[label].update(set(terms_of(sentence.text[before:start])))
            else:
                counts[label].update(set(terms_of(sentence.text[end:after])))
    return counts


def _pattern(text: str) -> re.Pattern[str] | None:
    name = re.sub(r"\s*[(\[]?\s*\bn\s*[=:].*$", "", text, flags=re.IGNORECASE).strip(" ,;:()[]")
    if not 1 < len(name) <= 60:
        return None
    spaced = r"[\s-]*".join(re.escape(part) for part in re.split(r"[\s-]+", name))
    # Letters of names such as `TG` are capitals; a plain word may begin a sentence.
    flags = 0 if name.isupper() else re.IGNORECASE
    return re.compile(rf"(?<![\w-]){spaced}(?![\w-])", flags)
