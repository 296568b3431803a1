"""`ingather numbers`: the questions of a review about the numbers of one paper, answered without a database."""

from argparse import Namespace

from ingather.cli.output import output_json, output_table
from ingather.cli.papers import path_of_paper
from ingather.engine.errors import IngatherError, UsageError
from ingather.extraction.numbers.answer import AnswerState, ArmNumbers, NumbersAnswer, answer_as_object
from ingather.extraction.numbers.question import NumbersKind, NumbersQuestion, numbers_questions_from_json
from ingather.extraction.provider import ModelError
from ingather.settings import Settings
from ingather.workbench import answer_paper, endpoint_from, numbers_model

# A file of questions is smaller than this, in bytes; a larger one is the wrong file.
_MOST_BYTES = 10_000_000


def numbers_command(arguments: Namespace) -> int:
    """Answers go to stdout at once and whole. Exit code 1 where the paper cannot be read, 2 for every misuse."""
    questions = _questions_of_numbers_command(arguments.questions)
    model = None if arguments.no_model else numbers_model(endpoint_from(Settings.from_environment()))
    try:
        answers = answer_paper(arguments.paper, questions, model)
    except ModelError as error:
        raise IngatherError(f"The model cannot be used: {error} With --no-model the rules answer.") from error
    if arguments.json:
        output_json({"answers": [answer_as_object(answer) for answer in answers]})
    else:
        rows = [_row_of_numbers_command(question, answer) for question, answer in zip(questions, answers, strict=True)]
        output_table(
            ["question", "state", "intervention", "comparator", "where, or why not"], rows, empty="No questions."
        )
    return 0


def _questions_of_numbers_command(name: str) -> tuple[NumbersQuestion, ...]:
    path = path_of_paper(name)
    if not path.exists():
        raise UsageError(f"There is no file {name!r}.")
    if not path.is_file():
        raise UsageError(f"{name!r} is no file.")
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{name!r} is larger than {_MOST_BYTES:,} bytes: these are no questions.")
        return numbers_questions_from_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{name!r} cannot be read: {error.strerror}.") from error


def _row_of_numbers_command(question: NumbersQuestion, answer: NumbersAnswer) -> tuple[str, str, str, str, str]:
    is_found = answer.state is AnswerState.REPORTED
    where = "; ".join(
        dict.fromkeys(f"{one.table or 'text'}, page {one.page + 1}: {one.row or one.quote}" for one in answer.evidence)
    )
    return (
        question.id,
        answer.state.value,
        _arm_shown_by_numbers_command(question, answer.intervention) if is_found else "",
        _arm_shown_by_numbers_command(question, answer.comparator) if is_found else "",
        where if is_found else answer.why,
    )


def _arm_shown_by_numbers_command(question: NumbersQuestion, arm: ArmNumbers) -> str:
    if question.kind is NumbersKind.BINARY:
        return f"{arm.events}/{arm.n}"
    return f"{arm.mean} (SD {arm.sd}), n = {arm.n}"
