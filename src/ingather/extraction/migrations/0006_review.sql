-- What people say of findings. A row is written once and never changed: the next judgement of a cell is a row with the
-- next revision, and the primary key of a cell's revisions lets only one of two people who judge at once be first.
create table ingather.review (
    id             bigint generated always as identity primary key,
    task_id        bigint not null,
    ordinal        integer not null,
    row_key        text not null,
    field          text not null,
    revision       integer not null check (revision > 0),
    action         text not null check (action in ('accepted', 'edited', 'not_reported', 'not_applicable', 'unclear',
                                                   'rejected', 'withdrawn')),
    value          jsonb,                       -- what the person gave instead
    note           text not null default '' check (char_length(note) <= 2000),
    reviewer       text not null check (char_length(reviewer) between 1 and 200),
    account_id     bigint,                      -- whoever keeps accounts knows what it is; null for none
    finding_sha256 text not null check (finding_sha256 ~ '^[0-9a-f]{64}$'),  -- of what was judged
    reviewed_at    timestamptz not null default clock_timestamp(),
    unique (task_id, ordinal, row_key, field, revision),
    foreign key (task_id, ordinal) references ingather.task_document (task_id, ordinal) on delete cascade,
    check ((action = 'edited') = (value is not null))
);
