"""Projects, who is in them, and their templates."""

from typing import Any

from fastapi import APIRouter, Response

from ingather.extraction.template import (
    Label,
    ReviewQuestions,
    Section,
    Template,
    add_field,
    add_section,
    change_field,
    read_field,
    remove_field,
)
from ingather.notice import notice
from ingather.web import accounts, deleting, shapes
from ingather.web.access import Here, Who, need_access, need_all_of_owner
from ingather.web.accounts import Role
from ingather.web.problems import Refused
from ingather.web.schemas.forms import Cursor, Id, Limit, NameMark, TemplateId
from ingather.web.schemas.projects import (
    ChangeQuestions,
    ChangeTemplate,
    CloneTemplate,
    Members,
    MemberView,
    NewProject,
    ProjectQuestions,
    Projects,
    ProjectView,
    SetMember,
    Templates,
    TemplateSummary,
    TemplateView,
)

router = APIRouter(tags=["projects"])


@router.get("/projects")
def list_projects_route(here: Here, who: Who, after: Cursor = 0, limit: Limit = 500) -> Projects:
    """The projects you are in."""
    page = here.extraction.list_projects(who.roles, after=after, limit=limit)
    return Projects(
        projects=[
            ProjectView(
                project_id=project.id,
                name=project.name,
                role=who.roles[project.id].value,
                created_at=project.created_at,
            )
            for project in page
        ],
        next=page[-1].id if len(page) == limit else None,
    )


@router.post("/projects", status_code=201)
def create_project_route(body: NewProject, here: Here, who: Who) -> ProjectView:
    """A project of your own."""
    if not who.may_write or who.only_project is not None:
        raise Refused(403, "This takes a token that may write, and not one for a single project.")
    project = here.engine.database.run(accounts.create_project_of_account(body.name, who.account_id))
    if project is None:
        raise Refused(
            409,
            notice(
                "web.project_already_give_another_name",
                "You are in a project {name} already. Give this one another name.",
                name=f"{body.name!r}",
            ),
        )
    return ProjectView(project_id=project.id, name=project.name, role=Role.OWNER.value, created_at=project.created_at)


@router.delete("/projects/{project_id}", status_code=204)
def delete_project_route(project_id: Id, here: Here, who: Who) -> Response:
    """Remove it with its tasks, findings, reviews, papers and templates. Tasks that have not ended stop that."""
    need_all_of_owner(who, project_id)
    here.engine.database.run(deleting.delete_project_in_every_room(project_id))
    return Response(status_code=204)


@router.get("/projects/{project_id}/members")
def list_members_route(project_id: Id, here: Here, who: Who, after: NameMark = "", limit: Limit = 500) -> Members:
    """Who is in, by name."""
    need_access(who, Role.READER, project_id)
    found = here.engine.database.run(accounts.member_accounts(project_id, after=after, limit=limit))
    page = [MemberView(account_id=account_id, name=name, role=role.value) for account_id, name, role in found]
    return Members(members=page, next=page[-1].name if len(page) == limit else None)


@router.put("/projects/{project_id}/members", status_code=204)
def set_member_route(project_id: Id, body: SetMember, here: Here, who: Who) -> Response:
    """Give an account a role in the project."""
    need_all_of_owner(who, project_id)
    account = here.engine.database.run(accounts.find_account(body.account))
    if account.id == who.account_id and Role(body.role) is not Role.OWNER:
        raise Refused(409, "You cannot take the project from yourself. Make somebody else its owner first.")
    if not here.engine.database.run(
        accounts.change_member_account(project_id, who.account_id, account.id, Role(body.role))
    ):
        raise _not_project_owner()
    return Response(status_code=204)


@router.delete("/projects/{project_id}/members/{account_id}", status_code=204)
def remove_member_route(project_id: Id, account_id: Id, here: Here, who: Who) -> Response:
    need_all_of_owner(who, project_id)
    if account_id == who.account_id:
        raise Refused(409, "You cannot take the project from yourself. Make somebody else its owner first.")
    if not here.engine.database.run(accounts.change_member_account(project_id, who.account_id, account_id, None)):
        raise Refused(404, f"Account {account_id} is not in this project.")
    return Response(status_code=204)


def _not_project_owner() -> Refused:
    return Refused(403, "You are not an owner of the project any more.")


# --- questions about numbers ------------------------------------------------------------------------------------------


@router.get("/projects/{project_id}/questions")
def show_questions_route(project_id: Id, here: Here, who: Who) -> ProjectQuestions:
    """What the review compares, and which outcomes it wants; the next task will ask it."""
    need_access(who, Role.READER, project_id)
    questions, revision = here.extraction.questions(project_id)
    return ProjectQuestions.model_validate(questions.to_dict() | {"revision": revision})


@router.put("/projects/{project_id}/questions")
def change_questions_route(project_id: Id, body: ChangeQuestions, here: Here, who: Who) -> ProjectQuestions:
    """Put these in the place of those of revision `seen`; 409 if somebody else was quicker. Tasks keep theirs."""
    need_access(who, Role.REVIEWER, project_id)
    questions = ReviewQuestions.from_dict(body.model_dump(exclude={"seen"}))
    revision = here.extraction.change_questions(project_id, questions, seen=body.seen)
    return ProjectQuestions.model_validate(questions.to_dict() | {"revision": revision})


# --- templates -------------------------------------------------------------------------------------------------------


@router.get("/extraction/templates")
def list_templates_route(
    here: Here, who: Who, project_id: Id | None = None, after: NameMark = "", limit: Limit = 500
) -> Templates:
    """The built-in templates, and with a project its own."""
    if project_id is not None:
        need_access(who, Role.READER, project_id)
    page = here.extraction.list_templates(project_id, after=after, limit=limit)
    return Templates(
        templates=[shapes.template_shape(template) for template in page],
        next=page[-1].id if len(page) == limit else None,
    )


@router.get("/extraction/templates/{template_id}", response_model=None, responses={200: {"model": TemplateView}})
def show_template_route(template_id: TemplateId, here: Here, who: Who) -> dict[str, Any]:
    """A template in full: sections, fields, options, checks."""
    return _template_of_project_for(here, who, template_id, Role.READER)[0].to_dict()


@router.post("/projects/{project_id}/templates", status_code=201)
def clone_template_route(project_id: Id, body: CloneTemplate, here: Here, who: Who) -> TemplateSummary:
    """A copy for this project to change."""
    need_access(who, Role.REVIEWER, project_id)
    label = Label(en=body.label.en, zh=body.label.zh)
    return shapes.template_shape(here.extraction.clone_template(project_id, body.template_id, label))


@router.patch("/extraction/templates/{template_id}")
def change_template_route(template_id: TemplateId, body: ChangeTemplate, here: Here, who: Who) -> TemplateSummary:
    """The next version of a project's template. Tasks keep the version they started with."""
    _, project_id = _template_of_project_for(here, who, template_id, Role.REVIEWER)

    def changed(template: Template) -> Template:
        for field_id in body.remove:
            template = remove_field(template, field_id)
        for field in body.fields:
            template = _template_with_field_of_route(template, field, body.section)
        return template

    return shapes.template_shape(here.extraction.change_template(project_id, template_id, changed))


@router.delete("/extraction/templates/{template_id}", status_code=204)
def remove_template_route(template_id: TemplateId, here: Here, who: Who) -> Response:
    _, project_id = _template_of_project_for(here, who, template_id, Role.REVIEWER)
    here.extraction.remove_template(project_id, template_id)
    return Response(status_code=204)


def _template_with_field_of_route(template: Template, field: dict[str, Any], section: str) -> Template:
    known = {field.id: field for field in template.fields}.get(str(field.get("id")))
    if known is not None:
        return change_field(template, read_field(field, known.section))
    if section not in {one.id for one in template.sections}:
        label = Label(en="Own questions", zh="自定义字段")
        template = add_section(template, Section(id=section, label=label))
    return add_field(template, read_field(field, section))


def _template_of_project_for(here: Here, who: Who, template_id: str, role: Role) -> tuple[Template, int]:
    """A template the caller may see, and its project; 0 for a built-in one."""
    template, project_id = here.extraction.template_and_project(template_id)
    if project_id == 0:
        if role is not Role.READER:
            raise Refused(
                403,
                notice(
                    "web.template_comes_program_stays_clone",
                    "The template {id} comes with the program and stays; clone it first.",
                    id=f"{template_id!r}",
                ),
            )
    else:
        need_access(
            who, role, project_id, notice("web.no_template", "There is no template {id}.", id=f"{template_id!r}")
        )
    return template, project_id
