"""Signalling questions that a plain statement settles. No judgement is made here, and none is meant."""

from typing import Final

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules.hits import not_reported

_FROM: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "rob2_1_1": ("sequence_method", {"computer": "Y", "random_table": "Y", "coin_dice_lot": "Y", "quasi_random": "N"}),
    "rob2_1_2": ("concealment_method", {"central_or_web": "Y", "pharmacy": "Y", "sealed_opaque_envelopes": "Y", "open_list": "N"}),
    "rob2_2_1": ("blind_participants", {"yes": "N", "no": "Y"}),
    "rob2_2_2": ("blind_personnel", {"yes": "N", "no": "Y"}),
    "rob2_4_3": ("blind_assessors", {"yes": "N", "no": "Y"}),
}  # fmt: skip
FIELDS: Final = frozenset(_FROM)
NOT_SETTLED: Final = "What the text says does not settle it."


def answers(study: dict[str, Answer], key: str) -> dict[str, Answer]:
    """What the statements on randomisation and blinding answer, each with its quote."""
    told = {}
    for name, (source, meaning) in _FROM.items():
        known = study[source]
        if known.state is State.NOT_REPORTED:
            told[name] = not_reported(name, key)
            continue
        value = meaning.get(str(known.value)) if known.state is State.REPORTED else None
        told[name] = Answer(
            field=name, row=key, state=State.REPORTED if value else State.UNCLEAR, value=value, quote=known.quote, page=known.page,
            note="" if value else NOT_SETTLED,
        )  # fmt: skip
    return told
