"""Projects, who is in them, and their templates."""

from typing import Any

from fastapi import APIRouter, Response

from ingather.extraction.template import (
    Label,
    Section,
    Template,
    add_field,
    add_section,
    change_field,
    read_field,
    remove_field,
)
from ingather.notice import notice
from ingather.web import accounts, shapes
from ingather.web import schemas as wire
from ingather.web.access import Here, Who, need
from ingather.web.accounts import Role
from ingather.web.problems import Refused

router = APIRouter(tags=["projects"])


@router.get("/projects")
def list_projects(here: Here, who: Who, after: wire.Cursor = 0, limit: wire.Limit = 500) -> wire.Projects:
    """The projects you are in."""
    page = here.extraction.list_projects(who.roles, after=after, limit=limit)
    return wire.Projects(
        projects=[
            wire.Project(
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
def create_project(asked: wire.NewProject, here: Here, who: Who) -> wire.Project:
    """A project of your own."""
    if not who.may_write or who.only_project is not None:
        raise Refused(403, "This takes a token that may write, and not one for a single project.")
    project = here.engine.database.run(accounts.found_project(asked.name, who.account_id))
    if project is None:
        raise Refused(
            409,
            notice(
                "web.project_already_give_another_name",
                "You are in a project {name} already. Give this one another name.",
                name=f"{asked.name!r}",
            ),
        )
    return wire.Project(project_id=project.id, name=project.name, role=Role.OWNER.value, created_at=project.created_at)


@router.get("/projects/{project_id}/members")
def list_members(
    project_id: wire.Id, here: Here, who: Who, after: wire.NameMark = "", limit: wire.Limit = 500
) -> wire.Members:
    """Who is in, by name."""
    need(who, Role.READER, project_id)
    found = here.engine.database.run(accounts.members(project_id, after=after, limit=limit))
    page = [wire.Member(account_id=account_id, name=name, role=role.value) for account_id, name, role in found]
    return wire.Members(members=page, next=page[-1].name if len(page) == limit else None)


@router.put("/projects/{project_id}/members", status_code=204)
def set_member(project_id: wire.Id, asked: wire.SetMember, here: Here, who: Who) -> Response:
    """Give an account a role in the project."""
    need(who, Role.OWNER, project_id)
    account = here.engine.database.run(accounts.find_account(asked.account))
    if account.id == who.account_id and Role(asked.role) is not Role.OWNER:
        raise Refused(409, "You cannot take the project from yourself. Make somebody else its owner first.")
    if not here.engine.database.run(accounts.change_member(project_id, who.account_id, account.id, Role(asked.role))):
        raise _not_owner()
    return Response(status_code=204)


@router.delete("/projects/{project_id}/members/{account_id}", status_code=204)
def remove_member(project_id: wire.Id, account_id: wire.Id, here: Here, who: Who) -> Response:
    need(who, Role.OWNER, project_id)
    if account_id == who.account_id:
        raise Refused(409, "You cannot take the project from yourself. Make somebody else its owner first.")
    if not here.engine.database.run(accounts.change_member(project_id, who.account_id, account_id, None)):
        raise Refused(404, f"Account {account_id} is not in this project.")
    return Response(status_code=204)


def _not_owner() -> Refused:
    return Refused(403, "You are not an owner of the project any more.")


# --- templates -------------------------------------------------------------------------------------------------------


@router.get("/extraction/templates")
def list_templates(
    here: Here, who: Who, project_id: wire.Id | None = None, after: wire.NameMark = "", limit: wire.Limit = 500
) -> wire.Templates:
    """The built-in templates, and with a project its own."""
    if project_id is not None:
        need(who, Role.READER, project_id)
    page = here.extraction.list_templates(project_id, after=after, limit=limit)
    return wire.Templates(
        templates=[shapes.template(template) for template in page],
        next=page[-1].id if len(page) == limit else None,
    )


@router.get("/extraction/templates/{template_id}", response_model=None, responses={200: {"model": wire.Template}})
def show_template(template_id: wire.TemplateId, here: Here, who: Who) -> dict[str, Any]:
    """A template in full: sections, fields, options, checks."""
    return _template_for(here, who, template_id, Role.READER)[0].to_dict()


@router.post("/projects/{project_id}/templates", status_code=201)
def clone_template(project_id: wire.Id, asked: wire.CloneTemplate, here: Here, who: Who) -> wire.TemplateSummary:
    """A copy for this project to change."""
    need(who, Role.REVIEWER, project_id)
    label = Label(en=asked.label.en, zh=asked.label.zh)
    return shapes.template(here.extraction.clone_template(project_id, asked.template_id, label))


@router.patch("/extraction/templates/{template_id}")
def change_template(
    template_id: wire.TemplateId, asked: wire.ChangeTemplate, here: Here, who: Who
) -> wire.TemplateSummary:
    """The next version of a project's template. Tasks keep the version they started with."""
    _, project_id = _template_for(here, who, template_id, Role.REVIEWER)

    def changed(template: Template) -> Template:
        for field_id in asked.remove:
            template = remove_field(template, field_id)
        for told in asked.fields:
            template = _with_field(template, told, asked.section)
        return template

    return shapes.template(here.extraction.change_template(project_id, template_id, changed))


@router.delete("/extraction/templates/{template_id}", status_code=204)
def remove_template(template_id: wire.TemplateId, here: Here, who: Who) -> Response:
    _, project_id = _template_for(here, who, template_id, Role.REVIEWER)
    here.extraction.remove_template(project_id, template_id)
    return Response(status_code=204)


def _with_field(template: Template, told: dict[str, Any], section: str) -> Template:
    known = {field.id: field for field in template.fields}.get(str(told.get("id")))
    if known is not None:
        return change_field(template, read_field(told, known.section))
    if section not in {one.id for one in template.sections}:
        label = Label(en="Own questions", zh="自定义字段")
        template = add_section(template, Section(id=section, label=label))
    return add_field(template, read_field(told, section))


def _template_for(here: Here, who: Who, template_id: str, role: Role) -> tuple[Template, int]:
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
        need(who, role, project_id, notice("web.no_template", "There is no template {id}.", id=f"{template_id!r}"))
    return template, project_id
