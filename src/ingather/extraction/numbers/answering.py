"""Answers to a review's questions about the numbers of one paper: by rules, and by a model where one is given."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import Protocol

from ingather.extraction.numbers import reasons
from ingather.extraction.numbers.answer import AnswerState, NumberPlace, NumbersAnswer, NumbersEvidence
from ingather.extraction.numbers.from_sentences import SentenceAnswer, sentence_answers
from ingather.extraction.numbers.from_tables import Candidate, candidates, choose
from ingather.extraction.numbers.label import TableLabel
from ingather.extraction.numbers.meaning import Figures
from ingather.extraction.numbers.number_places import places_of
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
    return [_combined(by_model.get(question.id), by_rules(question, paper)) for question in questions]


def _combined(by_model: NumbersAnswer | None, by_rules: NumbersAnswer) -> NumbersAnswer:
    """Model and rules read in unlike ways: what only one of them found stands, and where they differ nothing does."""
    if by_model is None:
        return by_rules
    if AnswerState.REPORTED not in {by_model.state, by_rules.state}:
        return by_model if by_model.evidence or not by_rules.evidence else by_rules
    if by_model.state is not AnswerState.REPORTED:
        return by_rules
    numbers = (by_model.intervention, by_model.comparator)
    if by_rules.state is not AnswerState.REPORTED or numbers == (by_rules.intervention, by_rules.comparator):
        return by_model
    return NumbersAnswer(
        id=by_model.id, state=AnswerState.UNCLEAR, why=reasons.MODEL_DIFFERS,
        evidence=(*by_model.evidence, *by_rules.evidence), places=by_rules.places,
    )  # fmt: skip


def by_rules(question: NumbersQuestion, paper: NumbersPaper) -> NumbersAnswer:
    """The answer of the rules, under whichever name of the outcome the paper has it."""
    answers = [_of_wording(wording, paper) for wording in question.wordings]
    reported = [answer for answer in answers if answer.state is AnswerState.REPORTED]
    if len({(answer.intervention, answer.comparator) for answer in reported}) > 1:
        return NumbersAnswer(
            id=question.id, state=AnswerState.UNCLEAR, why=reasons.NAMES_DIFFER,
            evidence=tuple(one for answer in reported for one in answer.evidence)[:_MOST_CANDIDATES],
            places=reported[0].places,
        )  # fmt: skip
    return next(iter(reported), None) or next((one for one in answers if one.evidence), answers[0])


def _of_wording(question: NumbersQuestion, paper: NumbersPaper) -> NumbersAnswer:
    """The answer under one name: from the tables, or else from the sentences."""
    choice = choose(candidates(question, paper), question)
    if choice.chosen is not None:
        one, other = choice.chosen.values
        return NumbersAnswer(
            id=question.id, state=AnswerState.REPORTED, why=choice.why, intervention=one, comparator=other,
            evidence=evidence_of([choice.chosen]), places=places_of(choice.chosen, paper.tables),
        )  # fmt: skip
    sentences = sentence_answers(question, paper)
    whole = [one for one in sentences if not one.missing]
    if whole and _agree(sentences):
        return NumbersAnswer(
            id=question.id, state=AnswerState.REPORTED, intervention=whole[0].intervention,
            comparator=whole[0].comparator,
            evidence=tuple(_sentence_evidence(one, paper) for one in whole[:_MOST_CANDIDATES]),
            places=tuple(_places_in(whole[0])),
        )  # fmt: skip
    evidence = (*evidence_of(choice.looked_at), *(_sentence_evidence(one, paper) for one in sentences))[
        :_MOST_CANDIDATES
    ]
    if not evidence:
        return NumbersAnswer(
            id=question.id,
            state=AnswerState.NOT_FOUND,
            why=reasons.NOWHERE,
        )
    why = choice.why or (reasons.SENTENCES_DIFFER if whole else sentences[0].missing)
    looked_at = places_of(choice.looked_at[0], paper.tables) if choice.looked_at else tuple(_places_in(sentences[0]))
    return NumbersAnswer(id=question.id, state=AnswerState.UNCLEAR, why=why, evidence=evidence, places=looked_at)


def _places_in(found: SentenceAnswer) -> Iterator[NumberPlace]:
    """The sentence as the place of each number that is printed in it."""
    one = found.sentence
    for side, numbers in (("intervention", found.intervention), ("comparator", found.comparator)):
        for name in ("events", "n", "mean", "sd"):
            value = getattr(numbers, name)
            if value is not None and re.search(rf"(?<![\d.]){re.escape(value)}(?!\d|\.\d)", one.text):
                yield NumberPlace(side=side, name=name, quote=one.text, page=one.page, start=one.start, end=one.end)


def _agree(sentences: Sequence[SentenceAnswer]) -> bool:
    """Whether no two sentences differ in a number that both give. One without N may still speak against another."""
    for at, one in enumerate(sentences):
        for other in sentences[at + 1 :]:
            for mine, theirs in ((one.intervention, other.intervention), (one.comparator, other.comparator)):
                pairs = zip(astuple(mine), astuple(theirs), strict=True)
                if any(a is not None and b is not None and a != b for a, b in pairs):
                    return False
    return True


def _sentence_evidence(found: SentenceAnswer, paper: NumbersPaper) -> NumbersEvidence:
    one = found.sentence
    return NumbersEvidence(page=one.page, quote=one.text, boxes=paper.place(one.page, one.start, one.end))


def evidence_of(found: Iterable[Candidate]) -> tuple[NumbersEvidence, ...]:
    return tuple(
        one
        for candidate in found
        for figures in (candidate.intervention, candidate.comparator)
        for one in _cell_evidence(candidate, figures)
    )


def _cell_evidence(candidate: Candidate, figures: Figures) -> Iterable[NumbersEvidence]:
    table = candidate.cells.view.table
    for entry in figures.cells:
        yield NumbersEvidence(
            page=entry.cell.page,
            table=table.label or table.caption[:60] or None,
            row=_header_path(entry.rows) or None,
            column=_header_path(entry.columns) or None,
            quote=entry.cell.text,
            boxes=(entry.cell.box,) if entry.cell.box else (),
        )


def _header_path(labels: Sequence[TableLabel]) -> str:
    return " > ".join(label.text for label in labels)
