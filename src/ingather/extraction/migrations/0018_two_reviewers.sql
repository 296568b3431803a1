-- How a project reviews its tasks. A project without a row has one reviewer per cell. Older code knows none of these
-- tables and goes on with one reviewer.
create table ingather.review_mode (
    project_id      bigint primary key references ingather.project (id) on delete cascade,
    mode            text not null check (mode in ('single', 'checked', 'independent')),
    shows_extractor boolean not null default true,  -- to those who decide; false: cells start empty
    changed_at      timestamptz not null default clock_timestamp()
);

-- Who looks at a document of a task: of two people who decide independently of each other, each has a side for good.
-- Rows that have ended stay, since whoever was on one side has seen its votes and may never take the other.
create table ingather.assignment (
    id          bigint generated always as identity primary key,
    task_id     bigint not null,
    ordinal     integer not null,
    side        smallint not null check (side in (1, 2)),
    account_id  bigint not null,                 -- whoever keeps accounts knows what it is
    name        text not null check (char_length(name) between 1 and 200),
    assigned_at timestamptz not null default clock_timestamp(),
    ended_at    timestamptz,
    foreign key (task_id, ordinal) references ingather.task_document (task_id, ordinal) on delete cascade
);
create unique index assignment_side on ingather.assignment (task_id, ordinal, side) where ended_at is null;
create index assignment_person on ingather.assignment (account_id, task_id) where ended_at is null;

-- A judgement that its side alone may see until the other side has judged the cell, too. Written once, like a review.
create table ingather.vote (
    id             bigint generated always as identity primary key,
    task_id        bigint not null,
    ordinal        integer not null,
    row_key        text not null,
    field          text not null,
    side           smallint not null check (side in (1, 2)),
    revision       integer not null check (revision > 0),
    action         text not null check (action in ('accepted', 'edited', 'not_reported', 'not_applicable', 'unclear',
                                                   'rejected', 'withdrawn')),
    value          jsonb,
    note           text not null default '' check (char_length(note) <= 2000),
    reviewer       text not null check (char_length(reviewer) between 1 and 200),
    account_id     bigint not null,
    finding_sha256 text not null check (finding_sha256 ~ '^[0-9a-f]{64}$'),
    outcome        jsonb not null,               -- state and value of the cell as this side leaves it
    cell           jsonb,
    passage        jsonb,
    voted_at       timestamptz not null default clock_timestamp(),
    unique (task_id, ordinal, row_key, field, side, revision),
    foreign key (task_id, ordinal) references ingather.task_document (task_id, ordinal) on delete cascade,
    check ((action = 'edited') = (value is not null))
);

-- A cell that both sides have judged. From here on everybody sees both votes, and neither changes. Where they differ the
-- pair is a conflict until somebody has settled it.
create table ingather.vote_pair (
    id         bigint generated always as identity primary key,
    task_id    bigint not null,
    ordinal    integer not null,
    row_key    text not null,
    field      text not null,
    first_id   bigint not null references ingather.vote (id) on delete cascade,   -- of side 1
    second_id  bigint not null references ingather.vote (id) on delete cascade,
    is_agreed  boolean not null,
    paired_at  timestamptz not null default clock_timestamp(),
    settled_at timestamptz,
    settled_by text check (char_length(settled_by) between 1 and 200),
    unique (task_id, ordinal, row_key, field),
    foreign key (task_id, ordinal) references ingather.task_document (task_id, ordinal) on delete cascade,
    check ((settled_at is null) = (settled_by is null))
);
create index vote_pair_first on ingather.vote_pair (first_id);
create index vote_pair_second on ingather.vote_pair (second_id);
create index vote_pair_open on ingather.vote_pair (task_id, id) where not is_agreed and settled_at is null;

-- The words on a page that a person has pointed at and whose value they have taken.
alter table ingather.review add column passage jsonb;

-- What people say to each other about a cell. While two people review it independently, a remark is its author's alone
-- until both have judged the cell.
create table ingather.cell_comment (
    id          bigint generated always as identity primary key,
    task_id     bigint not null,
    ordinal     integer not null,
    row_key     text not null,
    field       text not null,
    account_id  bigint not null,
    author      text not null check (char_length(author) between 1 and 200),
    text        text not null check (char_length(text) between 1 and 2000),
    mentions    bigint[] not null default '{}',  -- accounts
    made_at     timestamptz not null default clock_timestamp(),
    resolved_at timestamptz,
    resolved_by text check (char_length(resolved_by) between 1 and 200),
    foreign key (task_id, ordinal) references ingather.task_document (task_id, ordinal) on delete cascade,
    check ((resolved_at is null) = (resolved_by is null))
);
create index cell_comment_cell on ingather.cell_comment (task_id, ordinal);
create index cell_comment_mentions on ingather.cell_comment using gin (mentions) where resolved_at is null;
