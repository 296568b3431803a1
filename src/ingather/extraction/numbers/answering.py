"""Answers to a review's questions about the numbers of one paper: by rules, and by a model where one is given."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from ingather.extraction.numbers import reasons
from ingather.extraction.numbers.answer import AnswerState, NumbersAnswer
from ingather.extraction.numbers.evidence import evidence_of_cells, evidence_of_sentence
from ingather.extraction.numbers.from_sentences import sentence_answers, sentence_answers_agree
from ingather.extraction.numbers.from_tables import choose_table_candidate, table_candidates
from ingather.extraction.numbers.number_places import number_places_in_sentence, number_places_of
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersQuestion

# So many cells are shown where nothing decides between them. More would hide those that matter.
_MOST_CANDIDATES = 6


class NumbersModel(Protocol):
    """A model that answers questions about numbers. What it leaves out is answered by rules."""

    def __call__(self, questions: Sequence[NumbersQuestion], paper: NumbersPaper) -> Iterable[NumbersAnswer]: ...


def answer_numbers(
    questions: Sequence[NumbersQuestion], paper: NumbersPaper, model: NumbersModel | None = None
) -> list[NumbersAnswer]:
    """One answer for each question, in their order."""
    by_model = {answer.id: answer for answer in model(questions, paper)} if model is not None else {}
    return [_combined_answers(by_model.get(question.id), answer_by_rules(question, paper)) for question in questions]


def _combined_answers(by_model: NumbersAnswer | None, by_rules: NumbersAnswer) -> NumbersAnswer:
    """Model and rules read in unlike ways: what only one of them found stands, and where they differ nothing does."""
    if by_model is None:
        return by_rules
    if AnswerState.REPORTED not in {by_model.state, by_rules.state}:
        return by_model if by_model.evidence or not by_rules.evidence else by_rules
    if by_model.state is not AnswerState.REPORTED:
        return by_rules
    numbers = (by_model.intervention, by_model.comparator)
    if by_rules.state is not AnswerState.REPORTED or numbers == (
        by_rules.intervention,
        by_rules.comparator,
    ):
        return by_model
    return NumbersAnswer(
        id=by_model.id, state=AnswerState.UNCLEAR, why=reasons.MODEL_DIFFERS,
        evidence=(*by_model.evidence, *by_rules.evidence), places=by_rules.places,
    )  # fmt: skip


def answer_by_rules(question: NumbersQuestion, paper: NumbersPaper) -> NumbersAnswer:
    """The answer of the rules, under whichever name of the outcome the paper has it."""
    answers = [_answer_to_wording(wording, paper) for wording in question.wordings]
    reported = [answer for answer in answers if answer.state is AnswerState.REPORTED]
    if len({(answer.intervention, answer.comparator) for answer in reported}) > 1:
        return NumbersAnswer(
            id=question.id, state=AnswerState.UNCLEAR, why=reasons.NAMES_DIFFER,
            evidence=tuple(one for answer in reported for one in answer.evidence)[:_MOST_CANDIDATES],
            places=reported[0].places,
        )  # fmt: skip
    return next(iter(reported), None) or next((one for one in answers if one.evidence), answers[0])


def _answer_to_wording(question: NumbersQuestion, paper: NumbersPaper) -> NumbersAnswer:
    """The answer under one name: from the tables, or else from the sentences."""
    choice = choose_table_candidate(table_candidates(question, paper), question)
    if choice.chosen is not None:
        one, other = choice.chosen.values
        return NumbersAnswer(
            id=question.id, state=AnswerState.REPORTED, why=choice.why, intervention=one, comparator=other,
            evidence=evidence_of_cells([choice.chosen]), places=number_places_of(choice.chosen, paper.tables),
        )  # fmt: skip
    sentences = sentence_answers(question, paper)
    whole = [one for one in sentences if not one.missing]
    if whole and sentence_answers_agree(sentences):
        return NumbersAnswer(
            id=question.id, state=AnswerState.REPORTED, intervention=whole[0].intervention,
            comparator=whole[0].comparator,
            evidence=tuple(evidence_of_sentence(one, paper) for one in whole[:_MOST_CANDIDATES]),
            places=tuple(number_places_in_sentence(whole[0])),
        )  # fmt: skip
    evidence = (*evidence_of_cells(choice.looked_at), *(evidence_of_sentence(one, paper) for one in sentences))[
        :_MOST_CANDIDATES
    ]
    if not evidence:
        return NumbersAnswer(
            id=question.id,
            state=AnswerState.NOT_FOUND,
            why=reasons.NOWHERE,
        )
    why = choice.why or (reasons.SENTENCES_DIFFER if whole else sentences[0].missing)
    if choice.looked_at:
        looked_at = number_places_of(choice.looked_at[0], paper.tables)
    else:
        looked_at = tuple(number_places_in_sentence(sentences[0]))
    return NumbersAnswer(id=question.id, state=AnswerState.UNCLEAR, why=why, evidence=evidence, places=looked_at)
