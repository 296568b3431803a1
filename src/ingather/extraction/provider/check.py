"""Whether an endpoint can be used at all, found out in seconds and for next to nothing, before a task is started."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ingather.extraction.provider.errors import ErrorKind, ModelError
from ingather.extraction.provider.wire import ChatRequest, Message
from ingather.notice import joined, notice

if TYPE_CHECKING:
    from ingather.extraction.provider.client import ChatClient

# A server that is there answers within this time, were it only to say that it is busy; a slow model may take longer,
# and then nothing is wrong.
CHECK_S = 8.0
# Tokens of the shortest answer; some models take no smaller limit.
_FEW_TOKENS = 16
# With these, no document of a task could be answered before somebody has done something.
_HOPELESS = frozenset({ErrorKind.AUTH, ErrorKind.QUOTA, ErrorKind.BAD_REQUEST, ErrorKind.NETWORK})
# Names of models that a sentence has room for.
_MOST_NAMES = 8


async def check(client: "ChatClient") -> None:
    """Return where the endpoint may be used, or raise `ModelError` with what is wrong and what to do.

    A list of models that names ours is enough. Otherwise the model gets one
    tiny call, since some servers have no list, or take names that are not in
    it. That a server is slow, busy or asks for patience is no reason not to
    start.
    """
    names: tuple[str, ...] = ()
    try:
        names = await client.list_models(deadline_s=CHECK_S)
    except ModelError as error:
        # About other errors a call says more: a server may have no list, or a page in its place.
        if error.kind is ErrorKind.AUTH:
            raise
    if client.endpoint.model in names:
        return
    greeting = ChatRequest(
        messages=(Message(role="user", content="Say: yes"),), max_tokens=_FEW_TOKENS, deadline_s=CHECK_S
    )
    try:
        await client.complete(replace(greeting, least_tokens=1))
    except ModelError as error:
        if error.kind not in _HOPELESS:
            return
        known = ", ".join(sorted(names)[:_MOST_NAMES])
        if not known:
            raise
        models = notice("provider.its_models_are", "Its models are: {names}.", names=known)
        raise ModelError(error.kind, joined(error.sentence, models)) from None
