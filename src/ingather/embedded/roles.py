"""The database of a home, and the role that owns it, which is no superuser.

Whoever could make the workbench say SQL of their own would have the rights of this role: all of the tables, and
neither files nor programs of the machine.
"""

from typing import Final, LiteralString

import psycopg
from psycopg import sql

from ingather.embedded import postmaster
from ingather.embedded.errors import from_log
from ingather.embedded.places import DATABASE, ROLE, SUPERUSER, Places

# This role reads the server's state and changes nothing; the doctor asks for the oldest snapshot and the data's folder.
WATCHES: Final[LiteralString] = "grant pg_monitor to {}"

# Homes of before had all of this made by the superuser. A sequence of a column follows its table by itself.
THEIRS: Final[LiteralString] = """
with made as (
    select oid, rolname from pg_roles where rolname = %(superuser)s::name
), room as (
    select n.oid, n.nspname
      from pg_namespace n
     where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
)
select format('alter schema %%I owner to %%I', n.nspname, %(role)s::text)
  from pg_namespace n
  join room on room.oid = n.oid
  join made on made.oid = n.nspowner
 union all
select format('alter table %%s owner to %%I', c.oid::regclass, %(role)s::text)
  from pg_class c
  join room on room.oid = c.relnamespace
  join made on made.oid = c.relowner
 where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
   and not exists (
       select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i', 'e') and c.relkind = 'S'
   )
 union all
select format('alter routine %%s owner to %%I', p.oid::regprocedure, %(role)s::text)
  from pg_proc p
  join room on room.oid = p.pronamespace
  join made on made.oid = p.proowner
 union all
select format('alter type %%s owner to %%I', t.oid::regtype, %(role)s::text)
  from pg_type t
  join room on room.oid = t.typnamespace
  join made on made.oid = t.typowner
 where t.typtype in ('e', 'd', 'r')
"""


def create_database(places: Places) -> None:
    """Makes the role and its database where they are missing, and hands over what belongs to the superuser."""
    try:
        with postmaster.connect(places) as conn:
            _make_role(conn)
            owner = conn.execute(
                "select pg_get_userbyid(datdba) from pg_database where datname = %s", [DATABASE]
            ).fetchone()
            names = [sql.Identifier(DATABASE), sql.Identifier(ROLE)]
            if owner is None:
                conn.execute(sql.SQL("create database {} owner {}").format(*names))
            elif owner[0] != ROLE:
                with psycopg.connect(places.url(SUPERUSER), connect_timeout=5) as theirs:
                    _hand_over(theirs)
                conn.execute(sql.SQL("alter database {} owner to {}").format(*names))
    except psycopg.Error as refused:
        raise from_log(f"PostgreSQL runs, but its database could not be opened ({refused})", places.log) from refused


def _make_role(conn: psycopg.Connection) -> None:
    if conn.execute("select from pg_roles where rolname = %s", [ROLE]).rowcount:
        return
    role = sql.Identifier(ROLE)
    with conn.transaction():
        conn.execute(sql.SQL("create role {} login").format(role))
        conn.execute(sql.SQL(WATCHES).format(role))


def _hand_over(conn: psycopg.Connection) -> None:
    """In one transaction: a home is handed over whole or not at all."""
    for (statement,) in conn.execute(THEIRS, {"superuser": SUPERUSER, "role": ROLE}).fetchall():
        # The names in it were quoted by the server.
        conn.execute(statement)
