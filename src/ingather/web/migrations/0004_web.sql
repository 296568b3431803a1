-- The web: who may do what. Secrets are kept as SHA-256 only: they are long and random, so no slower hash is needed.

create table ingather.account (
    id          bigint generated always as identity primary key,
    name        text not null unique check (char_length(name) between 1 and 100),
    is_operator boolean not null default false,  -- may steer the engine, and make accounts
    is_disabled boolean not null default false,
    created_at  timestamptz not null default clock_timestamp()
);

create table ingather.membership (
    project_id bigint not null references ingather.project (id) on delete cascade,
    account_id bigint not null references ingather.account (id) on delete cascade,
    role       text not null check (role in ('owner', 'reviewer', 'reader')),
    primary key (project_id, account_id)
);
create index membership_of_account on ingather.membership (account_id);

-- For scripts. A token can do no more than its account, and less where its scope or project says so.
create table ingather.api_token (
    id           bigint generated always as identity primary key,
    account_id   bigint not null references ingather.account (id) on delete cascade,
    name         text not null check (char_length(name) between 1 and 100),
    sha256       bytea not null unique,
    hint         text not null,                   -- its first characters, to tell tokens apart
    scope        text not null check (scope in ('read', 'write', 'operate')),
    project_id   bigint references ingather.project (id) on delete cascade,
    created_at   timestamptz not null default clock_timestamp(),
    expires_at   timestamptz not null,
    last_used_at timestamptz,
    revoked_at   timestamptz
);

-- A browser that is signed in.
create table ingather.session (
    sha256     bytea primary key,
    account_id bigint not null references ingather.account (id) on delete cascade,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null
);

-- A link that signs a browser in, once.
create table ingather.sign_in_link (
    sha256     bytea primary key,
    account_id bigint not null references ingather.account (id) on delete cascade,
    expires_at timestamptz not null,
    used_at    timestamptz
);
