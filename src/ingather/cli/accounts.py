"""`ingather account`, `link_account_command` and `token`: who may use the workbench."""

import getpass
from argparse import Namespace
from datetime import timedelta

from ingather.cli.output import output_hint, output_json, output_sentence, output_table
from ingather.engine.errors import IngatherError
from ingather.settings import Settings
from ingather.web import accounts
from ingather.web.accounts import Account, TokenScope
from ingather.workbench import Workbench


def local_account_of_command(bench: Workbench) -> Account:
    """The account of the person who runs the command, named like their user on this machine."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = "me"
    return bench.engine.database.run(accounts.laptop_account(name))


def _account_of_command(bench: Workbench, name: str | None) -> Account:
    return bench.engine.database.run(accounts.find_account(name)) if name else local_account_of_command(bench)


def link_account_command(arguments: Namespace) -> int:
    bench = Workbench()
    account = _account_of_command(bench, arguments.account)
    secret = bench.engine.database.run(accounts.create_account_link(account))
    settings = Settings.from_environment()
    served = arguments.address or f"http://{settings.host}:{settings.port}"
    address = f"{served.rstrip('/')}/sign-in#{secret}"
    if arguments.json:
        output_json({"account": account.name, "link": address})
    else:
        output_sentence(address)
    return 0


def add_account_command(arguments: Namespace) -> int:
    bench = Workbench()
    account = bench.engine.database.run(accounts.add_account(arguments.name, is_operator=arguments.operator))
    if arguments.json:
        output_json({"account_id": account.id, "name": account.name, "is_operator": account.is_operator})
    else:
        output_sentence(f"Account {account.name!r} is made. `ingather link --account {account.name!r}` signs it in.")
    return 0


def list_accounts_command(arguments: Namespace) -> int:
    found = Workbench().engine.database.run(accounts.list_accounts())
    if arguments.json:
        output_json(found)
        return 0
    output_table(
        ["id", "name", "operator", "disabled", "made"],
        [(a.id, a.name, a.is_operator, a.is_disabled, a.created_at) for a in found],
        empty="There are no accounts.",
    )
    return 0


def disable_account_command(arguments: Namespace) -> int:
    Workbench().engine.database.run(accounts.disable_account(arguments.name))
    return _say_account_done(arguments, "disabled", "is disabled; its sessions, links and tokens have ended")


def enable_account_command(arguments: Namespace) -> int:
    Workbench().engine.database.run(accounts.enable_account(arguments.name))
    return _say_account_done(arguments, "enabled", "may sign in again, with a new link")


def end_account_sessions_command(arguments: Namespace) -> int:
    ended = Workbench().engine.database.run(accounts.end_sessions(arguments.name))
    if arguments.json:
        output_json({"name": arguments.name, "ended": ended})
    else:
        output_sentence(f"Account {arguments.name!r} is signed out: {ended} sessions have ended.")
    return 0


def delete_account_command(arguments: Namespace) -> int:
    Workbench().engine.database.run(accounts.delete_account(arguments.name))
    return _say_account_done(arguments, "deleted", "is deleted; its reviews stay, with its name")


def _say_account_done(arguments: Namespace, what: str, sentence: str) -> int:
    if arguments.json:
        output_json({"name": arguments.name, what: True})
    else:
        output_sentence(f"Account {arguments.name!r} {sentence}.")
    return 0


def create_account_token_command(arguments: Namespace) -> int:
    bench = Workbench()
    account = _account_of_command(bench, arguments.account)
    token, token_id, expires_at = bench.engine.database.run(
        accounts.create_token(
            account,
            arguments.name,
            scope=TokenScope(arguments.scope),
            lasts=timedelta(days=arguments.days),
            project_id=arguments.project,
        )
    )
    if arguments.json:
        output_json({"token_id": token_id, "token": token, "expires_at": expires_at})
    else:
        output_sentence(token)
        output_hint("Keep it: it is not shown again.")
    return 0


def list_account_tokens_command(arguments: Namespace) -> int:
    found = Workbench().engine.database.run(accounts.list_tokens())
    if arguments.json:
        output_json(found)
        return 0
    output_table(
        ["id", "account", "name", "begins", "scope", "expires", "last used", "revoked"],
        [(t.id, t.account, t.name, t.hint, t.scope.value, t.expires_at, t.last_used_at, t.revoked_at) for t in found],
        empty="There are no tokens.",
    )
    return 0


def revoke_account_token_command(arguments: Namespace) -> int:
    if not Workbench().engine.database.run(accounts.revoke_token(arguments.id)):
        raise IngatherError(f"There is no token {arguments.id} that could be revoked.")
    if arguments.json:
        output_json({"token_id": arguments.id, "revoked": True})
    else:
        output_sentence(f"Token {arguments.id} is revoked.")
    return 0
