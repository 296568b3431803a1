"""Handing a project over: somebody else becomes its owner, and who was it stays as a reviewer."""

from ingather.engine.script import Script
from ingather.web import accounts
from ingather.web.accounts import Role


def hand_over(project_id: int, by: int, account_id: int) -> Script[bool]:
    """In one transaction, so that the project is never without an owner. False where `by` is no owner any more."""
    if not (yield from accounts.change_member_account(project_id, by, account_id, Role.OWNER)):
        return False
    return (yield from accounts.change_member_account(project_id, account_id, by, Role.REVIEWER))
