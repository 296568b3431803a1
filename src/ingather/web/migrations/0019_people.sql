-- A fourth role: whoever settles what two independent reviewers differ about. Older code gives such a member no role.
alter table ingather.membership drop constraint membership_role_check;
alter table ingather.membership add constraint membership_role_check
    check (role in ('owner', 'adjudicator', 'reviewer', 'reader'));

-- A link that makes whoever opens it a member, once. Only the hash of its secret is kept.
create table ingather.invitation (
    id         bigint generated always as identity primary key,
    project_id bigint not null references ingather.project (id) on delete cascade,
    role       text not null check (role in ('owner', 'adjudicator', 'reviewer', 'reader')),
    sha256     bytea not null unique,
    made_by    text not null,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    used_at    timestamptz,
    used_by    bigint references ingather.account (id) on delete set null,
    revoked_at timestamptz
);
create index invitation_project on ingather.invitation (project_id);
create index invitation_used_by on ingather.invitation (used_by);

-- Who has a page of a task open, and the cell they look at. It is no loss if the server forgets it.
create unlogged table ingather.presence (
    task_id    bigint not null references ingather.task (id) on delete cascade,
    account_id bigint not null references ingather.account (id) on delete cascade,
    place      text not null default '' check (char_length(place) <= 800),
    seen_at    timestamptz not null default clock_timestamp(),
    primary key (task_id, account_id)
);
create index presence_account on ingather.presence (account_id);
