"""The ledger: every call to a model with its answer and its cost, and the permission that each call needs.

An answer that is in the ledger is not paid for again. Scripts and plain data; the desk plays them.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import orjson

from ingather.engine.script import Script, Statement
from ingather.extraction.conversation import prompt
from ingather.extraction.conversation import statements as sql
from ingather.extraction.conversation.interview import ModelAnswer
from ingather.extraction.provider import ChatReply, ErrorKind, Message, ModelError, parse_object
from ingather.extraction.task import Task
from ingather.notice import notice, noticed

# A reservation ends by itself after this time, for the sake of calls whose process died: they block the cap for that
# long. Models with a known price answer within minutes; the cost of a call that takes longer may pass the cap.
LONGEST_RESERVED = timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCall:
    task_id: int
    ordinal: int
    step: str
    request_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """The state before a call: whether it may be made, and the amount that was reserved for it.

    `at` is the time by the database's clock; prices may depend on it.
    """

    at: datetime
    known: list[str] | None = None
    silence_s: float = 0.0
    pause_reason: str | None = None
    cap: Decimal | None = None
    is_refused: bool = False
    under_way: int = 0
    reserved_id: int | None = None
    most: Decimal | None = None


def replayed_from_ledger(outcome: str, text: str) -> ModelAnswer:
    """The answer of an earlier call, from the ledger."""
    if outcome == ErrorKind.TRUNCATED:
        raise ModelError(
            ErrorKind.TRUNCATED,
            notice("model.answer_cut_off", "The answer was cut off."),
            reply=ChatReply(text=text, finish="length"),
        )
    return ModelAnswer(object=parse_object(text), text=text, is_known=True)


def ledger_hash_of_request(task: Task, messages: tuple[Message, ...], schema: dict[str, Any]) -> str:
    """A hash of everything that makes two calls the same. Projects share nothing, not even an answer."""
    parts = [
        prompt.VERSION,
        task.project_id,
        task.base_url,
        task.model,
        [(message.role, message.content) for message in messages],
        schema,
        *([task.id] if task.asks_anew else []),
    ]
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def ledger_permission_before_call(call: LedgerCall, queue: str, most: Callable[[], Decimal]) -> Script[Permission]:
    params = {"request_sha256": call.request_sha256, "queue": queue, "task_id": call.task_id}
    [(known, silence_s, cap, pause_reason, pause_notice, at)] = yield Statement(sql.BEFORE_CALL, params)
    pause_reason = None if pause_reason is None else noticed(pause_reason, pause_notice)
    permission = Permission(at=at, known=known, silence_s=silence_s or 0.0, pause_reason=pause_reason, cap=cap)
    if cap is None or known is not None or pause_reason is not None or permission.silence_s > 0:
        return permission
    dearest = most()
    wanted = {"task_id": call.task_id, "most": dearest, "longest": LONGEST_RESERVED}
    yield Statement(sql.HOLD_TASK, wanted)
    [(reserved_id, under_way)] = yield Statement(sql.SET_ASIDE, wanted)
    return replace(
        permission, reserved_id=reserved_id, most=dearest, is_refused=reserved_id is None, under_way=under_way
    )


def give_back_to_ledger(reserved_id: int) -> Script[None]:
    yield Statement(sql.GIVE_BACK, {"aside": reserved_id})


def add_call_to_ledger(values: dict[str, Any]) -> Script[None]:
    yield Statement(sql.ADD_CALL, values)
