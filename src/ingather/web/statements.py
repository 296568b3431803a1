"""Every SQL text of the web."""

from typing import Final, LiteralString

from ingather.extraction.tasks.statements import PROJECTS

ADD_ACCOUNT: Final[LiteralString] = """
insert into ingather.account (name, is_operator) values (%(name)s, %(is_operator)s)
    on conflict (name) do nothing
returning id
"""

FIND_ACCOUNT: Final[LiteralString] = """
select id, name, is_operator from ingather.account where name = %(name)s and not is_disabled
"""

LIST_ACCOUNTS: Final[LiteralString] = """
select id, name, is_operator, is_disabled, created_at from ingather.account order by id
"""

SET_DISABLED: Final[LiteralString] = """
update ingather.account set is_disabled = %(is_disabled)s where name = %(name)s returning id
"""

# Sessions and links that are not used yet.
END_SESSIONS: Final[LiteralString] = """
with links as (delete from ingather.sign_in_link where account_id = %(account_id)s)
delete from ingather.session where account_id = %(account_id)s returning sha256
"""

REVOKE_TOKENS: Final[LiteralString] = """
update ingather.api_token set revoked_at = clock_timestamp() where account_id = %(account_id)s and revoked_at is null
"""

# Locks it: nobody can give it a project meanwhile.
ACCOUNT_NAMED: Final[LiteralString] = """
select id from ingather.account where name = %(name)s for update
"""

ONLY_OWNER_OF: Final[LiteralString] = (
    """
select p.name
  from ingather.membership m join """
    + PROJECTS
    + """ p on p.id = m.project_id
 where m.account_id = %(account_id)s and m.role = 'owner'
   and not exists (select from ingather.membership o
                    where o.project_id = m.project_id and o.role = 'owner' and o.account_id <> m.account_id)
 order by p.id
"""
)

DELETE_ACCOUNT: Final[LiteralString] = """
delete from ingather.account where id = %(account_id)s
"""

SET_ROLE: Final[LiteralString] = """
insert into ingather.membership (project_id, account_id, role) values (%(project_id)s, %(account_id)s, %(role)s)
    on conflict (project_id, account_id) do update set role = excluded.role
"""

# Projects of one account are made one after the other: of two with one name at the same moment, one is made.
LOCK_ACCOUNT: Final[LiteralString] = """
select id from ingather.account where id = %(account_id)s for no key update
"""

IS_IN_PROJECT_NAMED: Final[LiteralString] = (
    """
select 1 from ingather.membership m join """
    + PROJECTS
    + """ p on p.id = m.project_id
 where m.account_id = %(account_id)s and lower(p.name) = lower(%(name)s)
 limit 1
"""
)

IS_OWNER: Final[LiteralString] = """
select 1 from ingather.membership where project_id = %(project_id)s and account_id = %(account_id)s and role = 'owner'
"""

REMOVE_ROLE: Final[LiteralString] = """
delete from ingather.membership where project_id = %(project_id)s and account_id = %(account_id)s returning role
"""

MEMBERS: Final[LiteralString] = """
select a.id, a.name, m.role from ingather.membership m join ingather.account a on a.id = m.account_id
 where m.project_id = %(project_id)s and a.name > %(after)s
 order by a.name
 limit %(limit)s
"""

PROJECTS_WITHOUT_OWNER: Final[LiteralString] = (
    """
select p.id from """
    + PROJECTS
    + """ p
 where not exists (select from ingather.membership m where m.project_id = p.id and m.role = 'owner')
"""
)

ADD_TOKEN: Final[LiteralString] = """
insert into ingather.api_token (account_id, name, sha256, hint, scope, project_id, expires_at)
values (%(account_id)s, %(name)s, %(sha256)s, %(hint)s, %(scope)s, %(project_id)s,
        least(clock_timestamp() + %(lasts)s, %(no_later_than)s::timestamptz))
returning id, expires_at
"""

LIST_TOKENS: Final[LiteralString] = """
select t.id, a.name, t.name, t.hint, t.scope, t.project_id, t.created_at, t.expires_at, t.last_used_at, t.revoked_at
  from ingather.api_token t join ingather.account a on a.id = t.account_id
 where (%(account_id)s::bigint is null or t.account_id = %(account_id)s)
   and (%(project_id)s::bigint is null or t.project_id = %(project_id)s)
   and t.id > %(after)s
 order by t.id
 limit %(limit)s
"""

REVOKE_TOKEN: Final[LiteralString] = """
update ingather.api_token set revoked_at = clock_timestamp()
 where id = %(token_id)s and revoked_at is null and (%(account_id)s::bigint is null or account_id = %(account_id)s)
   and (%(project_id)s::bigint is null or project_id = %(project_id)s)
returning id
"""

# Who holds this token, and what are they in each project? Noted once a minute at most: reading must stay cheap.
CALLER_BY_TOKEN: Final[LiteralString] = """
with used as (
    update ingather.api_token set last_used_at = clock_timestamp()
     where sha256 = %(sha256)s and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')
)
select a.id, a.name, a.is_operator, t.scope, t.project_id, t.expires_at,
       array(select (m.project_id, m.role)::text from ingather.membership m where m.account_id = a.id)
  from ingather.api_token t join ingather.account a on a.id = t.account_id
 where t.sha256 = %(sha256)s and t.revoked_at is null and t.expires_at > clock_timestamp() and not a.is_disabled
"""

CALLER_BY_SESSION: Final[LiteralString] = """
select a.id, a.name, a.is_operator, 'operate', null::bigint, null::timestamptz,
       array(select (m.project_id, m.role)::text from ingather.membership m where m.account_id = a.id)
  from ingather.session s join ingather.account a on a.id = s.account_id
 where s.sha256 = %(sha256)s and s.expires_at > clock_timestamp() and not a.is_disabled
"""

ADD_LINK: Final[LiteralString] = """
insert into ingather.sign_in_link (sha256, account_id, expires_at)
values (%(sha256)s, %(account_id)s, clock_timestamp() + %(lasts)s)
"""

# Once: the second browser with the same link finds it used.
USE_LINK: Final[LiteralString] = """
update ingather.sign_in_link set used_at = clock_timestamp()
 where sha256 = %(sha256)s and used_at is null and expires_at > clock_timestamp()
returning account_id
"""

ADD_SESSION: Final[LiteralString] = """
insert into ingather.session (sha256, account_id, expires_at)
values (%(sha256)s, %(account_id)s, clock_timestamp() + %(lasts)s)
"""

END_SESSION: Final[LiteralString] = """
delete from ingather.session where sha256 = %(sha256)s
"""

CLEAN_UP: Final[LiteralString] = """
with links as (delete from ingather.sign_in_link where expires_at < clock_timestamp() - interval '1 day')
delete from ingather.session where expires_at < clock_timestamp()
"""
