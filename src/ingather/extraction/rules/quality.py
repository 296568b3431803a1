"""Signalling questions that a plain statement settles. No judgement is made here, and none is meant."""

from dataclasses import replace
from typing import Final

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules.hits import not_reported
from ingather.notice import notice

_CONCEALED: Final = {"central_or_web": "Y", "pharmacy": "Y", "sealed_opaque_envelopes": "Y", "open_list": "N"}
_KNEW: Final = {"yes": "N", "no": "Y"}
_FROM: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "rob2_1_1": ("sequence_method", {"computer": "Y", "random_table": "Y", "coin_dice_lot": "Y", "quasi_random": "N"}),
    "rob2_1_2": ("concealment_method", _CONCEALED),
    "rob2_2_1": ("blind_participants", _KNEW),
    "rob2_2_2": ("blind_personnel", _KNEW),
    "rob2_4_3": ("blind_assessors", _KNEW),
}
FIELDS: Final = frozenset(_FROM)
NOT_SETTLED: Final = notice("rules.text_says_not_settle", "What the text says does not settle it.")


def quality_answers(study: dict[str, Answer], key: str) -> dict[str, Answer]:
    """What the statements on randomisation and blinding answer, each with its quote."""
    found = {}
    for name, (source, meaning) in _FROM.items():
        known = study[source]
        if known.state is State.NOT_REPORTED:
            found[name] = not_reported(name, key)
            continue
        value = meaning.get(str(known.value)) if known.state is State.REPORTED else None
        state = State.REPORTED if value else State.UNCLEAR
        note = "" if value else NOT_SETTLED
        found[name] = replace(known, field=name, row=key, state=state, value=value, note=note)
    return found
