"""Talking to models: one question, one answer, and every way that can go wrong sorted by what to do about it.

Importing this is cheap; the SDK behind it is imported with the first call.
"""

from ingather.extraction.provider.address import AddressRefused, check_base_url, system_resolve
from ingather.extraction.provider.classify import classify
from ingather.extraction.provider.client import ChatClient, ModelClient
from ingather.extraction.provider.context_size import prompt_tokens
from ingather.extraction.provider.endpoint import ApiKey, Endpoint
from ingather.extraction.provider.errors import ErrorKind, ModelError, NotSent, PauseTask
from ingather.extraction.provider.json_answer import parse_object, parse_reply, salvage
from ingather.extraction.provider.listening import Writing
from ingather.extraction.provider.pace import CHARACTERS_A_TOKEN, pace_for
from ingather.extraction.provider.prices import CostRange, Price, cost, estimate, estimate_tokens, price_of
from ingather.extraction.provider.probe import Capabilities
from ingather.extraction.provider.redaction import RedactLogs, redact
from ingather.extraction.provider.routing import route
from ingather.extraction.provider.trial import Trial, try_model
from ingather.extraction.provider.wire import (
    MARGIN,
    ChatReply,
    ChatRequest,
    Message,
    Rung,
    Usage,
    without_list_limits,
)

__all__ = [
    "CHARACTERS_A_TOKEN",
    "MARGIN",
    "AddressRefused",
    "ApiKey",
    "Capabilities",
    "ChatClient",
    "ChatReply",
    "ChatRequest",
    "CostRange",
    "Endpoint",
    "ErrorKind",
    "Message",
    "ModelClient",
    "ModelError",
    "NotSent",
    "PauseTask",
    "Price",
    "RedactLogs",
    "Rung",
    "Trial",
    "Usage",
    "Writing",
    "check_base_url",
    "classify",
    "cost",
    "estimate",
    "estimate_tokens",
    "pace_for",
    "parse_object",
    "parse_reply",
    "price_of",
    "prompt_tokens",
    "redact",
    "route",
    "salvage",
    "system_resolve",
    "try_model",
    "without_list_limits",
]
