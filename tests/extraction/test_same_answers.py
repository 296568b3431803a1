"""The same questions about the same paper have the same answers in every process, however it orders its sets."""

import os
import subprocess
import sys

import pytest

# A short form of several terms in the label of an arm is found only where the terms keep the order of the text.
_ASK = """
from ingather.extraction.numbers.arm_match import arm_queries_of
from ingather.extraction.numbers.answer import answer_as_object
from ingather.extraction.numbers.answering import answer_numbers
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersKind, NumbersQuestion
from ingather.extraction.numbers.arm_match import ArmLabel, matches_only_arm
from ingather.extraction.numbers.terms import ShortForms, terms_of

brief, long = terms_of("tau gold"), frozenset(terms_of("supervised walking lessons at home"))
short = ShortForms({brief: long})
arms = arm_queries_of("supervised walking lessons", "leaflets by post", short)
label = ArmLabel("early tau gold clinic visits", terms_of("early tau gold clinic visits"))
print(matches_only_arm(label, *arms, short), matches_only_arm(label, *reversed(arms), short))
text = (
    "Methods. Patients had supervised walking lessons at home (TAU Gold) or leaflets by post (LP). "
    "Results. Falls occurred in 12/45 patients of the TAU Gold group and in 20/44 of the LP group."
)
question = NumbersQuestion(
    id="1", outcome="falls", intervention="supervised walking lessons", comparator="leaflets by post",
    kind=NumbersKind.BINARY,
)
print([answer_as_object(one) for one in answer_numbers([question], NumbersPaper([text], []))])
"""


def _answers(seed: int) -> bytes:
    command = [sys.executable, "-c", _ASK]
    return subprocess.run(
        command, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": str(seed)}
    ).stdout


@pytest.fixture(scope="module")
def answers_of_first() -> bytes:
    return _answers(0)


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_answers_do_not_depend_on_how_a_process_orders_its_sets(answers_of_first: bytes, seed: int) -> None:
    assert answers_of_first.strip()
    assert _answers(seed) == answers_of_first
