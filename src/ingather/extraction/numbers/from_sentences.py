"""What the sentences of a paper answer to one question: two pairs of numbers, each with its arm. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import groupby
from typing import Final

from ingather.extraction.ground.folding import fold_text
from ingather.extraction.numbers import reasons
from ingather.extraction.numbers.answer import ArmNumbers
from ingather.extraction.numbers.arm_match import ArmLabel, ArmQuery, arm_queries_of
from ingather.extraction.numbers.checks import check_percent_of_count
from ingather.extraction.numbers.mentions import name_as_mentioned
from ingather.extraction.numbers.moment import When, is_change_not_moment, lengths_of_moments, moment_in
from ingather.extraction.numbers.outcome_match import OutcomeQuery, matches_outcome_term, outcome_query_of
from ingather.extraction.numbers.pairing import paired_cells
from ingather.extraction.numbers.paper import NumbersPaper, PageSentence
from ingather.extraction.numbers.phrases import NumberPair, phrase_pairs_in
from ingather.extraction.numbers.question import NumbersKind, NumbersQuestion
from ingather.extraction.numbers.sizes import ArmSize, sizes_of, sizes_of_arm
from ingather.extraction.numbers.spread import Spread, spread_of_second_number
from ingather.extraction.numbers.terms import term_weight, terms_in_one_spelling, terms_of
from ingather.extraction.proof.arm_labels import OTHER, Labels, arm_labels

# The share of the outcome that the words of a sentence must name.
_LEAST: Final = 0.75
_INTERVENTION: Final = "intervention"
_COMPARATOR: Final = "comparator"
# Sentences seldom say `overall`, which is a row of its own in tables.
_OVERALL: Final = terms_of("overall")[0]
_OVERALL_WEIGHT: Final = 0.25
_DIGIT: Final = re.compile(r"[0-9]")
_IN_TURN: Final = re.compile(r"(?<![a-z])(?:respectively|vs?\.?|versus|compared (?:with|to)|against)(?![a-z])")
_CLAUSE: Final = re.compile(r";(?= )|,? (?:but|while|whereas) |, and (?=[a-z])|\. ")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceAnswer:
    """What one sentence gives for both arms; what is missing where it does not suffice."""

    sentence: PageSentence
    intervention: ArmNumbers
    comparator: ArmNumbers
    missing: str = ""


def sentence_answers(question: NumbersQuestion, paper: NumbersPaper) -> list[SentenceAnswer]:
    """What all sentences give that name the outcome and two pairs of numbers with their arms."""
    names = _arm_names_in_sentences(question, paper)
    query = outcome_query_of(question.outcome)
    arms = arm_queries_of(question.intervention, question.comparator, paper.short)
    found = []
    for sentence in paper.sentences:
        # Where the whole sentence does not name the outcome, none of its clauses does.
        if not _DIGIT.search(sentence.text) or not _sentence_names_outcome(sentence.text, query, paper):
            continue
        text = fold_text(sentence.text).text
        for clause in _outcome_clauses_of_sentence(text, question.kind, query, paper):
            pair = _two_pairs_in_sentence(clause, question.kind, names)
            if pair is not None and _sentence_is_of_time(clause, query):
                found.append(_answer_of_sentence(sentence, pair, question, arms, paper))
                break
    return found


def _arm_names_in_sentences(question: NumbersQuestion, paper: NumbersPaper) -> Labels:
    """The names of both arms: those of the question, and those under which the tables have them."""
    labels = arm_labels(((_INTERVENTION, question.intervention), (_COMPARATOR, question.comparator)), ())
    arms = arm_queries_of(question.intervention, question.comparator, paper.short)
    own = {key: set[str]() for key in (_INTERVENTION, _COMPARATOR)}
    for view in paper.views:
        for cells in paired_cells(view, arms, paper)[:1]:
            own[_INTERVENTION].add(name_as_mentioned(cells.intervention.label.text))
            own[_COMPARATOR].add(name_as_mentioned(cells.comparator.label.text))
    both = own[_INTERVENTION] & own[_COMPARATOR]
    extra = tuple(
        (key, re.compile(rf"(?<![a-z0-9]){re.escape(fold_text(name).text)}(?![a-z0-9])"))
        for key, names in own.items()
        for name in sorted(names - both)
        if len(name) > 1
    )
    return Labels(patterns=(*labels.patterns, *extra), finds_others=True)


def _outcome_clauses_of_sentence(
    text: str, kind: NumbersKind, query: OutcomeQuery, paper: NumbersPaper
) -> Iterator[str]:
    """The clauses that name the outcome; the whole sentence where no clause has both numbers to itself."""
    pieces = [piece for piece in _CLAUSE.split(text) if piece]
    for piece in pieces:
        if len(phrase_pairs_in(piece, kind)) >= 2:
            if _sentence_names_outcome(piece, query, paper) and not _sentence_joins_outcomes(piece, query):
                yield piece
            return
    if not _sentence_joins_outcomes(text, query):
        yield text


def _sentence_joins_outcomes(text: str, query: OutcomeQuery) -> bool:
    """Whether the outcome is named together with another: `stroke or death` is not stroke."""
    terms = [term for term in query.terms if term_weight(term) >= 1 and term.isascii()]
    text = terms_in_one_spelling(text)
    return any(
        re.search(rf"(?<![a-z]){re.escape(term)}[a-z]* (?:or|and|and/or) (?!in\b|of\b)", text)
        or re.search(rf"(?<![a-z])(?:or|and/or) (?:[a-z-]+ )?{re.escape(term)}", text)
        for term in terms
    ) and not any(f" {joint} " in f" {' '.join(query.text.lower().split())} " for joint in ("or", "and"))


def _sentence_names_outcome(text: str, query: OutcomeQuery, paper: NumbersPaper) -> bool:
    named = paper.outcome_short.written_out(terms_of(text))
    weights = {term: _OVERALL_WEIGHT if term == _OVERALL else term_weight(term) for term in query.terms}
    total = sum(weights.values())
    covered = sum(weights[term] for term in query.terms if matches_outcome_term(term, named, paper.outcome_short))
    return total > 0 and covered >= _LEAST * total


def _two_pairs_in_sentence(text: str, kind: NumbersKind, names: Labels) -> tuple[NumberPair, NumberPair] | None:
    """The pair of the intervention and the pair of the comparator, by the order of names and numbers."""
    pairs = phrase_pairs_in(text, kind)
    if len(pairs) != 2:
        return None
    named = [(one.start, one.key) for one in names.mentions(text) if not _is_inside_pair_of_sentence(one.start, pairs)]
    order = [
        key
        for key, _ in groupby(
            key for _, key in sorted(named + [(pair.start, "") for pair in pairs], key=_place_of_pair_in_sentence)
        )
    ]
    if len({key for key in order if key}) != 2 or any(key.startswith(OTHER) for key in order):
        return None
    # Alternating names and numbers belong to each other; two numbers in a row need a word that says so.
    if len(order) == 4 and order.count("") == 2:
        first = next(key for key in order if key)
    elif order.count("") == 1 and len(order) == 3 and _IN_TURN.search(text):
        first = next(key for key in order if key)
        # `with aspirin 12/45 versus 9/44 with placebo` has the word between its numbers.
        if order[1] == "" and not _IN_TURN.search(text, pairs[0].end, pairs[1].start):
            return None
    else:
        return None
    return (pairs[0], pairs[1]) if first == _INTERVENTION else (pairs[1], pairs[0])


def _place_of_pair_in_sentence(one: tuple[int, str]) -> int:
    return one[0]


def _is_inside_pair_of_sentence(at: int, pairs: Sequence[NumberPair]) -> bool:
    return any(pair.start <= at < pair.end for pair in pairs)


def _sentence_is_of_time(text: str, query: OutcomeQuery) -> bool:
    """Whether the numbers of a clause can be of the time of the question."""
    moment, _ = moment_in(text)
    if is_change_not_moment(text) and not query.is_change and "from" in text:
        return False
    lengths = lengths_of_moments(text)
    if query.moment is not None and query.moment.when is When.AT:
        near = [days for days in lengths if abs(days - query.moment.days) <= 0.1 * max(days, query.moment.days)]
        return bool(near) and len(lengths) == 1
    if query.moment is not None and query.moment.when is When.BEFORE:
        return moment is not None and moment.when is When.BEFORE
    return "baseline" not in text and len(lengths) <= 1 and (moment is None or moment.when is not When.BEFORE)


def _answer_of_sentence(
    sentence: PageSentence,
    pair: tuple[NumberPair, NumberPair],
    question: NumbersQuestion,
    arms: tuple[ArmQuery, ArmQuery],
    paper: NumbersPaper,
) -> SentenceAnswer:
    sizes = sizes_of(paper)
    sides, missing = [], ""
    for at, one in enumerate(pair):
        numbers, lacks = _side_of_sentence_pair(at, one, question, arms, sizes, paper, sentence)
        sides.append(numbers)
        missing = missing or lacks
    return SentenceAnswer(sentence=sentence, intervention=sides[0], comparator=sides[1], missing=missing)


def _side_of_sentence_pair(
    at: int,
    pair: NumberPair,
    question: NumbersQuestion,
    arms: tuple[ArmQuery, ArmQuery],
    sizes: Sequence[ArmSize],
    paper: NumbersPaper,
    sentence: PageSentence,
) -> tuple[ArmNumbers, str]:
    text = question.comparator if at else question.intervention
    label = ArmLabel(text, tuple(terms_of(text)))
    firm, every = sizes_of_arm(label, at, arms, sizes, paper)
    if question.kind is NumbersKind.BINARY:
        ns = [pair.n] if pair.n else [n for n in every if check_percent_of_count(pair.events, n, pair.percent)]
        if pair.n and pair.percent and not check_percent_of_count(pair.events, pair.n, pair.percent):
            return ArmNumbers(), reasons.PERCENT_DISAGREES
        if not pair.n and not pair.percent:
            ns = firm
        if len(set(ns)) != 1:
            return ArmNumbers(events=pair.events), reasons.NO_FITTING_N
        return ArmNumbers(events=pair.events, n=ns[0]), ""
    says = pair.spread or spread_of_second_number([sentence.text], paper.statements)[0]
    if says is not Spread.SD:
        return ArmNumbers(mean=pair.mean), reasons.NOT_SD
    ns = list(dict.fromkeys(firm))
    if len(ns) != 1:
        return ArmNumbers(mean=pair.mean), reasons.NO_SINGLE_N
    return ArmNumbers(mean=pair.mean, sd=pair.second, n=ns[0]), ""


def sentence_answers_agree(sentences: Sequence[SentenceAnswer]) -> bool:
    """Whether no two sentences differ in a number that both give. One without N may still speak against another."""
    for at, one in enumerate(sentences):
        for other in sentences[at + 1 :]:
            for mine, theirs in ((one.intervention, other.intervention), (one.comparator, other.comparator)):
                pairs = zip(astuple(mine), astuple(theirs), strict=True)
                if any(a is not None and b is not None and a != b for a, b in pairs):
                    return False
    return True
