"""The model that answers: which it is, whether it answers, and what a task would take."""

from fastapi import APIRouter

from ingather.extraction.provider import ModelError, redact
from ingather.notice import edited, notice
from ingather.web import shapes
from ingather.web.access import Here, Who, need_access
from ingather.web.accounts import Role
from ingather.web.limits import Limiting
from ingather.web.problems import Refused
from ingather.web.schemas.tasks import AskEstimate, AskTest, EstimateView, ModelTest, ModelView

router = APIRouter(prefix="/extraction", tags=["tasks"])


@router.get("/model")
def show_model_route(here: Here, _: Who) -> ModelView:
    """Which model answers, and at which host; or none, and then our own rules do."""
    return shapes.model_shape(here.extraction.endpoint, here.extraction.at_once)


@router.post("/model/test")
async def try_model_route(body: AskTest, here: Here, who: Who, limiters: Limiting) -> ModelTest:
    """Make a few tiny calls to the model and say what came of it. They cost next to nothing, but not nothing."""
    need_access(who, Role.REVIEWER, body.project_id)
    endpoint = here.extraction.endpoint
    wait_s = limiters.model_tests.wait_s(str(who.account_id))
    if wait_s > 0:
        after = {"Retry-After": str(int(wait_s) + 1)}
        raise Refused(
            429,
            notice(
                "web.model_tested_often_just_now",
                "The model was tested often just now. Wait {seconds} s, then test again.",
                seconds=int(wait_s) + 1,
            ),
            after,
        )
    if endpoint is not None:
        limiters.model_tests.count(str(who.account_id))
    try:
        found = await here.extraction.probe()
    except ModelError as error:
        return ModelTest(
            is_usable=False,
            sentence=shapes.sentence_shape(edited(error.sentence, redact)),
            rung=None,
            answered_as="",
            is_listed=None,
            calls=1,
            took_s=0.0,
        )
    name = endpoint.model if endpoint else ""
    return ModelTest(
        is_usable=True,
        sentence=shapes.sentence_shape(edited(found.sentence, redact)),
        rung=found.rung.value,
        answered_as=redact(found.model[:200]),
        is_listed=None if found.models is None else name in found.models,
        calls=found.calls,
        took_s=round(found.took_s, 2),
    )


@router.post("/estimate")
def estimate_route(body: AskEstimate, here: Here, who: Who) -> EstimateView:
    """What a task would take, as a range, before it is started: nothing is sent anywhere."""
    need_access(who, Role.READER, body.project_id)
    found, unread, unreadable = here.extraction.estimate(
        body.project_id, body.template_id, body.document_ids, field_ids=body.field_ids, context=body.context
    )
    return shapes.estimate_shape(found, unread=unread, unreadable=unreadable)
