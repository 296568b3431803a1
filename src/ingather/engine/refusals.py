"""What an error of the driver means: it is about the data, about the numbers of ids, or it passes."""

import re
from typing import Final

import psycopg

from ingather.engine.errors import DatabaseUnavailable, PayloadRefused

ENCODING_ADVICE: Final = "Make a database with encoding UTF8 (`create database … encoding 'UTF8' template template0`)"

# Errors that are worth another try: the server restarts, fails over, is full, or ended a deadlock or the connection.
PASSING_ERRORS: Final = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.ReadOnlySqlTransaction)

# The primary keys that a sequence fills.
_KEYS_FROM_SEQUENCES: Final = ("batch_pkey", "segment_pkey", "payload_pkey")


def refusal_is_about_ids(error: BaseException) -> bool:
    """Whether the database has no number to give: its sequence is used up, or went back to numbers that it gave before.
    Neither is the fault of what was to be stored; it can be stored once the sequence is mended."""
    if isinstance(error, psycopg.errors.UniqueViolation):
        return error.diag.constraint_name in _KEYS_FROM_SEQUENCES
    return isinstance(error, psycopg.errors.SequenceGeneratorLimitExceeded)


def refusal_is_passing(error: BaseException) -> bool:
    """Whether an error passes by itself, or once an operator mends the server: a worker tries again."""
    return isinstance(error, (*PASSING_ERRORS, DatabaseUnavailable)) or refusal_is_about_ids(error)


def refusal_out_of_ids(error: psycopg.Error) -> DatabaseUnavailable:
    """What is wrong with the sequence, and what to do."""
    if isinstance(error, psycopg.errors.UniqueViolation):
        return DatabaseUnavailable(
            f"The database gave an id that it had given before ({error.diag.message_detail}): a sequence went back, as "
            "after a restore that left it out. `ingather doctor` says which one and how to set it."
        )
    return DatabaseUnavailable(
        f"The database has no more ids to give: {error.diag.message_primary}. Raise the limit of that sequence "
        "(`alter sequence … no maxvalue`); what could not be stored can be sent again then."
    )


def refusal_is_about_data(error: Exception) -> bool:
    """Whether an error is about what was to be stored, so that it would come again however often it is tried.

    A value that PostgreSQL refuses, one that goes beyond its limits (class
    54), and whatever goes wrong before anything was sent.
    """
    if refusal_is_about_ids(error):
        return False
    if not isinstance(error, psycopg.Error):
        return not isinstance(error, OSError | DatabaseUnavailable)
    if error.sqlstate is None:
        return isinstance(error, psycopg.DataError | psycopg.ProgrammingError)
    return isinstance(error, psycopg.DataError | psycopg.IntegrityError) or error.sqlstate.startswith("54")


def reason_of_refusal(error: BaseException) -> str:
    """Why something could not be stored, as a sentence, with what to do about a database's encoding."""
    if isinstance(error, psycopg.errors.UntranslatableCharacter):
        return f"the database cannot hold this text: {error.diag.message_primary}. {ENCODING_ADVICE}."
    return re.sub(r"\s+", " ", str(error)).strip() or type(error).__name__


def payload_refused(error: psycopg.errors.UntranslatableCharacter) -> PayloadRefused:
    return PayloadRefused(f"A payload was refused: {reason_of_refusal(error)}")
