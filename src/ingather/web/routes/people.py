"""People who work on a project: invitations, handing over, who is there now, and what they say about cells."""

import math
from dataclasses import asdict

from fastapi import APIRouter, Request, Response

from ingather.extraction.reviewing.comments import Comment
from ingather.notice import notice
from ingather.web import accounts, invitations, presence
from ingather.web.access import Here, Who, find_caller_for_access, need_all_of_owner, task_for_access
from ingather.web.accounts import Account, Caller, Role
from ingather.web.hand_over import hand_over as handed_over
from ingather.web.limits import Limiters, Limiting
from ingather.web.problems import Refused
from ingather.web.routes.reviews import reviewer_of_caller
from ingather.web.routes.session import keep_session
from ingather.web.schemas.forms import Cursor, Id, Limit
from ingather.web.schemas.people import (
    AcceptInvitation,
    Comments,
    CommentView,
    GivenPlace,
    HandOver,
    Invitations,
    InvitationView,
    Joined,
    LookAtInvitation,
    MadeInvitation,
    MadeLink,
    NewComment,
    NewInvitation,
    PresentPeople,
    PresentView,
    ResolveComment,
    ShownInvitation,
)

router = APIRouter(tags=["people"])
TASK = "/extraction/tasks/{task_id}"


@router.get("/projects/{project_id}/invitations")
def list_invitations(project_id: Id, here: Here, who: Who) -> Invitations:
    """Those that nobody has used yet, without their secrets."""
    need_all_of_owner(who, project_id)
    return Invitations(
        invitations=[
            InvitationView(
                invitation_id=one.id,
                role=one.role.value,
                made_by=one.made_by,
                created_at=one.created_at,
                expires_at=one.expires_at,
            )
            for one in here.engine.database.run(invitations.open_invitations(project_id))
        ]
    )


@router.post("/projects/{project_id}/invitations", status_code=201)
def invite(project_id: Id, body: NewInvitation, here: Here, who: Who) -> MadeInvitation:
    """A link for one person, for a week. Whoever opens it becomes a member, with an account if they have none."""
    need_all_of_owner(who, project_id)
    made = invitations.create_invitation(project_id, Role(body.role), who.name)
    secret, invitation_id, expires_at = here.engine.database.run(made)
    return MadeInvitation(invitation_id=invitation_id, secret=secret, expires_at=expires_at)


@router.delete("/projects/{project_id}/invitations/{invitation_id}", status_code=204)
def revoke_invitation(project_id: Id, invitation_id: Id, here: Here, who: Who) -> Response:
    need_all_of_owner(who, project_id)
    if not here.engine.database.run(invitations.revoke_invitation(project_id, invitation_id)):
        raise Refused(404, notice("web.no_invitation", "There is no open invitation {id} here.", id=invitation_id))
    return Response(status_code=204)


@router.post("/invitations/look")
async def look_at_invitation(
    body: LookAtInvitation, request: Request, here: Here, limiters: Limiting
) -> ShownInvitation:
    """What a link is for, for whoever holds it."""
    found = await here.engine.database.arun(invitations.find_invitation(body.secret))
    if found is None:
        raise _useless(request, limiters, is_known=await find_caller_for_access(request, here) is not None)
    return ShownInvitation(
        project=found.project, role=found.role.value, made_by=found.made_by, expires_at=found.expires_at
    )


@router.post("/invitations/accept")
async def accept_invitation(
    body: AcceptInvitation, request: Request, response: Response, here: Here, limiters: Limiting
) -> Joined:
    """Join a project: with the account that is signed in, or with a new one of this `name`, signed in at once."""
    who = await find_caller_for_access(request, here)
    if who is not None:
        if who.expires_at is not None:
            raise Refused(403, notice("web.only_people_join", "People accept invitations in a browser; tokens do not."))
        joined = await here.engine.database.arun(invitations.accept_invitation(body.secret, who.account_id))
        if joined is None:
            raise _useless(request, limiters, is_known=True)
        return Joined(project_id=joined)
    if await here.engine.database.arun(invitations.find_invitation(body.secret)) is None:
        raise _useless(request, limiters, is_known=False)
    if body.name is None:
        raise Refused(422, notice("web.join_name", "Say under which name you want to work here."))
    made = await here.engine.database.arun(invitations.accept_as_new(body.secret, body.name))
    if made is None:
        raise _useless(request, limiters, is_known=False)
    session, project_id = made
    keep_session(response, request, session)
    return Joined(project_id=project_id)


def _useless(request: Request, limiters: Limiters, *, is_known: bool) -> Refused:
    """The answer to a secret that opens nothing; 429 to strangers who guess."""
    sentence = notice(
        "web.invitation_useless", "This invitation was used already, was taken back, or is over. Ask for a new one."
    )
    if is_known:
        return Refused(404, sentence)
    address = request.client.host if request.client else ""
    if (wait_s := limiters.failed_sign_ins.wait_s(address)) > 0:
        return Refused(
            429,
            notice("web.too_many_attempts_sign_wait", "Too many attempts to sign in. Wait a minute."),
            {"Retry-After": str(math.ceil(wait_s))},
        )
    limiters.failed_sign_ins.count(address)
    return Refused(401, sentence)


@router.post("/session/links", status_code=201)
def make_link(here: Here, who: Who) -> MadeLink:
    """A sign-in link for another browser of your own, once and within a quarter of an hour."""
    if who.expires_at is not None:
        raise Refused(403, notice("web.link_by_people", "A sign-in link is made in a browser; a token makes none."))
    account = Account(id=who.account_id, name=who.name, is_operator=who.is_operator)
    return MadeLink(secret=here.engine.database.run(accounts.create_account_link(account)))


@router.post("/projects/{project_id}/hand-over", status_code=204)
def hand_over(project_id: Id, body: HandOver, here: Here, who: Who) -> Response:
    """Make another member the owner in your place. You stay as a reviewer."""
    need_all_of_owner(who, project_id)
    known = {account_id for account_id, _, _ in here.engine.database.run(accounts.member_accounts(project_id))}
    if body.account_id not in known - {who.account_id}:
        raise Refused(
            422, notice("web.hand_over_member", "A project is handed over to another member. Invite them first.")
        )
    if not here.engine.database.run(handed_over(project_id, who.account_id, body.account_id)):
        raise Refused(403, "You are not an owner of the project any more.")
    return Response(status_code=204)


# --- presence ---------------------------------------------------------------------------------------------------------


@router.put(TASK + "/presence", status_code=204)
def come(task_id: Id, body: GivenPlace, here: Here, who: Who) -> Response:
    """Say that your page is open, and at which cell. It holds for half a minute."""
    task_for_access(here, who, task_id)
    here.engine.database.run(presence.come(task_id, who.account_id, body.place))
    return Response(status_code=204)


@router.delete(TASK + "/presence", status_code=204)
def leave(task_id: Id, here: Here, who: Who) -> Response:
    task_for_access(here, who, task_id)
    here.engine.database.run(presence.leave(task_id, who.account_id))
    return Response(status_code=204)


@router.get(TASK + "/presence")
def list_present(task_id: Id, here: Here, who: Who) -> PresentPeople:
    """Who has a page of the task open now, and where they are."""
    task_for_access(here, who, task_id)
    found = here.engine.database.run(presence.present(task_id))
    return PresentPeople(present=[PresentView.model_validate(asdict(one)) for one in found])


# --- comments ---------------------------------------------------------------------------------------------------------


@router.get(TASK + "/comments")
def list_comments(
    task_id: Id, here: Here, who: Who, ordinal: Cursor | None = None, after: Cursor = 0, limit: Limit = 200
) -> Comments:
    """What was said about the cells of a task or of one of its documents, the oldest first."""
    task_for_access(here, who, task_id)
    page = here.extraction.comments(
        task_id, who.account_id, _overruled_by(who), ordinal=ordinal, after=after, limit=limit
    )
    return _comments(page, limit)


@router.get("/comments/mentions")
def list_mentions(here: Here, who: Who, after: Cursor = 0, limit: Limit = 100) -> Comments:
    """Open comments that mention you, in all of your projects."""
    page = here.extraction.mentions(who.account_id, list(who.roles), _overruled_by(who), after=after, limit=limit)
    return _comments(page, limit)


@router.post(TASK + "/results/{ordinal}/comments", status_code=201)
def add_comment(task_id: Id, ordinal: Cursor, body: NewComment, here: Here, who: Who) -> Comments:
    """Say something about a cell. Answers with all that was said about the document."""
    task = task_for_access(here, who, task_id, Role.REVIEWER)
    members = {account_id for account_id, _, _ in here.engine.database.run(accounts.member_accounts(task.project_id))}
    strangers = set(body.mentions) - members
    if strangers:
        raise Refused(422, notice("web.mention_members", "Only members of the project can be mentioned."))
    here.extraction.comment(task_id, ordinal, body.row, body.field, body.text, body.mentions, reviewer_of_caller(who))
    page = here.extraction.comments(task_id, who.account_id, _overruled_by(who), ordinal=ordinal, after=0, limit=500)
    return _comments(page, 500)


@router.put(TASK + "/comments/{comment_id}", status_code=204)
def resolve_comment(task_id: Id, comment_id: Id, body: ResolveComment, here: Here, who: Who) -> Response:
    """Resolve it, or open it again."""
    task_for_access(here, who, task_id, Role.REVIEWER)
    here.extraction.resolve_comment(
        task_id, comment_id, reviewer_of_caller(who), _overruled_by(who), is_resolved=body.is_resolved
    )
    return Response(status_code=204)


def _overruled_by(who: Caller) -> list[int]:
    """The projects in which somebody is an adjudicator."""
    return [project_id for project_id in who.roles if who.may(Role.ADJUDICATOR, project_id)]


def _comments(page: list[Comment], limit: int) -> Comments:
    views = []
    for one in page:
        shown = asdict(one) | {"comment_id": one.id, "mentions": list(one.mentions)}
        del shown["id"]
        views.append(CommentView.model_validate(shown))
    return Comments(comments=views, next=page[-1].id if len(page) == limit else None)
