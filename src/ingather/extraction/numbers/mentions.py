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
    patterns = [(label, pattern) for label in labels if (pattern := _arm_mention_pattern(label.text)) is not None]
    for sentence in paper.sentences:
        found = sorted(
            (one.start(), one.end(), n)
            for n, (_, pattern) in enumerate(patterns)
            for one in pattern.finditer(sentence.text)
        )
        explained = 0
        for at, (start, end, n) in enumerate(found):
            if start < explained:
                continue
            label = patterns[n][0]
            before = found[at - 1][1] if at else 0
            after = found[at + 1][0] if at + 1 < len(found) else len(sentence.text)
            if bracket := _EXPLAINED.match(sentence.text, end):
                explained = bracket.end()
                counts[label].update(dict.fromkeys(set(terms_of(bracket[1])), _BRACKET_WEIGHT))
            elif _IN_BRACKET.search(sentence.text, max(0, start - 6), start):
                counts[label].update(set(terms_of(" ".join(sentence.text[before:start].split()[-_MOST_TERMS:]))))
            else:
                piece = _TURN.split(sentence.text[end:after])[0]
                counts[label].update(set(terms_of(" ".join(piece.split()[:_MOST_TERMS]))))
    return counts


# An explanation in brackets right behind a name counts like so many sentences that merely go on about it.
_BRACKET_WEIGHT = 3
# So many words beside a name can be about it; those further off are about something else.
_MOST_TERMS = 16
_EXPLAINED = re.compile(r"(?: (?:group|arm|version|condition))? ?[(\[]([^()\[\]]{12,})[)\]]")
_IN_BRACKET = re.compile(r"[(\[](?:the |a |= ?)?$")
_TURN = re.compile(r"\b(?:but|whereas|while|however|compared|versus|vs)\b|;")


def name_as_mentioned(text: str) -> str:
    """A label without its number of people."""
    return re.sub(r"\s*[(\[]?\s*\bn\s*[=:].*$", "", text, flags=re.IGNORECASE).strip(" ,;:()[]")


def _arm_mention_pattern(text: str) -> re.Pattern[str] | None:
    name = name_as_mentioned(text)
    if not 1 < len(name) <= 60:
        return None
    spaced = r"[\s-]*".join(re.escape(part) for part in re.split(r"[\s-]+", name))
    # Letters of names such as `TG` are capitals; a plain word may begin a sentence.
    flags = 0 if name.isupper() else re.IGNORECASE
    return re.compile(rf"(?<![\w-]){spaced}(?![\w-])", flags)
