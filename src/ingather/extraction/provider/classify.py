"""What happened, out of a status, headers, a body and an exception. Pure; the first rule that fits wins.

The order is the meaning: a 429 for an empty account is no rate limit, and a
request that can never fit is not to be waited for.
"""

import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingather.extraction.provider.error_report import ErrorReport, error_report
from ingather.extraction.provider.errors import ErrorKind, ModelError, bounded
from ingather.extraction.provider.redaction import redact
from ingather.extraction.provider.waiting import now_s, retry_after_s
from ingather.extraction.provider.wire import ChatReply
from ingather.notice import joined, notice

# Characters of the provider's own message in ours: two lines on the screen.
LONGEST_EXCERPT = 240

_QUOTA: Final = re.compile(
    r"(?i)insufficient[_ ]?(quota|balance|credit|funds)|billing_(hard_limit|not_active)|exceeded your current quota"
    r"|arrearage|account.{0,20}(overdue|in arrears)|credit balance is too low|quota_exceeded|freetieronly"
    r"|余额不足|欠费|账户余额|额度(已)?(用尽|用完|不足)"
)
_FILTER: Final = re.compile(
    r"(?i)content[_ ]?(filter|policy)|content_management|data_?inspection_?failed|responsible_?ai|sensitive_words"
    r"|inappropriate content|safety (system|policy|filter)|moderation|敏感(内容|信息|词)|不安全|违规内容|内容安全"
)
_TOO_LONG: Final = re.compile(
    r"(?i)context_length|maximum context|context (length|window|size)|too many (input )?tokens|prompt is too long"
    r"|input is too long|input length|string_above_max_length|reduce the length|range of input length"
    r"|exceeds? the (maximum|model|available)[^.]{0,40}(tokens|length|context)|request too large|max_model_len"
    r"|(上下文|输入|文本|请求|tokens?\s*(数|总数|长度)?).{0,12}(超(过|出|长|限)|过长|太长)|超(过|出).{0,16}(上下文|最大长度|长度限制)"
)
# llama.cpp says so with a 500 at times, and within a stream that began with a 200.
_CONTEXT_IS_FULL: Final = re.compile(r"(?i)exceed_context_size|context size has been exceeded")
# llama.cpp answers so from the moment it listens until its model is in memory, which takes a minute from a slow disk.
_LOADING: Final = re.compile(r"(?i)loading model|model is loading")
# A 429 that waiting does not cure. "Too many tokens" is left out: it means those of this minute.
_NEVER_FITS: Final = re.compile(r"(?i)request too large|context_length")
_BAD_GENERATION: Final = re.compile(r"(?i)json_validate_failed|failed to (generate|validate) json|tool_use_failed")
_MODEL_UNKNOWN: Final = re.compile(
    r"(?i)model_not_found|invalid_model|(unknown|no such) model|模型不存在"
    r"|model\b.{0,80}\b(not found|not exists?|does ?n[o']t exist)"
)
_RATE: Final = re.compile(r"(?i)rate.?limit|too many requests|限流|请求过于频繁")


def classify(
    *,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
    body: str | bytes | None = None,
    exception: BaseException | None = None,
    model: str = "",
    host: str = "",
    now: float | None = None,
) -> ModelError:
    """The error behind a failed call."""
    if status is None:
        return _unanswered(exception, host)
    report = error_report(body)
    lower = {name.lower(): value for name, value in (headers or {}).items()}
    wait_s = retry_after_s(lower, report.message, now_s() if now is None else now)
    kind, advice = _kind_of_error(status, report, model, host)
    sentence = notice(
        "provider.status_and_excerpt",
        "{advice} ({status}{excerpt})",
        advice=advice,
        status=status,
        excerpt=_excerpt_of_report(report),
    )
    return ModelError(
        kind, sentence, retry_after_s=wait_s if kind in {ErrorKind.RETRY_AFTER, ErrorKind.OVERLOADED} else None
    )


def _kind_of_error(status: int, report: ErrorReport, model: str, host: str) -> tuple[ErrorKind, str]:
    """The kind of an error and advice. The groups are tried in order, and so are the rules within each."""
    text = report.code_and_message
    return (
        _about_account_or_document(status, text)
        or _about_load(status, text)
        or _about_address_or_model(status, text, model, host)
        or _about_request(status, text, host)
    )


def _about_account_or_document(status: int, text: str) -> tuple[ErrorKind, str] | None:
    if status == 402 or (status in {400, 403, 429} and _QUOTA.search(text)):
        return ErrorKind.QUOTA, notice(
            "provider.account_no_credit_left_top",
            "The account has no credit left. Top it up or raise its limit, then resume the task.",
        )
    if status in {400, 403, 422, 451} and _FILTER.search(text):
        return ErrorKind.CONTENT_FILTER, notice(
            "provider.provider_content_filter_refused_document",
            "The provider's content filter refused this document. Another model may take it.",
        )
    if status in {401, 403, 407}:
        return ErrorKind.AUTH, notice(
            "provider.provider_refused_key_check_key",
            "The provider refused the key. Check the key and what it may use, then resume the task.",
        )
    if (
        status == 413
        or (status in {400, 422} and _TOO_LONG.search(text))
        or (status == 429 and _NEVER_FITS.search(text))
        or _CONTEXT_IS_FULL.search(text)
    ):
        return ErrorKind.TOO_LONG, notice(
            "provider.request_longer_model_takes_choose",
            "The request is longer than this model takes. Choose one with a larger context.",
        )
    return None


def _about_load(status: int, text: str) -> tuple[ErrorKind, str] | None:
    if status == 429:
        return ErrorKind.RETRY_AFTER, notice(
            "provider.provider_asks_slow_down_all",
            "The provider asks us to slow down. All calls of this queue wait, then go on.",
        )
    if status == 408:
        return ErrorKind.TIMEOUT, notice(
            "provider.provider_gave_up_waiting_call", "The provider gave up waiting. The call is tried again."
        )
    if status == 503 and _LOADING.search(text):
        return ErrorKind.OVERLOADED, notice(
            "provider.server_is_loading_model",
            "The server is still loading the model. It can be used when that is done.",
        )
    if status in {409, 425} or status >= 500:
        return ErrorKind.OVERLOADED, notice(
            "provider.provider_overloaded_broken_moment_call",
            "The provider is overloaded or broken for the moment. The call is tried again.",
        )
    return None


def _about_address_or_model(status: int, text: str, model: str, host: str) -> tuple[ErrorKind, str] | None:
    if 300 <= status < 400:
        advice = notice(
            "provider.address_answers_redirect_not_followed",
            "The address answers with a redirect, which is not followed because the key would travel along.",
        )
        return ErrorKind.BAD_REQUEST, joined(advice, notice("provider.give_final_address", "Give the final address."))
    if status == 404 and not _MODEL_UNKNOWN.search(text):
        advice = notice(
            "provider.no_chat_api_model",
            "There is no chat API for model {model} at {host}.",
            model=f"{model!r}",
            host=host or "this address",
        )
        return ErrorKind.BAD_REQUEST, joined(
            advice,
            notice("provider.check_name_and_address", "Check the model's name and the address; often it ends in /v1."),
        )
    if _MODEL_UNKNOWN.search(text):
        return ErrorKind.BAD_REQUEST, notice(
            "provider.provider_knows_no_model_choose",
            "The provider knows no model {model}. Choose one from its list.",
            model=f"{model!r}",
        )
    return None


def _about_request(status: int, text: str, host: str) -> tuple[ErrorKind, str]:
    if status in {400, 422} and _BAD_GENERATION.search(text):
        return ErrorKind.BAD_JSON, notice(
            "provider.provider_own_check_found_answer",
            "The provider's own check found the answer not to be JSON. The call is tried again.",
        )
    if 400 <= status < 500:
        return ErrorKind.BAD_REQUEST, notice(
            "provider.provider_refused_request_invalid_refused",
            "The provider refused the request as invalid. It would be refused again.",
        )
    advice = notice(
        "provider.did_not_answer_like_model", "{host} did not answer like a model's API.", host=host or "The address"
    )
    return ErrorKind.NETWORK, joined(
        advice, notice("provider.check_address", "Check it: often it ends in /v1, or a portal or proxy stands between.")
    )


def classify_body(status: int, headers: Mapping[str, str], body: bytes, *, model: str, host: str) -> ModelError:
    """The error behind a 200 whose body is no completion.

    A web page is `network`: something between us and the API answered, or the
    address is wrong. An error inside a 200, as gateways send it, is what it
    says of itself.
    """
    report = error_report(body)
    code = re.search(r"\b([45]\d\d)\b", report.code)
    if code and not report.is_html:
        return classify(status=int(code[1]), headers=headers, body=body, model=model, host=host)
    if not report.is_html and (report.message or report.code):
        inner = 429 if _RATE.search(report.code_and_message) else 400 if _explains_itself(report) else 500
        return classify(status=inner, headers=headers, body=body, model=model, host=host)
    return classify(status=status, headers=headers, body=body, model=model, host=host)


def _explains_itself(report: ErrorReport) -> bool:
    return any(pattern.search(report.code_and_message) for pattern in (_QUOTA, _FILTER, _TOO_LONG, _MODEL_UNKNOWN))


def check_reply(reply: ChatReply) -> None:
    """Raise where a reply is no answer. A cut answer is cut first of all: being blank may be part of that."""
    finish = reply.finish.lower()
    if finish in {"content_filter", "sensitive", "safety"}:
        sentence = notice(
            "provider.provider_content_filter_stopped_answer",
            "The provider's content filter stopped the answer. Another model may give one.",
        )
        raise ModelError(ErrorKind.CONTENT_FILTER, sentence, reply=reply)
    if finish in {"length", "max_tokens"}:
        sentence = notice(
            "provider.answer_cut_off_token_limit",
            "The answer was cut off at its token limit. Ask for fewer fields at once, or allow more tokens.",
        )
        raise ModelError(ErrorKind.TRUNCATED, sentence, reply=reply)
    if finish in {"insufficient_system_resource", "error", "network_error"}:
        sentence = notice(
            "provider.provider_broke_off_lack_resources",
            "The provider broke off for lack of resources. The call is tried again.",
        )
        raise ModelError(ErrorKind.OVERLOADED, sentence, reply=reply)
    if not reply.text.strip():
        if reply.refusal:
            sentence = notice(
                "provider.model_refused_answer",
                "The model refused to answer: {text}",
                text=bounded(reply.refusal, LONGEST_EXCERPT),
            )
            raise ModelError(ErrorKind.CONTENT_FILTER, sentence, reply=reply)
        raise ModelError(
            ErrorKind.BLANK,
            notice("provider.model_answer_blank_call_tried", "The model's answer was blank. The call is tried again."),
            reply=reply,
        )


def _unanswered(exception: BaseException | None, host: str) -> ModelError:
    chain = list(_chain_of_errors(exception))
    names = {base.__name__ for error in chain for base in type(error).__mro__}
    where = host or "the provider"
    if error := _timeout_error(chain, names, where) or _connection_error(chain, names, where):
        return error
    name = "nothing" if exception is None else type(exception).__name__
    return ModelError(
        ErrorKind.BUG,
        notice(
            "provider.model_client_failed_way_not",
            "The model client failed in a way it does not know ({name}). Please report this.",
            name=name,
        ),
    )


def _timeout_error(chain: list[BaseException], names: set[str], where: str) -> ModelError | None:
    # Connecting has a timer of its own; running out of it means nobody is there, not that the model is slow.
    if names & {"ConnectTimeout", "PoolTimeout"}:
        return ModelError(
            ErrorKind.NETWORK,
            notice(
                "provider.no_connection_within_time_check",
                "No connection to {host} within its time. Check the address and the network.",
                host=where,
            ),
        )
    if names & {"TimeoutException", "APITimeoutError"} or any(isinstance(error, TimeoutError) for error in chain):
        return ModelError(
            ErrorKind.TIMEOUT,
            notice(
                "provider.did_not_finish_answer_time",
                "{host} did not finish its answer in time. The call is tried again.",
                host=where,
            ),
        )
    return None


def _connection_error(chain: list[BaseException], names: set[str], where: str) -> ModelError | None:
    if any(isinstance(error, ssl.SSLError) for error in chain):
        return ModelError(
            ErrorKind.NETWORK,
            notice(
                "provider.certificate_cannot_trusted_check_address",
                "The certificate of {host} cannot be trusted. Check the address and the clock.",
                host=where,
            ),
        )
    if any(isinstance(error, socket.gaierror) for error in chain):
        return ModelError(
            ErrorKind.NETWORK,
            notice(
                "provider.name_cannot_found_check_spelling",
                "The name {host} cannot be found. Check its spelling and the network.",
                host=where,
            ),
        )
    if any(isinstance(error, ConnectionRefusedError) for error in chain):
        return ModelError(
            ErrorKind.NETWORK,
            notice(
                "provider.nothing_listens_server_running_port",
                "Nothing listens at {host}. Is the server running, and the port right?",
                host=where,
            ),
        )
    if names & {"TransportError", "APIConnectionError"} or any(isinstance(error, OSError) for error in chain):
        return ModelError(
            ErrorKind.NETWORK,
            notice(
                "provider.connection_broke_call_tried_again",
                "The connection to {host} broke. The call is tried again.",
                host=where,
            ),
        )
    return None


def _chain_of_errors(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _excerpt_of_report(report: ErrorReport) -> str:
    what: Any = bounded(redact(report.code_and_message), LONGEST_EXCERPT)
    return f": {what}" if what else ""
